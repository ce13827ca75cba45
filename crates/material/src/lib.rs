//! Hyperelastic material laws: energy density, stress and second derivative as functions of the deformation gradient.
//!
//! Each law has a file of its own and an entry in [`LAWS`]. It works on 3×3 matrices of four elements at a time and does
//! not depend on meshes or time. The energy at rest is 0. All laws are written in the displacement gradient g = F − I, which
//! keeps the relative accuracy of small strains.
//!
//! The stress of a body that is stretched by 1 % along x, its sides held: (λ + 2μ) ε by Hooke's law.
//!
//! ```
//! use material::lanes::Lanes;
//! use material::{Lame, Linear, Material, Strain, small3};
//!
//! let lame = Lame { mu: 4e5, lambda: 6e5 }; // Pa
//! let mut g = [[Lanes::ZERO; 3]; 3];
//! g[0][0] = Lanes::splat(0.01); // the same in each of four elements
//! let stress = Linear::new(lame).stress(&Strain { g, frozen: &small3::IDENTITY });
//! assert!((stress[0][0].0[0] - 0.01 * (6e5 + 2.0 * 4e5)).abs() < 1e-6);
//! ```

mod arap;
mod corotated;
mod corotated_frozen;
mod invariants;
pub mod lanes;
mod laws;
mod linear;
mod moduli;
mod mooney_rivlin;
mod neo_hookean;
pub mod small3;
mod smoothed_stretch_sum;
mod spectral;
mod stable_neo_hookean;
mod stvk;

pub use arap::Arap;
pub use corotated::Corotated;
pub use corotated_frozen::CorotatedFrozen;
pub use laws::{LAWS, Law, LawInfo, LawVisitor};
pub use linear::Linear;
pub use moduli::{Lame, MaterialError};
pub use mooney_rivlin::MooneyRivlin;
pub use neo_hookean::NeoHookean;
pub use stable_neo_hookean::StableNeoHookean;
pub use stvk::StVenantKirchhoff;

use crate::lanes::{Lanes, Mat3};
use crate::small3::{mat3, transpose_mul};

/// Input of a material law: the deformation at an integration point of four elements.
#[derive(Clone, Copy, Debug)]
pub struct Strain<'a> {
    /// Displacement gradient ∂u/∂X; the deformation gradient is F = I + g.
    pub g: Mat3,
    /// Rotation of F at the start of the step; the identity unless [`Material::FREEZES_ROTATION`] is `true`.
    pub frozen: &'a Mat3,
}

/// Second derivative of the energy density, ∂²Ψ/∂F², as a symmetric 9×9 matrix over the entries of F, row-major.
pub type Hessian = [[Lanes; 9]; 9];

/// Choice between the exact second derivative and the nearest positive semi-definite one.
pub use march::Curvature;

/// A hyperelastic law: energy per rest volume and its first and second derivatives with respect to F.
pub trait Material: Copy + Sync {
    /// Whether the law uses [`Strain::frozen`].
    const FREEZES_ROTATION: bool = false;
    /// Whether states with det F ≤ 0 are forbidden, with energy +∞.
    const FORBIDS_INVERSION: bool = false;
    /// Energy per rest volume, J/m³; 0 at rest, +∞ at forbidden states.
    fn energy(&self, e: &Strain) -> Lanes;
    /// First Piola–Kirchhoff stress P = ∂Ψ/∂F, Pa.
    fn stress(&self, e: &Strain) -> Mat3;
    /// Second derivative ∂²Ψ/∂F², exact or with its negative eigenvalues set to zero.
    fn hessian(&self, e: &Strain, c: Curvature) -> Hessian;
    /// Weight w, Pa, of a law of the form w/2 min_p ‖F − p‖² [Dinev et al. 2018, eq. 26], or the sum of the weights of
    /// several such terms. `None` if the law does not have this form.
    fn projective_weight(&self) -> Option<f64> {
        None
    }
}

/// Green strain E = (FᵀF − I)/2 = (g + gᵀ + gᵀg)/2.
#[inline(always)]
fn green(g: &Mat3) -> Mat3 {
    let gg = transpose_mul(g, g);
    mat3(|i, j| 0.5 * (g[i][j] + g[j][i] + gg[i][j]))
}
