//! Singular value decomposition of 3×3 matrices, four at a time.
//!
//! F = U Σ Vᵀ with proper rotations U and V and σ₁ ≥ σ₂ ≥ |σ₃|, where σ₃ has the sign of det F [Irving, Teran & Fedkiw 2004,
//! §4]. The rotation R = U Vᵀ is therefore never a reflection.
//!
//! There are two stages. Jacobi rotations of FᵀF compute V cheaply, but squaring loses singular values below 10⁻⁸ σ₁. The
//! columns of F V are then made orthogonal by one-sided Jacobi rotations [Hestenes 1958]; for well-conditioned F this is
//! only a check. Small singular values keep their relative accuracy as far as F determines them; those below 10⁻¹⁵⁰ σ₁
//! count as zero.

use super::eigen::{jacobi_angle, rotate_columns, symmetric_eigen};
use super::{column, cross, dot, max_abs, mul, scale, transpose, transpose_mul, vec3};
use crate::lanes::{Lanes, Mask, Mat3, Vec3};

/// Singular value decomposition F = U diag(σ) Vᵀ with rotations U and V.
#[derive(Clone, Copy, Debug)]
pub struct Svd {
    /// Left rotation.
    pub u: Mat3,
    /// Singular values σ₁ ≥ σ₂ ≥ |σ₃|, the last with the sign of det F.
    pub sigma: Vec3,
    /// Right rotation.
    pub v: Mat3,
}

/// Computes the singular value decomposition of `f`. Lanes with infinities or NaN give NaN in bounded time.
#[inline(always)]
pub fn svd(f: &Mat3) -> Svd {
    let size = max_abs(f);
    let (up, down) = size.binade();
    let f = scale(down, f);
    let (_, mut v) = symmetric_eigen(&transpose_mul(&f, &f));
    let mut b = mul(&f, &v);
    orthogonalise(&mut b, &mut v);
    let (b, v) = sorted(&b, &v);
    let (b0, b1, b2) = (column(&b, 0), column(&b, 1), column(&b, 2));
    let (u0, s0) = normalise(&b0, &[Lanes::ONE, Lanes::ZERO, Lanes::ZERO]);
    let along = dot(&u0, &b1);
    let across = vec3(|i| b1[i] - along * u0[i]);
    let (u1, s1) = normalise(&across, &perpendicular(&u0));
    let u2 = cross(&u0, &u1);
    let s2 = dot(&u2, &b2);
    Svd {
        u: transpose(&[u0, u1, u2]),
        sigma: [up * s0, up * s1, up * s2],
        v,
    }
}

/// Rotates the columns of `b`, and those of `v` with them, until every pair is orthogonal to working accuracy.
#[inline(always)]
fn orthogonalise(b: &mut Mat3, v: &mut Mat3) {
    const MAX_SWEEPS: usize = 12;
    for _ in 0..MAX_SWEEPS {
        let n = vec3(|j| dot(&column(b, j), &column(b, j)));
        let slanted = |p: usize, q: usize| {
            let off = dot(&column(b, p), &column(b, q));
            (off * off).above(1.6e-29 * (n[p] * n[q]))
        };
        let active = slanted(0, 1).or(slanted(0, 2)).or(slanted(1, 2));
        if !active.any() {
            break;
        }
        orthogonalise_pair(b, v, 0, 1, active);
        orthogonalise_pair(b, v, 0, 2, active);
        orthogonalise_pair(b, v, 1, 2, active);
    }
}

#[inline(always)]
fn orthogonalise_pair(b: &mut Mat3, v: &mut Mat3, p: usize, q: usize, active: Mask) {
    let (bp, bq) = (column(b, p), column(b, q));
    let (c, s) = jacobi_angle(dot(&bp, &bp) - dot(&bq, &bq), dot(&bp, &bq), active);
    rotate_columns(b, p, q, c, s);
    rotate_columns(v, p, q, c, s);
}

/// Sorts the columns by descending length. Swaps are rotations by a right angle, so V stays a rotation.
#[inline(always)]
fn sorted(b: &Mat3, v: &Mat3) -> (Mat3, Mat3) {
    let length = |j| dot(&column(b, j), &column(b, j));
    let (n0, n1, n2) = (length(0), length(1), length(2));
    let s01 = n0.below(n1);
    let (n0, n1) = (s01.select(n1, n0), s01.select(n0, n1));
    let s02 = n0.below(n2);
    let n2 = s02.select(n0, n2);
    let s12 = n1.below(n2);
    let row = |r: &Vec3| {
        let (x, y, z) = (r[0], r[1], r[2]);
        let (x, y) = (s01.select(y, x), s01.select(-x, y));
        let (x, z) = (s02.select(z, x), s02.select(-x, z));
        [x, s12.select(z, y), s12.select(-y, z)]
    };
    (
        [row(&b[0]), row(&b[1]), row(&b[2])],
        [row(&v[0]), row(&v[1]), row(&v[2])],
    )
}

/// Returns `b` scaled to length one and its length, or `otherwise` and zero if `b` is zero.
#[inline(always)]
fn normalise(b: &Vec3, otherwise: &Vec3) -> (Vec3, Lanes) {
    const MIN_SQUARED_LENGTH: f64 = 1e-300;
    let n2 = dot(b, b);
    let real = n2
        .above(Lanes::splat(MIN_SQUARED_LENGTH))
        .or(n2.is_number().not());
    let n = n2.sqrt();
    let inverse = 1.0 / n;
    (
        vec3(|i| real.select(b[i] * inverse, otherwise[i])),
        real.select(n, Lanes::ZERO),
    )
}

/// A unit vector perpendicular to the unit vector `u`: its cross product with the axis of its smallest component.
#[inline(always)]
fn perpendicular(u: &Vec3) -> Vec3 {
    let a = [u[0].abs(), u[1].abs(), u[2].abs()];
    let x = a[1].at_least(a[0]).and(a[2].at_least(a[0]));
    let y = a[2].at_least(a[1]);
    let (o, i) = (Lanes::ZERO, Lanes::ONE);
    let axis = [
        x.select(i, o),
        x.select(o, y.select(i, o)),
        x.select(o, y.select(o, i)),
    ];
    let w = cross(u, &axis);
    let inverse = 1.0 / dot(&w, &w).sqrt();
    [w[0] * inverse, w[1] * inverse, w[2] * inverse]
}
