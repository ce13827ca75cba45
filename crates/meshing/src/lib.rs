//! Meshes made by the program: [`shapes`] from a few lengths, [`fill`] from a closed surface.

pub mod fill;
pub mod shapes;
