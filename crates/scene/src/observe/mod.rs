//! Observers: tables, frames, checkpoints and recordings that are called after every step of a session.

mod checkpoints;
mod contacts;
mod csv;
mod curves;
mod film;
mod fracture;
mod frames;
mod motion;
mod tables;

pub use checkpoints::Checkpoints;
pub use curves::Curves;
pub use film::{Film, FilmRecorder};
pub(crate) use fracture::bonded_bodies;
pub use frames::{FrameClock, FrameWriter};
pub use motion::MotionRecorder;
pub use tables::Tables;

use std::any::Any;
use std::io;

use serde::{Deserialize, Serialize};

use crate::session::Session;

/// Lengths of the output files at a checkpoint; a resumed run continues them from there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FilePositions {
    /// Number of frames written.
    pub frames: u64,
    /// Lengths in bytes of `steps.csv`, `ledger.csv`, `probes.csv`, `control.csv`, `reactions.csv`, `contacts.csv`,
    /// `fragments.csv` and `modes.csv`.
    pub bytes: [u64; 8],
}

/// An object that a session calls at its start and after every step, in the order in which observers were added.
pub trait Observer: Any + Send {
    /// Called when the observer is added to a session.
    fn begin(&mut self, session: &mut Session) -> io::Result<()>;

    /// Called after every step; [`Session::row`] describes it.
    fn step(&mut self, session: &mut Session) -> io::Result<()>;

    /// Flushes buffered output and stores the lengths of its files.
    fn flush(&mut self, _positions: &mut FilePositions) -> io::Result<()> {
        Ok(())
    }

    /// Called after the last step, to complete files.
    fn finish(&mut self, _session: &mut Session) -> io::Result<()> {
        Ok(())
    }
}

/// A function or closure that is called after every step.
impl<F: FnMut(&mut Session) -> io::Result<()> + Send + 'static> Observer for F {
    fn begin(&mut self, _session: &mut Session) -> io::Result<()> {
        Ok(())
    }

    fn step(&mut self, session: &mut Session) -> io::Result<()> {
        self(session)
    }
}
