//! Controllers choose the lengths of steps: they propose one, judge its attempt, and propose again.
//!
//! | controller | steps |
//! |---|---|
//! | [`FixedSteps`] | of one length; a step that fails ends the run |
//! | [`StepHalving`] | of one length, halved if one fails, and growing back |
//! | [`ErrorControl`] | as long as their estimated error allows: of the linearised force, or of an embedded method |

mod error_control;
mod fixed;
mod halving;

pub use error_control::{ErrorControl, ErrorSettings, Estimate};
pub use fixed::FixedSteps;
pub use halving::StepHalving;

use serde::{Deserialize, Serialize};

use crate::stepper::Estimates;
use crate::{StepError, StepReport};

/// A step to attempt.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Proposal {
    /// Its length, s.
    pub h: f64,
    /// The time at its end, s: on a grid of steps t = k h, not a sum of k roundings.
    pub end: f64,
}

/// What becomes of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is taken.
    Accept,
    /// It is rejected; the next proposal is to be tried.
    Retry,
    /// It is rejected, and there is no step left to try.
    GiveUp,
}

/// An error that a controller judged by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// The error, m.
    pub error: f64,
    /// The name of its estimate.
    pub estimate: &'static str,
}

/// Chooses the lengths of steps.
pub trait Controller: Send {
    /// The next step from `now` towards `until`; `None` if the end is reached.
    fn propose(&mut self, now: f64, until: f64) -> Option<Proposal>;

    /// Judges an attempt.
    fn judge(&mut self, step: &Proposal, result: Result<&StepReport, &StepError>) -> Verdict;

    /// The estimates that [`Controller::judge`] uses.
    fn needs(&self) -> Estimates {
        Estimates::default()
    }

    /// What the last judgement was based on, if an error was measured.
    fn measured(&self) -> Option<Measured> {
        None
    }

    /// Another step length from `now` on.
    fn set_step(&mut self, now: f64, h: f64);

    /// Everything that the next proposal depends on.
    fn memory(&self) -> ControlMemory;

    /// Takes back what [`Controller::memory`] returned; returns whether it is of the form that this controller keeps.
    fn restore(&mut self, memory: &ControlMemory) -> bool;
}

/// The memory of a controller, in the form in which checkpoints keep it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum ControlMemory {
    /// Of fixed steps.
    Fixed {
        /// Where the grid of steps begins, s.
        origin: f64,
        /// Its spacing, s.
        step: f64,
    },
    /// Of step halving.
    Halving {
        /// Where the grid of steps begins, s.
        origin: f64,
        /// Its spacing, s.
        step: f64,
        /// Halvings in force.
        level: u32,
        /// Parts of the interval behind us.
        place: u64,
    },
    /// Of error control.
    Error {
        /// Length of the next step, s.
        h: f64,
    },
}
