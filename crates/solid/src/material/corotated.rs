//! Corotated linear elasticity: Hooke's law in the strain that is left when the rotation is taken off.
//!
//! Ψ = μ‖F − R‖² + λ/2 tr²(RᵀF − I), R = U Vᵀ the rotation of F = U Σ Vᵀ (M. Müller, M. Gross, "Interactive
//! virtual materials", 2004; with the exact derivative of R, A. McAdams et al., "Efficient elasticity for character
//! skinning with contact and collisions", ACM TOG 30(4), 2011, §3). With T = RᵀF − I = V diag(σᵢ − 1) Vᵀ:
//! Ψ = μ T:T + λ/2 tr² T, P = R (2μ T + λ tr T I) and
//! ∂²Ψ/∂F² = 2μ 1 + λ vec R vec Rᵀ + Σ wₖ tₖ tₖᵀ, wₖ = 2 (λ tr T − 2μ)/(σᵢ + σⱼ), tₖ the twist in the plane (i, j).
//!
//! R is never a reflection: where det F < 0, σ₃ < 0 and the law pushes back through the flattest direction. Where
//! σ₂ + σ₃ = 0 the rotation jumps and no second derivative exists; σᵢ + σⱼ is then taken as 10⁻⁹. Only twists can be
//! negative, so the definite matrix needs 2μ + wₖ ≥ 0 and nothing else.

use super::invariants::{add_diagonal, flat};
use super::spectral::{add_rank_one, mirror, mode};
use super::{Curvature, Hessian, Lame, Material, Strain, green};
use crate::lanes::{Lanes, Mat3};
use crate::small3::{
    Svd, inner, largest, mat3, mul, mul_transpose, plus_identity, rotation, svd, trace,
    transpose_mul,
};
use std::f64::consts::FRAC_1_SQRT_2;

/// Corotated linear elasticity, rotation always up to date.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Corotated {
    /// Lamé's moduli, Pa.
    lame: Lame,
}

impl Corotated {
    /// The law with these moduli.
    pub fn new(lame: Lame) -> Corotated {
        Corotated { lame }
    }
}

/// R and T = RᵀF − I of F = I + g; T with relative accuracy where F is near a rotation: as (I + T)² = FᵀF = I + 2E, E
/// Green's strain, T = E − T²/2, and errors of T on the right count times T.
#[inline(always)]
pub(super) fn stretch(g: &Mat3) -> (Mat3, Mat3) {
    let f = plus_identity(g);
    let r = rotation(&f);
    let s = transpose_mul(&r, &f);
    let far = mat3(|i, j| {
        let s = 0.5 * (s[i][j] + s[j][i]);
        if i == j { s - 1.0 } else { s }
    });
    let near = largest(&far).below(Lanes::splat(0.5));
    let (strain, square) = (green(g), mul(&far, &far));
    let t = mat3(|i, j| near.select(strain[i][j] - 0.5 * square[i][j], far[i][j]));
    (r, t)
}

/// 2μ 1 + λ vec R vec Rᵀ + Σ wₖ tₖ tₖᵀ with wₖ = 2q/(σᵢ + σⱼ), or at least −2μ for [`Curvature::Definite`].
#[inline(always)]
pub(super) fn twisted(mu: f64, lambda: f64, q: Lanes, svd: &Svd, c: Curvature) -> Hessian {
    let mut h = [[Lanes::ZERO; 9]; 9];
    add_diagonal(&mut h, Lanes::splat(2.0 * mu));
    for k in 0..3 {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        let sum = (svd.sigma[i] + svd.sigma[j]).max(Lanes::splat(1e-9));
        let exact = 2.0 * q / sum;
        let w = match c {
            Curvature::Exact => exact,
            Curvature::Definite => exact.max(Lanes::splat(-2.0 * mu)),
        };
        add_rank_one(&mut h, w, &mode(svd, i, j, -FRAC_1_SQRT_2));
    }
    if lambda != 0.0 {
        add_rank_one(
            &mut h,
            Lanes::splat(lambda),
            &flat(&mul_transpose(&svd.u, &svd.v)),
        );
    }
    mirror(&mut h);
    h
}

impl Material for Corotated {
    #[inline(always)]
    fn energy(&self, e: &Strain) -> Lanes {
        let Lame { mu, lambda } = self.lame;
        let (_, t) = stretch(&e.g);
        let tr = trace(&t);
        (mu * inner(&t, &t) + 0.5 * lambda * (tr * tr)).or_infinite()
    }

    #[inline(always)]
    fn stress(&self, e: &Strain) -> Mat3 {
        let Lame { mu, lambda } = self.lame;
        let (r, t) = stretch(&e.g);
        let pressure = lambda * trace(&t);
        let p = mat3(|i, j| {
            let pull = 2.0 * mu * t[i][j];
            if i == j { pull + pressure } else { pull }
        });
        mul(&r, &p)
    }

    #[inline(always)]
    fn hessian(&self, e: &Strain, c: Curvature) -> Hessian {
        let Lame { mu, lambda } = self.lame;
        let svd = svd(&plus_identity(&e.g));
        let tr = (svd.sigma[0] + svd.sigma[1] + svd.sigma[2]) - 3.0;
        twisted(mu, lambda, lambda * tr - 2.0 * mu, &svd, c)
    }
}
