//! Controllers choose the lengths of steps: they propose one, judge its attempt, and propose again.
//!
//! | controller | steps |
//! |---|---|
//! | [`FixedSteps`] | of one length; a step that fails ends the run |
//! | [`StepHalving`] | of one length, halved if one fails, and growing back |

mod fixed;
mod halving;

pub use fixed::FixedSteps;
pub use halving::StepHalving;

use serde::{Deserialize, Serialize};

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

/// Chooses the lengths of steps.
pub trait Controller: Send {
    /// The next step from `now` towards `until`; `None` if the end is reached.
    fn propose(&mut self, now: f64, until: f64) -> Option<Proposal>;

    /// Judges an attempt.
    fn judge(&mut self, step: &Proposal, result: Result<&StepReport, &StepError>) -> Verdict;

    /// Whether [`Controller::judge`] uses [`StepReport::error`].
    fn needs_error(&self) -> bool {
        false
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
}
