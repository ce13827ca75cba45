//! Mesh generation: [`shapes`] meshes parametric bodies, [`fill`] meshes the inside of a closed surface.

pub mod fill;
pub mod shapes;
