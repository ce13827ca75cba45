//! Energies, momenta and other measures of a state.

use crate::At;
use crate::ledger::{Energy, Powers};
use crate::vector::{max_abs, max_abs_difference};

/// What can be measured of a state of a system: energies and their rates, momenta, speeds.
pub trait StateMeasures {
    /// The energy of a state: what [`StateMeasures::powers`] are the rates of.
    fn energy_at(&mut self, at: At) -> Energy;

    /// Rates of change of the total energy at a state with this acceleration.
    fn powers(&mut self, at: At, a: &[f64]) -> Powers;

    /// Damping and work of [`StateMeasures::powers`] together.
    fn exchange_power(&mut self, at: At, a: &[f64]) -> f64 {
        let powers = self.powers(at, a);
        powers.damping + powers.work
    }

    /// Velocities of the rigid motion nearest to that of each body that nothing holds, zero elsewhere: a change of
    /// velocities that leaves this part alone changes no momentum that is conserved.
    fn rigid_velocity(&mut self, _at: At, out: &mut [f64]) {
        out.fill(0.0);
    }

    /// Angular momentum of every body that nothing holds, three numbers each; `out` is empty if there is no such body.
    fn angular_momenta(&mut self, _at: At, out: &mut Vec<f64>) {
        out.clear();
    }

    /// Turns the velocities of those bodies at the positions `u`, each as a rigid body, until their angular momenta are
    /// the wanted ones.
    fn set_angular_momenta(&mut self, _u: &[f64], _wanted: &[f64], _v: &mut [f64]) {}

    /// Largest speed of a node at a state, m/s.
    fn max_speed(&mut self, at: At) -> f64 {
        max_abs(at.v)
    }

    /// Greatest change of the length of an edge between two states, m.
    fn max_stretch(&mut self, from: At, to: At) -> f64 {
        max_abs_difference(from.u, to.u)
    }
}
