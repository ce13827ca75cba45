//! Laws that give an energy to a deformation.
//!
//! A law is a file of its own and one line in [`LAWS`]; it sees 3×3 matrices, four elements at a time, and nothing of
//! meshes or time. Every law is shifted so that its energy at rest is 0, and formed from the displacement gradient
//! g = F − I so that small strains keep their relative accuracy.

mod arap;
mod corotated;
mod corotated_frozen;
mod invariants;
mod laws;
mod linear;
mod moduli;
mod mooney_rivlin;
mod neo_hookean;
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

/// What a law sees of the deformation at a point, for four elements at once.
#[derive(Clone, Copy, Debug)]
pub struct Strain<'a> {
    /// Displacement gradient ∂u/∂X; the deformation gradient is F = I + g.
    pub g: Mat3,
    /// Rotation of F at the start of the step; the identity unless the law says [`Material::FREEZES_ROTATION`].
    pub frozen: &'a Mat3,
}

/// Second derivative of the energy, ∂²Ψ/∂F², as a symmetric 9×9 matrix over (row, column) pairs of F, row-major.
pub type Hessian = [[Lanes; 9]; 9];

/// Whether a second derivative is the true one or its nearest positive semi-definite neighbour.
pub use march::Curvature;

/// A hyperelastic law: energy per rest volume, its first and second derivative with respect to F.
pub trait Material: Copy + Sync {
    /// Whether the law needs [`Strain::frozen`].
    const FREEZES_ROTATION: bool = false;
    /// Whether states with det F ≤ 0 are forbidden: whether their energy is +∞.
    const FORBIDS_INVERSION: bool = false;
    /// Energy per rest volume, J/m³; +∞ where the law forbids the state; 0 at rest.
    fn energy(&self, e: &Strain) -> Lanes;
    /// First Piola–Kirchhoff stress P = ∂Ψ/∂F, Pa.
    fn stress(&self, e: &Strain) -> Mat3;
    /// ∂²Ψ/∂F², exact or with its negative eigenvalues removed.
    fn hessian(&self, e: &Strain, c: Curvature) -> Hessian;
    /// The weight w, Pa, of a law that is w/2 min ‖F − p‖² over some p (004 eq. 26), or the sum of several.
    fn projective_weight(&self) -> Option<f64> {
        None
    }
}

/// Green's strain E = (FᵀF − I)/2 = (g + gᵀ + gᵀg)/2.
#[inline(always)]
fn green(g: &Mat3) -> Mat3 {
    let gg = transpose_mul(g, g);
    mat3(|i, j| 0.5 * (g[i][j] + g[j][i] + gg[i][j]))
}
