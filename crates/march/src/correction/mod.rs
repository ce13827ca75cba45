//! Corrections of the end of a step, around any method.
//!
//! A correction may replace the end of a method's step: energy tracking blends another method in, velocity projection
//! scales velocities, energy–momentum projection and the energy multiplier move positions too. [`Corrected`] is the stepper
//! that all share: it takes the step of the method, computes the energy budget, applies the correction, and stores budget
//! and history when the step is committed.

mod bracket;
mod energy_momentum_projection;
mod energy_multiplier;
mod energy_tracking;
mod velocity_projection;

pub use energy_momentum_projection::EnergyMomentumProjection;
pub use energy_multiplier::EnergyMultiplier;
pub use energy_tracking::EnergyTracking;
pub use velocity_projection::VelocityProjection;

use crate::budget::EnergyBudget;
use crate::ledger::{Energy, PowerSample, SampleRole};
use crate::{MethodMemory, State, StepContext, StepError, StepReport, Stepper, System};

/// Step of a method before its correction.
pub struct UncorrectedStep<'a> {
    /// State at the start.
    pub from: &'a State,
    /// State at the end of the method's step.
    pub end: &'a State,
    /// Length of the step, s.
    pub h: f64,
    /// Energy budget before the step.
    pub budget: EnergyBudget,
    /// External work plus damping of the method's step, J.
    pub booked: f64,
}

/// Result of a correction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CorrectionOutcome {
    /// Energy at the corrected end.
    pub energy: Energy,
    /// External work plus damping of the corrected step, J.
    pub booked: f64,
    /// Blend factor: positive for backward Euler, negative for forward Euler, 0 without a blend.
    pub blend: f64,
    /// Whether the end differs from that of the method, so that the history of the method belongs to another state.
    pub changed: bool,
    /// Whether the energy error exceeds the tolerance after the correction.
    pub tolerance_missed: bool,
}

/// Correction of the end of a step.
pub trait Correction: Send {
    /// Prepares a step of length `h`; `first` is `true` before there is a budget.
    fn prepare(
        &mut self,
        _cx: &mut StepContext,
        _from: &State,
        _h: f64,
        _first: bool,
    ) -> Result<(), StepError> {
        Ok(())
    }

    /// Visits a sample of the method's step, before the step is corrected.
    fn sample(&mut self, _system: &mut dyn System, _sample: &PowerSample) {}

    /// Returns the part of an energy that the budget counts.
    fn counted(&self, energy: Energy) -> Energy {
        energy
    }

    /// Writes the corrected end of the step into `to`.
    fn correct(
        &mut self,
        cx: &mut StepContext,
        step: &UncorrectedStep,
        to: &mut State,
    ) -> Result<CorrectionOutcome, StepError>;

    /// Returns the weight of the method's samples in those of the last step.
    fn method_weight(&self) -> f64 {
        1.0
    }

    /// Visits the samples that the correction adds to those of the method.
    fn samples(&self, _from: &State, _visit: &mut dyn FnMut(PowerSample)) {}
}

/// Stepper that corrects the steps of a method.
pub struct Corrected<C> {
    base: Box<dyn Stepper>,
    correction: C,
    /// Budget after the last step; `None` before the first.
    budget: Option<EnergyBudget>,
    /// Whether the state was changed externally since the last step.
    disturbed: bool,
    /// The attempt: the end of the method's step, the budget after the correction, and whether the end was changed.
    end: State,
    next: Option<EnergyBudget>,
    changed: bool,
}

impl<C: Correction> Corrected<C> {
    /// Creates a stepper that corrects the steps of `base`.
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

    /// Returns the budget before a step: that of the last one, plus external changes since, and the energy change `broken`
    /// of what broke at its end.
    fn budget_before_step(&self, broken: f64, now: impl FnOnce() -> Energy) -> EnergyBudget {
        match self.budget {
            Some(budget) if !self.disturbed && broken != 0.0 => budget.after(broken, &now()),
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
        let broken = cx.system.fracture_change_at_commit();
        let budget = self.budget_before_step(broken, || {
            self.correction.counted(cx.system.energy_at(from.at()))
        });
        let mut booked = 0.0;
        self.base.samples(from, &self.end, &mut |sample| {
            if sample.role != SampleRole::Residual {
                booked += sample.weight * cx.system.exchange_power(sample.at, sample.a);
                self.correction.sample(cx.system, &sample);
            }
        });
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
            self.base.restart_motion();
        }
    }

    fn samples(&mut self, from: &State, _to: &State, visit: &mut dyn FnMut(PowerSample)) {
        let weight = self.correction.method_weight();
        self.base.samples(from, &self.end, &mut |sample| {
            visit(PowerSample {
                weight: weight * sample.weight,
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

    /// Drops the history of the method; the budget is kept, and an external change of energy is booked as added.
    fn restart(&mut self) {
        self.disturbed = true;
        self.base.restart();
    }

    fn restart_motion(&mut self) {
        self.disturbed = true;
        self.base.restart_motion();
    }
}
