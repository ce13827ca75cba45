//! Memory of methods from step to step, as saved in checkpoints.

use exponential::ModeHistory;
use serde::{Deserialize, Serialize};

use crate::budget::EnergyBudget;

/// Memory of a method: everything that its next step needs beyond the state.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum MethodMemory {
    /// No memory: a one-step method, or a method before its first step.
    #[default]
    None,
    /// Acceleration at the end of the last step.
    Acceleration(Vec<f64>),
    /// State one step ago.
    PreviousState {
        /// Length of the step since then, s.
        h: f64,
        /// Displacements, m.
        u: Vec<f64>,
        /// Velocities, m/s.
        v: Vec<f64>,
    },
    /// Memory of a method with a backward-Euler start-up.
    Startup {
        /// Whether the start-up is over.
        settled: bool,
        /// Memory of the method that takes the next step.
        method: Box<MethodMemory>,
    },
    /// Memory of a method whose steps are corrected to an energy budget.
    Corrected {
        /// Energy budget; `None` before the first step.
        budget: Option<EnergyBudget>,
        /// Whether the state was changed externally since the last step.
        disturbed: bool,
        /// Memory of the method itself.
        base: Box<MethodMemory>,
    },
    /// Memory of a method whose error is estimated from past velocities.
    PastVelocities {
        /// Times of the past velocities, s, the newest first.
        times: Vec<f64>,
        /// Past velocities, m/s.
        velocities: Vec<Vec<f64>>,
        /// Memory of the method itself.
        base: Box<MethodMemory>,
    },
    /// Memory of an exponential method with modes.
    Modal {
        /// Modes as of the last step.
        modes: ModeHistory,
        /// Memory of the method without them.
        base: Box<MethodMemory>,
    },
}

/// Replaces the entries of a vector, reusing its allocation.
fn refill(kept: &mut Vec<f64>, new: &[f64]) {
    kept.clear();
    kept.extend_from_slice(new);
}

impl MethodMemory {
    /// Turns this into [`MethodMemory::Acceleration`], reusing its buffers.
    pub fn set_acceleration(&mut self, a: &[f64]) {
        match self {
            MethodMemory::Acceleration(kept) => refill(kept, a),
            other => *other = MethodMemory::Acceleration(a.to_vec()),
        }
    }

    /// Turns this into [`MethodMemory::PreviousState`], reusing its buffers.
    pub fn set_previous_state(&mut self, h: f64, u: &[f64], v: &[f64]) {
        match self {
            MethodMemory::PreviousState {
                h: kept_h,
                u: kept_u,
                v: kept_v,
            } => {
                *kept_h = h;
                refill(kept_u, u);
                refill(kept_v, v);
            }
            other => {
                *other = MethodMemory::PreviousState {
                    h,
                    u: u.to_vec(),
                    v: v.to_vec(),
                }
            }
        }
    }

    /// Turns this into [`MethodMemory::Startup`], reusing its buffers; returns the memory of its method.
    pub fn set_startup(&mut self, settled: bool) -> &mut MethodMemory {
        if !matches!(self, MethodMemory::Startup { .. }) {
            let method = Box::default();
            *self = MethodMemory::Startup { settled, method };
        }
        match self {
            MethodMemory::Startup { settled: s, method } => {
                *s = settled;
                method
            }
            other => other,
        }
    }

    /// Turns this into [`MethodMemory::Corrected`], reusing its buffers; returns the memory of its method.
    pub fn set_corrected(
        &mut self,
        budget: Option<EnergyBudget>,
        disturbed: bool,
    ) -> &mut MethodMemory {
        if !matches!(self, MethodMemory::Corrected { .. }) {
            *self = MethodMemory::Corrected {
                budget,
                disturbed,
                base: Box::default(),
            };
        }
        match self {
            MethodMemory::Corrected {
                budget: b,
                disturbed: d,
                base,
            } => {
                (*b, *d) = (budget, disturbed);
                base
            }
            other => other,
        }
    }

    /// Turns this into [`MethodMemory::PastVelocities`], reusing its buffers; returns the memory of its method.
    pub fn set_past_velocities<'p>(
        &mut self,
        past: impl Iterator<Item = (f64, &'p [f64])>,
    ) -> &mut MethodMemory {
        if !matches!(self, MethodMemory::PastVelocities { .. }) {
            *self = MethodMemory::PastVelocities {
                times: Vec::new(),
                velocities: Vec::new(),
                base: Box::default(),
            };
        }
        match self {
            MethodMemory::PastVelocities {
                times,
                velocities,
                base,
            } => {
                times.clear();
                let mut count = 0;
                for (t, v) in past {
                    times.push(t);
                    match velocities.get_mut(count) {
                        Some(kept) => refill(kept, v),
                        None => velocities.push(v.to_vec()),
                    }
                    count += 1;
                }
                velocities.truncate(count);
                base
            }
            other => other,
        }
    }

    /// Turns this into [`MethodMemory::Modal`], reusing its buffers; returns the memory of the method without modes.
    pub fn set_modal(&mut self, history: &ModeHistory) -> &mut MethodMemory {
        if !matches!(self, MethodMemory::Modal { .. }) {
            *self = MethodMemory::Modal {
                modes: ModeHistory::default(),
                base: Box::default(),
            };
        }
        match self {
            MethodMemory::Modal { modes, base } => {
                modes.clone_from(history);
                base
            }
            other => other,
        }
    }

    /// Returns `true` if the vectors have the length of a system of `n` unknowns.
    pub fn fits(&self, n: usize) -> bool {
        match self {
            MethodMemory::None => true,
            MethodMemory::Acceleration(a) => a.len() == n,
            MethodMemory::PreviousState { u, v, .. } => u.len() == n && v.len() == n,
            MethodMemory::Startup { method, .. } => method.fits(n),
            MethodMemory::Corrected { base, .. } => base.fits(n),
            MethodMemory::PastVelocities {
                times,
                velocities,
                base,
            } => {
                times.len() == velocities.len()
                    && velocities.iter().all(|v| v.len() == n)
                    && base.fits(n)
            }
            MethodMemory::Modal { modes, base } => {
                modes.vectors.iter().all(|x| x.len() == n) && base.fits(n)
            }
        }
    }

    /// Returns the entries on which the next state of a linear system depends linearly, in a fixed order.
    pub fn linear_values_mut(&mut self) -> Vec<&mut f64> {
        match self {
            MethodMemory::None => Vec::new(),
            MethodMemory::Acceleration(a) => a.iter_mut().collect(),
            MethodMemory::PreviousState { u, v, .. } => u.iter_mut().chain(v).collect(),
            MethodMemory::Startup { method, .. } => method.linear_values_mut(),
            MethodMemory::Corrected { base, .. }
            | MethodMemory::PastVelocities { base, .. }
            | MethodMemory::Modal { base, .. } => base.linear_values_mut(),
        }
    }
}
