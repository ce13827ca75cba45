//! Constant matrix of local/global iterations.

use sparse::Matrix;
use sparse::stiff_rows::StiffRow;

use crate::{At, Weights};

/// Matrix A ⊗ I that acts alike on each of `copies` interleaved sets of unknowns.
#[derive(Clone, Debug)]
pub struct RepeatedMatrix {
    /// Matrix A of one set.
    pub matrix: Matrix,
    /// Number of unknowns that share a row of A.
    pub copies: usize,
}

/// System whose forces have a projective form: its energy is Σ w/2 min ‖G x − p‖² over projections p [Dinev et al.
/// 2018, §4.2].
pub trait ConstantMatrix {
    /// Returns a zero matrix on the pattern that [`ConstantMatrix::constant_tangent`] fills.
    fn zero_constant_matrix(&self) -> RepeatedMatrix;

    /// Assembles w.mass M + w.damping D + w.stiffness L, where L = Σ w GᵀG (docs/references.md, E14) is constant and
    /// bounds every K from above, for some laws only up to a limited deformation.
    fn constant_tangent(&mut self, w: Weights, out: &mut RepeatedMatrix);

    /// Returns a number that changes whenever the pattern or the values of the constant matrix change for fixed
    /// weights, or `None` if they never do. It may change in [`crate::System::prepare`] only.
    fn constant_stamp(&self) -> Option<u64> {
        None
    }

    /// Appends the stiff rows at a state, which the constant matrix does not contain: contacts that act there and springs of
    /// hands, each with the second derivative k c cᵀ of its energy.
    fn stiff_rows(&mut self, _at: At, _out: &mut Vec<StiffRow>) {}
}
