//! Damping of single modes after each integration step.
//!
//! The modal velocity xᵀM v of a mode with xᵀM x = 1 decays by e^(−r h): v ← v − (1 − e^(−r h)) x (xᵀM v). The decay is
//! exact in time, like that of the other velocity dampings, and of low rank: no matrix gets denser.

use march::State;
use march::vector::{add, dot};

use super::Model;

/// Mode whose velocity decays.
#[derive(Clone, Debug, PartialEq)]
pub struct DampedMode {
    /// The mode x of the unknowns, xᵀM x = 1.
    pub vector: Vec<f64>,
    /// M x.
    pub mass_vector: Vec<f64>,
    /// Rate of decay r of the modal velocity, 1/s: twice that of the amplitude.
    pub rate: f64,
}

impl Model {
    /// Replaces the damped modes, which are M-orthogonal.
    pub fn set_damped_modes(&mut self, modes: Vec<DampedMode>) {
        self.damped_modes = modes;
    }

    /// Returns the node and the axis of every unknown.
    pub fn free_components(&self) -> impl Iterator<Item = (u32, usize)> + '_ {
        self.free.iter().map(|&(node, axis)| (node, axis as usize))
    }

    /// Damps the modal velocities at the end of a step of length h.
    pub(super) fn damp_modes(&self, h: f64, s: &mut State) {
        for mode in &self.damped_modes {
            let lost = -(-mode.rate * h).exp_m1();
            let velocity = dot(&mode.mass_vector, &s.v);
            add(&mut s.v, -lost * velocity, &mode.vector);
        }
    }
}
