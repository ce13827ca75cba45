//! Energy projection of velocities around any method, after Su, Sheth & Fedkiw (2013, *Energy conservation for the
//! simulation of deformable bodies*), with which Dinev et al. (2018, §2 and Fig. 5) compare: take the method's step, and
//! if its energy has left the budget, scale the velocity beyond rigid motion so that the total is on target:
//!
//! v ← w + s (v − w) with K(s) = K(v) − e, the greater root.
//!
//! w is the nearest rigid motion of each body that nothing holds, so linear and angular momentum stay; it is zero for
//! others. Held nodes move as they are held. K is a polynomial of second degree in s, p s² + q s + r.
//!
//! Positions stay. An error of the potential energy is therefore taken from, or given to, motion that had no part in it;
//! and if potential energy and rigid motion alone exceed the budget, no velocity is on target: kinetic energy cannot be
//! less than zero. Then the least is taken, and the step misses its tolerance.
//!
//! What we changed: one factor for all velocities. A step within tolerance is kept, as
//! [`EnergyTracking`](super::EnergyTracking) does; one that is not is put on target exactly.

use super::{Correction, CorrectionOutcome, UncorrectedStep};
use crate::budget::EnergyError;
use crate::ledger::Energy;
use crate::{State, StepContext, StepError, System};

/// The correction that scales velocities to the energy of the budget.
pub struct VelocityProjection {
    tolerance: f64,
    /// Rigid motion of the method's end.
    rigid: Vec<f64>,
}

impl VelocityProjection {
    /// Corrects steps whose energy error exceeds `tolerance` of kinetic plus strain energy.
    pub fn new(tolerance: f64) -> VelocityProjection {
        VelocityProjection {
            tolerance,
            rigid: Vec::new(),
        }
    }

    /// Writes the method's end into `to` with this multiple of its velocity beyond rigid motion; returns its energy.
    fn scaled(&self, system: &mut dyn System, end: &State, factor: f64, to: &mut State) -> Energy {
        to.copy_from(end);
        for (v, w) in to.v.iter_mut().zip(&self.rigid) {
            *v = w + factor * (*v - w);
        }
        system.energy_at(to.at())
    }

    /// The factor that changes the kinetic energy from that of `plain` by −e, or leaves least of it.
    fn factor(
        &mut self,
        system: &mut dyn System,
        end: &State,
        (plain, e): (&Energy, f64),
        to: &mut State,
    ) -> f64 {
        self.rigid.resize(end.v.len(), 0.0);
        system.rigid_velocity(end.at(), &mut self.rigid);
        let r = self.scaled(system, end, 0.0, to).kinetic;
        let mirrored = self.scaled(system, end, -1.0, to).kinetic;
        let p = 0.5 * (plain.kinetic + mirrored) - r;
        let q = 0.5 * (plain.kinetic - mirrored);
        if p <= 0.0 {
            return 1.0;
        }
        let under_root = q * q + 4.0 * p * (plain.kinetic - e - r);
        (under_root.max(0.0).sqrt() - q) / (2.0 * p)
    }
}

impl Correction for VelocityProjection {
    fn correct(
        &mut self,
        cx: &mut StepContext,
        step: &UncorrectedStep,
        to: &mut State,
    ) -> Result<CorrectionOutcome, StepError> {
        let error = EnergyError {
            budget: step.budget,
            booked: [step.booked; 2],
            tolerance: self.tolerance,
        };
        let plain = cx.system.energy_at(step.end.at());
        let e = error.of(&plain, 0.0);
        let changed = !error.within_tolerance(e);
        let mut energy = plain;
        if changed {
            let factor = self.factor(cx.system, step.end, (&plain, e.0), to);
            energy = self.scaled(cx.system, step.end, factor, to);
        } else {
            to.copy_from(step.end);
        }
        Ok(CorrectionOutcome {
            energy,
            booked: step.booked,
            blend: 0.0,
            changed,
            tolerance_missed: !error.within_tolerance(error.of(&energy, 0.0)),
        })
    }
}
