//! The number of negative eigenvalues of a symmetric matrix, without its eigenvalues.
//!
//! A congruence keeps the signs of the eigenvalues (Sylvester 1852). If Cholesky succeeds there are no negative ones;
//! otherwise the pivots of L B Lᵀ are counted. In statics the matrix is the tangent stiffness of an equilibrium, and the
//! count is the number of directions in which it is unstable [Wriggers 2008, ch. 7].

use crate::cholesky::Cholesky;
use crate::error::FactorError;
use crate::lu::Lu;
use crate::matrix::Matrix;
use crate::solver::LinearSolver;

/// A counter of negative eigenvalues for matrices on one pattern; it keeps the analysis of the pattern.
#[derive(Default)]
pub struct InertiaCounter {
    cholesky: Cholesky,
    lblt: Lu,
}

impl InertiaCounter {
    /// Returns the number of negative eigenvalues, or `None` if it cannot be told: the matrix is singular up to rounding,
    /// or its pivots are too small for L B Lᵀ.
    pub fn negative_eigenvalues(&mut self, a: &Matrix) -> Option<usize> {
        match self.cholesky.factor(a) {
            Ok(()) => return Some(0),
            Err(FactorError::Indefinite { .. }) => {}
            Err(_) => return None,
        }
        self.lblt.factor(a).ok()?;
        self.lblt.negative_eigenvalues()
    }
}
