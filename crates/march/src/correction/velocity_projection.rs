//! Energy projection of velocities around any method, after [Su, Sheth & Fedkiw 2013], with which [Dinev et al. 2018,
//! §2, Fig. 5] compare: take the step of the method, and if its energy differs from the budget, scale the velocities
//! relative to the rigid motion so that the total energy is on target:
//!
//! v ← w + s (v − w) with K(s) = K(v) − e, the greater root.
//!
//! w is the nearest rigid motion of each free body, so linear and angular momentum are conserved; it is zero for other
//! bodies. Prescribed nodes keep their motion. K is a quadratic polynomial in s, p s² + q s + r.
//!
//! Positions are not changed. An error of the potential energy is therefore taken from, or given to, unrelated motion.
//! If potential energy and rigid motion alone exceed the budget, no velocity reaches the target, because kinetic energy
//! cannot be negative. Then the smallest kinetic energy is taken, and the step misses its tolerance.
//!
//! Changes to the paper: one factor for all velocities. A step within the tolerance is kept, as by
//! [`EnergyTracking`](super::EnergyTracking); other steps are put on target exactly.

use super::{Correction, CorrectionOutcome, UncorrectedStep};
use crate::budget::EnergyError;
use crate::ledger::Energy;
use crate::{State, StepContext, StepError, System};

/// Correction that scales velocities to the energy of the budget.
pub struct VelocityProjection {
    tolerance: f64,
    /// Rigid velocities at the end of the method's step.
    rigid: Vec<f64>,
}

impl VelocityProjection {
    /// Creates the correction; `tolerance` is relative to kinetic plus strain energy.
    pub fn new(tolerance: f64) -> VelocityProjection {
        VelocityProjection {
            tolerance,
            rigid: Vec::new(),
        }
    }

    /// Writes the end of the method's step into `to` with its non-rigid velocities scaled by `factor`; returns its
    /// energy.
    fn scaled(&self, system: &mut dyn System, end: &State, factor: f64, to: &mut State) -> Energy {
        to.copy_from(end);
        for (v, w) in to.v.iter_mut().zip(&self.rigid) {
            *v = w + factor * (*v - w);
        }
        system.energy_at(to.at())
    }

    /// Writes the end of the method's step into `to` with velocities that change its energy `plain` by −e, or as near as
    /// the smallest kinetic energy allows; returns its energy.
    pub(super) fn project(
        &mut self,
        system: &mut dyn System,
        end: &State,
        plain: (&Energy, f64),
        to: &mut State,
    ) -> Energy {
        let factor = self.factor(system, end, plain, to);
        self.scaled(system, end, factor, to)
    }

    /// Returns the factor that changes the kinetic energy of `plain` by −e, or the one with the smallest kinetic
    /// energy.
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
        let reversed = self.scaled(system, end, -1.0, to).kinetic;
        let p = 0.5 * (plain.kinetic + reversed) - r;
        let q = 0.5 * (plain.kinetic - reversed);
        if p <= 0.0 {
            return 1.0;
        }
        let discriminant = q * q + 4.0 * p * (plain.kinetic - e - r);
        (discriminant.max(0.0).sqrt() - q) / (2.0 * p)
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
            energy = self.project(cx.system, step.end, (&plain, e.0), to);
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
