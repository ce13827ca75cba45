//! Reproductions of tables, figures and claims of five papers on time integration.
//!
//! | id begins with | paper | cited as |
//! |---|---|---|
//! | 000 | Löschner, Longva, Jeske, Kugelstadt, Bender 2020, *Higher-Order Time Integration for Deformable Solids* | [Löschner et al. 2020] |
//! | 001 | *Adaptive Time-Stepping with Linearized Force Error Estimation* | [Linearized Force Error] |
//! | 002 | Baraff 2001, *Implicit Methods for Differential Equations* | [Baraff 2001] |
//! | 003 | Ascher, Larionov, Sheen, Pai 2021, *Simulating deformable objects for computer animation* | [Ascher et al. 2021] |
//! | 004 | Dinev, Liu, Kavan 2018, *Stabilizing Integrators for Real-Time Physics* | [Dinev et al. 2018] |
//!
//! Each result has a file with its parameters, our choices where the paper gives no value, our numbers, the paper's
//! claims checked against them, and plots. [`RESULTS`] lists them. Verdicts are computed from the numbers, never
//! written down.
//!
//! ```
//! use papers::{Job, Size, Verdict, find, run};
//!
//! let job = Job { size: Size::Quick, progress: &|_| {} };
//! let done = run(find("002-stiff-equation")?, &job)?;
//! assert_eq!(done.finding.verdict(), Verdict::Reproduced);
//! # Ok::<(), papers::PaperError>(())
//! ```

mod energy_history;
mod models;
mod motions;
mod registry;
mod results;
mod scenes;
mod write;

pub use claims::{Claim, Finding, Job, PaperError, Size, Table, Verdict, check};
use claims::{
    brittle, dinev_algorithm1, finding, integrators, parallel_runs, potential_system, progress,
    scattered_run, soft_beam, step_control,
};
pub use registry::{RESULTS, Reproduction, find};
pub use write::{Done, run, write_all};
