//! As rigid as possible: corotated elasticity without resistance to volume change of its own.
//!
//! Ψ = μ‖F − R‖² = μ Σ (σᵢ − 1)² (O. Sorkine, M. Alexa, "As-rigid-as-possible surface modeling", SGP 2007; on volumes
//! I. Chao et al., "A simple geometric model for elastic deformations", ACM TOG 29(4), 2010), R the rotation of F and never
//! a reflection. It is the law that local/global solvers minimise, with weight 2μ. Derivatives as in
//! [`Corotated`](super::Corotated) with λ = 0; its twists have eigenvalue 2μ (1 − 2/(σᵢ + σⱼ)) (B. Smith, F. De Goes,
//! T. Kim, "Analytic Eigensystems for Isotropic Distortion Energies", 2019, §5.1).

use super::corotated::{biot_strain, twist_hessian};
use super::{Curvature, Hessian, Lame, Material, Strain};
use crate::lanes::{Lanes, Mat3};
use crate::small3::{inner, mat3, max_abs, mul, plus_identity, rotation, scale, svd};

/// Where no entry of F − R is larger its digits are lost, and T = RᵀF − I, with those of the strain, is taken instead:
/// F − R = R T. Elsewhere it has at least twelve.
const SMALL_DIFFERENCE: f64 = 1e-3;

/// F − R of F = I + g.
#[inline(always)]
fn minus_rotation(g: &Mat3) -> Mat3 {
    let f = plus_identity(g);
    let r = rotation(&f);
    let gap = mat3(|i, j| f[i][j] - r[i][j]);
    let near = max_abs(&gap).below(Lanes::splat(SMALL_DIFFERENCE));
    if !near.any() {
        return gap;
    }
    let fine = mul(&r, &biot_strain(g, &f, &r));
    mat3(|i, j| near.select(fine[i][j], gap[i][j]))
}

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
        // Through memory: nine stores side by side are what makes the compiler use vectors all the way.
        let gap = std::hint::black_box(minus_rotation(&e.g));
        (self.mu * inner(&gap, &gap)).or_infinite()
    }

    #[inline(always)]
    fn stress(&self, e: &Strain) -> Mat3 {
        scale(Lanes::splat(2.0 * self.mu), &minus_rotation(&e.g))
    }

    #[inline(always)]
    fn hessian(&self, e: &Strain, c: Curvature) -> Hessian {
        let svd = svd(&plus_identity(&e.g));
        twist_hessian(self.mu, 0.0, Lanes::splat(-2.0 * self.mu), &svd, c)
    }

    fn projective_weight(&self) -> Option<f64> {
        Some(2.0 * self.mu)
    }
}
