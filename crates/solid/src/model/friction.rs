//! Friction in a model: its forces and powers, and the lag of its normal forces between evaluations.

use super::Model;
use crate::potential::Configuration;
use crate::potential::contact::FrictionPowers;

impl Model {
    /// Adds friction at the current velocities. Returns the sum of squares of its forces.
    pub(super) fn add_friction(&mut self) -> f64 {
        let x = Configuration {
            t: self.placed.t.unwrap_or(0.0),
            rest: &self.rest,
            u: &self.placed.u,
        };
        let (v, f) = (&self.placed.v, &mut self.work.f);
        let friction = self.potentials.iter_mut().filter(|p| p.has_friction());
        friction.map(|p| p.add_damping_force(&x, v, f)).sum()
    }

    /// Powers of friction at the current velocities.
    pub(super) fn friction_powers(&mut self) -> FrictionPowers {
        let x = Configuration {
            t: self.placed.t.unwrap_or(0.0),
            rest: &self.rest,
            u: &self.placed.u,
        };
        let mut sum = FrictionPowers::default();
        for p in self.potentials.iter_mut().filter(|p| p.has_friction()) {
            let powers = p.friction_powers(&x, &self.placed.v);
            sum.dissipated += powers.dissipated;
            sum.obstacles += powers.obstacles;
        }
        sum
    }

    /// Evaluates friction that is lagged for a step at the current configuration. Returns `false` if there is none.
    pub(super) fn freeze_friction(&mut self) -> bool {
        let mut frozen = false;
        self.for_each_potential(|p, x, _| frozen |= p.freeze_dampers(x));
        frozen
    }

    /// Evaluates dampers again at the positions of the damping that depends on positions, after trials at others.
    pub(super) fn restore_lag(&mut self) {
        let x = Configuration {
            t: self.work.positional.t.unwrap_or(0.0),
            rest: &self.rest,
            u: &self.work.positional.u,
        };
        self.potentials.iter_mut().for_each(|p| p.lag_dampers(&x));
    }
}
