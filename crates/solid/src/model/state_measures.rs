//! [`StateMeasures`] of a model: energies, momenta and speeds for solvers and step control.

use march::ledger::{Energy, Powers};
use march::{At, StateMeasures};

use super::Model;

impl StateMeasures for Model {
    fn energy_at(&mut self, at: At) -> Energy {
        self.energies(at.t, at.u, at.v)
    }

    fn powers(&mut self, at: At, a: &[f64]) -> Powers {
        self.energy_rates(at, a)
    }

    fn exchange_power(&mut self, at: At, a: &[f64]) -> f64 {
        self.exchange_rate(at, a)
    }

    fn impulse_work(&mut self, from: f64, at: At) -> f64 {
        self.work_of_velocity_jumps(from, at)
    }

    fn quasi_static_work(&mut self, from: At, to: At) -> f64 {
        self.work_between_equilibria(from, to)
    }

    fn rigid_velocity(&mut self, at: At, out: &mut [f64]) {
        self.rigid_velocities(at, out);
    }

    fn angular_momenta(&mut self, at: At, out: &mut Vec<f64>) {
        self.free_angular_momenta(at, out);
    }

    fn torques(&mut self, at: At, out: &mut Vec<f64>) {
        self.free_torques(at, out);
    }

    fn set_angular_momenta(&mut self, u: &[f64], wanted: &[f64], v: &mut [f64]) {
        self.set_free_angular_momenta(u, wanted, v);
    }

    fn breaking_bonds(&mut self, at: At) -> u64 {
        self.count_breaking_bonds(at)
    }

    fn max_speed(&mut self, at: At) -> f64 {
        self.largest_speed(at)
    }

    fn max_stretch(&mut self, from: At, to: At) -> f64 {
        self.largest_stretch(from, to)
    }
}
