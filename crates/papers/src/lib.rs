//! Tables and figures of the source papers, computed again.
//!
//! | number | paper |
//! |---|---|
//! | 000 | Löschner, Longva, Jeske, Kugelstadt, Bender 2020, *Higher-Order Time Integration for Deformable Solids* |
//! | 001 | *Adaptive Time-Stepping with Linearized Force Error Estimation* |
//! | 002 | Baraff 2001, *Implicit Methods for Differential Equations* |
//! | 003 | Ascher, Larionov, Sheen, Pai 2021, *Simulating deformable objects for computer animation* |
//! | 004 | Dinev, Liu, Kavan 2018, *Stabilizing Integrators for Real-Time Physics* |
//!
//! One file a result: its parameters, our choices where the paper is silent, our numbers, the paper's claims held
//! against them, plots. [`RESULTS`] lists them all; a verdict is computed from the numbers, never written down.
//!
//! ```
//! use papers::{Job, Size, Verdict, find, run};
//!
//! let job = Job { size: Size::Quick, tell: &|_| {} };
//! let done = run(find("002-stiff-equation")?, &job)?;
//! assert_eq!(done.finding.verdict(), Verdict::Reproduced);
//! # Ok::<(), papers::PaperError>(())
//! ```

mod apart;
mod bodies;
pub mod check;
mod controlled;
mod error;
mod field;
mod finding;
mod models;
mod printed;
mod progress;
mod registry;
mod results;
mod scattered;
mod tracked;
mod ways;
mod write;

pub use error::PaperError;
pub use finding::{Claim, Finding, Table, Verdict};
pub use registry::{Job, RESULTS, Reproduction, Size, find};
pub use write::{Done, run, write_all};
