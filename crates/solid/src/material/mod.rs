//! Laws that give an energy to a deformation.

use crate::lanes::{Lanes, Mat3};

/// What a law sees of the deformation at a point, for four elements at once.
#[derive(Clone, Copy, Debug)]
pub struct Strain {
    /// Displacement gradient ∂u/∂X; the deformation gradient is F = I + g.
    pub g: Mat3,
    /// Rotation of F at the start of the step; the identity unless the law says [`Material::FREEZES`].
    pub frozen: Mat3,
}

/// Second derivative of the energy, ∂²Ψ/∂F², as a symmetric 9×9 matrix over (row, column) pairs of F, row-major.
pub type Hessian = [[Lanes; 9]; 9];

/// Whether a second derivative is the true one or its nearest positive semi-definite neighbour.
pub use march::Curvature;

/// A hyperelastic law: energy per rest volume, its first and second derivative with respect to F.
pub trait Material: Copy + Sync {
    /// Whether the law needs [`Strain::frozen`].
    const FREEZES: bool = false;
    /// Energy per rest volume, J/m³; +∞ where the law forbids the state; 0 at rest.
    fn energy(&self, e: &Strain) -> Lanes;
    /// First Piola–Kirchhoff stress P = ∂Ψ/∂F, Pa.
    fn stress(&self, e: &Strain) -> Mat3;
    /// ∂²Ψ/∂F², exact or with its negative eigenvalues removed.
    fn hessian(&self, e: &Strain, c: Curvature) -> Hessian;
}
