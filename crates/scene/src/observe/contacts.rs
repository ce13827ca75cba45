//! Writes `contacts.csv`: forces, areas, gaps, impulses and sliding speeds of touching pairs, a row for each frame and pair.
//!
//! Between the ends of a step forces and areas are linear in time: the interpolated positions of a frame are not kept apart
//! by the barrier, so the forces there would mean nothing.

use std::io;
use std::path::Path;

use solid::potential::contact::PairContact;

use super::csv::CsvWriter;
use super::{FilePositions, FrameClock};
use crate::session::{Session, touching};

/// Columns of `contacts.csv`.
const COLUMNS: &str = "t,a,b,normal_force,friction_force,area,gap,impulse,slip";

/// `contacts.csv` and the schedule of its rows.
pub(super) struct ContactTable {
    table: CsvWriter,
    clock: FrameClock,
}

/// Forces, area, gap and sliding speed of a pair at a frame, and the impulse from the frame to the end of the step.
struct FrameContact {
    force: f64,
    friction: f64,
    slip: f64,
    area: f64,
    gap: f64,
    rest: f64,
}

impl ContactTable {
    /// Opens the table, truncated to its length at a checkpoint.
    pub fn open(out: &Path, session: &Session, positions: &FilePositions) -> io::Result<Self> {
        let kept = positions.bytes[5];
        Ok(ContactTable {
            table: CsvWriter::open(out.join("contacts.csv"), COLUMNS, kept)?,
            clock: FrameClock::new(session, positions.frames),
        })
    }

    /// Writes the rows of all frames up to the session's time.
    pub fn write_frames(&mut self, session: &mut Session) -> io::Result<()> {
        while let Some(t) = self.clock.due(session) {
            self.write_frame(session, t)?;
            self.clock.advance();
        }
        Ok(())
    }

    fn write_frame(&mut self, session: &mut Session, t: f64) -> io::Result<()> {
        let [before, now] = session.contacts();
        let mut pairs = touching(before, now);
        pairs.extend(session.totals().contact.pairs_since_frame());
        pairs.sort_unstable();
        pairs.dedup();
        let reach = session
            .contact
            .as_ref()
            .map_or(f64::NAN, |c| c.settings().barrier.reach());
        let (from, h) = (session.previous().t, session.t() - session.previous().t);
        for groups in pairs {
            let [before, now] = session.contacts().map(|list| pair_of(list, groups));
            let at = interpolate(before, now, [t - from, h], reach);
            let impulse = session.contact_totals_mut().take_impulse(groups, at.rest);
            if at.force == 0.0 && impulse == 0.0 {
                continue;
            }
            let Some(setup) = &session.contact else {
                continue;
            };
            self.table.number(t);
            groups.iter().for_each(|g| self.table.word(setup.name(*g)));
            for x in [at.force, at.friction, at.area, at.gap, impulse, at.slip] {
                self.table.number(x);
            }
            self.table.end()?;
        }
        Ok(())
    }

    /// Flushes the file and returns its length.
    pub fn flush(&mut self) -> io::Result<u64> {
        self.table.flush()
    }
}

fn pair_of(list: &[PairContact], groups: [u32; 2]) -> Option<&PairContact> {
    list.iter().find(|p| p.groups == groups)
}

/// Interpolates between the ends of a step of length h, a time s after its start. The gap of a pair that touches at one end
/// only is the one there; that of a pair that touches at neither is the reach, its lower bound.
fn interpolate(
    before: Option<&PairContact>,
    now: Option<&PairContact>,
    [s, h]: [f64; 2],
    reach: f64,
) -> FrameContact {
    let share = if h > 0.0 {
        (s / h).clamp(0.0, 1.0)
    } else {
        1.0
    };
    let linear = |value: fn(&PairContact) -> f64| {
        let [a, b] = [before, now].map(|p| p.map_or(0.0, value));
        // Exact at both ends.
        [a, b, if share == 1.0 { b } else { a + share * (b - a) }]
    };
    let [_, last, force] = linear(|p| p.normal_force);
    let gap = match (before, now) {
        (_, Some(now)) if share == 1.0 => now.gap,
        (Some(before), Some(now)) => before.gap + share * (now.gap - before.gap),
        (Some(one), None) | (None, Some(one)) => one.gap,
        (None, None) => reach,
    };
    FrameContact {
        force,
        friction: linear(|p| p.friction_force)[2],
        slip: linear(|p| p.slip)[2],
        area: linear(|p| p.area)[2],
        gap,
        rest: 0.5 * (1.0 - share) * h * (force + last),
    }
}
