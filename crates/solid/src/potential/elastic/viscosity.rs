//! Kelvin–Voigt viscosity: a stress proportional to the strain rate, added to the elastic stress.
//!
//! The rate of the Green strain E = ½ (FᵀF − I) is Ė = sym(FᵀḞ), and the dissipation function of an isotropic solid is
//! R = Σ w (η dev Ė : dev Ė + ζ/2 tr² Ė) over integration points of volume w [Landau & Lifshitz, §34, eq. 34.5], with the
//! rate of the Green strain in place of the small strain, as in [Sánchez-Banderas & Otaduy 2018]. R is never negative and
//! zero for rigid motion of any deformed state: Ḟ = W F with Wᵀ = −W gives Ė = 0. The midpoint rule preserves this for
//! finite rotations, since sym(F_mᵀ(F₁ − F₀)) = E₁ − E₀ with F_m = ½ (F₀ + F₁).
//!
//! The viscous stress is P = ∂R/∂Ḟ = F S with S = 2η dev Ė + ζ tr Ė I. At fixed F it is linear in Ḟ = Σ v_a ⊗ B_a:
//! ∂P_ik/∂Ḟ_jl = η [(F Fᵀ)_ij δ_kl + F_il F_jk] + (ζ − ⅔ η) F_ik F_jl, contracted with B_a and B_b as a stiffness is.

use std::ops::Range;

use super::elements::{BlockTarget, Elements};
use crate::lanes::{Lanes, Mat3};
use crate::material::Hessian;
use crate::potential::kernels::scatter_blocks;
use crate::potential::simd::on_this_machine;
use crate::small3::{mul_transpose, plus_identity};

/// Coefficients of Kelvin–Voigt viscosity.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Viscosity {
    /// Shear viscosity η, Pa s.
    pub shear: f64,
    /// Bulk viscosity ζ, Pa s.
    pub bulk: f64,
}

impl Viscosity {
    /// Returns `true` if both coefficients are zero.
    pub fn is_zero(&self) -> bool {
        self.shear == 0.0 && self.bulk == 0.0
    }

    /// ∂²R/∂Ḟ² per volume at the deformation gradient F.
    #[inline(always)]
    fn matrix(&self, f: &Mat3, out: &mut Hessian) {
        let eta = Lanes::splat(self.shear);
        let volumetric = Lanes::splat(self.bulk - 2.0 / 3.0 * self.shear);
        let left = mul_transpose(f, f);
        for (i, k) in (0..3).flat_map(|i| (0..3).map(move |k| (i, k))) {
            for (j, l) in (0..3).flat_map(|j| (0..3).map(move |l| (j, l))) {
                let mut shear = f[i][l] * f[j][k];
                if k == l {
                    shear += left[i][j];
                }
                out[3 * i + k][3 * j + l] = eta * shear + volumetric * (f[i][k] * f[j][l]);
            }
        }
    }
}

impl<const N: usize> Elements<N> {
    /// Adds the viscosity blocks of a chunk's batches to `out`.
    pub fn viscosity_matrix(&self, range: Range<usize>, u: &[[f64; 3]], out: &BlockTarget) {
        on_this_machine!(_H => self.viscosity_on(range, u, out))
    }

    #[inline(always)]
    fn viscosity_on(&self, range: Range<usize>, u: &[[f64; 3]], out: &BlockTarget) {
        // Large enough for the largest element; array lengths cannot depend on N yet.
        let mut blocks = [[Lanes::ZERO; 9]; 378];
        let blocks = &mut blocks[..Self::PAIRS];
        for b in range {
            self.batch(b).assemble(
                u,
                |strain, matrix| self.viscosity.matrix(&plus_identity(&strain.g), matrix),
                blocks,
            );
            let slots = &out.slots[b * Self::PAIRS..(b + 1) * Self::PAIRS];
            // SAFETY: chunks that run at the same time have no common node, so no common block.
            unsafe { scatter_blocks(slots, self.lanes(b), out.factor, blocks, &out.blocks) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::small3::{IDENTITY, inner, mul, transpose_mul};

    /// The rotation by an angle about (1, 2, −1).
    fn turned(angle: f64) -> Mat3 {
        let n = [1.0, 2.0, -1.0].map(|x: f64| x / 6f64.sqrt());
        let (s, c) = angle.sin_cos();
        let across = [[0.0, -n[2], n[1]], [n[2], 0.0, -n[0]], [-n[1], n[0], 0.0]];
        [0, 1, 2].map(|i| {
            [0, 1, 2].map(|j| {
                let unit = if i == j { c } else { 0.0 };
                Lanes::splat(unit + s * across[i][j] + (1.0 - c) * n[i] * n[j])
            })
        })
    }

    fn stretch() -> Mat3 {
        let s = [[1.4, 0.2, -0.1], [0.2, 0.7, 0.3], [-0.1, 0.3, 1.1]];
        s.map(|row| row.map(Lanes::splat))
    }

    /// ½ ḞᵀCḞ with the matrix at F.
    fn dissipated(viscosity: Viscosity, f: &Mat3, rate: &Mat3) -> f64 {
        let mut c = [[Lanes::ZERO; 9]; 9];
        viscosity.matrix(f, &mut c);
        let flat = rate.as_flattened();
        let mut sum = 0.0;
        for (p, row) in c.iter().enumerate() {
            for (q, c) in row.iter().enumerate() {
                sum += 0.5 * (flat[p] * *c * flat[q]).0[0];
            }
        }
        sum
    }

    #[test]
    fn a_finite_rotation_in_a_midpoint_step_has_no_strain_rate() {
        for angle in [1e-3, 0.3, 1.5, 3.0] {
            let h = 0.1;
            let (f0, f1) = (stretch(), mul(&turned(angle), &stretch()));
            let middle: Mat3 = [0, 1, 2].map(|i| [0, 1, 2].map(|j| 0.5 * (f0[i][j] + f1[i][j])));
            let rate: Mat3 =
                [0, 1, 2].map(|i| [0, 1, 2].map(|j| (f1[i][j] - f0[i][j]) / Lanes::splat(h)));
            let half = transpose_mul(&middle, &rate);
            for (i, j) in [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)] {
                let strain_rate = 0.5 * (half[i][j] + half[j][i]).0[0];
                assert!(
                    strain_rate.abs() < 1e-14 / h,
                    "{angle}: Ė_{i}{j} = {strain_rate:e}"
                );
            }
            let viscosity = Viscosity {
                shear: 2.0,
                bulk: 3.0,
            };
            let r = dissipated(viscosity, &middle, &rate);
            let all = inner(&rate, &rate).0[0];
            assert!(r.abs() < 1e-13 * all, "{angle}: R = {r:e} of {all:e}");
        }
    }

    #[test]
    fn the_dissipation_function_is_that_of_the_strain_rate() {
        let viscosity = Viscosity {
            shear: 2.0,
            bulk: 3.0,
        };
        let rate =
            [[0.3, -1.0, 0.4], [0.7, 0.2, 0.9], [-0.5, 0.1, 1.3]].map(|r| r.map(Lanes::splat));
        for f in [IDENTITY, stretch(), mul(&turned(2.0), &stretch())] {
            let g = transpose_mul(&f, &rate);
            let strain_rate = [0, 1, 2].map(|i| [0, 1, 2].map(|j| 0.5 * (g[i][j] + g[j][i]).0[0]));
            let trace: f64 = (0..3).map(|i| strain_rate[i][i]).sum();
            let squares: f64 = strain_rate.as_flattened().iter().map(|x| x * x).sum();
            let want = 2.0 * (squares - trace * trace / 3.0) + 1.5 * trace * trace;
            let found = dissipated(viscosity, &f, &rate);
            assert!((found - want).abs() < 1e-13 * want, "{found} {want}");
        }
    }
}
