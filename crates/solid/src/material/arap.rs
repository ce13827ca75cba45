//! As rigid as possible: corotated elasticity without resistance to volume change of its own.
//!
//! Ψ = μ‖F − R‖² = μ Σ (σᵢ − 1)² (O. Sorkine, M. Alexa, "As-rigid-as-possible surface modeling", SGP 2007; on volumes
//! I. Chao et al., "A simple geometric model for elastic deformations", ACM TOG 29(4), 2010), R the rotation of F and never
//! a reflection. It is the law that local/global solvers minimise, with weight 2μ. Derivatives as in
//! [`Corotated`](super::Corotated) with λ = 0; its twists have eigenvalue 2μ (1 − 2/(σᵢ + σⱼ)) (B. Smith, F. De Goes,
//! T. Kim, "Analytic Eigensystems for Isotropic Distortion Energies", 2019, §5.1).

use super::corotated::{stretch, twisted};
use super::{Curvature, Hessian, Lame, Material, Strain};
use crate::lanes::{Lanes, Mat3};
use crate::small3::{inner, mul, plus_identity, scale, svd};

/// As rigid as possible.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arap {
    /// Shear modulus, Pa.
    mu: f64,
}

impl Arap {
    /// The law with this shear modulus; λ has no say.
    pub fn new(lame: Lame) -> Arap {
        Arap { mu: lame.mu }
    }
}

impl Material for Arap {
    #[inline(always)]
    fn energy(&self, e: &Strain) -> Lanes {
        let (_, t) = stretch(&e.g);
        (self.mu * inner(&t, &t)).or_infinite()
    }

    #[inline(always)]
    fn stress(&self, e: &Strain) -> Mat3 {
        let (r, t) = stretch(&e.g);
        scale(Lanes::splat(2.0 * self.mu), &mul(&r, &t))
    }

    #[inline(always)]
    fn hessian(&self, e: &Strain, c: Curvature) -> Hessian {
        let svd = svd(&plus_identity(&e.g));
        twisted(self.mu, 0.0, Lanes::splat(-2.0 * self.mu), &svd, c)
    }

    fn projective(&self) -> Option<f64> {
        Some(2.0 * self.mu)
    }
}
