//! Singular values and rotations of 3×3 matrices, four at a time.
//!
//! F = U Σ Vᵀ with U and V proper rotations and σ₁ ≥ σ₂ ≥ |σ₃|; σ₃ carries the sign of det F (the
//! "rotation-variant" convention of G. Irving, J. Teran, R. Fedkiw, "Invertible finite elements for robust
//! simulation of large deformation", SCA 2004, §4). Hence the rotation R = U Vᵀ is never a reflection.
//!
//! Two stages. Jacobi rotations of FᵀF find V cheaply, but squaring blurs singular values below 10⁻⁸ σ₁; so the
//! columns of F V are then made orthogonal by one-sided Jacobi rotations (M. Hestenes, "Inversion of matrices by
//! biorthogonalization and related results", 1958), which for well-conditioned F is one check and no work.
//! Small singular values keep relative accuracy as far as F determines them; those below 10⁻¹⁵⁰ σ₁ count as zero.

use super::eigen::{jacobi_angle, symmetric_eigen, turn};
use super::{column, cross, dot, mul, mul_transpose, scale, transpose_mul};
use crate::lanes::{Lanes, Mask, Mat3, Vec3};

/// F = U diag(σ) Vᵀ.
#[derive(Clone, Copy, Debug)]
pub struct Svd {
    /// Left rotation.
    pub u: Mat3,
    /// σ₁ ≥ σ₂ ≥ |σ₃|, the last with the sign of det F.
    pub sigma: Vec3,
    /// Right rotation.
    pub v: Mat3,
}

/// Singular values of `f` with proper rotations on both sides. Lanes that hold infinities or NaN give NaN
/// somewhere, in bounded time.
#[inline(always)]
pub fn svd(f: &Mat3) -> Svd {
    let size = largest(f);
    let (up, down) = size.binade();
    let f = scale(down, f);
    let (_, mut v) = symmetric_eigen(&transpose_mul(&f, &f));
    let mut b = mul(&f, &v);
    orthogonalise(&mut b, &mut v);
    sort(&mut b, &mut v);
    let (b0, b1, b2) = (column(&b, 0), column(&b, 1), column(&b, 2));
    let (u0, s0) = direction(&b0, &[Lanes::ONE, Lanes::ZERO, Lanes::ZERO]);
    let along = dot(&u0, &b1);
    let across = std::array::from_fn(|i| b1[i] - along * u0[i]);
    let (u1, s1) = direction(&across, &perpendicular(&u0));
    let u2 = cross(&u0, &u1);
    let s2 = dot(&u2, &b2);
    Svd {
        u: std::array::from_fn(|i| [u0[i], u1[i], u2[i]]),
        sigma: [up * s0, up * s1, up * s2],
        v,
    }
}

/// The rotation nearest to `f`: R = U Vᵀ, det R = 1 even where det F < 0.
#[inline(always)]
pub fn rotation(f: &Mat3) -> Mat3 {
    let svd = svd(f);
    mul_transpose(&svd.u, &svd.v)
}

#[inline(always)]
fn largest(f: &Mat3) -> Lanes {
    let row = |r: &Vec3| r[0].abs().max(r[1].abs()).max(r[2].abs());
    row(&f[0]).max(row(&f[1])).max(row(&f[2]))
}

/// Rotates columns of `b` (and `v` with them) until every pair is orthogonal to working accuracy.
#[inline(always)]
fn orthogonalise(b: &mut Mat3, v: &mut Mat3) {
    const SWEEPS: usize = 12;
    for _ in 0..SWEEPS {
        let n: [Lanes; 3] = std::array::from_fn(|j| dot(&column(b, j), &column(b, j)));
        let slanted = |p: usize, q: usize| {
            let off = dot(&column(b, p), &column(b, q));
            (off * off).above(1e-30 * (n[p] * n[q]))
        };
        let active = slanted(0, 1).or(slanted(0, 2)).or(slanted(1, 2));
        if !active.any() {
            break;
        }
        straighten(b, v, 0, 1, active);
        straighten(b, v, 0, 2, active);
        straighten(b, v, 1, 2, active);
    }
}

#[inline(always)]
fn straighten(b: &mut Mat3, v: &mut Mat3, p: usize, q: usize, active: Mask) {
    let (bp, bq) = (column(b, p), column(b, q));
    let (c, s) = jacobi_angle(dot(&bp, &bp) - dot(&bq, &bq), dot(&bp, &bq), active);
    turn(b, p, q, c, s);
    turn(v, p, q, c, s);
}

/// Columns in descending order of length; a swap turns by a right angle, so V stays a rotation.
#[inline(always)]
fn sort(b: &mut Mat3, v: &mut Mat3) {
    let mut n: [Lanes; 3] = std::array::from_fn(|j| dot(&column(b, j), &column(b, j)));
    for (p, q) in [(0, 1), (0, 2), (1, 2)] {
        let swap = n[p].below(n[q]);
        let (np, nq) = (n[p], n[q]);
        n[p] = swap.select(nq, np);
        n[q] = swap.select(np, nq);
        for row in b.iter_mut().chain(v.iter_mut()) {
            let (x, y) = (row[p], row[q]);
            row[p] = swap.select(y, x);
            row[q] = swap.select(-x, y);
        }
    }
}

/// `b` scaled to length one, and its length; `otherwise` and zero where there is nothing to scale.
#[inline(always)]
fn direction(b: &Vec3, otherwise: &Vec3) -> (Vec3, Lanes) {
    const NOTHING: f64 = 1e-300;
    let n2 = dot(b, b);
    let real = n2.above(Lanes::splat(NOTHING)).or(not_number(n2));
    let n = n2.sqrt();
    let inverse = 1.0 / n;
    (
        std::array::from_fn(|i| real.select(b[i] * inverse, otherwise[i])),
        real.select(n, Lanes::ZERO),
    )
}

#[inline(always)]
fn not_number(x: Lanes) -> Mask {
    let number = x.is_number();
    Mask(std::array::from_fn(|i| !number.0[i]))
}

/// Some unit vector perpendicular to the unit vector `u`: its cross product with the axis it leans on least.
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
