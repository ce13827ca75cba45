//! Snapshots: everything that the rest of a session depends on, kept in memory or in a checkpoint.

use march::{State, TimeLoopState};
use serde::{Deserialize, Serialize};

use super::{Row, Session, Totals};

/// A session as it stood after a step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    time: TimeLoopState,
    totals: Totals,
    row: Row,
    /// Name of the method if it was no longer the scene's own.
    method: Option<String>,
}

/// Why a snapshot cannot be restored.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the snapshot belongs to another scene, method or step control: {why}")]
pub struct RestoreError {
    why: String,
}

impl Snapshot {
    /// Displacements and velocities of the unknowns.
    pub fn state(&self) -> &State {
        &self.time.state
    }

    /// Whether the next step begins with factors of an earlier one.
    pub fn has_cached_factors(&self) -> bool {
        !self.time.solver.carried.is_empty()
    }
}

impl Session {
    /// Keeps everything that the rest of the session depends on.
    pub fn save(&self) -> Snapshot {
        Snapshot {
            time: self.time.save(&self.model),
            totals: self.totals.clone(),
            row: self.row,
            method: self.replaced_method.clone(),
        }
    }

    /// Goes back to a snapshot: the steps from here on repeat, to the bit, what followed it.
    pub fn restore(&mut self, saved: &Snapshot) -> Result<(), RestoreError> {
        let why = |why: &dyn std::fmt::Display| RestoreError {
            why: why.to_string(),
        };
        if saved.method != self.replaced_method {
            match &saved.method {
                Some(name) => self.set_method(name),
                None => self.restore_scene_method(),
            }
            .map_err(|e| why(&e))?;
        }
        self.time
            .restore(&mut self.model, &saved.time)
            .map_err(|e| why(&e))?;
        self.totals = saved.totals.clone();
        self.row = saved.row;
        Ok(())
    }
}
