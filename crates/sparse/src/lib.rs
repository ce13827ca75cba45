//! Numbers in a matrix; no time, no space.
//!
//! Symmetric matrices on fixed patterns, and what a simulator asks of them: solve A x = b thousands of times with the same
//! structure and ever new values, and find the lowest and highest frequencies of K x = λ M x.
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
//! cholesky.factor(&a)?; // orders and analyses once; later calls on the same pattern only refactor, in place
//! let mut x = [0.0, 4.0, 0.0];
//! cholesky.solve(&mut x)?;
//! assert!((x[1] - 4.0).abs() < 1e-12);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | module | holds |
//! |---|---|
//! | [`pattern`] | where a matrix may be non-zero, with a stamp |
//! | [`matrix`] | values on a pattern, products |
//! | [`order`] | fill-reducing orderings and their cost |
//! | [`cholesky`] | A = L Lᵀ, analysed once, refactored in place |
//! | [`products`] | a factor packed for thousands of solves with three right-hand sides |
//! | [`lu`] | L B Lᵀ and LU for indefinite matrices |
//! | [`cg`] | preconditioned conjugate gradients |
//! | [`eigen`] | the lowest and highest eigenvalues of K x = λ M x |
//! | [`error`] | what can go wrong, in sentences |

pub mod cg;
pub mod cholesky;
pub mod eigen;
pub mod error;
mod extended;
mod krylov;
pub mod lu;
pub mod matrix;
pub mod order;
pub mod pattern;
mod permuted;
mod pivoted;
mod precondition;
pub mod products;
mod solver;
mod substitution;
mod woodbury;

pub use cg::{Cg, Preconditioner};
pub use cholesky::Cholesky;
pub use eigen::{highest, lowest};
pub use error::{EigenError, FactorError, SolveError};
pub use extended::MAX_FLOP_GROWTH;
pub use lu::Lu;
pub use matrix::{Matrix, OffPattern};
pub use order::{Order, Ordering};
pub use pattern::Pattern;
pub use products::Products;
pub use solver::{Backend, Counts, LinearSolver, solver};
