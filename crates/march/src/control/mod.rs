//! Controllers choose the lengths of steps: they propose one, judge its attempt, and propose again.
//!
//! | controller | steps |
//! |---|---|
//! | [`FixedSteps`] | of one length; a step that fails ends the run |
//! | [`StepHalving`] | of one length, halved if one fails, and growing back |
//! | [`ErrorControl`] | as long as their estimated error allows |
//! | [`SpeedLimit`] | in which the fastest node travels a fixed distance |

mod error_control;
mod first_step;
mod fixed;
mod halving;
mod limits;
mod speed;
mod step_grid;

pub use error_control::{
    Criterion, ErrorControl, ErrorSettings, Estimate, LimitingError, StepRule,
};
pub use first_step::FirstStepTolerance;
pub(crate) use first_step::first_step;
pub use fixed::FixedSteps;
pub use halving::StepHalving;
pub use limits::StepLimits;
pub use speed::SpeedLimit;

use serde::{Deserialize, Serialize};

use crate::stepper::EstimateRequest;
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
pub struct MeasuredError {
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
    fn required_estimates(&self) -> EstimateRequest {
        EstimateRequest::default()
    }

    /// The errors that the last judgement was based on, the one that ruled first.
    fn measured_errors(&self) -> [Option<MeasuredError>; 2] {
        [None; 2]
    }

    /// Why the last attempt was accepted, in words.
    fn acceptance_reason(&self) -> &'static str {
        "the step succeeded"
    }

    /// Whether steps end where forces have a kink in time ([`crate::System::next_kink`]).
    fn stops_at_kinks(&self) -> bool {
        false
    }

    /// The last step ended at a kink: errors before it tell nothing of those after it.
    fn passed_kink(&mut self) {}

    /// The error that the next step should have if its length is to be estimated; it is given by
    /// [`Controller::set_step`].
    fn first_step_tolerance(&self) -> Option<FirstStepTolerance> {
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
        parts_done: u64,
    },
    /// Of error control.
    Error {
        /// Length of the next step, s; `None` if it is to be estimated.
        h: Option<f64>,
        /// The error of the last accepted step.
        before: Option<LimitingError>,
    },
    /// Of a speed limit.
    Speed {
        /// Length of the next step, s; `None` if it is to be estimated.
        h: Option<f64>,
    },
}
