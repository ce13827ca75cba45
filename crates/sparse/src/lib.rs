//! Symmetric sparse matrices on fixed patterns: direct and iterative solvers and eigenpairs.
//!
//! The crate solves A x = b thousands of times for matrices of the same structure and new values, and computes the
//! lowest and highest eigenvalues of K x = λ M x. It knows neither time nor space.
//!
//! ```
//! use sparse::{Backend, Matrix, Pattern, solver};
//! // A chain of four unit springs, both ends held.
//! let pattern = Pattern::new(3, [(0, 1), (1, 2)]);
//! let mut a = Matrix::new(pattern);
//! for (i, j, value) in [(0, 0, 2.0), (1, 1, 2.0), (2, 2, 2.0), (0, 1, -1.0), (1, 2, -1.0)] {
//!     let k = a.pattern().find(i, j).unwrap();
//!     a.values_mut()[k] = value;
//! }
//! let mut cholesky = solver(Backend::Cholesky);
//! cholesky.factor(&a)?; // analyses the pattern once; later calls on it refactor in place
//! let mut x = [0.0, 4.0, 0.0];
//! cholesky.solve(&mut x)?;
//! assert!((x[1] - 4.0).abs() < 1e-12);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | module | holds |
//! |---|---|
//! | [`pattern`] | sparsity patterns |
//! | [`matrix`] | symmetric matrices on a pattern |
//! | [`blocks`] | patterns of 3×3 blocks between nodes, with pairs that come and go |
//! | [`ordering`] | fill-reducing orderings and their cost |
//! | [`cholesky`] | supernodal Cholesky factorization |
//! | [`inverted_panels`] | a factor with inverted panels, for thousands of solves with three right-hand sides |
//! | [`lu`] | L B Lᵀ and LU for indefinite matrices |
//! | [`cg`] | preconditioned conjugate gradients |
//! | [`two_level`] | conjugate gradients on 3×3 blocks with a coarse level, for dense neighbourhoods |
//! | [`inertia`] | the number of negative eigenvalues |
//! | [`eigen`] | the lowest eigenpairs and the highest eigenvalue of K x = λ M x |
//! | [`stiff_rows`] | a factored matrix plus a few stiff rows that change from solve to solve |
//! | [`vector`] | sums and norms of vectors |
//! | [`error`] | errors of factorizations, solves and eigenvalue iterations |

pub mod blocks;
pub mod cg;
pub mod cholesky;
pub mod eigen;
pub mod error;
mod extended_pattern;
pub mod inertia;
pub mod inverted_panels;
mod krylov;
pub mod lu;
pub mod matrix;
pub mod ordering;
pub mod pattern;
mod permuted_matrix;
mod pivoted_lu;
mod preconditioner;
mod solver;
pub mod stiff_rows;
mod substitution;
pub mod two_level;
pub mod vector;
mod woodbury;

pub use cg::{Cg, Preconditioner};
pub use cholesky::Cholesky;
pub use eigen::{Eigenpairs, counted_eigenpairs, highest_eigenvalue, lowest_eigenpairs};
pub use error::{EigenError, FactorError, SolveError};
pub use extended_pattern::MAX_FLOP_GROWTH;
pub use inertia::InertiaCounter;
pub use inverted_panels::InvertedPanelCholesky;
pub use lu::Lu;
pub use matrix::{Matrix, OffPatternEntry};
pub use ordering::{EliminationOrder, Ordering};
pub use pattern::{Pattern, Placement};
pub use solver::{Backend, LinearSolver, SolverCounts, solver};
pub use two_level::{BlockCg, BlockPreconditioner, MAX_DIRECT_VERTICES};
