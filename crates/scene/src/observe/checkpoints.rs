//! Observer that writes checkpoints during a run and at its end.

use std::io;
use std::path::PathBuf;

use super::{FilePositions, Observer};
use crate::checkpoint::{Checkpoint, scene_fingerprint};
use crate::session::Session;

/// Observer that writes checkpoints of a session. It stores the lengths of the files of other observers and must be added
/// after them.
pub struct Checkpoints {
    path: PathBuf,
    /// Simulated time between two checkpoints, s; `None` writes one at the end only.
    every: Option<f64>,
    /// Time of the next checkpoint, s.
    next: f64,
}

impl Checkpoints {
    /// Creates an observer that writes to one file, replaced atomically by each checkpoint.
    pub fn new(path: PathBuf, every: Option<f64>) -> Checkpoints {
        Checkpoints {
            path,
            every,
            next: f64::INFINITY,
        }
    }

    /// Schedules the next checkpoint at the first multiple of the interval after the current time.
    fn schedule(&mut self, session: &Session) {
        if let Some(every) = self.every {
            self.next = ((session.t() / every + 1e-9).floor() + 1.0) * every;
        }
    }

    fn write(&self, session: &mut Session) -> io::Result<()> {
        let mut files = FilePositions::default();
        session.flush_observers(&mut files)?;
        Checkpoint {
            scene: scene_fingerprint(&session.scene),
            session: session.save(),
            files,
        }
        .write(&self.path)
    }
}

impl Observer for Checkpoints {
    fn begin(&mut self, session: &mut Session) -> io::Result<()> {
        self.schedule(session);
        Ok(())
    }

    fn step(&mut self, session: &mut Session) -> io::Result<()> {
        if session.t() >= self.next {
            self.write(session)?;
            self.schedule(session);
        }
        Ok(())
    }

    fn finish(&mut self, session: &mut Session) -> io::Result<()> {
        self.write(session)
    }
}
