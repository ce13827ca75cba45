//! Foundation: springs from nodes to their rest positions, E = ½ Σ kᵢ |uᵢ|², which hold bodies without supports in statics.

use march::Curvature;

use super::{Configuration, Dissipation, Potential, Stencils};
use crate::blocks::{Block, BlockPattern, Slot};

/// Springs of zero rest length from nodes to their rest positions, each with its own stiffness.
#[derive(Default)]
pub struct Foundation {
    /// Nodes and stiffnesses, N/m.
    springs: Vec<(u32, f64)>,
    /// Diagonal block of every node.
    slots: Vec<Slot>,
}

impl Foundation {
    /// Returns `true` if no node is held.
    pub fn is_empty(&self) -> bool {
        self.springs.is_empty()
    }

    /// Adds a spring of this stiffness, N/m.
    pub fn hold(&mut self, node: u32, stiffness: f64) {
        self.springs.push((node, stiffness));
    }
}

impl Stencils for Foundation {
    fn append_pairs(&self, _pairs: &mut Vec<(u32, u32)>) {}

    fn bind(&mut self, pattern: &BlockPattern) {
        let nodes = 0..pattern.nodes() as u32;
        self.slots = nodes.map(|i| pattern.slot(i, i)).collect();
    }
}

impl Potential for Foundation {
    fn energy(&mut self, x: &Configuration) -> f64 {
        let one =
            |&(i, k): &(u32, f64)| 0.5 * k * x.u[i as usize].iter().map(|u| u * u).sum::<f64>();
        self.springs.iter().map(one).sum()
    }

    fn add_force(&mut self, x: &Configuration, f: &mut [[f64; 3]]) -> f64 {
        let mut scale = 0.0;
        for &(i, stiffness) in &self.springs {
            for k in 0..3 {
                let pull = stiffness * x.u[i as usize][k];
                f[i as usize][k] -= pull;
                scale += pull * pull;
            }
        }
        scale
    }

    fn add_stiffness(&mut self, _x: &Configuration, factor: f64, _c: Curvature, k: &mut [Block]) {
        for &(i, stiffness) in &self.springs {
            for d in [0, 4, 8] {
                k[self.slots[i as usize].index()][d] += factor * stiffness;
            }
        }
    }
}

impl Dissipation for Foundation {}
