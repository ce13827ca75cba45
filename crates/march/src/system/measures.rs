//! Energies, momenta and other measures of a state.

use crate::At;
use crate::ledger::{Energy, Powers};
use crate::vector::{max_abs, max_abs_difference};

/// Measures of a state of a system: energies and powers, momenta, speeds.
pub trait StateMeasures {
    /// Returns the energies of a state; [`StateMeasures::powers`] are the rates of their total.
    fn energy_at(&mut self, at: At) -> Energy;

    /// Returns the rates of change of the total energy at a state with this acceleration.
    fn powers(&mut self, at: At, a: &[f64]) -> Powers;

    /// Returns the number of bonds that would break if this state were committed.
    fn breaking_bonds(&mut self, _at: At) -> u64 {
        0
    }

    /// Returns damping, friction and external work of [`StateMeasures::powers`], W.
    fn exchange_power(&mut self, at: At, a: &[f64]) -> f64 {
        let powers = self.powers(at, a);
        powers.damping + powers.friction + powers.work
    }

    /// Returns the work of impulses at times after `from` and up to the state, J: energy that jumps because prescribed
    /// velocities jump.
    fn impulse_work(&mut self, _from: f64, _at: At) -> f64 {
        0.0
    }

    /// Returns the work of loads and prescribed motion on the way from one static equilibrium to the next, J: the
    /// trapezoidal rule over the forces at both.
    fn quasi_static_work(&mut self, _from: At, _to: At) -> f64 {
        0.0
    }

    /// Computes the velocities of the nearest rigid motion of each free body, zero elsewhere. A change of velocities
    /// that keeps this part keeps all conserved momenta.
    fn rigid_velocity(&mut self, _at: At, out: &mut [f64]) {
        out.fill(0.0);
    }

    /// Computes the angular momentum of every free body, three numbers each; `out` is empty if there is no free body.
    fn angular_momenta(&mut self, _at: At, out: &mut Vec<f64>) {
        out.clear();
    }

    /// Computes the torque of all forces on every free body, about the centre of its angular momentum, three numbers each.
    fn torques(&mut self, _at: At, out: &mut Vec<f64>) {
        out.clear();
    }

    /// Adds rigid rotations to the velocities of the free bodies at the positions `u` until their angular momenta are
    /// the wanted ones.
    fn set_angular_momenta(&mut self, _u: &[f64], _wanted: &[f64], _v: &mut [f64]) {}

    /// Returns the largest speed of a node, m/s.
    fn max_speed(&mut self, at: At) -> f64 {
        max_abs(at.v)
    }

    /// Returns the largest change of the length of an edge between two states, m.
    fn max_stretch(&mut self, from: At, to: At) -> f64 {
        max_abs_difference(from.u, to.u)
    }
}
