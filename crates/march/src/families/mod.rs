//! Control flow of the methods; the numbers come from [`crate::tables`].

pub mod alpha;
pub mod bdf2;
pub mod explicit;
pub mod rosenbrock;
pub mod runge_kutta;
pub mod startup;

use crate::vector::{add, max_abs, not_finite};
use crate::{ErrorEstimate, Memory, State, StepError, System};

/// Checks that the end of a step is finite and that the system admits it: a stage may be admissible where the end of
/// the step, extrapolated from it, is not.
fn check_end(system: &mut dyn System, to: &State) -> Result<(), StepError> {
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
    if !system.admits(to.t, &to.u) {
        return Err(StepError::Forbidden { t: to.t });
    }
    Ok(())
}

/// Σ wᵢ (Uᵢ, Vᵢ) in the largest norm: the error estimate of a table with weights w = b − b̂.
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

/// The acceleration at the end of the last step, if it is known.
#[derive(Debug, Default)]
struct LastAcceleration {
    a: Vec<f64>,
    known: bool,
}

impl LastAcceleration {
    fn get(&self) -> Option<&[f64]> {
        self.known.then_some(&self.a)
    }

    /// Keeps an acceleration, in memory that is there already.
    fn set(&mut self, a: &[f64]) {
        self.a.clear();
        self.a.extend_from_slice(a);
        self.known = true;
    }

    fn forget(&mut self) {
        self.known = false;
    }

    fn save_into(&self, memory: &mut Memory) {
        match self.known {
            true => memory.set_acceleration(&self.a),
            false => *memory = Memory::None,
        }
    }

    fn restore(&mut self, memory: &Memory) -> bool {
        match memory {
            Memory::None => self.forget(),
            Memory::Acceleration(a) => self.set(a),
            _ => return false,
        }
        true
    }
}
