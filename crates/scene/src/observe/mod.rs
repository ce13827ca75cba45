//! Observers: what sees the start of a session and every step of it.

mod checkpoints;
mod curves;
mod film;
mod frames;
mod motion;
mod tables;

pub use checkpoints::Checkpoints;
pub use curves::Curves;
pub use film::{Film, FilmRecorder};
pub use frames::{FrameClock, FrameWriter};
pub use motion::MotionRecorder;
pub use tables::Tables;

use std::any::Any;
use std::io;

use serde::{Deserialize, Serialize};

use crate::session::Session;

/// Where the files of an observer end, so that a resumed run can continue them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FilePositions {
    /// Frames written.
    pub frames: u64,
    /// Bytes of `steps.csv`, `ledger.csv`, `probes.csv` and `control.csv`.
    pub bytes: [u64; 4],
}

/// Sees the start of a session and every step of it, after the observers that were added before it.
pub trait Observer: Any + Send {
    /// Sees the session when it is added to it.
    fn begin(&mut self, session: &mut Session) -> io::Result<()>;

    /// Sees a step; [`Session::row`] describes it.
    fn step(&mut self, session: &mut Session) -> io::Result<()>;

    /// Writes out what is buffered and notes where its files end.
    fn flush(&mut self, _positions: &mut FilePositions) -> io::Result<()> {
        Ok(())
    }

    /// Completes its files after the last step.
    fn finish(&mut self, _session: &mut Session) -> io::Result<()> {
        Ok(())
    }
}

/// A function that is called after every step.
impl<F: FnMut(&mut Session) -> io::Result<()> + Send + 'static> Observer for F {
    fn begin(&mut self, _session: &mut Session) -> io::Result<()> {
        Ok(())
    }

    fn step(&mut self, session: &mut Session) -> io::Result<()> {
        self(session)
    }
}
