//! Claims of papers, checked against measured numbers.
//!
//! A [`Finding`] has the parameters, tables and plots of a reproduction, and [`Claim`]s: sentences of a paper, each with
//! the [`check::Check`]s of our numbers that decide it. The [`Verdict`] follows from the checks.
//!
//! ```
//! use claims::{Finding, Verdict};
//! use claims::check::at_most;
//!
//! let mut finding = Finding::default();
//! finding.claim("error", "the error is below 1 %", "it is 0.2 %", at_most(0.002, 0.01));
//! assert_eq!(finding.verdict(), Verdict::Reproduced);
//! ```

pub mod brittle;
pub mod check;
pub mod dinev_algorithm1;
mod error;
pub mod finding;
pub mod integrators;
mod job;
pub mod parallel_runs;
pub mod potential_system;
pub mod progress;
pub mod runs;
pub mod scattered_run;
pub mod soft_beam;
pub mod step_control;

pub use error::PaperError;
pub use finding::{Claim, Finding, Table, Verdict};
pub use job::{Job, Size};
