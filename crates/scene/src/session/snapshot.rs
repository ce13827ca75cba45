//! Snapshots: the complete state of a session, kept in memory or written to a checkpoint.

use march::{State, TimeLoopState};
use serde::{Deserialize, Serialize};

use super::schedule::Progress;
use super::{Row, Session, Totals};
use crate::spec::Event;

/// Complete state of a session after a step: later steps depend on nothing else.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    time: TimeLoopState,
    totals: Totals,
    row: Row,
    /// Name of the method if it was changed from that of the scene.
    method: Option<String>,
    /// Events that were applied, as JSON; empty if there were none.
    changes: String,
    schedule: Progress,
}

/// Error while a snapshot is restored.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the snapshot belongs to another scene, method or step control: {why}")]
pub struct RestoreError {
    why: String,
}

impl Snapshot {
    /// Returns time, displacements and velocities of the unknowns.
    pub fn state(&self) -> &State {
        &self.time.state
    }

    /// Returns whether the next step starts with factors of an earlier step.
    pub fn has_cached_factors(&self) -> bool {
        !self.time.solver.factors.is_empty()
    }
}

impl Session {
    /// Returns a snapshot of the session.
    pub fn save(&self) -> Snapshot {
        Snapshot {
            time: self.time.save(&self.model),
            totals: self.totals.clone(),
            row: self.row,
            method: self.replaced_method.clone(),
            changes: match self.changes.is_empty() {
                true => String::new(),
                false => serde_json::to_string(&self.changes).unwrap_or_default(),
            },
            schedule: self.schedule.progress().clone(),
        }
    }

    /// Restores a snapshot: later steps repeat those that followed it, bit for bit.
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
        let changes: Vec<Event> = match saved.changes.as_str() {
            "" => Vec::new(),
            text => serde_json::from_str(text).map_err(|e| why(&e))?,
        };
        self.replace_changes(changes).map_err(|e| why(&e))?;
        if !self.schedule.restore(&saved.schedule) {
            return Err(why(&"its events and handles differ"));
        }
        self.time
            .restore(&mut self.model, &saved.time)
            .map_err(|e| why(&e))?;
        if let Some(setup) = &mut self.contact {
            let waiting = self.model.emitted().iter().skip(self.model.appeared());
            setup.waiting = waiting.map(|b| b.group).collect();
        }
        self.totals = saved.totals.clone();
        self.row = saved.row;
        self.measure_contact();
        if let Some((_, counts)) = self.model.contact_counts() {
            self.contact_counts = counts;
        }
        Ok(())
    }
}
