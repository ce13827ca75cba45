//! What a person or a program changes between steps: handles, forces on nodes, gravity.
//!
//! None of it is part of the scene. It belongs to the state that a snapshot keeps ([`march::System::save`]), so a
//! restored simulation goes on as it did.

use serde::{Deserialize, Serialize};

use super::Model;
use crate::load::NodeForces;
use crate::potential::Handle;

/// Everything that was changed from outside.
#[derive(Serialize, Deserialize)]
struct Interaction {
    gravity: [f64; 3],
    handles: Vec<(u64, Handle)>,
    forces: NodeForces,
}

impl Model {
    /// Ties a handle to a node; returns the number by which it is known.
    pub fn grab(&mut self, handle: Handle) -> u64 {
        let last = self.handles.list.iter().map(|(id, _)| *id).max();
        let id = last.map_or(0, |id| id + 1);
        self.handles.list.push((id, handle));
        id
    }

    /// The handle known by this number.
    pub fn handle_mut(&mut self, id: u64) -> Option<&mut Handle> {
        let found = self.handles.list.iter_mut().find(|(i, _)| *i == id);
        found.map(|(_, handle)| handle)
    }

    /// Lets a handle go; returns whether there was one of this number.
    pub fn release(&mut self, id: u64) -> bool {
        let before = self.handles.list.len();
        self.handles.list.retain(|(i, _)| *i != id);
        self.handles.list.len() < before
    }

    /// Sets the force on a node from outside, N; zero removes it.
    pub fn set_force(&mut self, node: u32, force: [f64; 3]) {
        self.forces.set(node, force);
    }

    /// Sets the acceleration of gravity, m/s².
    pub fn set_gravity(&mut self, gravity: [f64; 3]) {
        self.gravity = gravity;
    }

    /// Appends everything that was changed from outside.
    pub(super) fn save_interaction(&self, out: &mut Vec<u8>) {
        let all = Interaction {
            gravity: self.gravity,
            handles: self.handles.list.clone(),
            forces: self.forces.clone(),
        };
        // Writing plain numbers to memory cannot fail.
        out.extend(postcard::to_allocvec(&all).unwrap_or_default());
    }

    /// Takes back what [`Model::save_interaction`] wrote; returns what follows it, or `None` if it does not fit this
    /// model.
    pub(super) fn load_interaction<'a>(&mut self, saved: &'a [u8]) -> Option<&'a [u8]> {
        let (all, rest) = postcard::take_from_bytes::<Interaction>(saved).ok()?;
        let nodes = all.handles.iter().map(|(_, h)| h.node);
        let exists = |node: u32| (node as usize) < self.nodes();
        if !nodes.chain(all.forces.nodes()).all(exists) {
            return None;
        }
        self.gravity = all.gravity;
        self.handles.list = all.handles;
        self.forces = all.forces;
        Some(rest)
    }
}
