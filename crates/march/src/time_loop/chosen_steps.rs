//! What steps that are chosen by an error estimate need: the length of the first one, and a new beginning at kinks.

use super::{AcceptedStep, StepFailure, TimeLoop};
use crate::System;
use crate::control::first_step;

/// Longest first step that is estimated for a tolerance per unit step, as a share of the time that is left. The steps
/// after it may be much shorter, limited by the force error, and then the error of a long first step rules the run.
const FIRST_STEP_PER_UNIT_STEP: f64 = 0.01;
/// The same for a tolerance per step. In a run of a few steps, a short start costs a large share.
const FIRST_STEP_PER_STEP: f64 = 0.05;

impl TimeLoop<'_> {
    /// Estimates the length of the next step if the controller does not know it; its work is that of a rejected attempt.
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
        let share = match error.per_unit_step {
            true => FIRST_STEP_PER_UNIT_STEP,
            false => FIRST_STEP_PER_STEP,
        };
        let longest = share * (until - self.state.t);
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

    /// The last step ended a rounding before a kink: the next one begins at it, with forces after it and no history.
    pub(super) fn pass_kink(&mut self, kink: f64) {
        self.state.t = kink;
        self.stepper.restart();
        self.controller.passed_kink();
    }
}
