//! Tethers: zero-length springs from nodes to anchors that can move, E = k/2 |x − anchor(t)|².

use march::Curvature;

use super::{Configuration, Dissipation, Potential, Reaction, Stencils};
use crate::blocks::{Block, BlockPattern, Slot};
use crate::motion::Motion;

/// Zero-length springs from nodes to anchors: their rest positions, displaced by a prescribed motion.
pub struct Tethers {
    nodes: Vec<u32>,
    stiffness: f64,
    motion: Motion,
    slots: Vec<Slot>,
}

impl Tethers {
    /// Creates a tether of this stiffness, N/m, for each node.
    pub fn new(nodes: Vec<u32>, stiffness: f64, motion: Motion) -> Tethers {
        Tethers {
            nodes,
            stiffness,
            motion,
            slots: Vec::new(),
        }
    }

    /// Displacement of a node from its anchor.
    fn arm(&self, x: &Configuration, i: u32) -> [f64; 3] {
        let i = i as usize;
        let anchor = self.motion.at(x.t, x.rest[i])[0];
        [0, 1, 2].map(|k| x.u[i][k] - anchor[k])
    }
}

impl Stencils for Tethers {
    fn append_pairs(&self, _pairs: &mut Vec<(u32, u32)>) {}

    fn bind(&mut self, pattern: &BlockPattern) {
        self.slots = self.nodes.iter().map(|&i| pattern.slot(i, i)).collect();
    }
}

impl Potential for Tethers {
    fn next_kink(&self, t: f64) -> f64 {
        self.motion.next_kink(t)
    }

    fn energy(&mut self, x: &Configuration) -> f64 {
        let squares: f64 = self
            .nodes
            .iter()
            .flat_map(|&i| self.arm(x, i))
            .map(|d| d * d)
            .sum();
        0.5 * self.stiffness * squares
    }

    fn add_force(&mut self, x: &Configuration, f: &mut [[f64; 3]]) -> f64 {
        let mut scale = 0.0;
        for &i in &self.nodes {
            let arm = self.arm(x, i);
            for k in 0..3 {
                let pull = self.stiffness * arm[k];
                f[i as usize][k] -= pull;
                scale += pull * pull;
            }
        }
        scale
    }

    fn add_stiffness(&mut self, _x: &Configuration, factor: f64, _c: Curvature, k: &mut [Block]) {
        for slot in &self.slots {
            for d in [0, 4, 8] {
                k[slot.index()][d] += factor * self.stiffness;
            }
        }
    }

    fn is_projective(&self) -> bool {
        true
    }

    fn add_laplacian(&self, stiffness: f64, _damping: f64, l: &mut [f64]) {
        for slot in &self.slots {
            l[slot.index()] += stiffness * self.stiffness;
        }
    }

    fn anchor_reaction(&self, x: &Configuration) -> Option<Reaction> {
        let mut sum = Reaction::default();
        for &i in &self.nodes {
            let pull = self.arm(x, i).map(|d| -self.stiffness * d);
            sum.add(x.position(i as usize), pull);
        }
        Some(sum)
    }

    fn anchor_work(&self, from: &Configuration, to: &Configuration) -> f64 {
        let one = |&i: &u32| {
            let [start, end] = [from, to].map(|x| self.motion.at(x.t, x.rest[i as usize])[0]);
            let (before, after) = (self.arm(from, i), self.arm(to, i));
            let along = (0..3).map(|k| 0.5 * (before[k] + after[k]) * (end[k] - start[k]));
            -self.stiffness * along.sum::<f64>()
        };
        match self.motion.moves() {
            true => self.nodes.iter().map(one).sum(),
            false => 0.0,
        }
    }

    fn anchor_power(&mut self, x: &Configuration) -> f64 {
        let one = |&i: &u32| {
            let velocity = self.motion.at(x.t, x.rest[i as usize])[1];
            let arm = self.arm(x, i);
            -self.stiffness * (0..3).map(|k| arm[k] * velocity[k]).sum::<f64>()
        };
        if self.motion.moves() {
            self.nodes.iter().map(one).sum()
        } else {
            0.0
        }
    }

    fn add_force_rate(&mut self, x: &Configuration, rate: &mut [[f64; 3]]) {
        for &i in &self.nodes {
            let velocity = self.motion.at(x.t, x.rest[i as usize])[1];
            for k in 0..3 {
                rate[i as usize][k] += self.stiffness * velocity[k];
            }
        }
    }
}

impl Dissipation for Tethers {}
