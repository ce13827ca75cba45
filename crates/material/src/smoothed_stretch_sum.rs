//! A smooth approximation S̃ of the sum of singular values S = σ₁ + σ₂ + σ₃.
//!
//! S = max ⟨R, F⟩ over rotations R is the largest eigenvalue λ₁ of a symmetric 4×4 matrix linear in F [Horn 1987, §4]. The
//! other eigenvalues are λ₂ = σ₁ − σ₂ − σ₃, λ₃ = −σ₁ + σ₂ − σ₃ and λ₄ = −σ₁ − σ₂ + σ₃. S is convex and has a kink where the
//! largest eigenvalue is not simple, at σ₂ + σ₃ = 0. S̃ is the smooth maximum of [Nesterov 2005, eq. 2.5] with the Euclidean
//! distance,
//!
//! S̃ = max { Σ pᵢ λᵢ − δ (Σ pᵢ² − 1) : pᵢ ≥ 0, Σ pᵢ = 1 },
//!
//! convex with a Lipschitz gradient, S ≤ S̃ ≤ S + ¾ δ, and S̃ = S if σ₂ + σ₃ ≥ δ. As λ₁ ≥ λ₂ ≥ λ₃ ≥ λ₄, the maximum is at
//! pᵢ = max(0, t − yᵢ), yᵢ = (λ₁ − λᵢ)/2δ, t = (1 + Σ yᵢ)/n over the first n. Then ∂S̃/∂λᵢ = pᵢ, the twists and flips of
//! ∂²S̃/∂F² are the six divided differences 4 (pᵢ − pⱼ)/(λᵢ − λⱼ), and ∂p/∂λ = (1 − 1/n)/2δ for the first n.

use crate::lanes::{Lanes, Mask, Mat3, Vec3};
use crate::small3::{mat3, vec3};

/// λᵢ = Σ SIGNS[i][j] σⱼ.
const SIGNS: [[f64; 3]; 4] = [
    [1.0, 1.0, 1.0],
    [1.0, -1.0, -1.0],
    [-1.0, 1.0, -1.0],
    [-1.0, -1.0, 1.0],
];

/// S̃ and its first derivatives for four elements.
pub(super) struct SmoothedStretchSum {
    /// Range δ of the smoothing.
    reach: f64,
    /// (λ₁ − λᵢ)/2δ.
    y: [Lanes; 4],
    /// ∂S̃/∂λᵢ.
    p: [Lanes; 4],
    /// S̃.
    pub sum: Lanes,
    /// ∂S̃/∂σᵢ.
    pub slope: Vec3,
}

impl SmoothedStretchSum {
    /// Evaluates S̃ at singular values σ₁ ≥ σ₂ ≥ |σ₃|.
    #[inline(always)]
    pub fn of(sigma: &Vec3, reach: f64) -> SmoothedStretchSum {
        let [a, b, c] = *sigma;
        let y = [Lanes::ZERO, b + c, a + c, a + b].map(|gap| gap * (1.0 / reach));
        let mut t = Lanes::ONE;
        let mut ahead = Lanes::ONE;
        for (i, n) in [(1, 2.0), (2, 3.0), (3, 4.0)] {
            ahead += y[i];
            t = y[i].below(t).select(ahead * (1.0 / n), t);
        }
        let p = y.map(|y| (t - y).max(Lanes::ZERO));
        let mut less = -Lanes::ONE;
        for i in 0..4 {
            less += p[i] * (p[i] + 2.0 * y[i]);
        }
        SmoothedStretchSum {
            reach,
            y,
            p,
            sum: (a + b) + c - reach * less,
            slope: vec3(|j| signed(&p, j)),
        }
    }

    /// Eigenvalues of the twist and flip modes of ∂²S̃/∂F², each at the index of the axis perpendicular to its plane.
    #[inline(always)]
    pub fn twists_and_flips(&self) -> (Vec3, Vec3) {
        (
            [
                self.divided_difference(0, 1),
                self.divided_difference(0, 2),
                self.divided_difference(0, 3),
            ],
            [
                self.divided_difference(2, 3),
                self.divided_difference(1, 3),
                self.divided_difference(1, 2),
            ],
        )
    }

    /// 4 (pᵢ − pⱼ)/(λᵢ − λⱼ), i < j.
    #[inline(always)]
    fn divided_difference(&self, i: usize, j: usize) -> Lanes {
        let alone = self.p[i] / (self.y[j] - self.y[i]);
        let one = self.p[i].above(Lanes::ZERO).select(alone, Lanes::ZERO);
        let both = self.p[j].above(Lanes::ZERO);
        (2.0 / self.reach) * both.select(Lanes::ONE, one)
    }

    /// ∂²S̃/∂σᵢ∂σⱼ.
    #[inline(always)]
    pub fn second_derivative(&self) -> Mat3 {
        let in_it: [Mask; 4] = self.p.map(|p| p.above(Lanes::ZERO));
        let one = in_it.map(|yes| yes.select(Lanes::ONE, Lanes::ZERO));
        let inverse = 1.0 / ((one[0] + one[1]) + (one[2] + one[3]));
        let mean = vec3(|j| inverse * signed(&one, j));
        mat3(|i, j| {
            let mut sum = Lanes::ZERO;
            for k in 0..4 {
                sum += one[k] * ((SIGNS[k][i] - mean[i]) * (SIGNS[k][j] - mean[j]));
            }
            (0.5 / self.reach) * sum
        })
    }
}

/// Σ SIGNS[i][j] wᵢ.
#[inline(always)]
fn signed(w: &[Lanes; 4], j: usize) -> Lanes {
    let mut sum = Lanes::ZERO;
    for i in 0..4 {
        sum += SIGNS[i][j] * w[i];
    }
    sum
}
