//! Support for steps chosen by an error estimate: the length of the first step, and restarts at kinks.

use super::{AcceptedStep, StepFailure, TimeLoop};
use crate::System;
use crate::control::first_step;

/// Longest estimated first step for a tolerance per unit step, relative to the remaining time. The force error may make
/// later steps much shorter, and then the error of a long first step would dominate the run.
const FIRST_STEP_PER_UNIT_STEP: f64 = 0.01;
/// Longest estimated first step for a tolerance per step, relative to the remaining time. In a run of a few steps a
/// short start would cost a large share.
const FIRST_STEP_PER_STEP: f64 = 0.05;

impl TimeLoop<'_> {
    /// Estimates the length of the next step if the controller does not know it; the work counts as that of a rejected
    /// attempt.
    pub(super) fn estimate_first_step(
        &mut self,
        system: &mut dyn System,
        until: f64,
        step: &mut AcceptedStep,
    ) -> Result<(), StepFailure> {
        let Some(error) = self.controller.first_step_tolerance() else {
            return Ok(());
        };
        self.solver.begin_attempt();
        let fraction = match error.per_unit_step {
            true => FIRST_STEP_PER_UNIT_STEP,
            false => FIRST_STEP_PER_STEP,
        };
        let longest = fraction * (until - self.state.t);
        let h = first_step(system, &mut self.solver, &self.state, error, longest);
        step.rejected_work.add(&self.solver.reject_attempt());
        match h {
            Ok(h) => {
                self.controller.set_step(self.state.t, h);
                Ok(())
            }
            Err(why) => Err(StepFailure {
                why,
                h: longest,
                rejected: 0,
                rejected_work: Box::new(step.rejected_work),
            }),
        }
    }

    /// Continues after a step that ended one rounding before a kink: the next step begins at the kink, with the forces
    /// after it and without history.
    pub(super) fn pass_kink(&mut self, kink: f64) {
        self.state.t = kink;
        self.stepper.restart_motion();
        self.controller.passed_kink();
    }
}
