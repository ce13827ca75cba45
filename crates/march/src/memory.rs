//! What methods remember from step to step, in the form in which checkpoints keep it.

use serde::{Deserialize, Serialize};

use crate::budget::Budget;

/// The history of a method.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum Memory {
    /// No history: a one-step method, or a method before its first step.
    #[default]
    None,
    /// The acceleration at the end of the last step.
    Acceleration(Vec<f64>),
    /// The state one step ago.
    PreviousState {
        /// Length of the step since then, s.
        h: f64,
        /// Displacements, m.
        u: Vec<f64>,
        /// Velocities, m/s.
        v: Vec<f64>,
    },
    /// Of a method behind a backward-Euler start.
    Startup {
        /// Whether the start is over.
        settled: bool,
        /// History of the method that takes the next step.
        method: Box<Memory>,
    },
    /// Of a method whose steps are corrected to an energy budget.
    Corrected {
        /// The budget, from the first step on.
        budget: Option<Budget>,
        /// Whether the state was changed from outside since the last step.
        disturbed: bool,
        /// History of the method itself.
        base: Box<Memory>,
    },
}

impl Memory {
    /// Whether its vectors are as long as those of a system of `n` unknowns.
    pub fn fits(&self, n: usize) -> bool {
        match self {
            Memory::None => true,
            Memory::Acceleration(a) => a.len() == n,
            Memory::PreviousState { u, v, .. } => u.len() == n && v.len() == n,
            Memory::Startup { method, .. } => method.fits(n),
            Memory::Corrected { base, .. } => base.fits(n),
        }
    }

    /// The numbers that scale with the state, in a fixed order: on a linear system the next state depends on them
    /// linearly.
    pub fn numbers_mut(&mut self) -> Vec<&mut f64> {
        match self {
            Memory::None => Vec::new(),
            Memory::Acceleration(a) => a.iter_mut().collect(),
            Memory::PreviousState { u, v, .. } => u.iter_mut().chain(v).collect(),
            Memory::Startup { method, .. } => method.numbers_mut(),
            Memory::Corrected { base, .. } => base.numbers_mut(),
        }
    }
}
