//! Saving and restoring of everything that the next step depends on.

use serde::{Deserialize, Serialize};

use super::TimeLoop;
use crate::control::ControlMemory;
use crate::ledger::Energy;
use crate::stage::SolverMemory;
use crate::{MethodMemory, State, System};

/// Saved state of a time loop: everything that the next step depends on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TimeLoopState {
    /// Current state.
    pub state: State,
    /// State at the start of the last step.
    pub previous: State,
    /// History of the method.
    pub method: MethodMemory,
    /// Memory of the controller.
    pub control: ControlMemory,
    /// Memory of the solver.
    pub solver: SolverMemory,
    /// Internal variables of the system.
    pub system: Vec<u8>,
    /// Energy of the current state, if a ledger is kept.
    pub energy: Option<Energy>,
    /// External work since the last step, J.
    pub external_work: f64,
}

/// Error of a saved state that does not fit this time loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the {part} does not fit")]
pub struct StateMismatch {
    /// Part that does not fit.
    pub part: &'static str,
}

impl TimeLoop<'_> {
    /// Returns everything that the next step depends on.
    pub fn save(&self, system: &dyn System) -> TimeLoopState {
        let mut internal = Vec::new();
        system.save(&mut internal);
        TimeLoopState {
            state: self.state.clone(),
            previous: self.previous.clone(),
            method: self.stepper.memory(),
            control: self.controller.memory(),
            solver: self.solver.save(),
            system: internal,
            energy: self.energy,
            external_work: self.external_work,
        }
    }

    /// Restores what [`TimeLoop::save`] returned; the following steps repeat the original ones to the bit. After an
    /// error the loop must not be used.
    pub fn restore(
        &mut self,
        system: &mut dyn System,
        saved: &TimeLoopState,
    ) -> Result<(), StateMismatch> {
        let n = system.dofs();
        let fits = |s: &State| s.u.len() == n && s.v.len() == n;
        let checked = |fits: bool, part: &'static str| match fits {
            true => Ok(()),
            false => Err(StateMismatch { part }),
        };
        checked(fits(&saved.state) && fits(&saved.previous), "state")?;
        checked(saved.method.fits(n), "history of the method")?;
        checked(system.load(&saved.system), "history of the system")?;
        checked(self.stepper.restore(&saved.method), "history of the method")?;
        checked(
            self.controller.restore(&saved.control),
            "memory of the step control",
        )?;
        checked(self.solver.load(system, &saved.solver), "kept matrix")?;
        self.state.copy_from(&saved.state);
        self.previous.copy_from(&saved.previous);
        (self.energy, self.external_work) = (saved.energy, saved.external_work);
        self.start(system);
        Ok(())
    }
}
