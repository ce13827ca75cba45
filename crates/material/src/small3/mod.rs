//! Algebra of 3×3 matrices and 3-vectors, four at a time: products, cofactors, SVD, polar rotation, eigenvalues.

mod cubic;
mod eigen;
mod polar;
mod svd;

pub use cubic::Cubic;
pub use eigen::symmetric_eigen;
pub use polar::rotation;
pub use svd::{Svd, svd};

use crate::lanes::{Lanes, Mat3, Vec3};

/// The identity matrix.
pub const IDENTITY: Mat3 = {
    const O: Lanes = Lanes::ZERO;
    const I: Lanes = Lanes::ONE;
    [[I, O, O], [O, I, O], [O, O, I]]
};

/// Matrix with the entries `f(i, j)`.
#[inline(always)]
pub fn mat3(f: impl Fn(usize, usize) -> Lanes) -> Mat3 {
    [
        [f(0, 0), f(0, 1), f(0, 2)],
        [f(1, 0), f(1, 1), f(1, 2)],
        [f(2, 0), f(2, 1), f(2, 2)],
    ]
}

/// Vector with the entries `f(i)`.
#[inline(always)]
pub fn vec3(f: impl Fn(usize) -> Lanes) -> Vec3 {
    [f(0), f(1), f(2)]
}

/// Sum a + b of matrices.
#[inline(always)]
pub fn add(a: &Mat3, b: &Mat3) -> Mat3 {
    mat3(|i, j| a[i][j] + b[i][j])
}

/// Product s a of a scalar and a matrix.
#[inline(always)]
pub fn scale(s: Lanes, a: &Mat3) -> Mat3 {
    mat3(|i, j| s * a[i][j])
}

/// Matrix I + g.
#[inline(always)]
pub fn plus_identity(g: &Mat3) -> Mat3 {
    mat3(|i, j| if i == j { 1.0 + g[i][j] } else { g[i][j] })
}

/// Transpose aᵀ.
#[inline(always)]
pub fn transpose(a: &Mat3) -> Mat3 {
    mat3(|i, j| a[j][i])
}

/// Matrix product a b.
#[inline(always)]
pub fn mul(a: &Mat3, b: &Mat3) -> Mat3 {
    mat3(|i, j| a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j])
}

/// Matrix product aᵀ b.
#[inline(always)]
pub fn transpose_mul(a: &Mat3, b: &Mat3) -> Mat3 {
    mat3(|i, j| a[0][i] * b[0][j] + a[1][i] * b[1][j] + a[2][i] * b[2][j])
}

/// Matrix product a bᵀ.
#[inline(always)]
pub fn mul_transpose(a: &Mat3, b: &Mat3) -> Mat3 {
    mat3(|i, j| a[i][0] * b[j][0] + a[i][1] * b[j][1] + a[i][2] * b[j][2])
}

/// Inner product a : b = Σ a_ij b_ij of matrices.
#[inline(always)]
pub fn inner(a: &Mat3, b: &Mat3) -> Lanes {
    dot(&a[0], &b[0]) + dot(&a[1], &b[1]) + dot(&a[2], &b[2])
}

/// Trace Σ a_ii.
#[inline(always)]
pub fn trace(a: &Mat3) -> Lanes {
    a[0][0] + a[1][1] + a[2][2]
}

/// Cofactor matrix cof a = ∂(det a)/∂a.
#[inline(always)]
pub fn cofactor(a: &Mat3) -> Mat3 {
    [
        cross(&a[1], &a[2]),
        cross(&a[2], &a[0]),
        cross(&a[0], &a[1]),
    ]
}

/// Determinant of the 3×3 matrix `a`, lane by lane.
#[inline(always)]
pub fn determinant(a: &Mat3) -> Lanes {
    dot(&a[0], &cross(&a[1], &a[2]))
}

/// Dot product a · b.
#[inline(always)]
pub fn dot(a: &Vec3, b: &Vec3) -> Lanes {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Cross product a × b.
#[inline(always)]
pub fn cross(a: &Vec3, b: &Vec3) -> Vec3 {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

/// Column `j` of matrix a.
#[inline(always)]
pub fn column(a: &Mat3, j: usize) -> Vec3 {
    [a[0][j], a[1][j], a[2][j]]
}

/// Largest absolute entry max |a_ij|.
#[inline(always)]
pub fn max_abs(a: &Mat3) -> Lanes {
    let row = |r: &Vec3| r[0].abs().max(r[1].abs()).max(r[2].abs());
    row(&a[0]).max(row(&a[1])).max(row(&a[2]))
}
