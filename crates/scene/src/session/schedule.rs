//! The schedule of a scene: its events and the grabs, moves and releases of its handles, each at the end of a step.

use serde::{Deserialize, Serialize};

use super::{HandleId, InteractionError, Session};
use crate::spec::Scene;

/// An action of the schedule. Actions at the same time happen in the order of these variants, then of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Action {
    /// An event by its number.
    Event(usize),
    /// A handle is released.
    Release(usize),
    /// A handle is attached at its first sample.
    Grab(usize),
    /// A handle is moved to a later sample.
    Move(usize, usize),
}

/// All actions of a scene in the order of time, and how far they have been carried out.
#[derive(Clone, Debug, Default)]
pub(super) struct Schedule {
    actions: Vec<(f64, Action)>,
    progress: Progress,
}

/// How far a schedule has been carried out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Progress {
    /// Number of actions that have been carried out.
    done: usize,
    /// Id of each handle of the scene while it is attached.
    held: Vec<Option<u64>>,
}

impl Schedule {
    /// Returns the schedule of a scene.
    pub fn of(scene: &Scene) -> Schedule {
        let events = scene.event.iter().enumerate();
        let mut actions: Vec<(f64, Action)> =
            events.map(|(i, e)| (e.t, Action::Event(i))).collect();
        for (i, handle) in scene.handle.iter().enumerate() {
            let moves = handle.motion.samples.iter().enumerate();
            actions.extend(moves.map(|(k, sample)| match k {
                0 => (sample[0], Action::Grab(i)),
                _ => (sample[0], Action::Move(i, k)),
            }));
            actions.extend(handle.release.map(|t| (t, Action::Release(i))));
        }
        actions.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        Schedule {
            actions,
            progress: Progress {
                done: 0,
                held: vec![None; scene.handle.len()],
            },
        }
    }

    /// Returns the time of the next action, s; infinity if there is none.
    pub fn next_time(&self) -> f64 {
        let next = self.actions.get(self.progress.done);
        next.map_or(f64::INFINITY, |action| action.0)
    }

    /// Returns how far it has been carried out.
    pub fn progress(&self) -> &Progress {
        &self.progress
    }

    /// Restores what [`Schedule::progress`] returned. Returns `false` if it belongs to another schedule.
    pub fn restore(&mut self, progress: &Progress) -> bool {
        let fits =
            progress.done <= self.actions.len() && progress.held.len() == self.progress.held.len();
        if fits {
            self.progress = progress.clone();
        }
        fits
    }
}

impl Session {
    /// Carries out all actions up to a time.
    pub(super) fn act_until(&mut self, t: f64) -> Result<(), InteractionError> {
        while self.schedule.next_time() <= t {
            let (_, action) = self.schedule.actions[self.schedule.progress.done];
            self.act(action)?;
            self.schedule.progress.done += 1;
        }
        Ok(())
    }

    fn act(&mut self, action: Action) -> Result<(), InteractionError> {
        let sample = |session: &Session, i: usize, k: usize| {
            let [_, x, y, z] = session.scene.handle[i].motion.samples[k];
            [x, y, z]
        };
        match action {
            Action::Event(i) => {
                let event = self.scene.event[i].clone();
                // An event without changes only ends a step.
                match event.set.is_empty() {
                    true => Ok(()),
                    false => self.apply(&event),
                }
            }
            Action::Grab(i) => {
                let (target, handle) = (sample(self, i, 0), &self.scene.handle[i]);
                let (node, stiffness) = (handle.node as usize, handle.stiffness);
                let id = self.grab_at(node, stiffness, target)?;
                self.schedule.progress.held[i] = Some(id.0);
                Ok(())
            }
            Action::Move(i, k) => match self.schedule.progress.held[i] {
                Some(id) => self.move_handle(HandleId(id), sample(self, i, k)),
                None => Ok(()),
            },
            Action::Release(i) => match self.schedule.progress.held[i].take() {
                Some(id) => self.release(HandleId(id)),
                None => Ok(()),
            },
        }
    }
}
