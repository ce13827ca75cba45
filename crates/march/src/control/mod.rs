//! Step controllers: they propose a step length, judge the attempt, and propose again.
//!
//! | controller | step length |
//! |---|---|
//! | [`FixedSteps`] | fixed; a failed step ends the run |
//! | [`StepHalving`] | fixed, halved after a failure, restored later |
//! | [`ErrorControl`] | chosen by an error estimate |
//! | [`SpeedLimit`] | so short that the fastest node travels a fixed distance |
//! | [`BreakLimit`] | that of another controller, halved while too many bonds would break |

mod break_limit;
mod error_control;
mod first_step;
mod fixed;
mod halving;
mod limits;
mod speed;
mod step_grid;

pub use break_limit::BreakLimit;
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

/// Proposed step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Proposal {
    /// Length of the step, s.
    pub h: f64,
    /// Time at the end, s: t = k h on a grid of steps, not a sum of k roundings.
    pub end: f64,
}

/// Decision of a controller about an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The attempt is accepted.
    Accept,
    /// The attempt is rejected; the next proposal is tried.
    Retry,
    /// The attempt is rejected, and no shorter step is allowed.
    GiveUp,
}

/// Error estimate of an attempt as a controller used it, with the name of the estimate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeasuredError {
    /// Error, m.
    pub error: f64,
    /// Name of the estimate.
    pub estimate: &'static str,
}

/// Step controller: chooses step lengths and judges attempts.
pub trait Controller: Send {
    /// Proposes the next step from `now` towards `until`; `None` if `until` is reached.
    fn propose(&mut self, now: f64, until: f64) -> Option<Proposal>;

    /// Accepts or rejects an attempt.
    fn judge(&mut self, step: &Proposal, result: Result<&StepReport, &StepError>) -> Verdict;

    /// Returns the error estimates that [`Controller::judge`] uses.
    fn required_estimates(&self) -> EstimateRequest {
        EstimateRequest::default()
    }

    /// Returns the errors used in the last judgement, the limiting one first.
    fn measured_errors(&self) -> [Option<MeasuredError>; 2] {
        [None; 2]
    }

    /// Returns why the last attempt was accepted, in words.
    fn acceptance_reason(&self) -> &'static str {
        "the step succeeded"
    }

    /// Returns why the last attempt, which succeeded, was rejected, in words.
    fn rejection_reason(&self) -> &'static str {
        "the error is above the tolerance: a shorter step is tried"
    }

    /// Returns `true` if steps end where forces have a kink in time ([`crate::System::next_kink`]).
    fn stops_at_kinks(&self) -> bool {
        false
    }

    /// Informs the controller that the last step ended at a kink: earlier errors say nothing about later ones.
    fn passed_kink(&mut self) {}

    /// Returns the error that the next step aims at if its length must be estimated; the time loop then calls
    /// [`Controller::set_step`].
    fn first_step_tolerance(&self) -> Option<FirstStepTolerance> {
        None
    }

    /// Sets the step length from `now` on.
    fn set_step(&mut self, now: f64, h: f64);

    /// Returns everything that the next proposal depends on.
    fn memory(&self) -> ControlMemory;

    /// Restores what [`Controller::memory`] returned; returns `false` if it belongs to another kind of controller.
    fn restore(&mut self, memory: &ControlMemory) -> bool;
}

/// Memory of a controller as saved in checkpoints.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum ControlMemory {
    /// Memory of [`FixedSteps`].
    Fixed {
        /// Origin of the grid of steps, s.
        origin: f64,
        /// Spacing of the grid, s.
        step: f64,
    },
    /// Memory of [`StepHalving`].
    Halving {
        /// Origin of the grid of steps, s.
        origin: f64,
        /// Spacing of the grid, s.
        step: f64,
        /// Number of halvings of the current step.
        level: u32,
        /// Completed parts of the interval.
        parts_done: u64,
    },
    /// Memory of [`ErrorControl`].
    Error {
        /// Length of the next step, s; `None` if it must be estimated.
        h: Option<f64>,
        /// Error of the last accepted step.
        before: Option<LimitingError>,
    },
    /// Memory of [`SpeedLimit`].
    Speed {
        /// Length of the next step, s; `None` if it must be estimated.
        h: Option<f64>,
    },
}
