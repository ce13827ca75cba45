//! Eigenvalues of symmetric 3×3 matrices by cyclic Jacobi rotations, four matrices at a time.
//!
//! A rotation by θ annihilates a_pq when tan 2θ = k, k = 2 a_pq/(a_pp − a_qq). As A. McAdams, A. Selle, R. Tamstorf,
//! J. Teran, E. Sifakis do in "Computing the singular value decomposition of 3×3 matrices with minimal branching and
//! elementary floating point operations" (2011), §2, the angle is approximated; but by a rational function,
//! tan(θ/2) ≈ k (1 + a k)/(4 + 4a k + 2k²) for k ≥ 0, a = 2(√2 − 1), which is right to second order at k = 0 (so
//! convergence stays quadratic), exact at k = ∞, and leaves at most 2.2 % of a_pq in between. Cosine and sine then cost
//! one division and no square root. A matrix that has converged stops rotating, so no lane sees its neighbours.

use crate::lanes::{Lanes, Mask, Mat3};

/// 2 (√2 − 1).
const A: f64 = 0.828_427_124_746_190_1;

/// Cosine and sine of the rotation that (nearly) annihilates `off` between diagonal entries that differ by
/// `gap` = a_pp − a_qq; no rotation where `active` says no.
#[inline(always)]
pub(super) fn jacobi_angle(gap: Lanes, off: Lanes, active: Mask) -> (Lanes, Lanes) {
    let (x, y) = (gap.abs(), 2.0 * off.abs());
    let ay = A * y;
    let ch = 4.0 * (x * (x + ay)) + 2.0 * (y * y);
    let sh = (y * (x + ay)).copysign(off) * Lanes::ONE.copysign(gap);
    let active = active.and(ch.above(Lanes::splat(1e-140)));
    let ch = active.select(ch, Lanes::ONE);
    let sh = active.select(sh, Lanes::ZERO);
    let (c2, s2) = (ch * ch, sh * sh);
    let inverse = 1.0 / (c2 + s2);
    ((c2 - s2) * inverse, (ch + ch) * sh * inverse)
}

/// Turns columns p and q of `v`: (p, q) ← (c p + s q, c q − s p).
#[inline(always)]
pub(super) fn rotate_columns(v: &mut Mat3, p: usize, q: usize, c: Lanes, s: Lanes) {
    for row in v {
        let (x, y) = (row[p], row[q]);
        row[p] = c * x + s * y;
        row[q] = c * y - s * x;
    }
}

/// One rotation of the symmetric matrix with diagonal `d` and off-diagonal `o` (o\[k\] couples the two others).
#[inline(always)]
fn rotate(d: &mut [Lanes; 3], o: &mut [Lanes; 3], v: &mut Mat3, k: usize, active: Mask) {
    let (p, q) = ((k + 1) % 3, (k + 2) % 3);
    let (c, s) = jacobi_angle(d[p] - d[q], o[k], active);
    let (cc, ss, cs) = (c * c, s * s, c * s);
    let cross = 2.0 * (cs * o[k]);
    let (dp, dq) = (d[p], d[q]);
    d[p] = cc * dp + cross + ss * dq;
    d[q] = ss * dp - cross + cc * dq;
    o[k] = (cc - ss) * o[k] - cs * (dp - dq);
    let (kp, kq) = (o[q], o[p]); // a_kp and a_kq
    o[q] = c * kp + s * kq;
    o[p] = c * kq - s * kp;
    rotate_columns(v, p, q, c, s);
}

/// Eigenvalues w and eigenvectors V (columns, det V = 1) of the symmetric matrix `a` = V diag(w) Vᵀ, in no
/// particular order; off-diagonal entries below 5·10⁻¹⁶ of the largest entry count as zero. Entries should be
/// neither so large nor so small that their squares leave the range of numbers.
#[inline(always)]
pub fn symmetric_eigen(a: &Mat3) -> ([Lanes; 3], Mat3) {
    let mut d = [a[0][0], a[1][1], a[2][2]];
    let mut o = [a[1][2], a[2][0], a[0][1]];
    let mut v = super::IDENTITY;
    let size = (d[0].abs().max(d[1].abs()).max(d[2].abs()))
        .max(o[0].abs().max(o[1].abs()).max(o[2].abs()));
    let small = 2.5e-31 * (size * size);
    for _ in 0..MAX_SWEEPS {
        let off = o[0] * o[0] + o[1] * o[1] + o[2] * o[2];
        let active = off.above(small);
        if !active.any() {
            break;
        }
        rotate(&mut d, &mut o, &mut v, 2, active);
        rotate(&mut d, &mut o, &mut v, 1, active);
        rotate(&mut d, &mut o, &mut v, 0, active);
    }
    (d, v)
}

/// Five or six sweeps suffice for any matrix tried; the bound ends loops fed with infinities.
const MAX_SWEEPS: usize = 12;
