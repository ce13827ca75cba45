//! Families of methods: their control flow. The coefficients are in [`crate::tables`].

pub mod alpha;
pub mod bdf2;
mod closing;
pub mod explicit;
pub mod exponential;
pub mod rosenbrock;
pub mod runge_kutta;
pub mod startup;
pub mod static_equilibrium;

use crate::vector::{add, max_abs, not_finite};
use crate::{Blocker, ErrorEstimate, MethodMemory, Positions, State, StepError, System};

/// Checks that the end of a step is finite and that a straight path to it from one of the admissible states `reached`
/// is free: the end is extrapolated from the stages and may be forbidden even if they are not. No path is checked if
/// `reached` is empty.
fn check_end(system: &mut dyn System, to: &State, reached: &[Positions]) -> Result<(), StepError> {
    for (what, x) in [("displacement", &to.u), ("velocity", &to.v)] {
        if let Some((dof, value)) = not_finite(x) {
            return Err(StepError::NotFinite {
                t: to.t,
                what,
                dof,
                value,
            });
        }
    }
    let (t, end) = (to.t, to.at().positions());
    match blocked(system, reached, end) {
        Some(blocker) => Err(StepError::ForbiddenEnd { t, blocker }),
        None => Ok(()),
    }
}

/// Checks that a stage at which forces are evaluated without iteration is reached by a free path.
fn check_explicit_stage(
    system: &mut dyn System,
    to: Positions,
    reached: &[Positions],
) -> Result<(), StepError> {
    let finite = not_finite(to.u).is_none();
    match blocked(system, reached, to) {
        // Values that are not finite are reported by the force evaluation.
        Some(blocker) if finite => Err(StepError::ForbiddenStage { t: to.t, blocker }),
        _ => Ok(()),
    }
}

/// Returns `Some` if none of the straight paths is free, with the blocker if it is known.
fn blocked(
    system: &mut dyn System,
    reached: &[Positions],
    to: Positions,
) -> Option<Option<Blocker>> {
    if !system.has_forbidden_states() || reached.is_empty() {
        return None;
    }
    let free = reached.iter().any(|&from| system.max_step(from, to) >= 1.0);
    (!free).then(|| system.blocker(reached[0], to))
}

/// Returns the largest entries of Σ wᵢ Uᵢ and Σ wᵢ Vᵢ: the error estimate of a table with weights w = b − b̂.
fn embedded_error(
    weights: &[f64],
    factor: f64,
    stages: [&[Vec<f64>]; 2],
    sum: &mut [f64],
) -> ErrorEstimate {
    let mut largest = |stages: &[Vec<f64>]| {
        sum.fill(0.0);
        for (w, stage) in weights.iter().zip(stages) {
            add(sum, factor * w, stage);
        }
        max_abs(sum)
    };
    ErrorEstimate {
        displacement: largest(stages[0]),
        velocity: largest(stages[1]),
    }
}

/// Acceleration at the end of the last step, if it is known.
#[derive(Debug, Default)]
struct LastAcceleration {
    a: Vec<f64>,
    known: bool,
}

impl LastAcceleration {
    fn get(&self) -> Option<&[f64]> {
        self.known.then_some(&self.a)
    }

    /// Stores an acceleration in the existing buffer.
    fn set(&mut self, a: &[f64]) {
        self.a.clear();
        self.a.extend_from_slice(a);
        self.known = true;
    }

    fn clear(&mut self) {
        self.known = false;
    }

    fn save_into(&self, memory: &mut MethodMemory) {
        match self.known {
            true => memory.set_acceleration(&self.a),
            false => *memory = MethodMemory::None,
        }
    }

    fn restore(&mut self, memory: &MethodMemory) -> bool {
        match memory {
            MethodMemory::None => self.clear(),
            MethodMemory::Acceleration(a) => self.set(a),
            _ => return false,
        }
        true
    }
}
