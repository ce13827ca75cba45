//! Impulses of contact after a step.

use crate::ledger::SampleRole;
use crate::{At, State, Stepper, System};

/// Changes of energy by impulses of contact, J.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ImpulseChanges {
    /// Change by friction at the sliding velocities; never positive.
    pub friction: f64,
    /// Change by restitution; never positive.
    pub contact: f64,
    /// Work of moving obstacles.
    pub work: f64,
}

/// System whose contacts act by impulses at the end of a step, in proportion to their normal impulses in the step.
pub trait ContactImpulses {
    /// Begins the sum of the normal impulses of an accepted step from this state.
    fn begin_impulses(&mut self, from: At);

    /// Adds the normal forces at a state of the step times a quadrature weight, s.
    fn add_impulses(&mut self, weight: f64, at: At);

    /// Changes the velocities at the end of the step; returns `None` if nothing has changed.
    fn apply_impulses(&mut self, end: &mut State) -> Option<ImpulseChanges>;
}

/// Sums the normal impulses of the last attempt of `stepper` over its samples.
pub fn sum_impulses(stepper: &mut dyn Stepper, system: &mut dyn System, from: &State, to: &State) {
    let Some(contacts) = system.contact_impulses() else {
        return;
    };
    contacts.begin_impulses(from.at());
    stepper.samples(from, to, &mut |sample| {
        if sample.role != SampleRole::Residual
            && let Some(contacts) = system.contact_impulses()
        {
            contacts.add_impulses(sample.weight, sample.at);
        }
    });
}
