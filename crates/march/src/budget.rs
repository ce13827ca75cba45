//! Energy budget: the energy that a motion should have, initial + added − dissipated [Dinev et al. 2018, eq. 37].

use serde::{Deserialize, Serialize};

use crate::ledger::Energy;

/// Energy budget of a motion, J: target, actual energy and the scale of tolerances.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct EnergyBudget {
    /// Target energy: initial + added − dissipated.
    pub target: f64,
    /// Total energy at the end of the last step.
    pub total: f64,
    /// Energy scale of tolerances: the largest sum of kinetic and strain energy so far, corrected for the energy error,
    /// less the energy taken out since (docs/references.md, E16).
    pub scale: f64,
}

impl EnergyBudget {
    /// Creates the budget of a motion that starts with this energy.
    pub fn new(energy: &Energy) -> EnergyBudget {
        EnergyBudget {
            target: energy.total(),
            total: energy.total(),
            scale: energy.kinetic_plus_strain(),
        }
    }

    /// Returns the budget after a step with this sum of external work and damping and this final energy.
    pub fn after(self, booked: f64, energy: &Energy) -> EnergyBudget {
        let target = self.target + booked;
        let error = energy.total() - target;
        EnergyBudget {
            target,
            total: energy.total(),
            scale: (self.scale + booked.min(0.0)).max(energy.kinetic_plus_strain() - error),
        }
    }

    /// Returns the budget after an external change of the state to this energy, which counts as added.
    pub fn after_disturbance(self, energy: &Energy) -> EnergyBudget {
        self.after(energy.total() - self.total, energy)
    }
}

/// Energy error of blends between the result of a method (α = 0) and another result (α = 1).
pub struct EnergyError {
    /// Budget before the step.
    pub budget: EnergyBudget,
    /// External work plus damping at α = 0 and at α = 1, J.
    pub booked: [f64; 2],
    /// Tolerance relative to the scale of the budget.
    pub tolerance: f64,
}

impl EnergyError {
    /// Returns the error of a state with this energy at the blend factor α, and the energy scale to compare it with, J.
    pub fn of(&self, energy: &Energy, alpha: f64) -> (f64, f64) {
        let [w0, w1] = self.booked;
        let e = energy.total() - (self.budget.target + (1.0 - alpha) * w0 + alpha * w1);
        // A state without a defined energy counts as infinitely wrong.
        let e = if e.is_nan() { f64::INFINITY } else { e };
        (e, self.budget.scale.max(energy.kinetic_plus_strain() - e))
    }

    /// Returns `true` if the error is within the tolerance.
    pub fn within_tolerance(&self, (e, scale): (f64, f64)) -> bool {
        e.is_finite() && e.abs() <= self.tolerance * scale
    }
}
