//! Corrections of the end of a step, around any method.
//!
//! A correction looks at the end of a method's step and may replace it: energy tracking blends another method in,
//! velocity projection scales velocities. [`Corrected`] is the stepper that both share: it takes the method's step,
//! opens the energy budget, lets the correction work, and keeps budget and history once the step is committed.

mod bracket;
mod energy_tracking;
mod velocity_projection;

pub use energy_tracking::EnergyTracking;
pub use velocity_projection::VelocityProjection;

use crate::budget::EnergyBudget;
use crate::ledger::{Energy, PowerSample, sum_exchange};
use crate::{MethodMemory, State, StepContext, StepError, StepReport, Stepper};

/// The step of a method before its correction.
pub struct UncorrectedStep<'a> {
    /// Where it started.
    pub from: &'a State,
    /// Where the method ended.
    pub end: &'a State,
    /// Its length, s.
    pub h: f64,
    /// The energy budget before the step.
    pub budget: EnergyBudget,
    /// Work and damping of the method's step, J.
    pub booked: f64,
}

/// What a correction did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CorrectionOutcome {
    /// Energy of the corrected end.
    pub energy: Energy,
    /// Work and damping that belong to the corrected step, J.
    pub booked: f64,
    /// Share of another method blended in: positive for backward Euler, negative for forward Euler.
    pub blend: f64,
    /// Whether the end is not the method's own, so that the method's history belongs to another state.
    pub changed: bool,
    /// Whether the energy should have been brought within tolerance and could not be.
    pub tolerance_missed: bool,
}

/// Changes the end of a step.
pub trait Correction: Send {
    /// Prepares a step of length `h`; the first time there is no budget yet.
    fn prepare(
        &mut self,
        _cx: &mut StepContext,
        _from: &State,
        _h: f64,
        _first: bool,
    ) -> Result<(), StepError> {
        Ok(())
    }

    /// Writes the corrected end of the step into `to`.
    fn correct(
        &mut self,
        cx: &mut StepContext,
        step: &UncorrectedStep,
        to: &mut State,
    ) -> Result<CorrectionOutcome, StepError>;

    /// Share of the method's own samples in those of the last step.
    fn method_weight(&self) -> f64 {
        1.0
    }

    /// Visits the samples that the correction adds to those of the method.
    fn samples(&self, _from: &State, _visit: &mut dyn FnMut(PowerSample)) {}
}

/// A method whose steps are corrected.
pub struct Corrected<C> {
    base: Box<dyn Stepper>,
    correction: C,
    /// The budget after the last step; none before the first.
    budget: Option<EnergyBudget>,
    /// Whether the state was changed from outside since the last step.
    disturbed: bool,
    /// The attempt: the method's end, the budget after the correction, and whether it changed the end.
    end: State,
    next: Option<EnergyBudget>,
    changed: bool,
}

impl<C: Correction> Corrected<C> {
    /// Corrects the steps of `base`.
    pub fn new(base: Box<dyn Stepper>, correction: C) -> Corrected<C> {
        Corrected {
            base,
            correction,
            budget: None,
            disturbed: false,
            end: State::default(),
            next: None,
            changed: false,
        }
    }

    /// The budget before a step: that of the last one, with what was changed from outside since.
    fn opened(&self, now: impl FnOnce() -> Energy) -> EnergyBudget {
        match self.budget {
            Some(budget) if !self.disturbed => budget,
            Some(budget) => budget.after_disturbance(&now()),
            None => EnergyBudget::new(&now()),
        }
    }
}

impl<C: Correction> Stepper for Corrected<C> {
    fn attempt(
        &mut self,
        cx: &mut StepContext,
        from: &State,
        h: f64,
        to: &mut State,
    ) -> Result<StepReport, StepError> {
        to.resize(cx.system.dofs());
        self.correction
            .prepare(cx, from, h, self.budget.is_none())?;
        let report = self.base.attempt(cx, from, h, &mut self.end)?;
        let budget = self.opened(|| cx.system.energy_at(from.at()));
        let booked = sum_exchange(self.base.as_mut(), cx.system, from, &self.end);
        let step = UncorrectedStep {
            from,
            end: &self.end,
            h,
            budget,
            booked,
        };
        let outcome = self.correction.correct(cx, &step, to)?;
        self.next = Some(budget.after(outcome.booked, &outcome.energy));
        self.changed = outcome.changed;
        Ok(StepReport {
            blend: outcome.blend,
            tolerance_missed: outcome.tolerance_missed,
            ..report
        })
    }

    fn commit(&mut self) {
        self.base.commit();
        self.budget = self.next;
        self.disturbed = false;
        if self.changed {
            self.base.restart();
        }
    }

    fn samples(&mut self, from: &State, _to: &State, visit: &mut dyn FnMut(PowerSample)) {
        let share = self.correction.method_weight();
        self.base.samples(from, &self.end, &mut |sample| {
            visit(PowerSample {
                weight: share * sample.weight,
                ..sample
            })
        });
        self.correction.samples(from, visit);
    }

    fn save_into(&self, memory: &mut MethodMemory) {
        self.base
            .save_into(memory.set_corrected(self.budget, self.disturbed));
    }

    fn restore(&mut self, memory: &MethodMemory) -> bool {
        let MethodMemory::Corrected {
            budget,
            disturbed,
            base,
        } = memory
        else {
            return false;
        };
        (self.budget, self.disturbed) = (*budget, *disturbed);
        self.base.restore(base)
    }

    /// Drops the history of the method; the budget goes on, and what was changed from outside is booked as added.
    fn restart(&mut self) {
        self.disturbed = true;
        self.base.restart();
    }
}
