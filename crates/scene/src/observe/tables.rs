//! Writes `steps.csv`, `ledger.csv`, `probes.csv`, `control.csv`, `reactions.csv`, `contacts.csv`, `fragments.csv` and
//! `modes.csv`.

use std::io;
use std::path::Path;

use march::Decision;
use march::control::MeasuredError;
use march::ledger::{CHANNELS, channel_names};

use super::contacts::ContactTable;
use super::csv::CsvWriter;
use super::fracture::FragmentTable;
use super::{FilePositions, Observer};
use crate::session::{Row, Session};

/// Columns of `steps.csv` of every run.
const STEP_COLUMNS: &str = "t,h,kinetic,elastic,gravity,contact,total,px,py,pz,lx,ly,lz,newton,factorizations,solves,rejected,blend";

/// Columns that `steps.csv` has in addition in statics.
const LOAD_STEP_COLUMNS: &str = ",load,residual,negative_pivots,displacement";

/// Returns the columns of `steps.csv` of a session.
pub(super) fn step_columns(session: &Session) -> String {
    match session.method.is_static() {
        true => format!("{STEP_COLUMNS}{LOAD_STEP_COLUMNS}"),
        false => STEP_COLUMNS.into(),
    }
}

/// Returns the columns of `ledger.csv`: the time and all ledger channels.
pub(super) fn ledger_columns() -> String {
    format!("t,{}", channel_names())
}

/// Columns of `control.csv`, which has a row for each attempt.
const CONTROL_COLUMNS: &str = "t,h,error,estimate,accepted,reason,other_error,other_estimate";

/// Columns of `steps.csv` that are integer counts.
const COUNT_COLUMNS: std::ops::Range<usize> = 13..17;

/// Returns a row of `steps.csv`.
pub(super) fn step_numbers(row: &Row) -> impl Iterator<Item = f64> {
    let load_step = row.load_step.map(|s| {
        let pivots = s.negative_pivots.map_or(f64::NAN, |n| n as f64);
        [s.load, s.residual, pivots, s.displacement]
    });
    motion_numbers(row)
        .into_iter()
        .chain(load_step.into_iter().flatten())
}

/// Returns the columns of `steps.csv` of every run.
fn motion_numbers(row: &Row) -> [f64; 18] {
    let (e, m, w) = (&row.energies, &row.momentum, &row.work);
    let counts = [w.newton, w.factorizations, w.solves, row.rejected].map(|n| n as f64);
    let ([px, py, pz], [lx, ly, lz]) = (m.linear, m.angular);
    let [newton, factorizations, solves, rejected] = counts;
    [
        row.t,
        row.h,
        e.kinetic,
        e.strain,
        e.gravitational,
        e.contact,
        e.total(),
        px,
        py,
        pz,
        lx,
        ly,
        lz,
        newton,
        factorizations,
        solves,
        rejected,
        row.blend,
    ]
}

/// Returns a row of `ledger.csv`.
pub(super) fn ledger_numbers(row: &Row) -> [f64; CHANNELS.len() + 1] {
    let mut numbers = [row.t; CHANNELS.len() + 1];
    numbers[1..].copy_from_slice(&row.entry.as_array());
    numbers
}

/// Observer that writes `steps.csv`, `ledger.csv`, and, if the scene has probes, step control, supports, contact, bonds or
/// modes, `probes.csv`, `control.csv`, `reactions.csv`, `contacts.csv`, `fragments.csv` and `modes.csv`.
pub struct Tables {
    steps: CsvWriter,
    ledger: CsvWriter,
    probes: Option<CsvWriter>,
    /// `control.csv`, if the scene has `[time.control]`.
    control: Option<CsvWriter>,
    /// `reactions.csv`, if the scene has a fix or a tether.
    reactions: Option<CsvWriter>,
    /// `contacts.csv`, if the scene has `[contact]`.
    contacts: Option<ContactTable>,
    /// `fragments.csv`, if a body has bonds.
    fragments: Option<FragmentTable>,
    /// `modes.csv`, if the scene has `output.modes`.
    modes: Option<CsvWriter>,
    /// Nodes that probes follow.
    nodes: Vec<u32>,
    /// Whether the initial state has to be written.
    fresh: bool,
}

impl Tables {
    /// Opens the tables of a session in a folder and truncates them to the given lengths.
    pub fn open(out: &Path, session: &Session, positions: &FilePositions) -> io::Result<Tables> {
        let [steps, ledger, probes, control, reactions, ..] = positions.bytes;
        let columns = session
            .probes
            .iter()
            .flat_map(|(name, _)| ["x", "y", "z"].map(|k| format!(",{name}.{k}")));
        let header = format!("t{}", columns.collect::<String>());
        Ok(Tables {
            steps: CsvWriter::open(out.join("steps.csv"), &step_columns(session), steps)?,
            ledger: CsvWriter::open(out.join("ledger.csv"), &ledger_columns(), ledger)?,
            probes: match session.probes.is_empty() {
                true => None,
                false => Some(CsvWriter::open(out.join("probes.csv"), &header, probes)?),
            },
            control: match &session.scene.time.control {
                Some(_) => Some(CsvWriter::open(
                    out.join("control.csv"),
                    CONTROL_COLUMNS,
                    control,
                )?),
                None => None,
            },
            reactions: match session.scene.output.reactions && !session.supports.is_empty() {
                true => Some(CsvWriter::open(
                    out.join("reactions.csv"),
                    &reaction_columns(session),
                    reactions,
                )?),
                false => None,
            },
            contacts: match &session.contact {
                Some(_) => Some(ContactTable::open(out, session, positions)?),
                None => None,
            },
            fragments: match session.model.bonds().next() {
                Some(_) => Some(FragmentTable::open(out, session, positions)?),
                None => None,
            },
            modes: match session.modes.is_empty() {
                true => None,
                false => Some(CsvWriter::open(
                    out.join("modes.csv"),
                    &mode_columns(session.modes.len()),
                    positions.bytes[7],
                )?),
            },
            nodes: Vec::new(),
            fresh: steps == 0,
        })
    }

    fn write_state(&mut self, session: &mut Session) -> io::Result<()> {
        for (k, x) in step_numbers(session.row()).enumerate() {
            match COUNT_COLUMNS.contains(&k) {
                true => self.steps.count(x as u64),
                false => self.steps.number(x),
            }
        }
        self.steps.end()?;
        if let Some(table) = &mut self.reactions {
            table.number(session.t());
            match session.reaction_sums() {
                Ok(sums) => {
                    let numbers = sums.iter().flat_map(|r| [r.force, r.moment]).flatten();
                    numbers.for_each(|x| table.number(x));
                }
                // A state that has blown up has no acceleration; the next step reports it.
                Err(_) => (0..6 * session.supports.len()).for_each(|_| table.number(f64::NAN)),
            }
            table.end()?;
        }
        if let Some(table) = &mut self.modes {
            mode_numbers(session).for_each(|x| table.number(x));
            table.end()?;
        }
        let Some(table) = &mut self.probes else {
            return Ok(());
        };
        self.nodes.clear();
        self.nodes.extend(session.probes.iter().map(|(_, i)| *i));
        let (model, march::State { t, u, v }) = session.model_and_state();
        model.expand(*t, u, v);
        table.number(*t);
        for &i in &self.nodes {
            let position = model.position(i as usize);
            position.iter().for_each(|x| table.number(*x));
        }
        table.end()
    }
}

/// Returns the columns of `modes.csv`: the time and the energy of each mode, J.
pub(super) fn mode_columns(count: usize) -> String {
    let columns = (1..=count).map(|k| format!(",e{k}"));
    format!("t{}", columns.collect::<String>())
}

/// Returns the numbers of a row of `modes.csv`.
pub(super) fn mode_numbers(session: &Session) -> impl Iterator<Item = f64> {
    let energies = session.modes.iter().map(|m| m.energy(session.state()));
    std::iter::once(session.t()).chain(energies)
}

/// Returns the columns of `reactions.csv`: force and moment about the origin of each support.
fn reaction_columns(session: &Session) -> String {
    let parts = ["fx", "fy", "fz", "mx", "my", "mz"];
    let columns = session
        .supports
        .iter()
        .flat_map(|name| parts.map(|part| format!(",{name}.{part}")));
    format!("t{}", columns.collect::<String>())
}

/// Writes an error and the name of its estimate.
fn write_measured(table: &mut CsvWriter, measured: Option<MeasuredError>) {
    match measured {
        Some(measured) => {
            table.number(measured.error);
            table.word(measured.estimate);
        }
        None => {
            table.word("");
            table.word("");
        }
    }
}

/// Writes the decisions of the controller.
fn write_decisions(table: &mut CsvWriter, decisions: &[Decision]) -> io::Result<()> {
    for d in decisions {
        table.number(d.t);
        table.number(d.h);
        let [ruling, other] = d.measured;
        write_measured(table, ruling);
        table.word(if d.accepted { "true" } else { "false" });
        table.word(d.reason);
        write_measured(table, other);
        table.end()?;
    }
    Ok(())
}

impl Observer for Tables {
    fn begin(&mut self, session: &mut Session) -> io::Result<()> {
        if let Some(table) = &mut self.fragments {
            table.update(session);
        }
        if !self.fresh {
            return Ok(());
        }
        self.write_state(session)?;
        if let Some(table) = &mut self.fragments {
            table.write_frames(session)?;
        }
        match &mut self.contacts {
            Some(table) => table.write_frames(session),
            None => Ok(()),
        }
    }

    fn step(&mut self, session: &mut Session) -> io::Result<()> {
        self.write_state(session)?;
        for x in ledger_numbers(session.row()) {
            self.ledger.number(x);
        }
        self.ledger.end()?;
        if let Some(table) = &mut self.contacts {
            table.write_frames(session)?;
        }
        if let Some(table) = &mut self.fragments {
            table.update(session);
            table.write_frames(session)?;
        }
        match &mut self.control {
            Some(table) => write_decisions(table, session.time_loop().decisions()),
            None => Ok(()),
        }
    }

    /// Writes the attempts of a failed last step.
    fn finish(&mut self, session: &mut Session) -> io::Result<()> {
        let last = session.time_loop().decisions();
        match &mut self.control {
            Some(table) if last.last().is_some_and(|d| !d.accepted) => write_decisions(table, last),
            _ => Ok(()),
        }
    }

    fn flush(&mut self, positions: &mut FilePositions) -> io::Result<()> {
        positions.bytes[0] = self.steps.flush()?;
        positions.bytes[1] = self.ledger.flush()?;
        if let Some(probes) = &mut self.probes {
            positions.bytes[2] = probes.flush()?;
        }
        if let Some(control) = &mut self.control {
            positions.bytes[3] = control.flush()?;
        }
        if let Some(reactions) = &mut self.reactions {
            positions.bytes[4] = reactions.flush()?;
        }
        if let Some(contacts) = &mut self.contacts {
            positions.bytes[5] = contacts.flush()?;
        }
        if let Some(fragments) = &mut self.fragments {
            positions.bytes[6] = fragments.flush()?;
        }
        if let Some(modes) = &mut self.modes {
            positions.bytes[7] = modes.flush()?;
        }
        Ok(())
    }
}
