//! What can go wrong, in sentences.

use thiserror::Error;

/// Why a matrix could not be factored.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum FactorError {
    /// An entry is NaN or infinite.
    #[error(
        "entry ({row}, {column}) of the matrix is {value}: nothing can be solved with it; look for an inverted element or a step that overflowed"
    )]
    NotFinite {
        /// Row of the first such entry in storage order (lower triangle).
        row: usize,
        /// Its column.
        column: usize,
        /// NaN, inf or -inf.
        value: f64,
    },
    /// A pivot is zero or negative: the matrix is not positive definite.
    #[error(
        "the matrix of {unknowns} unknowns is not positive definite: the pivot of unknown {column} is {pivot:e}, its diagonal entry {diagonal:e}; try a smaller step, projected stiffness, or the solver \"lu\""
    )]
    Indefinite {
        /// The unknown at which elimination stopped, in the caller's numbering.
        column: usize,
        /// What was left of its diagonal entry after elimination of the unknowns before it.
        pivot: f64,
        /// Its diagonal entry in the matrix.
        diagonal: f64,
        /// Size of the matrix.
        unknowns: usize,
    },
    /// The matrix is singular to working precision.
    #[error(
        "the matrix of {unknowns} unknowns is singular to working precision: the smallest pivot is {pivot:e} beside a largest of {largest:e}; look for bodies that nothing holds or unknowns without mass"
    )]
    Singular {
        /// Smallest pivot in magnitude.
        pivot: f64,
        /// Largest pivot in magnitude.
        largest: f64,
        /// Size of the matrix.
        unknowns: usize,
    },
    /// The factor does not fit into memory or into the index type.
    #[error(
        "no memory for the factor of a matrix of {unknowns} unknowns with {entries} stored entries; try the solver \"cg\" or a coarser mesh"
    )]
    Memory {
        /// Size of the matrix.
        unknowns: usize,
        /// Entries stored in the lower triangle.
        entries: usize,
    },
}

/// Why a system could not be solved with the matrix last factored.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum SolveError {
    /// `solve` was called before a successful `factor`.
    #[error("solve was called before a matrix was factored: call factor first and mind its error")]
    NotFactored,
    /// The right-hand side has the wrong length.
    #[error("the right-hand side has {given} entries, the matrix {wanted} unknowns")]
    Length {
        /// Entries of the right-hand side.
        given: usize,
        /// Unknowns of the matrix.
        wanted: usize,
    },
    /// The solution has an entry that is NaN or infinite.
    #[error(
        "entry {index} of the solution is {value}: the right-hand side is not finite or the matrix is singular to working precision"
    )]
    NotFinite {
        /// First such entry.
        index: usize,
        /// NaN, inf or -inf.
        value: f64,
    },
    /// Conjugate gradients met a direction of negative curvature.
    #[error(
        "the matrix is not positive definite: conjugate gradients met the curvature {curvature:e} in iteration {iteration}; try a smaller step, projected stiffness, or the solver \"lu\""
    )]
    Indefinite {
        /// Iteration at which it was met.
        iteration: usize,
        /// pᵀAp / pᵀp of that direction.
        curvature: f64,
    },
    /// The iteration did not reach its tolerance.
    #[error(
        "{iterations} iterations reached the relative residual {residual:e}, wanted {wanted:e}; try a looser tolerance, more iterations, or the solver \"cholesky\""
    )]
    NotConverged {
        /// Iterations spent.
        iterations: usize,
        /// ‖b − Ax‖ / ‖b‖ reached.
        residual: f64,
        /// ‖b − Ax‖ / ‖b‖ wanted.
        wanted: f64,
    },
}

/// Why eigenpairs could not be found.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum EigenError {
    /// The matrices differ in size, or more eigenpairs are asked for than exist.
    #[error(
        "{count} eigenpairs were asked of matrices with {stiffness} and {mass} unknowns: the sizes must agree and be at least the count"
    )]
    Size {
        /// Eigenpairs asked for.
        count: usize,
        /// Unknowns of K.
        stiffness: usize,
        /// Unknowns of M.
        mass: usize,
    },
    /// K + σM or M cannot be factored.
    #[error(
        "the eigenproblem K x = λ M x needs a positive (semi-)definite K and a positive definite M: {0}"
    )]
    Factor(#[from] FactorError),
    /// A solve inside the iteration failed.
    #[error("a solve inside the eigenvalue iteration failed: {0}")]
    Solve(#[from] SolveError),
    /// The iteration stalled.
    #[error(
        "{found} of {wanted} eigenpairs converged in {iterations} iterations; the worst relative residual is {residual:e}, wanted {tolerance:e}; try a looser tolerance"
    )]
    NotConverged {
        /// Eigenpairs that converged.
        found: usize,
        /// Eigenpairs asked for.
        wanted: usize,
        /// Iterations spent.
        iterations: usize,
        /// Worst relative residual among those asked for.
        residual: f64,
        /// Tolerance asked for.
        tolerance: f64,
    },
}
