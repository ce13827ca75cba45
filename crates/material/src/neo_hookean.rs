//! Neo-Hookean law with a logarithmic volume term; states with J ≤ 0 are forbidden.
//!
//! Ψ = μ/2 (I₁ − 3) − μ ln J + λ/2 (ln J)², +∞ at J ≤ 0 [Bonet & Wood 2008, eq. 6.27]. Our change: written in g = F − I,
//! Ψ = μ/2 ((I₁ − 3) − 2 (J − 1)) + μ (j − ln(1 + j)) + λ/2 ln²(1 + j), j = J − 1, for accuracy at small strains.
//! At J ≤ 0 stress and second derivative are those at J = 10⁻³⁰: finite, while the infinite energy rejects the state.

use super::invariants::{Invariants, Partials};
use super::spectral::copy_lower_to_upper;
use super::{Curvature, Hessian, Lame, Material, Strain};
use crate::lanes::{Lanes, Mat3};
use crate::small3::{mat3, svd};

/// The compressible neo-Hookean law with a logarithmic volume term.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NeoHookean {
    /// Lamé's moduli, Pa.
    lame: Lame,
}

impl NeoHookean {
    /// Creates the law with these moduli.
    pub fn new(lame: Lame) -> NeoHookean {
        NeoHookean { lame }
    }
}

impl Material for NeoHookean {
    const FORBIDS_INVERSION: bool = true;

    #[inline(always)]
    fn energy(&self, e: &Strain) -> Lanes {
        let Lame { mu, lambda } = self.lame;
        let k = Invariants::of(&e.g);
        let ln = k.j.ln_1p();
        let shape = 0.5 * mu * k.second + mu * k.j.x_minus_ln_1p();
        k.forbid_inversion(shape + 0.5 * lambda * (ln * ln))
    }

    #[inline(always)]
    fn stress(&self, e: &Strain) -> Mat3 {
        let Lame { mu, lambda } = self.lame;
        let k = Invariants::of(&e.g);
        // μ (F − cof F/J) + λ ln J cof F/J, where J F − cof F = (F − cof F) + (J − 1) F
        let volume = k.volume();
        let inverse = 1.0 / volume;
        let s = mu * inverse;
        let a = s * k.j;
        let b = lambda * k.ln_volume() * inverse;
        mat3(|i, j| s * k.f_minus_cof[i][j] + a * k.f[i][j] + b * k.cof[i][j])
    }

    #[inline(always)]
    fn hessian(&self, e: &Strain, c: Curvature) -> Hessian {
        let Lame { mu, lambda } = self.lame;
        let k = Invariants::of(&e.g);
        let volume = k.volume();
        let inverse = 1.0 / volume;
        let ln = k.ln_volume();
        let partials = Partials {
            d1: Lanes::splat(0.5 * mu),
            d11: Lanes::ZERO,
            dj: (lambda * ln - mu) * inverse,
            djj: ((mu + lambda) - lambda * ln) * (inverse * inverse),
        };
        let mut h = partials.hessian(&k);
        if c == Curvature::Definite {
            let svd = svd(&k.f);
            partials.principal(&svd.sigma).clamp(&mut h, &svd);
            copy_lower_to_upper(&mut h);
        }
        h
    }
}
