//! Queries that apply to any system, with defaults for systems without the optional traits.

use super::{At, Blocker, DampingUpdate, Forces, Positions, System};
use crate::ledger::{Energy, Powers};
use crate::vector::{dot, max_abs, max_abs_difference};

impl dyn System + '_ {
    /// Returns the energies of a state; kinetic energy and potential (as strain energy) for a system without
    /// [`StateMeasures`](super::StateMeasures).
    pub fn energy_at(&mut self, at: At) -> Energy {
        if let Some(measures) = self.state_measures() {
            return measures.energy_at(at);
        }
        Energy {
            kinetic: 0.5 * self.mass().bilinear_form(at.v, at.v),
            strain: self.potential(at.t, at.u).unwrap_or(0.0),
            ..Energy::default()
        }
    }

    /// Returns the rates of change of the total energy. A system without [`StateMeasures`](super::StateMeasures) counts
    /// as conservative: v·(M a − f) is the residual.
    pub fn powers(&mut self, at: At, a: &[f64]) -> Powers {
        if let Some(measures) = self.state_measures() {
            return measures.powers(at, a);
        }
        let mut f = vec![0.0; self.dofs()];
        self.force(at, &mut f);
        Powers {
            residual: self.mass().bilinear_form(a, at.v) - dot(&f, at.v),
            ..Powers::default()
        }
    }

    /// Returns the power of damping and external forces, W, positive if it adds energy; zero for a system without [`StateMeasures`](super::StateMeasures).
    pub fn exchange_power(&mut self, at: At, a: &[f64]) -> f64 {
        let measures = self.state_measures();
        measures.map_or(0.0, |m| m.exchange_power(at, a))
    }

    /// Returns the work between two static equilibria, J; zero for a system without
    /// [`StateMeasures`](super::StateMeasures), whose energy is its potential.
    pub fn quasi_static_work(&mut self, from: At, to: At) -> f64 {
        let measures = self.state_measures();
        measures.map_or(0.0, |m| m.quasi_static_work(from, to))
    }

    /// Computes the rigid velocities of free bodies; zero for a system without [`StateMeasures`](super::StateMeasures).
    pub fn rigid_velocity(&mut self, at: At, out: &mut [f64]) {
        match self.state_measures() {
            Some(measures) => measures.rigid_velocity(at, out),
            None => out.fill(0.0),
        }
    }

    /// Computes the angular momenta of free bodies; empty for a system without [`StateMeasures`](super::StateMeasures).
    pub fn angular_momenta(&mut self, at: At, out: &mut Vec<f64>) {
        match self.state_measures() {
            Some(measures) => measures.angular_momenta(at, out),
            None => out.clear(),
        }
    }

    /// Computes the torques on free bodies; empty for a system without [`StateMeasures`](super::StateMeasures).
    pub fn torques(&mut self, at: At, out: &mut Vec<f64>) {
        match self.state_measures() {
            Some(measures) => measures.torques(at, out),
            None => out.clear(),
        }
    }

    /// Adds rigid rotations to the velocities of free bodies until their angular momenta are the wanted ones.
    pub fn set_angular_momenta(&mut self, u: &[f64], wanted: &[f64], v: &mut [f64]) {
        if let Some(measures) = self.state_measures() {
            measures.set_angular_momenta(u, wanted, v);
        }
    }

    /// Returns the largest speed of a node, m/s; of an unknown for a system without
    /// [`StateMeasures`](super::StateMeasures).
    pub fn max_speed(&mut self, at: At) -> f64 {
        let measures = self.state_measures();
        measures.map_or_else(|| max_abs(at.v), |m| m.max_speed(at))
    }

    /// Returns the number of bonds that would break if this state were committed; 0 for a system without
    /// [`StateMeasures`](super::StateMeasures).
    pub fn breaking_bonds(&mut self, at: At) -> u64 {
        self.state_measures().map_or(0, |m| m.breaking_bonds(at))
    }

    /// Returns the largest change of an edge length, m; of an unknown for a system without
    /// [`StateMeasures`](super::StateMeasures).
    pub fn max_stretch(&mut self, from: At, to: At) -> f64 {
        let change = || max_abs_difference(from.u, to.u);
        let measures = self.state_measures();
        measures.map_or_else(change, |m| m.max_stretch(from, to))
    }

    /// Returns `true` if some states are forbidden.
    pub fn has_forbidden_states(&mut self) -> bool {
        self.admissible_paths().is_some()
    }

    /// Returns the largest free fraction of a path; 1 if no state is forbidden.
    pub fn max_step(&mut self, from: Positions, to: Positions) -> f64 {
        let paths = self.admissible_paths();
        paths.map_or(1.0, |p| p.max_step(from, to))
    }

    /// Shortens the paths of the parts that block a path; returns `false` if the system has no such parts.
    pub fn shorten_parts(&mut self, from: Positions, end: &mut [f64]) -> bool {
        self.admissible_paths()
            .is_some_and(|p| p.shorten_parts(from, end))
    }

    /// Moves the end of a path to where barriers balance; returns `false` if nothing was moved.
    pub fn settle_at_barriers(
        &mut self,
        from: Positions,
        end: &mut [f64],
        resistance: &[f64],
    ) -> bool {
        self.admissible_paths()
            .is_some_and(|p| p.settle_at_barriers(from, end, resistance))
    }

    /// Returns what blocks a path, for messages.
    pub fn blocker(&mut self, from: Positions, to: Positions) -> Option<Blocker> {
        self.admissible_paths()?.blocker(from, to)
    }

    /// Returns `true` if barriers act, without friction, at the positions that were evaluated last.
    pub fn frictionless_barriers_act(&mut self) -> bool {
        self.admissible_paths()
            .is_some_and(|p| p.frictionless_barriers_act())
    }

    /// Selects the forces that are evaluated from now on; returns `false` if the system has no barriers.
    pub fn select_forces(&mut self, forces: Forces) -> bool {
        self.admissible_paths()
            .is_some_and(|p| p.select_forces(forces))
    }

    /// Updates damping that depends on positions; returns `None` if the system has none.
    pub fn update_damping(&mut self, at: At, update: DampingUpdate) -> Option<f64> {
        let damping = self.position_damping()?;
        Some(damping.update_damping(at, update))
    }

    /// Returns the norm of the change of friction by the last update of damping, N; 0 if the system has none.
    pub fn friction_change(&mut self) -> f64 {
        self.position_damping().map_or(0.0, |d| d.friction_change())
    }

    /// Computes y = ∂(D(u) v)/∂u du; returns `false` and leaves y unchanged if no damping depends on positions.
    pub fn damping_derivative(&mut self, at: At, du: &[f64], y: &mut [f64]) -> bool {
        let Some(damping) = self.position_damping() else {
            return false;
        };
        damping.damping_derivative(at, du, y);
        true
    }
}
