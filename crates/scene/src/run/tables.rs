//! `steps.csv`, `ledger.csv` and `probes.csv`.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use march::ledger::Entry;
use solid::model::{Energies, Momentum};

use super::counts::Counts;
use crate::build::Simulation;
use crate::record::RecordError;

const STEPS: &str = "t,h,kinetic,elastic,gravity,contact,total,px,py,pz,lx,ly,lz,newton,factorizations,solves,rejected,blend\n";

const LEDGER: &str = "t,change,damping,friction,contact,numerical,residual,work\n";

/// The tables of a run, open for appending.
pub struct Tables {
    steps: Table,
    ledger: Table,
    probes: Option<Table>,
}

struct Table {
    path: PathBuf,
    file: BufWriter<File>,
    line: String,
}

impl Table {
    /// Opens a table at its end, `kept` bytes in; a new one begins with its header.
    fn open(path: PathBuf, header: &str, kept: u64) -> io::Result<Table> {
        let fresh = kept == 0;
        let open = || -> io::Result<File> {
            if fresh {
                return File::create(&path);
            }
            let lacking = |what: String| {
                let what =
                    format!("{what}; a run is resumed into the folder it was stopped in (-o)");
                io::Error::new(io::ErrorKind::InvalidData, what)
            };
            let mut file =
                OpenOptions::new()
                    .write(true)
                    .open(&path)
                    .map_err(|e| match e.kind() {
                        io::ErrorKind::NotFound => {
                            lacking("the checkpoint needs it, and it is not there".into())
                        }
                        _ => e,
                    })?;
            let found = file.metadata()?.len();
            if found < kept {
                return Err(lacking(format!(
                    "it has {found} bytes, the checkpoint knows {kept}"
                )));
            }
            file.set_len(kept)?;
            file.seek(SeekFrom::End(0))?;
            Ok(file)
        };
        let file = open().map_err(RecordError::io("open", &path))?;
        let mut table = Table {
            file: BufWriter::with_capacity(1 << 16, file),
            path,
            line: String::with_capacity(512),
        };
        if fresh {
            table.line.push_str(header);
            table.end()?;
        }
        Ok(table)
    }

    fn number(&mut self, x: f64) {
        use std::fmt::Write;
        if !self.line.is_empty() {
            self.line.push(',');
        }
        // Shortest digits that read back to the same number.
        let _ = write!(self.line, "{x:?}");
    }

    fn count(&mut self, x: u64) {
        use std::fmt::Write;
        let _ = write!(self.line, ",{x}");
    }

    fn end(&mut self) -> io::Result<()> {
        if !self.line.ends_with('\n') {
            self.line.push('\n');
        }
        let written = self.file.write_all(self.line.as_bytes());
        self.line.clear();
        written.map_err(RecordError::io("write", &self.path))
    }

    /// Everything to the file; its length.
    fn flush(&mut self) -> io::Result<u64> {
        let mut flush = || -> io::Result<u64> {
            self.file.flush()?;
            self.file.get_mut().stream_position()
        };
        flush().map_err(RecordError::io("write", &self.path))
    }
}

impl Tables {
    /// Opens the tables of a run that has counted so far.
    pub fn open(out: &Path, sim: &Simulation, counts: &Counts) -> io::Result<Tables> {
        let steps = Table::open(out.join("steps.csv"), STEPS, counts.bytes[0])?;
        let ledger = Table::open(out.join("ledger.csv"), LEDGER, counts.bytes[1])?;
        let probes = if sim.probes.is_empty() {
            None
        } else {
            let columns = sim
                .probes
                .iter()
                .flat_map(|(name, _)| ["x", "y", "z"].map(|k| format!(",{name}.{k}")));
            let header = format!("t{}\n", columns.collect::<String>());
            Some(Table::open(
                out.join("probes.csv"),
                &header,
                counts.bytes[2],
            )?)
        };
        Ok(Tables {
            steps,
            ledger,
            probes,
        })
    }

    /// One row of each table.
    pub fn row(
        &mut self,
        sim: &mut Simulation,
        h: f64,
        energies: &Energies,
        momentum: &Momentum,
        counts: &Counts,
    ) -> io::Result<()> {
        let table = &mut self.steps;
        let e = energies;
        let numbers = [
            sim.state.t,
            h,
            e.kinetic,
            e.elastic,
            e.gravity,
            e.contact,
            e.total(),
        ];
        for x in numbers
            .iter()
            .chain(&momentum.linear)
            .chain(&momentum.angular)
        {
            table.number(*x);
        }
        let work = &counts.last;
        for x in [
            work.newton,
            work.factorizations,
            work.solves,
            counts.rejected_lately,
        ] {
            table.count(x);
        }
        table.number(sim.stepper.blend());
        table.end()?;
        let Some(table) = &mut self.probes else {
            return Ok(());
        };
        table.number(sim.state.t);
        let rest: Vec<[f64; 3]> = sim
            .probes
            .iter()
            .map(|(_, node)| sim.model.rest()[*node as usize])
            .collect();
        let (u, _) = sim.model.expand(sim.state.t, &sim.state.u, &sim.state.v);
        for ((_, node), rest) in sim.probes.iter().zip(rest) {
            (0..3).for_each(|k| table.number(rest[k] + u[*node as usize][k]));
        }
        table.end()
    }

    /// Where a step's energy went.
    pub fn entry(&mut self, t: f64, entry: &Entry) -> io::Result<()> {
        self.ledger.number(t);
        entry.as_array().iter().for_each(|x| self.ledger.number(*x));
        self.ledger.end()
    }

    /// Everything to the files, their lengths to the counts.
    pub fn flush(&mut self, counts: &mut Counts) -> io::Result<()> {
        counts.bytes[0] = self.steps.flush()?;
        counts.bytes[1] = self.ledger.flush()?;
        if let Some(probes) = &mut self.probes {
            counts.bytes[2] = probes.flush()?;
        }
        Ok(())
    }
}
