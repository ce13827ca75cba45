//! Linear elasticity: Hooke's law in the small strain; exact for vibration frequencies, not invariant under rotation.
//!
//! Ψ = μ ε:ε + λ/2 (tr ε)², ε = sym(F) − I = (g + gᵀ)/2 [Bonet & Wood 2008, §6.3]. The second derivative is constant and
//! positive semi-definite, so the exact and the definite one are the same.

use super::{Curvature, Hessian, Lame, Material, Strain};
use crate::lanes::{Lanes, Mat3};
use crate::small3::{inner, mat3, trace};

/// Linear elasticity: Hooke's law in the small strain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Linear {
    /// Lamé's moduli, Pa.
    lame: Lame,
}

impl Linear {
    /// Creates the law with these moduli.
    pub fn new(lame: Lame) -> Linear {
        Linear { lame }
    }
}

#[inline(always)]
fn small_strain(g: &Mat3) -> Mat3 {
    mat3(|i, j| 0.5 * (g[i][j] + g[j][i]))
}

impl Material for Linear {
    #[inline(always)]
    fn energy(&self, e: &Strain) -> Lanes {
        let Lame { mu, lambda } = self.lame;
        let eps = small_strain(&e.g);
        let tr = trace(&eps);
        (mu * inner(&eps, &eps) + 0.5 * lambda * (tr * tr)).or_infinite()
    }

    #[inline(always)]
    fn stress(&self, e: &Strain) -> Mat3 {
        let Lame { mu, lambda } = self.lame;
        let eps = small_strain(&e.g);
        let tr = lambda * trace(&eps);
        mat3(|i, j| {
            let shear = 2.0 * mu * eps[i][j];
            if i == j { shear + tr } else { shear }
        })
    }

    #[inline(always)]
    fn hessian(&self, _: &Strain, _: Curvature) -> Hessian {
        let Lame { mu, lambda } = self.lame;
        let mut h = [[Lanes::ZERO; 9]; 9];
        for i in 0..3 {
            for j in 0..3 {
                h[3 * i + j][3 * i + j] += Lanes::splat(mu);
                h[3 * i + j][3 * j + i] += Lanes::splat(mu);
                h[4 * i][4 * j] += Lanes::splat(lambda);
            }
        }
        h
    }
}
