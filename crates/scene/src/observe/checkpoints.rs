//! Checkpoints on the way and at the end.

use std::io;
use std::path::PathBuf;

use super::{FilePositions, Observer};
use crate::checkpoint::{Checkpoint, scene_fingerprint};
use crate::session::Session;

/// Writes checkpoints of a session and of where the files of its other observers end. To be added after them.
pub struct Checkpoints {
    path: PathBuf,
    /// Simulated time between two checkpoints, s; at the end only if there is none.
    every: Option<f64>,
    /// Time of the next one, s.
    next: f64,
}

impl Checkpoints {
    /// Checkpoints into one file, which is whole at any time.
    pub fn new(path: PathBuf, every: Option<f64>) -> Checkpoints {
        Checkpoints {
            path,
            every,
            next: f64::INFINITY,
        }
    }

    /// Finds the first multiple of the interval after the session's time.
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
