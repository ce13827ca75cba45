//! Corotated elasticity with the rotation frozen at the start of the step: a quadratic energy within each step.
//!
//! Ψ = μ‖F − R‖² + λ/2 tr²(RᵀF − I) with constant R = [`Strain::frozen`] [Müller & Gross 2004, stiffness warping]. Then
//! P = 2μ (F − R) + λ (R : (F − R)) R and ∂²Ψ/∂F² = 2μ 1 + λ vec R vec Rᵀ, constant during the step and positive
//! semi-definite for every ν in (−1, ½).

use super::invariants::{add_diagonal, flat};
use super::spectral::{add_rank_one, copy_lower_to_upper};
use super::{Curvature, Hessian, Lame, Material, Strain};
use crate::lanes::{Lanes, Mat3};
use crate::small3::{inner, mat3};

/// Corotated linear elasticity with the rotation frozen at the start of the step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CorotatedFrozen {
    /// Lamé's moduli, Pa.
    lame: Lame,
}

impl CorotatedFrozen {
    /// Creates the law with these moduli.
    pub fn new(lame: Lame) -> CorotatedFrozen {
        CorotatedFrozen { lame }
    }
}

/// F − R, computed from g without rounding I + g.
#[inline(always)]
fn excess(e: &Strain) -> Mat3 {
    mat3(|i, j| {
        let target = if i == j {
            e.frozen[i][j] - 1.0
        } else {
            e.frozen[i][j]
        };
        e.g[i][j] - target
    })
}

impl Material for CorotatedFrozen {
    const FREEZES_ROTATION: bool = true;

    #[inline(always)]
    fn energy(&self, e: &Strain) -> Lanes {
        let Lame { mu, lambda } = self.lame;
        let d = excess(e);
        let tr = inner(e.frozen, &d);
        (mu * inner(&d, &d) + 0.5 * lambda * (tr * tr)).or_infinite()
    }

    #[inline(always)]
    fn stress(&self, e: &Strain) -> Mat3 {
        let Lame { mu, lambda } = self.lame;
        let d = excess(e);
        let pressure = lambda * inner(e.frozen, &d);
        mat3(|i, j| 2.0 * mu * d[i][j] + pressure * e.frozen[i][j])
    }

    #[inline(always)]
    fn hessian(&self, e: &Strain, _: Curvature) -> Hessian {
        let Lame { mu, lambda } = self.lame;
        let mut h = [[Lanes::ZERO; 9]; 9];
        add_diagonal(&mut h, Lanes::splat(2.0 * mu));
        add_rank_one(&mut h, Lanes::splat(lambda), &flat(e.frozen));
        copy_lower_to_upper(&mut h);
        h
    }
}
