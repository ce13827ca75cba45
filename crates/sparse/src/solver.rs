//! The one door to all solvers.

use crate::cg::Cg;
use crate::cholesky::Cholesky;
use crate::error::{FactorError, SolveError};
use crate::lu::Lu;
use crate::matrix::Matrix;

/// Solves A x = b for many A on one pattern.
///
/// The first [`factor`](LinearSolver::factor) on a pattern analyses it; later ones reuse the analysis and the memory, and
/// neither they nor [`solve`](LinearSolver::solve) allocate.
pub trait LinearSolver {
    /// Makes ready to solve with `a`. After an error nothing can be solved until a later call succeeds.
    fn factor(&mut self, a: &Matrix) -> Result<(), FactorError>;

    /// x ← A⁻¹ x with the matrix last factored. After an error x is unspecified.
    fn solve(&mut self, x: &mut [f64]) -> Result<(), SolveError>;

    /// Work done so far.
    fn counts(&self) -> Counts;
}

/// Work a solver has done since it was made: the same on every machine, so tests can assert it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Patterns analysed: elimination trees and supernodes, under an order that was found anew or taken over.
    pub analyses: u64,
    /// Those of them for which a fill-reducing order was found.
    pub orderings: u64,
    /// Matrices factored, or preconditioners built.
    pub factorizations: u64,
    /// Right-hand sides solved.
    pub solves: u64,
    /// Iterations of conjugate gradients, or of refinement.
    pub iterations: u64,
}

/// Which solver.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Backend {
    /// The best for positive definite matrices: today always [`Backend::Cholesky`].
    #[default]
    Auto,
    /// Sparse Cholesky; refuses what is not positive definite.
    Cholesky,
    /// Factors indefinite matrices too, at a higher price; refuses singular ones.
    Lu,
    /// Preconditioned conjugate gradients; meets indefiniteness while solving.
    Cg,
}

/// A solver.
pub fn solver(backend: Backend) -> Box<dyn LinearSolver + Send> {
    match backend {
        Backend::Auto | Backend::Cholesky => Box::new(Cholesky::default()),
        Backend::Lu => Box::new(Lu::default()),
        Backend::Cg => Box::new(Cg::default()),
    }
}

/// The error for a right-hand side of the wrong length.
pub(crate) fn right_length(x: &[f64], n: usize) -> Result<(), SolveError> {
    if x.len() == n {
        Ok(())
    } else {
        Err(SolveError::Length {
            given: x.len(),
            wanted: n,
        })
    }
}

/// The error for a solution that is not finite.
pub(crate) fn finite_solution(x: &[f64]) -> Result<(), SolveError> {
    match x.iter().position(|v| !v.is_finite()) {
        None => Ok(()),
        Some(index) => Err(SolveError::NotFinite {
            index,
            value: x[index],
        }),
    }
}
