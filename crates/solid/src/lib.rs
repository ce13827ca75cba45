//! Matter, in three dimensions and SI units: materials, potentials and the forces between nodes.
//! This crate has never heard of a time step.

pub mod blocks;
pub mod lanes;
pub mod load;
pub mod mass;
pub mod material;
pub mod model;
pub mod motion;
pub mod potential;
pub mod small3;
