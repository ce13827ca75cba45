//! The energy that a motion should have: initial + added − dissipated [Dinev et al. 2018, eq. 37].

use serde::{Deserialize, Serialize};

use crate::ledger::Energy;

/// The energy a motion should have, what it has, and the scale by which an error is judged, J.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct EnergyBudget {
    /// Initial + added − dissipated.
    pub target: f64,
    /// Total energy at the end of the last step.
    pub total: f64,
    /// Largest sum of kinetic and strain energy so far, had the total been on target, less what was taken out since.
    pub scale: f64,
}

impl EnergyBudget {
    /// The budget of a motion that starts with this energy.
    pub fn new(energy: &Energy) -> EnergyBudget {
        EnergyBudget {
            target: energy.total(),
            total: energy.total(),
            scale: energy.kinetic_plus_strain(),
        }
    }

    /// The budget after a step that booked this sum of work and damping and left this energy.
    pub fn after(self, booked: f64, energy: &Energy) -> EnergyBudget {
        let target = self.target + booked;
        let error = energy.total() - target;
        EnergyBudget {
            target,
            total: energy.total(),
            scale: (self.scale + booked.min(0.0)).max(energy.kinetic_plus_strain() - error),
        }
    }

    /// The budget after the energy was changed from outside to this one.
    pub fn after_disturbance(self, energy: &Energy) -> EnergyBudget {
        self.after(energy.total() - self.total, energy)
    }
}

/// The energy error of states on the way from a method's result (α = 0) to another one (α = 1).
pub struct EnergyError {
    /// The budget before the step.
    pub budget: EnergyBudget,
    /// Work and damping booked at α = 0 and at α = 1, J.
    pub booked: [f64; 2],
    /// Error allowed, relative to the scale of the budget.
    pub tolerance: f64,
}

impl EnergyError {
    /// The error of a state with this energy at share α, and the energy it is small against.
    pub fn of(&self, energy: &Energy, alpha: f64) -> (f64, f64) {
        let [w0, w1] = self.booked;
        let e = energy.total() - (self.budget.target + (1.0 - alpha) * w0 + alpha * w1);
        // Not a number: a state for which no energy is defined; as bad as infinite.
        let e = if e.is_nan() { f64::INFINITY } else { e };
        (e, self.budget.scale.max(energy.kinetic_plus_strain() - e))
    }

    /// Whether an error is within tolerance.
    pub fn within_tolerance(&self, (e, scale): (f64, f64)) -> bool {
        e.is_finite() && e.abs() <= self.tolerance * scale
    }
}
