//! Corotated linear elasticity: Hooke's law in the Biot strain T = RᵀF − I, which excludes the rotation.
//!
//! Ψ = μ‖F − R‖² + λ/2 tr²(RᵀF − I), where R = U Vᵀ is the rotation of F = U Σ Vᵀ [Müller & Gross 2004; with the exact
//! derivative of R McAdams et al. 2011, §3]. With T = RᵀF − I = V diag(σᵢ − 1) Vᵀ:
//! Ψ = μ T:T + λ/2 tr² T, P = R (2μ T + λ tr T I) and
//! ∂²Ψ/∂F² = 2μ 1 + λ vec R vec Rᵀ + Σ wₖ tₖ tₖᵀ, wₖ = 2 (λ tr T − 2μ)/(σᵢ + σⱼ), tₖ the twist in the plane (i, j).
//!
//! R is never a reflection: if det F < 0, then σ₃ < 0, and the stress acts against the inversion along the direction of σ₃.
//! Only twist modes can have negative eigenvalues, so the definite matrix needs 2μ + wₖ ≥ 0 only.
//!
//! Our change: with S = σ₁ + σ₂ + σ₃, Ψ = μ(‖F‖² − 2S + 3) + λ/2 (S − 3)², and S has a conical kink at σ₂ + σ₃ = 0. If
//! S > 3 + 2μ/λ (stretched and inverted), Ψ increases with S, so its cone points down: a minimiser of the total energy can
//! lie at the tip, where no stress balances the other forces. For σ₂ + σ₃ < 0.1, S is therefore replaced by a smooth S̃
//! (`smoothed_stretch_sum.rs`):
//! P = 2μ F + q ∂S̃/∂F and ∂²Ψ/∂F² = 2μ 1 + λ vec ∂S̃ vec ∂S̃ᵀ + q ∂²S̃ with q = λ(S̃ − 3) − 2μ. For all other states the law
//! is unchanged.

use super::invariants::{add_diagonal, flat};
use super::smoothed_stretch_sum::SmoothedStretchSum;
use super::spectral::{Principal, add_rank_one, copy_lower_to_upper, twist_or_flip_mode};
use super::{Curvature, Hessian, Lame, Material, Strain, green};
use crate::lanes::{Lanes, Mask, Mat3, Vec3};
use crate::small3::{
    Svd, inner, mat3, max_abs, mul, mul_transpose, plus_identity, rotation, svd, trace,
    transpose_mul,
};
use std::f64::consts::FRAC_1_SQRT_2;

/// Value of σ₂ + σ₃ below which S is smoothed (δ of [`SmoothedStretchSum`]); at rest σ₂ + σ₃ = 2. We tried 10⁻⁶, 0.01, 0.05,
/// 0.1 and 0.3 on 24 balls with scattered nodes: no run needed shorter steps, and all took about the same number of
/// iterations. With 0.1 all 24 balls returned to their rest shape, with the other values 23.
const ROUNDING_REACH: f64 = 0.1;

/// Corotated linear elasticity with the current rotation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Corotated {
    /// Lamé's moduli, Pa.
    lame: Lame,
}

impl Corotated {
    /// Creates the law with these moduli.
    pub fn new(lame: Lame) -> Corotated {
        Corotated { lame }
    }
}

/// Rotation R and Biot strain T = RᵀF − I of F = I + g.
#[inline(always)]
pub(super) fn rotation_and_biot_strain(g: &Mat3) -> (Mat3, Mat3) {
    let f = plus_identity(g);
    let r = rotation(&f);
    let t = biot_strain(g, &f, &r);
    (r, t)
}

/// Biot strain T = RᵀF − I of F = I + g, with relative accuracy if F is close to a rotation: from (I + T)² = FᵀF = I + 2E
/// with the Green strain E follows T = E − T²/2, where errors of T on the right are multiplied by T.
#[inline(always)]
pub(super) fn biot_strain(g: &Mat3, f: &Mat3, r: &Mat3) -> Mat3 {
    let s = transpose_mul(r, f);
    let far = mat3(|i, j| {
        let s = 0.5 * (s[i][j] + s[j][i]);
        if i == j { s - 1.0 } else { s }
    });
    let near = max_abs(&far).below(Lanes::splat(0.5));
    let (strain, square) = (green(g), mul(&far, &far));
    mat3(|i, j| near.select(strain[i][j] - 0.5 * square[i][j], far[i][j]))
}

/// 2μ 1 + λ vec R vec Rᵀ + Σ wₖ tₖ tₖᵀ with wₖ = 2q/(σᵢ + σⱼ), at least −2μ for [`Curvature::Definite`]. At σᵢ + σⱼ = 0 the
/// rotation is discontinuous and no second derivative exists; σᵢ + σⱼ is bounded from below by 10⁻⁹.
#[inline(always)]
pub(super) fn twist_hessian(mu: f64, lambda: f64, q: Lanes, svd: &Svd, c: Curvature) -> Hessian {
    let mut h = [[Lanes::ZERO; 9]; 9];
    add_diagonal(&mut h, Lanes::splat(2.0 * mu));
    for k in 0..3 {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        let sum = (svd.sigma[i] + svd.sigma[j]).max(Lanes::splat(1e-9));
        let exact = 2.0 * q / sum;
        let w = match c {
            Curvature::Exact | Curvature::Unsymmetric => exact,
            Curvature::Definite => exact.max(Lanes::splat(-2.0 * mu)),
        };
        add_rank_one(&mut h, w, &twist_or_flip_mode(svd, i, j, -FRAC_1_SQRT_2));
    }
    if lambda != 0.0 {
        add_rank_one(
            &mut h,
            Lanes::splat(lambda),
            &flat(&mul_transpose(&svd.u, &svd.v)),
        );
    }
    copy_lower_to_upper(&mut h);
    h
}

/// Lanes in which σ₂ + σ₃ can be below δ: σ₂ + σ₃ = S − σ₁ ≥ S − ‖F‖ with S = 3 + tr T and ‖F‖² = T:T + 2 tr T + 3.
#[inline(always)]
fn may_be_rounded(t: &Mat3) -> Mask {
    let tr = trace(t);
    let beyond = tr + (3.0 - ROUNDING_REACH);
    let square = inner(t, t) + (tr + tr) + 3.0;
    (beyond.above(Lanes::ZERO))
        .and((beyond * beyond).above(square))
        .not()
}

/// Lanes in which S is smoothed.
#[inline(always)]
fn is_rounded(sigma: &Vec3) -> Mask {
    (sigma[1] + sigma[2]).below(Lanes::splat(ROUNDING_REACH))
}

impl Corotated {
    /// Ψ with S̃ in place of S.
    #[cold]
    #[inline(never)]
    fn rounded_energy(&self, g: &Mat3, unrounded: Lanes) -> Lanes {
        let Lame { mu, lambda } = self.lame;
        let f = plus_identity(g);
        let sigma = svd(&f).sigma;
        let s = SmoothedStretchSum::of(&sigma, ROUNDING_REACH).sum;
        let rounded = mu * (inner(&f, &f) - 2.0 * s + 3.0) + 0.5 * lambda * (s - 3.0).squared();
        is_rounded(&sigma).select(rounded, unrounded)
    }

    /// 2μ F + q ∂S̃/∂F.
    #[cold]
    #[inline(never)]
    fn rounded_stress(&self, g: &Mat3, unrounded: &Mat3) -> Mat3 {
        let Lame { mu, lambda } = self.lame;
        let f = plus_identity(g);
        let svd = svd(&f);
        let s = SmoothedStretchSum::of(&svd.sigma, ROUNDING_REACH);
        let q = lambda * (s.sum - 3.0) - 2.0 * mu;
        let pull = mat3(|i, j| q * s.slope[j] * svd.u[i][j]);
        let pull = mul_transpose(&pull, &svd.v);
        let zone = is_rounded(&svd.sigma);
        mat3(|i, j| zone.select(2.0 * mu * f[i][j] + pull[i][j], unrounded[i][j]))
    }

    /// 2μ 1 + λ vec ∂S̃ vec ∂S̃ᵀ + q ∂²S̃.
    #[cold]
    #[inline(never)]
    fn rounded_hessian(&self, svd: &Svd, c: Curvature) -> Hessian {
        let Lame { mu, lambda } = self.lame;
        let s = SmoothedStretchSum::of(&svd.sigma, ROUNDING_REACH);
        let q = lambda * (s.sum - 3.0) - 2.0 * mu;
        let bend = s.second_derivative();
        let (twist, flip) = s.twists_and_flips();
        let whole = Principal {
            scaling: mat3(|i, j| {
                let off = lambda * (s.slope[i] * s.slope[j]) + q * bend[i][j];
                if i == j { off + 2.0 * mu } else { off }
            }),
            twist: twist.map(|w| 2.0 * mu + q * w),
            flip: flip.map(|w| 2.0 * mu + q * w),
        };
        let mut h = whole.matrix(svd);
        if c == Curvature::Definite {
            whole.clamp(&mut h, svd);
        }
        let zone = is_rounded(&svd.sigma);
        let unrounded = self.unrounded_hessian(svd, c);
        for a in 0..9 {
            for b in 0..=a {
                h[a][b] = zone.select(h[a][b], unrounded[a][b]);
            }
        }
        copy_lower_to_upper(&mut h);
        h
    }

    /// ∂²Ψ/∂F² without smoothing.
    #[inline(always)]
    fn unrounded_hessian(&self, svd: &Svd, c: Curvature) -> Hessian {
        let Lame { mu, lambda } = self.lame;
        let tr = (svd.sigma[0] + svd.sigma[1] + svd.sigma[2]) - 3.0;
        twist_hessian(mu, lambda, lambda * tr - 2.0 * mu, svd, c)
    }
}

impl Material for Corotated {
    #[inline(always)]
    fn energy(&self, e: &Strain) -> Lanes {
        let Lame { mu, lambda } = self.lame;
        // Stored to memory as in `Arap`.
        let (_, t) = std::hint::black_box(rotation_and_biot_strain(&e.g));
        let tr = trace(&t);
        let mut energy = mu * inner(&t, &t) + 0.5 * lambda * (tr * tr);
        if may_be_rounded(&t).any() {
            energy = self.rounded_energy(&e.g, energy);
        }
        energy.or_infinite()
    }

    #[inline(always)]
    fn stress(&self, e: &Strain) -> Mat3 {
        let Lame { mu, lambda } = self.lame;
        let (r, t) = rotation_and_biot_strain(&e.g);
        let pressure = lambda * trace(&t);
        let p = mat3(|i, j| {
            let pull = 2.0 * mu * t[i][j];
            if i == j { pull + pressure } else { pull }
        });
        let mut p = mul(&r, &p);
        if may_be_rounded(&t).any() {
            p = self.rounded_stress(&e.g, &p);
        }
        p
    }

    #[inline(always)]
    fn hessian(&self, e: &Strain, c: Curvature) -> Hessian {
        let svd = svd(&plus_identity(&e.g));
        if is_rounded(&svd.sigma).any() {
            self.rounded_hessian(&svd, c)
        } else {
            self.unrounded_hessian(&svd, c)
        }
    }

    /// 2μ as for `arap`, plus 3λ: (S − 3)²/3 is the squared distance of F from the matrices with S = 3. The nearest of them
    /// is F − (S − 3)/3 R if σ₂ + σ₃ ≥ 2(σ₁ − 3), which holds for stretches up to 3. Beyond that the weight is an estimate.
    fn projective_weight(&self) -> Option<f64> {
        Some(2.0 * self.lame.mu + 3.0 * self.lame.lambda.max(0.0))
    }
}
