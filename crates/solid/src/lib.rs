//! Matter, in three dimensions and SI units: meshes, elements, materials and the forces between nodes.
//! This crate has never heard of a time step.

pub mod lanes;
pub mod material;
pub mod mesh;
pub mod small3;
