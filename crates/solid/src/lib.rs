//! Deformable solids in three dimensions and SI units: materials, elements, springs, loads, and the [`model::Model`] that
//! assembles them into a system of ordinary differential equations.
//!
//! Nothing in this crate depends on the time step or on the integration method.

pub mod blocks;
pub mod lanes;
pub mod load;
pub mod mass;
pub mod material;
pub mod model;
pub mod motion;
pub mod potential;
pub mod small3;
