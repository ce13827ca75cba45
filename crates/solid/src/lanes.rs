//! Four numbers that march together: one number of each of four elements.
//!
//! Materials and element kernels are written once, on [`Lanes`]; the loops inside vectorise to whatever width
//! the machine has. Nothing here uses fused multiply-add, so every machine computes the same bytes.

/// One number of each of four elements.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(32))]
pub struct Lanes(pub [f64; 4]);

/// A 3×3 matrix, row by row, of each of four elements.
pub type Mat3 = [[Lanes; 3]; 3];
