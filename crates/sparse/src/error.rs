//! Errors of factorizations, solves and eigenvalue iterations.

use thiserror::Error;

/// The reason why a matrix could not be factored.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum FactorError {
    /// An entry is NaN or infinite.
    #[error(
        "entry ({row}, {column}) of the matrix is {value}; look for an inverted element or a step that overflowed"
    )]
    NotFinite {
        /// The row of the first such entry in storage order (lower triangle).
        row: usize,
        /// Its column.
        column: usize,
        /// NaN, inf or -inf.
        value: f64,
    },
    /// A pivot is zero or negative, so the matrix is not positive definite.
    #[error(
        "the matrix of {unknowns} unknowns is not positive definite: the pivot of unknown {column} is {pivot:e}, its diagonal entry {diagonal:e}; try a smaller step, projected stiffness, or the solver \"lu\""
    )]
    Indefinite {
        /// The unknown at which elimination stopped, in the caller's numbering.
        column: usize,
        /// The pivot: its diagonal entry after elimination of the unknowns before it.
        pivot: f64,
        /// Its diagonal entry in the matrix.
        diagonal: f64,
        /// Size of the matrix.
        unknowns: usize,
    },
    /// The matrix has an antisymmetric part, which the solver cannot take.
    #[error(
        "the matrix of {unknowns} unknowns is not symmetric, and only the solver \"lu\" solves with such matrices"
    )]
    Unsymmetric {
        /// Size of the matrix.
        unknowns: usize,
    },
    /// The pattern does not say where the unknowns are, which the coarse level of conjugate gradients on blocks needs.
    #[error(
        "the pattern of {unknowns} unknowns has no places in space, which conjugate gradients on blocks need; try the solver \"cholesky\""
    )]
    Unplaced {
        /// Size of the matrix.
        unknowns: usize,
    },
    /// The matrix is singular to working precision.
    #[error(
        "the matrix of {unknowns} unknowns is singular to working precision: the smallest pivot is {pivot:e} , the largest {largest:e}; check for unconstrained bodies or unknowns without mass"
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
        "not enough memory for the factor of a matrix of {unknowns} unknowns with {entries} stored entries; try the solver \"cg\" or a coarser mesh"
    )]
    Memory {
        /// Size of the matrix.
        unknowns: usize,
        /// Entries stored in the lower triangle.
        entries: usize,
    },
}

/// The reason why a solve with the most recent factorization failed.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum SolveError {
    /// `solve` was called before a successful `factor`.
    #[error(
        "solve was called before a matrix was factored: call factor first and check its result"
    )]
    NotFactored,
    /// The right-hand side has the wrong length.
    #[error("the right-hand side has {given} entries, but the matrix has {wanted} unknowns")]
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
    /// Conjugate gradients found a direction of negative curvature.
    #[error(
        "the matrix is not positive definite: conjugate gradients found the curvature {curvature:e} in iteration {iteration}; try a smaller step, projected stiffness, or the solver \"lu\""
    )]
    Indefinite {
        /// The iteration in which it was found.
        iteration: usize,
        /// pᵀAp / pᵀp of that direction.
        curvature: f64,
    },
    /// The iteration did not reach its tolerance.
    #[error(
        "after {iterations} iterations the relative residual is {residual:e}, above the tolerance {wanted:e}; try a looser tolerance, more iterations, or the solver \"cholesky\""
    )]
    NotConverged {
        /// The number of iterations done.
        iterations: usize,
        /// ‖b − Ax‖ / ‖b‖ reached.
        residual: f64,
        /// The tolerance of ‖b − Ax‖ / ‖b‖.
        wanted: f64,
    },
}

/// The reason why eigenpairs could not be computed.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum EigenError {
    /// The matrices differ in size, or have fewer unknowns than the eigenpairs requested.
    #[error(
        "{count} eigenpairs were requested of matrices with {stiffness} and {mass} unknowns: the sizes must agree and be at least {count}"
    )]
    Size {
        /// The number of eigenpairs requested.
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
        /// The number of eigenpairs that converged.
        found: usize,
        /// The number of eigenpairs requested.
        wanted: usize,
        /// The number of iterations done.
        iterations: usize,
        /// The largest relative residual of the eigenpairs requested.
        residual: f64,
        /// The tolerance requested.
        tolerance: f64,
    },
}
