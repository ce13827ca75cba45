//! As-rigid-as-possible elasticity: corotated elasticity with λ = 0.
//!
//! Ψ = μ‖F − R‖² = μ Σ (σᵢ − 1)² [Sorkine & Alexa 2007; for volumes Chao et al. 2010], where R is the rotation of F and never
//! a reflection. It is the law that local/global solvers minimise, with weight 2μ. Derivatives are those of
//! [`Corotated`](super::Corotated) with λ = 0; the twist modes have the eigenvalues 2μ (1 − 2/(σᵢ + σⱼ))
//! [Smith, De Goes & Kim 2019, §5.1].

use super::corotated::{biot_strain, twist_hessian};
use super::{Curvature, Hessian, Lame, Material, Strain};
use crate::lanes::{Lanes, Mat3};
use crate::small3::{inner, mat3, max_abs, mul, plus_identity, rotation, scale, svd};

/// If all entries of F − R are below this bound, F − R is computed as R T with the Biot strain T = RᵀF − I, which has the
/// relative accuracy of the strain. Above it, the difference F − R itself has at least twelve digits.
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

/// The as-rigid-as-possible law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arap {
    /// Shear modulus, Pa.
    mu: f64,
}

impl Arap {
    /// Creates the law with the shear modulus μ; λ is not used.
    pub fn new(lame: Lame) -> Arap {
        Arap { mu: lame.mu }
    }
}

impl Material for Arap {
    #[inline(always)]
    fn energy(&self, e: &Strain) -> Lanes {
        // Nine adjacent stores to memory make the compiler vectorise the whole function.
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
