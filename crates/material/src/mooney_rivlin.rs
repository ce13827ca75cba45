//! Mooney–Rivlin rubber with volumetric–deviatoric split.
//!
//! Ψ = c₁₀ (J^(−2/3) I₁ − 3) + c₀₁ (J^(−4/3) I₂ − 3) + κ/2 (J − 1)², +∞ at J ≤ 0, with I₂ = ½ (tr²C − tr C²) = ‖cof F‖²
//! [Rivlin 1948; volumetric split of Bonet & Wood 2008, §6.5]. From Lamé's moduli: c₁₀ = 3/8 μ, c₀₁ = 1/8 μ and
//! κ = λ + 2/3 μ, hence 2 (c₁₀ + c₀₁) = μ.
//!
//! Our change: with J^(1/3) = 1 + t, j = J − 1 = t (3 + 3t + t²), the values at rest are subtracted in closed form,
//! 3 J^(−2/3) − 3 + 2j = t² (15 + 20t + 10t² + 2t³) J^(−2/3) and
//! 3 J^(−4/3) − 3 + 4j = t² (42 + 112t + 133t² + 84t³ + 28t⁴ + 4t⁵) J^(−4/3), so small strains keep their accuracy.
//! At J ≤ 0 stress and second derivative are those at J = 10⁻³⁰: finite, while the infinite energy rejects the state.

use super::invariants::{Invariants, add_cofactor_gradient, flat};
use super::spectral::{Principal, copy_lower_to_upper};
use super::{Curvature, Hessian, Lame, Material, MaterialError, Strain, green};
use crate::lanes::{Lanes, Mat3, Vec3};
use crate::small3::{inner, mat3, mul, mul_transpose, scale, svd, trace, transpose_mul, vec3};

/// The Mooney–Rivlin law with two deviatoric coefficients and a bulk modulus.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MooneyRivlin {
    /// Coefficient of the first invariant, Pa.
    c10: f64,
    /// Coefficient of the second invariant, Pa.
    c01: f64,
    /// Bulk modulus, Pa.
    kappa: f64,
}

impl MooneyRivlin {
    /// Creates the law with these coefficients, Pa, which must be finite with c10 + c01 > 0 and kappa > 0.
    pub fn with_coefficients(
        c10: f64,
        c01: f64,
        kappa: f64,
    ) -> Result<MooneyRivlin, MaterialError> {
        let shear = c10 + c01;
        if !(shear > 0.0 && kappa > 0.0 && c10.is_finite() && c01.is_finite() && kappa.is_finite())
        {
            return Err(MaterialError::Coefficients { c10, c01, kappa });
        }
        Ok(MooneyRivlin { c10, c01, kappa })
    }

    /// Creates the law that agrees with these moduli at rest, with a quarter of the shear modulus in the second invariant.
    pub fn new(lame: Lame) -> MooneyRivlin {
        MooneyRivlin {
            c10: 3.0 / 8.0 * lame.mu,
            c01: 1.0 / 8.0 * lame.mu,
            kappa: lame.lambda + 2.0 / 3.0 * lame.mu,
        }
    }

    /// Derivatives of Ψ(I₁, I₂, J); the pure second derivatives in I₁ and I₂ are zero.
    #[inline(always)]
    fn partials(&self, k: &Invariants) -> Partials {
        let inverse = 1.0 / k.volume();
        let root = 1.0 / k.volume().cbrt();
        let d1 = self.c10 * (root * root);
        let d2 = self.c01 * (root * root * (root * root));
        let (i1, i2) = (3.0 + k.x, inner(&k.cof, &k.cof));
        let (d1j, d2j) = (-2.0 / 3.0 * (d1 * inverse), -4.0 / 3.0 * (d2 * inverse));
        Partials {
            d1,
            d2,
            d1j,
            d2j,
            dj: d1j * i1 + d2j * i2 + self.kappa * k.j,
            djj: -(5.0 / 3.0 * d1j * i1 + 7.0 / 3.0 * d2j * i2) * inverse + self.kappa,
        }
    }
}

struct Partials {
    d1: Lanes,
    d2: Lanes,
    d1j: Lanes,
    d2j: Lanes,
    dj: Lanes,
    djj: Lanes,
}

impl Partials {
    /// Lower triangle of ∂²Ψ/∂F², with d = ∂I₂/∂F:
    /// 4Ψ₂ f fᵀ + c hᵀ + h cᵀ, h = 2Ψ₁ⱼ f + Ψ₂ⱼ d + ½Ψⱼⱼ c, then Ψⱼ ∂c/∂f and
    /// 2Ψ₁ δᵢₖδⱼₗ + 2Ψ₂ (I₁ δᵢₖδⱼₗ − δᵢₖ Cⱼₗ − Bᵢₖ δⱼₗ − Fᵢₗ Fₖⱼ).
    #[inline(always)]
    fn hessian(&self, k: &Invariants) -> Hessian {
        let f = &k.f;
        let (right, left) = (transpose_mul(f, f), mul_transpose(f, f));
        let i1 = 3.0 + k.x;
        let fc = mul(f, &right);
        let d = flat(&mat3(|i, j| 2.0 * (i1 * f[i][j] - fc[i][j])));
        let (v, c) = (flat(f), flat(&k.cof));
        let (d1j, djj, d2) = (2.0 * self.d1j, 0.5 * self.djj, 2.0 * self.d2);
        let w = flat(&mat3(|i, j| {
            d1j * f[i][j] + self.d2j * d[3 * i + j] + djj * k.cof[i][j]
        }));
        let mut h = [[Lanes::ZERO; 9]; 9];
        for a in 0..9 {
            let va = 2.0 * d2 * v[a];
            for b in 0..9 {
                if b <= a {
                    h[a][b] = va * v[b] + (c[a] * w[b] + w[a] * c[b]);
                }
            }
        }
        for i in 0..3 {
            for j in 0..3 {
                let row = &mut h[3 * i + j];
                row[3 * i + j] += 2.0 * self.d1 + d2 * i1;
                for k in 0..3 {
                    if k <= i {
                        row[3 * k + j] -= d2 * left[i][k];
                        for l in 0..3 {
                            row[3 * k + l] -= d2 * (f[i][l] * f[k][j]);
                        }
                    }
                    row[3 * i + k] -= d2 * right[j][k];
                }
            }
        }
        add_cofactor_gradient(&mut h, self.dj, f);
        h
    }

    /// The same second derivative in principal stretches: ψᵢ = 2Ψ₁σᵢ + 2Ψ₂σᵢ(σⱼ² + σₖ²) + Ψⱼσⱼσₖ.
    #[inline(always)]
    fn principal(&self, s: &Vec3) -> Principal {
        let q = [s[0] * s[0], s[1] * s[1], s[2] * s[2]];
        let c = [s[1] * s[2], s[2] * s[0], s[0] * s[1]];
        let sum = q[0] + q[1] + q[2];
        let d: Vec3 = vec3(|i| 2.0 * s[i] * (q[(i + 1) % 3] + q[(i + 2) % 3]));
        let w: Vec3 = vec3(|i| 2.0 * self.d1j * s[i] + self.d2j * d[i] + 0.5 * self.djj * c[i]);
        let (d1, d2) = (2.0 * self.d1, 2.0 * self.d2);
        Principal {
            scaling: mat3(|i, j| {
                let both = c[i] * w[j] + w[i] * c[j];
                if i == j {
                    both + d1 + d2 * (sum - q[i])
                } else {
                    both + 2.0 * d2 * (s[i] * s[j]) + self.dj * s[3 - i - j]
                }
            }),
            twist: vec3(|k| d1 + d2 * (q[k] + c[k]) + self.dj * s[k]),
            flip: vec3(|k| d1 + d2 * (q[k] - c[k]) - self.dj * s[k]),
        }
    }
}

impl Material for MooneyRivlin {
    const FORBIDS_INVERSION: bool = true;

    #[inline(always)]
    fn energy(&self, e: &Strain) -> Lanes {
        let n = Invariants::of(&e.g);
        let y = n.volume().cbrt();
        let t = n.j / (y * y + y + 1.0);
        let (root, t2) = (1.0 / y, t * t);
        let p = root * root;
        let q = p * p;
        // J^(−2/3) − 1 and J^(−4/3) − 1
        let p1 = -(t * (2.0 + t)) * p;
        let q1 = p1 * (1.0 + p);
        let first = n.second + t2 * (15.0 + t * (20.0 + t * (10.0 + 2.0 * t))) * p + p1 * n.x;
        // I₂ − 3 = 4 (J − 1) + (k:k − 2e₂ − 4 det)
        let beyond = inner(&n.k, &n.k) - 2.0 * n.minors - 4.0 * n.det;
        let rest = t * (133.0 + t * (84.0 + t * (28.0 + 4.0 * t)));
        let second = beyond + t2 * (42.0 + t * (112.0 + rest)) * q + q1 * (beyond + 4.0 * n.j);
        n.forbid_inversion(self.c10 * first + self.c01 * second + 0.5 * self.kappa * (n.j * n.j))
    }

    /// 2Ψ₁ (F − I₁/(3J) cof F) + 2Ψ₂ (I₁F − FC − 2I₂/(3J) cof F) + κ (J − 1) cof F, every bracket free of
    /// cancellation through J F − cof F = (F − cof F) + (J − 1) F.
    #[inline(always)]
    fn stress(&self, e: &Strain) -> Mat3 {
        let n = Invariants::of(&e.g);
        let volume = n.volume();
        let inverse = 1.0 / volume;
        let root = 1.0 / volume.cbrt();
        let p = root * root;
        let a = 2.0 * self.c10 * (p * inverse);
        let b = 2.0 * self.c01 * (p * p * inverse);
        let x2 = inner(&n.k, &n.k) + 4.0 * trace(&e.g) + 2.0 * n.minors;
        let fe = mul(&n.f, &scale(Lanes::splat(2.0), &green(&e.g)));
        let on_cof = self.kappa * n.j - a * n.x * (1.0 / 3.0) - b * x2 * (2.0 / 3.0);
        let both = a + 2.0 * b;
        let bv = b * volume;
        let on_f = both * n.j + bv * n.x;
        mat3(|i, j| {
            both * n.f_minus_cof[i][j] + on_f * n.f[i][j] - bv * fe[i][j] + on_cof * n.cof[i][j]
        })
    }

    #[inline(always)]
    fn hessian(&self, e: &Strain, c: Curvature) -> Hessian {
        let n = Invariants::of(&e.g);
        let partials = self.partials(&n);
        let mut h = partials.hessian(&n);
        if c == Curvature::Definite {
            let svd = svd(&n.f);
            partials.principal(&svd.sigma).clamp(&mut h, &svd);
        }
        copy_lower_to_upper(&mut h);
        h
    }
}
