//! Handles: springs to targets that user interaction moves between steps, E = k/2 |x − target|².
//!
//! They come and go while a session runs, and each acts on one node. They are therefore stiff rows of local/global iterations
//! instead of a part of the constant matrix: its factors stay.

use march::Curvature;
use serde::{Deserialize, Serialize};

use super::{Configuration, Dissipation, NodeRow, Potential, Stencils};
use crate::blocks::{Block, BlockPattern, Slot};

/// A zero-length spring from a node to a target that can be moved between steps.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Handle {
    /// The node.
    pub node: u32,
    /// Stiffness, N/m.
    pub stiffness: f64,
    /// Position of the target, m.
    pub target: [f64; 3],
}

impl Handle {
    /// Vector from the target to the node.
    fn arm(&self, x: &Configuration) -> [f64; 3] {
        let position = x.position(self.node as usize);
        [0, 1, 2].map(|k| position[k] - self.target[k])
    }
}

/// All handles of a model, in the order in which they were attached.
#[derive(Default)]
pub struct Handles {
    /// The handles with their ids.
    pub list: Vec<(u64, Handle)>,
    /// Diagonal block of every node.
    slots: Vec<Slot>,
}

impl Stencils for Handles {
    fn append_pairs(&self, _pairs: &mut Vec<(u32, u32)>) {}

    fn bind(&mut self, pattern: &BlockPattern) {
        let nodes = 0..pattern.nodes() as u32;
        self.slots = nodes.map(|i| pattern.slot(i, i)).collect();
    }
}

impl Potential for Handles {
    fn energy(&mut self, x: &Configuration) -> f64 {
        let one = |(_, h): &(u64, Handle)| {
            0.5 * h.stiffness * h.arm(x).iter().map(|d| d * d).sum::<f64>()
        };
        self.list.iter().map(one).sum()
    }

    fn add_force(&mut self, x: &Configuration, f: &mut [[f64; 3]]) -> f64 {
        let mut scale = 0.0;
        for (_, handle) in &self.list {
            let arm = handle.arm(x);
            for k in 0..3 {
                let pull = handle.stiffness * arm[k];
                f[handle.node as usize][k] -= pull;
                scale += pull * pull;
            }
        }
        scale
    }

    fn add_stiffness(&mut self, _x: &Configuration, factor: f64, _c: Curvature, k: &mut [Block]) {
        for (_, handle) in &self.list {
            let block = &mut k[self.slots[handle.node as usize].index()];
            for d in [0, 4, 8] {
                block[d] += factor * handle.stiffness;
            }
        }
    }

    fn is_projective(&self) -> bool {
        true
    }

    fn has_stiff_rows(&self) -> bool {
        true
    }

    fn stiff_rows(&mut self, _x: &Configuration, out: &mut Vec<NodeRow>) {
        for (_, handle) in &self.list {
            let row = |k: usize| NodeRow {
                nodes: [(handle.node, 1.0), (0, 0.0), (0, 0.0), (0, 0.0)],
                normal: [0, 1, 2].map(|axis| f64::from(u8::from(axis == k))),
                stiffness: handle.stiffness,
            };
            out.extend([0, 1, 2].map(row));
        }
    }
}

impl Dissipation for Handles {}
