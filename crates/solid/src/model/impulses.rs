//! Impulses of penalty contact after a step: restitution and friction.
//!
//! Impulses are found with the row sums of the mass matrix as masses. So that they never add energy with a consistent mass
//! matrix either, all impulses of a kind are multiplied with one factor, at most 1, beyond which the energy would grow: with
//! d the change of the velocities and w the work at moving obstacles, (w − vᵀM d)/(dᵀM d).

use march::vector::dot;
use march::{At, ContactImpulses, ImpulseChanges, State};

use super::Model;
use crate::blocks::add_scalar_product;
use crate::potential::Configuration;
use crate::potential::contact::{ImpulseStep, PenaltyContact, inverse_mass};

impl Model {
    /// Returns `true` if contact is by springs, which may act by impulses after steps.
    pub(super) fn has_penalty_contact(&mut self) -> bool {
        self.potentials.iter_mut().any(|p| p.penalty().is_some())
    }

    fn has_impulses(&mut self) -> bool {
        let mut all = self.potentials.iter_mut().filter_map(|p| p.penalty());
        all.any(|p| p.has_impulses())
    }

    fn with_penalty<R>(
        &mut self,
        job: impl FnOnce(&mut PenaltyContact, &Configuration, &mut [[f64; 3]]) -> R,
    ) -> Option<R> {
        let placed = Configuration {
            t: self.placed.t.unwrap_or(0.0),
            rest: &self.rest,
            u: &self.placed.u,
        };
        let penalty = self.potentials.iter_mut().find_map(|p| p.penalty())?;
        Some(job(penalty, &placed, &mut self.placed.v))
    }

    /// Inverse masses of all nodes along each axis, 0 where motion is prescribed.
    fn inverse_masses(&mut self) {
        let out = &mut self.work.inverse_mass;
        if !out.is_empty() {
            return;
        }
        out.resize(self.rest.len(), [0.0; 3]);
        for &(i, k) in &self.free {
            let (node, diagonal) = (i as usize, self.pattern.slot(i, i).index());
            out[node][k as usize] = inverse_mass(self.node_mass[node], self.mass[diagonal]);
        }
    }

    /// Lets `job` change velocities, and takes back what would add energy. Returns the change of energy without the work, the
    /// work at moving obstacles and the part that was applied; `None` if nothing has changed.
    fn dissipate(
        &mut self,
        job: impl FnOnce(&mut PenaltyContact, ImpulseStep) -> Option<f64>,
    ) -> Option<(f64, f64, f64)> {
        self.inverse_masses();
        self.work.sum.copy_from_slice(&self.placed.v);
        let masses = std::mem::take(&mut self.work.inverse_mass);
        let work = self.with_penalty(|p, _, v| {
            let inverse_mass = &masses;
            job(p, ImpulseStep { v, inverse_mass })
        });
        self.work.inverse_mass = masses;
        let at_obstacles = work??;
        let work = &mut self.work;
        for (d, (new, old)) in work.x.iter_mut().zip(self.placed.v.iter().zip(&work.sum)) {
            *d = [0, 1, 2].map(|k| new[k] - old[k]);
        }
        work.f.fill([0.0; 3]);
        add_scalar_product(&self.pattern, &self.mass, 1.0, &work.x, &mut work.f);
        let square = dot(work.f.as_flattened(), work.x.as_flattened());
        let along = dot(work.f.as_flattened(), work.sum.as_flattened()) - at_obstacles;
        let share = if square > 0.0 {
            (-along / square).clamp(0.0, 1.0)
        } else {
            0.0
        };
        if share < 1.0 {
            for (v, (old, d)) in self.placed.v.iter_mut().zip(work.sum.iter().zip(&work.x)) {
                *v = [0, 1, 2].map(|k| old[k] + share * d[k]);
            }
        }
        let change = share * along + 0.5 * share * share * square;
        (share > 0.0).then_some((change, share * at_obstacles, share))
    }
}

impl ContactImpulses for Model {
    fn begin_impulses(&mut self, from: At) {
        if !self.has_impulses() {
            return;
        }
        self.place(from.t, from.u, from.v);
        self.with_penalty(|p, x, v| p.begin_impulses(x, v));
    }

    fn add_impulses(&mut self, weight: f64, at: At) {
        if !self.has_impulses() {
            return;
        }
        self.place(at.t, at.u, at.v);
        self.with_penalty(|p, x, _| p.add_impulses(x, weight));
    }

    fn apply_impulses(&mut self, end: &mut State) -> Option<ImpulseChanges> {
        if !self.has_impulses() {
            return None;
        }
        self.place(end.t, &end.u, &end.v);
        if !self.with_penalty(|p, x, _| p.end_impulses(x))? {
            return None;
        }
        let mut out = ImpulseChanges::default();
        let restitution = self.dissipate(|p, step| p.restitute(step));
        if let Some((change, work, _)) = restitution {
            out.contact = change;
            out.work += work;
        }
        let friction = self.dissipate(|p, step| p.rub(step));
        if let Some((change, work, share)) = friction {
            out.friction = change;
            out.work += work;
            self.with_penalty(|p, _, v| p.note_friction(share, v));
        }
        if restitution.is_none() && friction.is_none() {
            return None;
        }
        for (v, &(i, k)) in end.v.iter_mut().zip(&self.free) {
            *v = self.placed.v[i as usize][k as usize];
        }
        Some(out)
    }
}
