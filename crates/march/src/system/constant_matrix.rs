//! The constant matrix of local/global iterations.

use sparse::Matrix;

use crate::Weights;

/// A matrix that stands for each of `copies` interleaved families of unknowns alike: A ⊗ I.
#[derive(Clone, Debug)]
pub struct RepeatedMatrix {
    /// A.
    pub matrix: Matrix,
    /// Unknowns that share a row of A.
    pub copies: usize,
}

/// A system whose forces have a projective form: its energy is Σ w/2 min ‖G x − p‖² over projections p
/// (004 §4.2).
pub trait ConstantMatrix {
    /// A zero matrix on the pattern that [`ConstantMatrix::constant_tangent`] fills.
    fn zero_constant_matrix(&self) -> RepeatedMatrix;

    /// w.mass M + w.damping D + w.stiffness L, where L = Σ w GᵀG bounds every K from above and never changes; for laws
    /// that fit only up to some deformation, up to there.
    fn constant_tangent(&mut self, w: Weights, out: &mut RepeatedMatrix);

    /// A number that changes whenever the constant matrix does, its pattern or its values, otherwise than by the weights;
    /// `None` if it never does. It may change in [`crate::System::prepare`] only.
    fn constant_stamp(&self) -> Option<u64> {
        None
    }
}
