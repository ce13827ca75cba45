//! Invariants of the deformation and derivatives of laws Ψ(I₁, I₂, J) with I₁ = tr FᵀF, I₂ = ‖cof F‖², J = det F.
//!
//! All invariants are computed from g = F − I, so strains of 10⁻⁹ keep their relative accuracy:
//! I₁ − 3 = 2 tr g + g:g, J − 1 = tr g + e₂(g) + det g, cof F = I + k with k = (tr g) I − gᵀ + cof g,
//! where e₂ is the sum of principal 2×2 minors.
//!
//! With f = vec F and c = vec cof F [Bonet & Wood 2008, §6; Kim & Eberle 2022, §4–5]:
//! ∂²Ψ/∂F² = 2Ψ₁ 1 + 4Ψ₁₁ f fᵀ + 2Ψ₁ⱼ (f cᵀ + c fᵀ) + Ψⱼⱼ c cᵀ + Ψⱼ ∂c/∂f (+ terms in I₂).

use super::Hessian;
use super::spectral::Principal;
use crate::lanes::{Lanes, Mat3, Vec3};
use crate::small3::{cofactor, dot, inner, mat3, plus_identity, scale, trace, vec3};

/// Lower bound of the volume ratio in laws that divide by it. Below it the energy is +∞, and the derivatives only need to
/// be finite.
const MIN_VOLUME_RATIO: f64 = 1e-30;
const LN_MIN_VOLUME_RATIO: f64 = -30.0 * std::f64::consts::LN_10;

/// F and its invariants minus their values at rest.
pub(super) struct Invariants {
    /// F.
    pub f: Mat3,
    /// cof F.
    pub cof: Mat3,
    /// F − cof F, of the order of the strain.
    pub f_minus_cof: Mat3,
    /// cof F − I.
    pub k: Mat3,
    /// I₁ − 3.
    pub x: Lanes,
    /// J − 1.
    pub j: Lanes,
    /// (I₁ − 3) − 2 (J − 1), of the order of the strain squared.
    pub second: Lanes,
    /// e₂(g).
    pub minors: Lanes,
    /// det g.
    pub det: Lanes,
}

impl Invariants {
    /// Computes the invariants of F = I + g.
    #[inline(always)]
    pub fn of(g: &Mat3) -> Invariants {
        let t = trace(g);
        let cof_g = cofactor(g);
        let minors = trace(&cof_g);
        let det = dot(&g[0], &cof_g[0]);
        let gg = inner(g, g);
        let k = mat3(|i, j| {
            let off = cof_g[i][j] - g[j][i];
            if i == j { off + t } else { off }
        });
        Invariants {
            f: plus_identity(g),
            cof: plus_identity(&k),
            f_minus_cof: mat3(|i, j| g[i][j] - k[i][j]),
            k,
            x: t + t + gg,
            j: t + minors + det,
            second: gg - 2.0 * (minors + det),
            minors,
            det,
        }
    }

    /// J, bounded from below by [`MIN_VOLUME_RATIO`].
    #[inline(always)]
    pub fn volume(&self) -> Lanes {
        (1.0 + self.j).max(Lanes::splat(MIN_VOLUME_RATIO))
    }

    /// ln J, with the same lower bound of J.
    #[inline(always)]
    pub fn ln_volume(&self) -> Lanes {
        let ln = self.j.ln_1p();
        ln.above(Lanes::splat(LN_MIN_VOLUME_RATIO))
            .select(ln, Lanes::splat(LN_MIN_VOLUME_RATIO))
    }

    /// Replaces `energy` by +∞ in lanes with J ≤ 0.
    #[inline(always)]
    pub fn forbid_inversion(&self, energy: Lanes) -> Lanes {
        let allowed = self.j.above(Lanes::splat(-1.0));
        allowed
            .select(energy, Lanes::splat(f64::INFINITY))
            .or_infinite()
    }
}

/// Partial derivatives of Ψ(I₁, J).
#[derive(Clone, Copy)]
pub(super) struct Partials {
    /// ∂Ψ/∂I₁.
    pub d1: Lanes,
    /// ∂²Ψ/∂I₁².
    pub d11: Lanes,
    /// ∂Ψ/∂J.
    pub dj: Lanes,
    /// ∂²Ψ/∂J².
    pub djj: Lanes,
}

impl Partials {
    /// ∂²Ψ/∂F² of a law in I₁ and J with zero mixed derivative.
    #[inline(always)]
    pub fn hessian(&self, k: &Invariants) -> Hessian {
        let (f, c) = (flat(&k.f), flat(&k.cof));
        let d1 = 2.0 * self.d1;
        let ff = flat(&scale(4.0 * self.d11, &k.f));
        let cc = flat(&scale(self.djj, &k.cof));
        let twist = scale(self.dj, &k.f);
        symmetric(|a, b| {
            let both = ff[a] * f[b] + cc[a] * c[b];
            let both = if a == b { both + d1 } else { both };
            plus_cofactor_gradient(both, &twist, a, b)
        })
    }

    /// The same second derivative in principal stretches.
    #[inline(always)]
    pub fn principal(&self, s: &Vec3) -> Principal {
        let c = [s[1] * s[2], s[2] * s[0], s[0] * s[1]];
        let (d1, d11) = (2.0 * self.d1, 4.0 * self.d11);
        let scaling = mat3(|i, j| {
            let both = d11 * (s[i] * s[j]) + self.djj * (c[i] * c[j]);
            both + if i == j { d1 } else { self.dj * s[3 - i - j] }
        });
        Principal {
            scaling,
            twist: vec3(|k| d1 + self.dj * s[k]),
            flip: vec3(|k| d1 - self.dj * s[k]),
        }
    }
}

/// The nine entries of a matrix, row-major.
#[inline(always)]
pub(super) fn flat(a: &Mat3) -> [Lanes; 9] {
    [
        a[0][0], a[0][1], a[0][2], a[1][0], a[1][1], a[1][2], a[2][0], a[2][1], a[2][2],
    ]
}

/// Adds s to the diagonal.
#[inline(always)]
pub(super) fn add_diagonal(h: &mut Hessian, s: Lanes) {
    for a in 0..9 {
        h[a][a] += s;
    }
}

/// Adds s ∂²J/∂F² = s ε_ikm ε_jln F_mn to the lower triangle.
#[inline(always)]
pub(super) fn add_cofactor_gradient(h: &mut Hessian, s: Lanes, f: &Mat3) {
    for m in 0..3 {
        // i > k is the block below the diagonal; its sign is that of the permutation (i, k, m).
        let (i, k) = [(2, 1), (2, 0), (1, 0)][m];
        let sign = if m == 1 { s } else { -s };
        for n in 0..3 {
            let (j, l) = ((n + 1) % 3, (n + 2) % 3);
            let t = sign * f[m][n];
            h[3 * i + j][3 * k + l] += t;
            h[3 * i + l][3 * k + j] -= t;
        }
    }
}

/// The symmetric matrix whose entry (a, b), a ≥ b, is `f(a, b)`. It is unrolled, so the compiler evaluates tests of indices
/// in `f`.
#[inline(always)]
pub(super) fn symmetric(f: impl Fn(usize, usize) -> Lanes) -> Hessian {
    let mut h = [[Lanes::ZERO; 9]; 9];
    macro_rules! entries {
        ($($a:literal: $($b:literal)*;)*) => {
            $($(
                let t = f($a, $b);
                h[$a][$b] = t;
                h[$b][$a] = t;
            )*)*
        };
    }
    entries! {
        0: 0;
        1: 0 1;
        2: 0 1 2;
        3: 0 1 2 3;
        4: 0 1 2 3 4;
        5: 0 1 2 3 4 5;
        6: 0 1 2 3 4 5 6;
        7: 0 1 2 3 4 5 6 7;
        8: 0 1 2 3 4 5 6 7 8;
    }
    h
}

/// Adds to `h` the entry (ij, kl) of ∂²J/∂F², ε_ikm ε_jln F_mn, for `f` = F, or a multiple of it for a multiple of F.
#[inline(always)]
pub(super) fn plus_cofactor_gradient(h: Lanes, f: &Mat3, a: usize, b: usize) -> Lanes {
    let (i, j, k, l) = (a / 3, a % 3, b / 3, b % 3);
    if i == k || j == l {
        return h;
    }
    let t = f[3 - i - k][3 - j - l];
    let same = ((k + 3 - i) % 3 == 1) == ((l + 3 - j) % 3 == 1);
    if same { h + t } else { h - t }
}
