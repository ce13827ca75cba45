//! The trait of all linear solvers, their work counts, and the choice between them.

use crate::cg::Cg;
use crate::cholesky::Cholesky;
use crate::error::{FactorError, SolveError};
use crate::lu::Lu;
use crate::matrix::Matrix;
use crate::two_level::BlockCg;

/// A solver of A x = b for many matrices A on one pattern; symmetric ones, except for [`Lu`].
///
/// The first [`factor`](LinearSolver::factor) on a pattern analyses it. Later ones reuse the analysis and the memory;
/// neither they nor [`solve`](LinearSolver::solve) allocate.
pub trait LinearSolver {
    /// Factors `a`, or builds its preconditioner. After an error, solves fail until a later call succeeds.
    fn factor(&mut self, a: &Matrix) -> Result<(), FactorError>;

    /// Computes x ← A⁻¹ x with the matrix factored last. After an error x is unspecified.
    fn solve(&mut self, x: &mut [f64]) -> Result<(), SolveError>;

    /// Returns the work done so far.
    fn counts(&self) -> SolverCounts;
}

/// The counts of the work a linear solver has done since it was created. They are the same on every machine, so tests
/// can assert them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SolverCounts {
    /// The number of symbolic analyses (elimination tree and supernodes), with a new or an inherited elimination order.
    pub analyses: u64,
    /// The number of analyses that computed a new elimination order.
    pub orderings: u64,
    /// The number of numeric factorizations, or of preconditioners built.
    pub factorizations: u64,
    /// The number of right-hand sides solved.
    pub solves: u64,
    /// The number of iterations of conjugate gradients, or of iterative refinement.
    pub iterations: u64,
}

/// The kind of linear solver.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Backend {
    /// The default for positive definite matrices, at present always [`Backend::Cholesky`].
    #[default]
    Auto,
    /// Sparse Cholesky; fails if the matrix is not positive definite.
    Cholesky,
    /// L B Lᵀ with a fallback to LU for indefinite matrices, and LU for unsymmetric ones; slower than Cholesky, fails if
    /// the matrix is singular.
    Lu,
    /// Preconditioned conjugate gradients; detects an indefinite matrix while solving.
    Cg,
}

/// Conjugate gradients: on blocks with a coarse level if the pattern has places of its unknowns.
#[derive(Default)]
struct Iterative {
    scalar: Cg,
    blocks: BlockCg,
    placed: bool,
}

impl LinearSolver for Iterative {
    fn factor(&mut self, a: &Matrix) -> Result<(), FactorError> {
        self.placed = a.pattern().placement().is_some();
        match self.placed {
            true => self.blocks.factor(a),
            false => self.scalar.factor(a),
        }
    }

    fn solve(&mut self, x: &mut [f64]) -> Result<(), SolveError> {
        match self.placed {
            true => self.blocks.solve(x),
            false => self.scalar.solve(x),
        }
    }

    fn counts(&self) -> SolverCounts {
        match self.placed {
            true => self.blocks.counts(),
            false => self.scalar.counts(),
        }
    }
}

/// Creates a linear solver of the given kind.
pub fn solver(backend: Backend) -> Box<dyn LinearSolver + Send> {
    match backend {
        Backend::Auto | Backend::Cholesky => Box::new(Cholesky::default()),
        Backend::Lu => Box::new(Lu::default()),
        Backend::Cg => Box::new(Iterative::default()),
    }
}

/// Returns an error if the right-hand side does not have n entries.
pub(crate) fn check_length(x: &[f64], n: usize) -> Result<(), SolveError> {
    if x.len() == n {
        Ok(())
    } else {
        Err(SolveError::Length {
            given: x.len(),
            wanted: n,
        })
    }
}

/// Returns an error if an entry of the solution is NaN or infinite.
pub(crate) fn check_finite(x: &[f64]) -> Result<(), SolveError> {
    match x.iter().position(|v| !v.is_finite()) {
        None => Ok(()),
        Some(index) => Err(SolveError::NotFinite {
            index,
            value: x[index],
        }),
    }
}
