//! Eigenvalues and eigenvectors of symmetric 3×3 matrices by cyclic Jacobi rotations, four matrices at a time.
//!
//! A rotation by θ annihilates a_pq if tan 2θ = k with k = 2 a_pq/(a_pp − a_qq). The angle is approximated as in [McAdams,
//! Selle, Tamstorf, Teran & Sifakis 2011, §2], but by the rational function
//! tan(θ/2) ≈ k (1 + a k)/(4 + 4a k + 2k²) for k ≥ 0, a = 2(√2 − 1). It is exact to second order at k = 0 (convergence stays
//! quadratic) and at k = ∞, and leaves at most 2.2 % of a_pq in between. Cosine and sine then cost one division and no
//! square root. A converged matrix is not rotated any more, so the result of a lane does not depend on the others.

use crate::lanes::{Lanes, Mask, Mat3};

/// 2 (√2 − 1).
const A: f64 = 0.828_427_124_746_190_1;

/// Cosine and sine of the rotation that approximately annihilates `off` between diagonal entries that differ by
/// `gap` = a_pp − a_qq; no rotation in lanes that are not active.
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

/// Rotates columns p and q of `v`: (p, q) ← (c p + s q, c q − s p).
#[inline(always)]
pub(super) fn rotate_columns(v: &mut Mat3, p: usize, q: usize, c: Lanes, s: Lanes) {
    for row in v {
        let (x, y) = (row[p], row[q]);
        row[p] = c * x + s * y;
        row[q] = c * y - s * x;
    }
}

/// One Jacobi rotation of the symmetric matrix with diagonal `d` and off-diagonal `o`, where o\[k\] is the entry between the
/// two other axes.
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

/// Eigenvalues w and eigenvectors V (columns, det V = 1) of the symmetric matrix `a` = V diag(w) Vᵀ, unordered.
///
/// Off-diagonal entries below 5·10⁻¹⁶ of the largest entry count as zero. The squares of the entries must not overflow or
/// underflow.
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

/// Upper bound of Jacobi sweeps. Five or six sweeps sufficed for all matrices tried; the bound ends loops on infinities.
const MAX_SWEEPS: usize = 12;
