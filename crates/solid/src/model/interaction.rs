//! Interaction between steps: handles, forces on nodes, gravity.
//!
//! None of it is part of the scene. It is saved with the state ([`march::System::save`]), so a restored simulation
//! continues with it.

use serde::{Deserialize, Serialize};

use super::Model;
use crate::potential::Handle;
use load::NodeForces;

/// All settings that can be changed between steps, as saved.
#[derive(Serialize, Deserialize)]
struct Interaction {
    gravity: [f64; 3],
    handles: Vec<(u64, Handle)>,
    forces: NodeForces,
}

impl Model {
    /// Attaches a handle to a node. Returns the id of the handle.
    pub fn grab(&mut self, handle: Handle) -> u64 {
        let last = self.handles.list.iter().map(|(id, _)| *id).max();
        let id = last.map_or(0, |id| id + 1);
        self.handles.list.push((id, handle));
        id
    }

    /// Returns the handle with this id, or `None` if there is none.
    pub fn handle_mut(&mut self, id: u64) -> Option<&mut Handle> {
        let found = self.handles.list.iter_mut().find(|(i, _)| *i == id);
        found.map(|(_, handle)| handle)
    }

    /// Removes the handle with this id. Returns `false` if there is none.
    pub fn release(&mut self, id: u64) -> bool {
        let before = self.handles.list.len();
        self.handles.list.retain(|(i, _)| *i != id);
        self.handles.list.len() < before
    }

    /// Sets the external force on a node, N; zero removes it.
    pub fn set_force(&mut self, node: u32, force: [f64; 3]) {
        self.forces.set(node, force);
    }

    /// Sets the acceleration of gravity, m/s².
    pub fn set_gravity(&mut self, gravity: [f64; 3]) {
        self.gravity = gravity;
    }

    /// Appends handles, node forces and gravity to a saved state.
    pub(super) fn save_interaction(&self, out: &mut Vec<u8>) {
        let all = Interaction {
            gravity: self.gravity,
            handles: self.handles.list.clone(),
            forces: self.forces.clone(),
        };
        // Writing plain numbers to memory cannot fail.
        out.extend(postcard::to_allocvec(&all).unwrap_or_default());
    }

    /// Restores what [`Model::save_interaction`] wrote. Returns the bytes after it, or `None` if it does not fit this
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
