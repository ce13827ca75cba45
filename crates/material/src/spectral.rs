//! Projection of the second derivative to the nearest positive semi-definite matrix, by analytic eigensystems.
//!
//! For an isotropic law Ψ(σ₁, σ₂, σ₃) and F = U Σ Vᵀ, ∂²Ψ/∂F² has the eigenmodes [Smith, De Goes & Kim 2019, §4]
//! - three twists, eigenvalue (ψᵢ + ψⱼ)/(σᵢ + σⱼ) on U (eᵢeⱼᵀ − eⱼeᵢᵀ) Vᵀ/√2,
//! - three flips, eigenvalue (ψᵢ − ψⱼ)/(σᵢ − σⱼ) on U (eᵢeⱼᵀ + eⱼeᵢᵀ) Vᵀ/√2,
//! - three scalings, those of the 3×3 matrix Aᵢⱼ = ∂²Ψ/∂σᵢ∂σⱼ on U diag(·) Vᵀ,
//!
//! with ψᵢ = ∂Ψ/∂σᵢ. Our change: the paper assembles the matrix from nine eigenpairs; we subtract the negative part from the
//! exact matrix. A matrix that is already semi-definite is returned unchanged, and only modes that are negative in at least
//! one of the four elements cost work.

use super::Hessian;
use crate::lanes::{Lanes, Mat3};
use crate::small3::{Svd, max_abs, scale, symmetric_eigen};
use std::f64::consts::FRAC_1_SQRT_2;

/// Second derivative in the principal frame, by twist, flip and scaling modes. Twist and flip k belong to the plane
/// perpendicular to axis k.
pub(super) struct Principal {
    /// Scaling matrix ∂²Ψ/∂σᵢ∂σⱼ.
    pub scaling: Mat3,
    /// Twist eigenvalues (ψᵢ + ψⱼ)/(σᵢ + σⱼ).
    pub twist: [Lanes; 3],
    /// Flip eigenvalues (ψᵢ − ψⱼ)/(σᵢ − σⱼ).
    pub flip: [Lanes; 3],
}

impl Principal {
    /// The exact second derivative (lower triangle).
    #[inline(always)]
    pub fn matrix(&self, svd: &Svd) -> Hessian {
        let mut h = [[Lanes::ZERO; 9]; 9];
        for k in 0..3 {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            add_rank_one(
                &mut h,
                self.twist[k],
                &twist_or_flip_mode(svd, i, j, -FRAC_1_SQRT_2),
            );
            add_rank_one(
                &mut h,
                self.flip[k],
                &twist_or_flip_mode(svd, i, j, FRAC_1_SQRT_2),
            );
        }
        for i in 0..3 {
            let along = scaled(svd, |j| if i == j { Lanes::ONE } else { Lanes::ZERO });
            let pulled = scaled(svd, |j| self.scaling[i][j]);
            for a in 0..9 {
                for b in 0..=a {
                    h[a][b] += along[a] * pulled[b];
                }
            }
        }
        h
    }

    /// Subtracts the negative part from the exact second derivative `h` (lower triangles).
    #[inline(always)]
    pub fn clamp(&self, h: &mut Hessian, svd: &Svd) {
        for k in 0..3 {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            let (twist, flip) = (negative_part(self.twist[k]), negative_part(self.flip[k]));
            if any_positive(twist) {
                add_rank_one(h, twist, &twist_or_flip_mode(svd, i, j, -FRAC_1_SQRT_2));
            }
            if any_positive(flip) {
                add_rank_one(h, flip, &twist_or_flip_mode(svd, i, j, FRAC_1_SQRT_2));
            }
        }
        if !is_definite(&self.scaling) {
            self.clamp_scaling(h, svd);
        }
    }

    #[inline(always)]
    fn clamp_scaling(&self, h: &mut Hessian, svd: &Svd) {
        // The eigenvalue iteration computes fourth powers: scale the entries to avoid overflow.
        let (up, down) = max_abs(&self.scaling).binade();
        let (w, v) = symmetric_eigen(&scale(down, &self.scaling));
        for m in 0..3 {
            let lift = up * negative_part(w[m]);
            if any_positive(lift) {
                add_rank_one(h, lift, &scaled(svd, |k| v[k][m]));
            }
        }
    }
}

/// Flip mode for s = 1/√2 and twist mode for s = −1/√2: uᵢ vⱼᵀ/√2 + s uⱼ vᵢᵀ as nine entries.
#[inline(always)]
pub(super) fn twist_or_flip_mode(svd: &Svd, i: usize, j: usize, s: f64) -> [Lanes; 9] {
    let (u, v) = (&svd.u, &svd.v);
    let mut q = [Lanes::ZERO; 9];
    for a in 0..3 {
        let (ui, uj) = (FRAC_1_SQRT_2 * u[a][i], s * u[a][j]);
        for b in 0..3 {
            q[3 * a + b] = ui * v[b][j] + uj * v[b][i];
        }
    }
    q
}

/// U diag(w) Vᵀ as nine entries.
#[inline(always)]
fn scaled(svd: &Svd, w: impl Fn(usize) -> Lanes) -> [Lanes; 9] {
    let (u, v) = (&svd.u, &svd.v);
    let mut q = [Lanes::ZERO; 9];
    for i in 0..3 {
        for j in 0..3 {
            q[3 * i + j] = w(0) * (u[i][0] * v[j][0])
                + w(1) * (u[i][1] * v[j][1])
                + w(2) * (u[i][2] * v[j][2]);
        }
    }
    q
}

/// Adds s q qᵀ to the lower triangle.
#[inline(always)]
pub(super) fn add_rank_one(h: &mut Hessian, s: Lanes, q: &[Lanes; 9]) {
    for a in 0..9 {
        let sq = s * q[a];
        for b in 0..9 {
            if b <= a {
                h[a][b] += sq * q[b];
            }
        }
    }
}

/// Copies the lower triangle to the upper one.
#[inline(always)]
pub(super) fn copy_lower_to_upper(h: &mut Hessian) {
    for a in 1..9 {
        for b in 0..9 {
            if b < a {
                h[b][a] = h[a][b];
            }
        }
    }
}

/// max(−w, 0).
#[inline(always)]
fn negative_part(w: Lanes) -> Lanes {
    (-w).max(Lanes::ZERO)
}

#[inline(always)]
fn any_positive(s: Lanes) -> bool {
    s.above(Lanes::ZERO).any()
}

/// Returns `true` if all four matrices are positive definite by their leading minors, with a margin for rounding.
#[inline(always)]
fn is_definite(a: &Mat3) -> bool {
    let m1 = a[0][0];
    let m2 = a[0][0] * a[1][1] - a[0][1] * a[0][1];
    let det = m2 * a[2][2] - a[0][0] * (a[1][2] * a[1][2]) - a[1][1] * (a[0][2] * a[0][2])
        + 2.0 * (a[0][1] * a[1][2] * a[0][2]);
    let size = (a[0][0] + a[1][1]) + a[2][2];
    let margin = 1e-13 * size;
    (m1.above(Lanes::ZERO))
        .and(m2.above(margin * size))
        .and(det.above(margin * size * size))
        .all()
}
