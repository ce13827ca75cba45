//! Limit of the number of bonds that break at the end of a step.

use super::{ControlMemory, Controller, FirstStepTolerance, MeasuredError, Proposal, Verdict};
use crate::stepper::EstimateRequest;
use crate::{StepError, StepReport};

/// Controller that treats a step at whose end too many bonds would break like a failed one, which makes the next attempt
/// shorter. The shortest step is accepted however many break.
pub struct BreakLimit {
    base: Box<dyn Controller>,
    limit: u64,
    exceeded: bool,
}

impl BreakLimit {
    /// Limits the number of bonds that break at the end of each step of `base`.
    pub fn new(base: Box<dyn Controller>, limit: u64) -> BreakLimit {
        BreakLimit {
            base,
            limit,
            exceeded: false,
        }
    }
}

impl Controller for BreakLimit {
    fn propose(&mut self, now: f64, until: f64) -> Option<Proposal> {
        self.base.propose(now, until)
    }

    fn judge(&mut self, step: &Proposal, result: Result<&StepReport, &StepError>) -> Verdict {
        let breaking = result.ok().and_then(|report| report.breaking);
        self.exceeded = breaking.is_some_and(|count| count > self.limit);
        if self.exceeded {
            let memory = self.base.memory();
            let failure = StepError::NoAcceptedStep { h: step.h };
            if self.base.judge(step, Err(&failure)) == Verdict::Retry {
                return Verdict::Retry;
            }
            self.base.restore(&memory);
        }
        self.base.judge(step, result)
    }

    fn required_estimates(&self) -> EstimateRequest {
        EstimateRequest {
            breaking: true,
            ..self.base.required_estimates()
        }
    }

    fn measured_errors(&self) -> [Option<MeasuredError>; 2] {
        self.base.measured_errors()
    }

    fn acceptance_reason(&self) -> &'static str {
        match self.exceeded {
            true => "more bonds break than the limit, but no shorter step is allowed",
            false => self.base.acceptance_reason(),
        }
    }

    fn rejection_reason(&self) -> &'static str {
        match self.exceeded {
            true => "more bonds would break than the limit: a shorter step is tried",
            false => self.base.rejection_reason(),
        }
    }

    fn stops_at_kinks(&self) -> bool {
        self.base.stops_at_kinks()
    }

    fn passed_kink(&mut self) {
        self.base.passed_kink();
    }

    fn first_step_tolerance(&self) -> Option<FirstStepTolerance> {
        self.base.first_step_tolerance()
    }

    fn set_step(&mut self, now: f64, h: f64) {
        self.base.set_step(now, h);
    }

    fn memory(&self) -> ControlMemory {
        self.base.memory()
    }

    fn restore(&mut self, memory: &ControlMemory) -> bool {
        self.base.restore(memory)
    }
}
