//! Contact of a model: touching pairs, forces on nodes, counted work.

use crate::model::Model;
use crate::potential::Configuration;
use crate::potential::contact::{BarrierContact, ContactCounts, PairContact};

impl Model {
    /// Calls `job` with the contact potential and the configuration at a state; returns `None` without contact.
    fn with_contact<R>(
        &mut self,
        t: f64,
        u: &[f64],
        v: &[f64],
        job: impl FnOnce(&mut BarrierContact, &Configuration, &[[f64; 3]]) -> R,
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

    /// Returns the pairs of bodies and obstacles that touch at a state; empty without contact.
    pub fn contact_pairs(&mut self, t: f64, u: &[f64], v: &[f64]) -> Vec<PairContact> {
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
        self.with_contact(t, u, v, |contact, x, v| contact.node_friction(x, v, out))
            .is_some()
    }

    /// Returns the names of bodies and obstacles by group, and the work of contact detection; `None` without contact.
    pub fn contact_counts(&mut self) -> Option<(&[String], ContactCounts)> {
        let contact = self.potentials.iter_mut().find_map(|p| p.contact())?;
        let counts = contact.counts();
        Some((contact.names(), counts))
    }
}
