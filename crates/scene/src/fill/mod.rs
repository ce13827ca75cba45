//! A closed surface becomes a solid.

mod lattice;
mod stencil;
mod stuffing;

pub use lattice::Lattice;
pub use stuffing::stuff;
