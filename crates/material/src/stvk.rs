//! St. Venant–Kirchhoff law: Hooke's law in the Green strain; it softens under strong compression.
//!
//! Ψ = μ E:E + λ/2 (tr E)², E = (FᵀF − I)/2 = (g + gᵀ + gᵀg)/2 [Bonet & Wood 2008, §6.3; in principal stretches
//! Kim & Eberle 2022].
//! With S = 2μ E + λ tr E I: P = F S and
//! ∂²Ψ/∂Fᵢⱼ∂Fₖₗ = δᵢₖ Sⱼₗ + λ Fᵢⱼ Fₖₗ + μ (Bᵢₖ δⱼₗ + Fᵢₗ Fₖⱼ), B = F Fᵀ.

use super::invariants::{flat, symmetric};
use super::spectral::{Principal, copy_lower_to_upper};
use super::{Curvature, Hessian, Lame, Material, Strain, green};
use crate::lanes::{Lanes, Mat3, Vec3};
use crate::small3::{inner, mat3, mul, mul_transpose, plus_identity, scale, svd, trace, vec3};

/// The St. Venant–Kirchhoff law: Hooke's law in the Green strain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StVenantKirchhoff {
    /// Lamé's moduli, Pa.
    lame: Lame,
}

impl StVenantKirchhoff {
    /// Creates the law with these moduli.
    pub fn new(lame: Lame) -> StVenantKirchhoff {
        StVenantKirchhoff { lame }
    }

    /// Second derivative in principal stretches, from ψᵢ = μ σᵢ³ + r σᵢ with r = λ tr E − μ.
    #[inline(always)]
    fn principal(&self, s: &Vec3, tr: Lanes) -> Principal {
        let Lame { mu, lambda } = self.lame;
        let r = lambda * tr - mu;
        let pair = |k: usize, sign: f64| {
            let (a, b) = (s[(k + 1) % 3], s[(k + 2) % 3]);
            mu * (a * a + sign * (a * b) + b * b) + r
        };
        Principal {
            scaling: mat3(|i, j| {
                let both = lambda * (s[i] * s[j]);
                if i == j {
                    both + 3.0 * mu * (s[i] * s[i]) + r
                } else {
                    both
                }
            }),
            twist: vec3(|k| pair(k, -1.0)),
            flip: vec3(|k| pair(k, 1.0)),
        }
    }

    #[inline(always)]
    fn second_piola(&self, e: &Mat3, tr: Lanes) -> Mat3 {
        let Lame { mu, lambda } = self.lame;
        mat3(|i, j| {
            let shear = 2.0 * mu * e[i][j];
            if i == j { shear + lambda * tr } else { shear }
        })
    }
}

impl Material for StVenantKirchhoff {
    #[inline(always)]
    fn energy(&self, e: &Strain) -> Lanes {
        let Lame { mu, lambda } = self.lame;
        let e = green(&e.g);
        let tr = trace(&e);
        (mu * inner(&e, &e) + 0.5 * lambda * (tr * tr)).or_infinite()
    }

    #[inline(always)]
    fn stress(&self, e: &Strain) -> Mat3 {
        let green = green(&e.g);
        mul(
            &plus_identity(&e.g),
            &self.second_piola(&green, trace(&green)),
        )
    }

    #[inline(always)]
    fn hessian(&self, e: &Strain, c: Curvature) -> Hessian {
        let Lame { mu, lambda } = self.lame;
        let green = green(&e.g);
        let tr = trace(&green);
        let s = self.second_piola(&green, tr);
        let f = plus_identity(&e.g);
        let v = flat(&f);
        let (fm, fl) = (
            scale(Lanes::splat(mu), &f),
            flat(&scale(Lanes::splat(lambda), &f)),
        );
        let b = mul_transpose(&fm, &f);
        let mut h = symmetric(|p, q| {
            let (i, j, k, l) = (p / 3, p % 3, q / 3, q % 3);
            let mut t = fl[p] * v[q] + fm[i][l] * f[k][j];
            if i == k {
                t += s[j][l];
            }
            if j == l {
                t += b[i][k];
            }
            t
        });
        if c == Curvature::Definite {
            let svd = svd(&f);
            self.principal(&svd.sigma, tr).clamp(&mut h, &svd);
            copy_lower_to_upper(&mut h);
        }
        h
    }
}
