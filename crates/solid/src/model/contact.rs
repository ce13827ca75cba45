//! Contact of a model: touching pairs, forces on nodes, counted work.

use march::{At, Curvature, Forces, Weights};
use sparse::Matrix;

use crate::model::Model;
use crate::potential::contact::{ContactCounts, ContactReport, PairContact};
use crate::potential::{Configuration, Potential};

impl Model {
    /// Calls `job` with the contact potential and the configuration at a state; returns `None` without contact.
    fn with_contact<R>(
        &mut self,
        t: f64,
        u: &[f64],
        v: &[f64],
        job: impl FnOnce(&mut dyn ContactReport, &Configuration, &[[f64; 3]]) -> R,
    ) -> Option<R> {
        self.place(t, u, v);
        let placed = Configuration {
            t,
            rest: &self.rest,
            u: &self.placed.u,
        };
        let contact = self.potentials.iter_mut().find_map(|p| p.contact())?;
        Some(job(contact, &placed, &self.placed.v))
    }

    /// Whether only the forces of contact are evaluated.
    pub(super) fn only_contact(&self) -> bool {
        self.forces_selected == Forces::Barriers
    }

    /// Computes the contact forces on the unknowns.
    pub(super) fn contact_force(&mut self, at: At, f: &mut [f64]) {
        self.place(at.t, at.u, at.v);
        self.work.f.fill([0.0; 3]);
        let mut scale = 0.0;
        self.for_each_contact(|p, x, work| scale += p.add_force(x, &mut work.f));
        self.work.scale = scale.sqrt();
        self.gather_into(f);
    }

    /// Assembles w.mass M + w.stiffness K with the stiffness of contact.
    pub(super) fn contact_tangent(&mut self, at: At, w: Weights, c: Curvature, out: &mut Matrix) {
        self.place(at.t, at.u, at.v);
        self.announce_pairs();
        self.work.stiffness.fill([0.0; 9]);
        self.for_each_contact(|p, x, work| {
            p.add_stiffness(x, 1.0, c.symmetric(), &mut work.stiffness);
        });
        self.gather_tangent(Weights { damping: 0.0, ..w }, out);
        out.make_symmetric();
    }

    /// Returns the contact energy, J.
    pub(super) fn contact_potential(&mut self) -> f64 {
        let mut energy = 0.0;
        self.for_each_contact(|p, x, _| energy += p.energy(x));
        energy
    }

    fn for_each_contact(
        &mut self,
        mut job: impl FnMut(&mut dyn Potential, &Configuration, &mut super::Work),
    ) {
        self.for_each_potential(|p, x, work| {
            if p.barrier().is_some() {
                job(p, x, work);
            }
        });
    }

    /// Returns the pairs of bodies and obstacles that touch at a state; empty without contact.
    pub fn contact_pairs(&mut self, t: f64, u: &[f64], v: &[f64]) -> Vec<PairContact> {
        if let Some(end) = &self.end_contact {
            return end.contact.pairs();
        }
        self.with_contact(t, u, v, |contact, x, v| contact.pairs(x, v))
            .unwrap_or_default()
    }

    /// Computes the contact force on every node at a state, N; returns `false` and leaves `out` empty without contact.
    pub fn contact_forces(
        &mut self,
        t: f64,
        u: &[f64],
        v: &[f64],
        out: &mut Vec<[f64; 3]>,
    ) -> bool {
        out.clear();
        if let Some(end) = &self.end_contact {
            end.contact.normal_forces(self.rest.len(), out);
            return true;
        }
        self.with_contact(t, u, v, |contact, x, _| contact.node_forces(x, out))
            .is_some()
    }

    /// Computes the friction force on every node at a state, N; returns `false` and leaves `out` empty without contact.
    pub fn friction_forces(
        &mut self,
        t: f64,
        u: &[f64],
        v: &[f64],
        out: &mut Vec<[f64; 3]>,
    ) -> bool {
        out.clear();
        if let Some(end) = &self.end_contact {
            end.contact.friction_forces(self.rest.len(), out);
            return true;
        }
        self.with_contact(t, u, v, |contact, x, v| contact.node_friction(x, v, out))
            .is_some()
    }

    /// Returns the names of bodies and obstacles by group, and the work of contact detection; `None` without contact.
    pub fn contact_counts(&mut self) -> Option<(&[String], ContactCounts)> {
        if let Some(end) = &self.end_contact {
            return Some(end.contact.counts());
        }
        let contact = self.potentials.iter_mut().find_map(|p| p.contact())?;
        let counts = contact.counts();
        Some((contact.names(), counts))
    }
}
