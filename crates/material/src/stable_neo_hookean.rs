//! Stable neo-Hookean law: rubber and flesh, with finite energy for flat and inverted elements.
//!
//! Ψ = m/2 (I₁ − 3) + l/2 (J − a)² − m/2 ln(I₁ + 1), with m = 4/3 μ, l = λ + 5/6 μ, a = 1 + m/l − m/(4l)
//! [Smith, De Goes & Kim 2018, eq. 14], with the moduli of §3.4, which agree with linear elasticity at rest. Our change: a
//! constant makes the energy at rest 0, and the law is written in I₁ − 3 and J − 1 for accuracy at small strains:
//! Ψ = 3m/8 ((I₁ − 3) − 2 (J − 1)) + m/2 (y − ln(1 + y)) + l/2 (J − 1)², y = (I₁ − 3)/4.

use super::invariants::{Invariants, Partials};
use super::spectral::copy_lower_to_upper;
use super::{Curvature, Hessian, Lame, Material, Strain};
use crate::lanes::{Lanes, Mat3};
use crate::small3::{mat3, svd};

/// The stable neo-Hookean law of Smith, De Goes and Kim.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StableNeoHookean {
    /// m = 4/3 μ, Pa.
    m: f64,
    /// l = λ + 5/6 μ, Pa.
    l: f64,
}

impl StableNeoHookean {
    /// Creates the law that agrees with these moduli at rest.
    pub fn new(lame: Lame) -> StableNeoHookean {
        StableNeoHookean {
            m: 4.0 / 3.0 * lame.mu,
            l: lame.lambda + 5.0 / 6.0 * lame.mu,
        }
    }

    #[inline(always)]
    fn partials(&self, k: &Invariants) -> Partials {
        let inverse = 1.0 / (4.0 + k.x);
        Partials {
            d1: 0.5 * self.m * ((3.0 + k.x) * inverse),
            d11: 0.5 * self.m * (inverse * inverse),
            dj: self.l * k.j - 0.75 * self.m,
            djj: Lanes::splat(self.l),
        }
    }
}

impl Material for StableNeoHookean {
    #[inline(always)]
    fn energy(&self, e: &Strain) -> Lanes {
        let k = Invariants::of(&e.g);
        let shape = 0.375 * self.m * k.second + 0.5 * self.m * (0.25 * k.x).x_minus_ln_1p();
        (shape + 0.5 * self.l * (k.j * k.j)).or_infinite()
    }

    #[inline(always)]
    fn stress(&self, e: &Strain) -> Mat3 {
        let k = Invariants::of(&e.g);
        // m (I₁/(I₁ + 1)) F + l (J − a) cof F, with 3m/4 (F − cof F) as a separate term.
        let a = self.m * k.x / (4.0 * (4.0 + k.x));
        let b = self.l * k.j;
        let s = 0.75 * self.m;
        mat3(|i, j| s * k.f_minus_cof[i][j] + a * k.f[i][j] + b * k.cof[i][j])
    }

    #[inline(always)]
    fn hessian(&self, e: &Strain, c: Curvature) -> Hessian {
        let k = Invariants::of(&e.g);
        let partials = self.partials(&k);
        let mut h = partials.hessian(&k);
        if c == Curvature::Definite {
            let svd = svd(&k.f);
            partials.principal(&svd.sigma).clamp(&mut h, &svd);
            copy_lower_to_upper(&mut h);
        }
        h
    }
}
