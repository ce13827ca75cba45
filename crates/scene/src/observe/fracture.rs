//! Writes `fragments.csv`: mass, momentum and energy of each fragment, a row for each frame and fragment.

use std::io;
use std::path::Path;

use march::State;
use solid::model::Fragment;

use super::csv::CsvWriter;
use super::{FilePositions, FrameClock};
use crate::session::Session;

/// Columns of `fragments.csv`.
const COLUMNS: &str = "t,body,fragment,particles,mass,x,y,z,px,py,pz,kinetic,elastic";

/// Values after the last step and before it. Bonds break at the end of a step, so a frame within a step shows what was broken
/// at its start.
#[derive(Default)]
pub(super) struct BrokenAtCommits<T> {
    now: Vec<T>,
    before: Vec<T>,
}

impl<T> BrokenAtCommits<T> {
    /// Takes the values after a step, which `measure` writes.
    pub fn update(&mut self, measure: impl FnOnce(&mut Vec<T>)) {
        std::mem::swap(&mut self.now, &mut self.before);
        measure(&mut self.now);
    }

    /// Returns the values at a time up to that of the session.
    pub fn at(&self, t: f64, session: &Session) -> &[T] {
        match t < session.t() {
            true => &self.before,
            false => &self.now,
        }
    }
}

/// `fragments.csv` and the schedule of its rows.
pub(super) struct FragmentTable {
    table: CsvWriter,
    clock: FrameClock,
    labels: BrokenAtCommits<u32>,
    state: State,
    fragments: Vec<Fragment>,
}

impl FragmentTable {
    /// Opens the table, truncated to its length at a checkpoint.
    pub fn open(out: &Path, session: &Session, positions: &FilePositions) -> io::Result<Self> {
        let kept = positions.bytes[6];
        Ok(FragmentTable {
            table: CsvWriter::open(out.join("fragments.csv"), COLUMNS, kept)?,
            clock: FrameClock::new(session, positions.frames),
            labels: BrokenAtCommits::default(),
            state: State::default(),
            fragments: Vec::new(),
        })
    }

    /// Takes the fragments after a step, or at the start of a run, new or resumed.
    pub fn update(&mut self, session: &Session) {
        self.labels.update(|out| session.model.label_fragments(out));
    }

    /// Writes the rows of all frames up to the session's time.
    pub fn write_frames(&mut self, session: &mut Session) -> io::Result<()> {
        while self.clock.next(session, &mut self.state) {
            let State { t, u, v } = &self.state;
            let labels = self.labels.at(*t, session);
            session
                .model
                .fragments([u, v], *t, labels, &mut self.fragments);
            let names = bonded_bodies(session);
            for f in &self.fragments {
                self.table.number(*t);
                self.table.word(&names[f.body]);
                self.table.count(f.number.into());
                self.table.count(f.particles.into());
                let vectors = f.centre.into_iter().chain(f.momentum);
                let numbers = std::iter::once(f.mass).chain(vectors);
                let numbers = numbers.chain([f.kinetic, f.elastic]);
                numbers.for_each(|x| self.table.number(x));
                self.table.end()?;
            }
            self.clock.advance();
        }
        Ok(())
    }

    /// Flushes the file and returns its length.
    pub fn flush(&mut self) -> io::Result<u64> {
        self.table.flush()
    }
}

/// Returns the names of the bodies with bonds, in their order.
pub(crate) fn bonded_bodies(session: &Session) -> Vec<String> {
    let bodies = session.scene.body.iter().enumerate();
    let bonded = bodies.filter(|(_, body)| body.bonds.is_some());
    bonded.map(|(i, body)| body.name_or_number(i)).collect()
}
