//! Tables, frames and report of a session that somebody else steps, such as the page.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use super::{Report, Status, write_obstacles};
use crate::observe::{FilePositions, FrameWriter, Tables};
use crate::session::Session;

/// Writer of the results of a session while it is stepped. Its memory does not grow with the number of steps.
#[derive(Debug)]
pub struct ResultsWriter {
    out: PathBuf,
    started: Instant,
}

impl ResultsWriter {
    /// Opens tables and frames in a folder and observes the session from now on.
    pub fn open(session: &mut Session, out: &Path) -> io::Result<ResultsWriter> {
        meshio::record::create_folder(out)?;
        write_obstacles(session, out)?;
        let positions = FilePositions::default();
        let tables = Tables::open(out, session, &positions)?;
        let frames = FrameWriter::new(session, out, positions.frames)?;
        session.observe(Box::new(tables))?;
        session.observe(Box::new(frames))?;
        Ok(ResultsWriter {
            out: out.to_path_buf(),
            started: Instant::now(),
        })
    }

    /// Completes all files and writes `report.json`.
    pub fn close(self, session: &mut Session, status: Status) -> io::Result<Report> {
        session.finish_observers()?;
        session.take_observer::<Tables>();
        let frames = session.take_observer::<FrameWriter>();
        let mut report = Report::new(session, frames.map_or(0, |f| f.count()), status);
        report.wall_seconds = self.started.elapsed().as_secs_f64();
        report.write(&self.out)?;
        Ok(report)
    }
}
