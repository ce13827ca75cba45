//! Speed limit: h = distance / max ‖v‖, so that no node travels further than a distance in a step.
//!
//! A common rule in computer graphics, named after the condition of Courant, Friedrichs and Lewy. It uses the velocity
//! at the start of a step and no forces, so its steps are too long under strong accelerations. It is provided for
//! comparison. The step is halved after a failed attempt.

use super::limits::Rejected;
use super::{
    ControlMemory, Controller, FirstStepTolerance, MeasuredError, Proposal, StepLimits, Verdict,
};
use crate::stepper::EstimateRequest;
use crate::{StepError, StepReport};

/// Controller that lets the fastest node travel a fixed distance in a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpeedLimit {
    distance: f64,
    limits: StepLimits,
    /// Length of the next step, s; `None` if it must be estimated.
    h: Option<f64>,
    last: Option<f64>,
    /// Whether the proposal ends at the end of the run or at a kink.
    to_the_end: bool,
}

impl SpeedLimit {
    /// Creates a controller whose first step has the length `first`, or an estimated one.
    pub fn new(first: Option<f64>, distance: f64, limits: StepLimits) -> SpeedLimit {
        SpeedLimit {
            distance,
            limits,
            h: first.map(|h| limits.clip(h)),
            last: None,
            to_the_end: false,
        }
    }
}

impl Controller for SpeedLimit {
    fn propose(&mut self, now: f64, until: f64) -> Option<Proposal> {
        let h = self.h.unwrap_or(self.limits.max);
        let proposal = self.limits.propose(h, now, until);
        self.to_the_end = proposal.is_some_and(|p| p.end == until);
        proposal
    }

    fn judge(&mut self, step: &Proposal, result: Result<&StepReport, &StepError>) -> Verdict {
        self.last = None;
        let Ok(report) = result else {
            let rejected = Rejected {
                h: step.h,
                to_the_end: self.to_the_end,
            };
            let (h, verdict) = self.limits.after_rejection(&rejected, 0.5 * step.h);
            self.h = Some(h);
            return verdict;
        };
        if let Some(speed) = report.speed {
            self.h = Some(self.limits.clip(self.distance / speed));
            self.last = Some(speed * step.h);
        }
        Verdict::Accept
    }

    fn required_estimates(&self) -> EstimateRequest {
        EstimateRequest {
            speed: true,
            ..EstimateRequest::default()
        }
    }

    fn measured_errors(&self) -> [Option<MeasuredError>; 2] {
        let measured = self.last.map(|error| MeasuredError {
            error,
            estimate: "speed",
        });
        [measured, None]
    }

    fn acceptance_reason(&self) -> &'static str {
        "the next step follows from the speed of the fastest node"
    }

    fn stops_at_kinks(&self) -> bool {
        true
    }

    fn first_step_tolerance(&self) -> Option<FirstStepTolerance> {
        self.h.is_none().then_some(FirstStepTolerance {
            error: self.distance,
            per_unit_step: false,
        })
    }

    fn set_step(&mut self, _now: f64, h: f64) {
        self.h = Some(self.limits.clip(h));
    }

    fn memory(&self) -> ControlMemory {
        ControlMemory::Speed { h: self.h }
    }

    fn restore(&mut self, memory: &ControlMemory) -> bool {
        let ControlMemory::Speed { h } = *memory else {
            return false;
        };
        self.h = h;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fastest_node_travels_the_distance() {
        let limits = StepLimits {
            min: 1e-6,
            max: 0.25,
        };
        let mut control = SpeedLimit::new(Some(0.01), 1e-3, limits);
        let step = control.propose(0.0, 2.0).unwrap();
        let report = |speed| StepReport {
            speed: Some(speed),
            ..StepReport::default()
        };
        assert_eq!(control.judge(&step, Ok(&report(0.5))), Verdict::Accept);
        assert_eq!(control.propose(0.0, 2.0).unwrap().h, 2e-3);
        control.judge(&step, Ok(&report(0.0)));
        assert_eq!(
            control.propose(0.0, 2.0).unwrap().h,
            0.25,
            "at rest: the longest step"
        );
        control.judge(&step, Ok(&report(1e9)));
        assert_eq!(control.propose(0.0, 2.0).unwrap().h, 1e-6);
        let failed = StepError::InadmissibleStart { t: 0.0 };
        assert_eq!(control.judge(&step, Err(&failed)), Verdict::Retry);
        assert_eq!(control.propose(0.0, 2.0).unwrap().h, 0.005);
    }
}
