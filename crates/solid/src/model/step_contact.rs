//! Contact that is enforced at the end of a step: the model hands positions of nodes to it and unknowns back.

use march::{At, ContactImpulse, ContactPoint, ContactSearch, NO_UNKNOWN, StepContact};

use super::Model;
use crate::potential::contact::{ContactCounts, PairContact};

/// A step in terms of nodes.
pub struct NodeStep<'a> {
    /// Times of its start and its end, s.
    pub t: [f64; 2],
    /// Positions of all nodes at its start and at the predicted end, m.
    pub x: [&'a [[f64; 3]]; 2],
    /// Velocities of all nodes at the predicted end, m/s.
    pub v: &'a [[f64; 3]],
    /// Unknowns of the components of each node; [`NO_UNKNOWN`] for prescribed ones.
    pub unknowns: &'a [[u32; 3]],
}

/// Contact of the nodes of a model that is enforced at the end of a step.
pub trait NodeContact: Send {
    /// Finds the points of contact of a step, in a fixed order.
    fn find(&mut self, step: &NodeStep, search: ContactSearch, out: &mut Vec<ContactPoint>);

    /// Sets whether the bodies of a group wait to appear: they touch nothing.
    fn set_waiting(&mut self, group: u32, waits: bool);

    /// Records the impulses of an attempt that ends at the time `t` after `h`, s.
    fn record(&mut self, t: f64, h: f64, points: &[ContactPoint], impulses: &[ContactImpulse]);

    /// Makes the recorded attempt history if it ended at the time `t`; otherwise drops it.
    fn commit(&mut self, t: f64);

    /// Appends what the last step has left.
    fn save(&self, out: &mut Vec<u8>);

    /// Restores what [`NodeContact::save`] wrote and returns the rest; `None` if it does not fit.
    fn load<'a>(&mut self, saved: &'a [u8]) -> Option<&'a [u8]>;

    /// Returns the pairs that touched in the last step, ascending by group.
    fn pairs(&self) -> Vec<PairContact>;

    /// Writes the mean normal force on each of `nodes` nodes in the last step, N.
    fn normal_forces(&self, nodes: usize, out: &mut Vec<[f64; 3]>);

    /// Writes the mean friction force on each of `nodes` nodes in the last step, N.
    fn friction_forces(&self, nodes: usize, out: &mut Vec<[f64; 3]>);

    /// Returns the names of bodies and obstacles by group, and the work of contact detection.
    fn counts(&self) -> (&[String], ContactCounts);

    /// Returns the first time after `t` at which the motion of an obstacle has a kink.
    fn next_kink(&self, t: f64) -> f64;
}

/// Contact at the end of steps with the buffers of the model for it.
pub(super) struct EndContact {
    pub contact: Box<dyn NodeContact>,
    unknowns: Vec<[u32; 3]>,
    start: Vec<[f64; 3]>,
    end: Vec<[f64; 3]>,
    /// Force on the nodes in the stages, N; empty for none.
    pub force: Vec<[f64; 3]>,
}

impl Model {
    /// Enforces contact at the end of steps, by a corrector.
    pub fn set_step_contact(&mut self, contact: Box<dyn NodeContact>) {
        let mut unknowns = vec![[NO_UNKNOWN; 3]; self.rest.len()];
        for (number, &(i, k)) in (0u32..).zip(&self.free) {
            unknowns[i as usize][k as usize] = number;
        }
        self.end_contact = Some(Box::new(EndContact {
            contact,
            unknowns,
            start: Vec::new(),
            end: Vec::new(),
            force: Vec::new(),
        }));
        self.set_appeared(self.appeared());
    }

    /// Adds the force of contact in the stages to the force buffer; returns the sum of squares.
    pub(super) fn add_contact_force(&mut self) -> f64 {
        let Some(end) = &self.end_contact else {
            return 0.0;
        };
        let mut squares = 0.0;
        for (f, push) in self.work.f.iter_mut().zip(&end.force) {
            for k in 0..3 {
                f[k] += push[k];
                squares += push[k] * push[k];
            }
        }
        squares
    }
}

impl StepContact for Model {
    fn contact_points(
        &mut self,
        from: At,
        end: At,
        search: ContactSearch,
        out: &mut Vec<ContactPoint>,
    ) {
        out.clear();
        let Some(mut own) = self.end_contact.take() else {
            return;
        };
        self.place(from.t, from.u, from.v);
        self.update_positions();
        own.start.clone_from(&self.work.x);
        self.place(end.t, end.u, end.v);
        self.update_positions();
        own.end.clone_from(&self.work.x);
        let step = NodeStep {
            t: [from.t, end.t],
            x: [&own.start, &own.end],
            v: &self.placed.v,
            unknowns: &own.unknowns,
        };
        own.contact.find(&step, search, out);
        self.end_contact = Some(own);
    }

    fn record_impulses(
        &mut self,
        t: f64,
        h: f64,
        points: &[ContactPoint],
        impulses: &[ContactImpulse],
    ) {
        if let Some(end) = &mut self.end_contact {
            end.contact.record(t, h, points, impulses);
        }
    }

    fn set_contact_force(&mut self, force: Option<&[f64]>) {
        let Some(end) = &mut self.end_contact else {
            return;
        };
        end.force.clear();
        if let Some(force) = force {
            end.force.resize(self.rest.len(), [0.0; 3]);
            Model::scatter_unknowns(&self.free, force, &mut end.force);
        }
    }
}
