//! Observer that keeps the numbers of `steps.csv`, `ledger.csv` and `modes.csv` in memory for report pages.

use std::io;
use std::path::Path;

use super::Observer;
use super::tables::{
    ledger_columns, ledger_numbers, mode_columns, mode_numbers, step_columns, step_numbers,
};
use crate::session::Session;
use crate::table::Table;

/// Observer that keeps energies, momenta, counts, ledger and modal energies of every step in memory.
#[derive(Clone, Debug)]
pub struct Curves {
    /// Columns of `steps.csv`.
    pub steps: Table,
    /// Columns of `ledger.csv`.
    pub ledger: Table,
    /// Columns of `modes.csv`; empty if the scene has no `output.modes`.
    pub modes: Table,
}

impl Curves {
    /// Creates empty curves.
    pub fn new() -> Curves {
        Curves {
            steps: Table::default(),
            ledger: Table::new(&ledger_columns()),
            modes: Table::default(),
        }
    }

    fn push_step(&mut self, session: &Session) {
        self.steps
            .push(&step_numbers(session.row()).collect::<Vec<_>>());
        if !session.modes.is_empty() {
            self.modes.push(&mode_numbers(session).collect::<Vec<_>>());
        }
    }

    /// Reads the curves of a resumed run from its tables.
    pub fn resume(out: &Path) -> io::Result<Curves> {
        let table = |name: &str| Table::read(&out.join(name)).map_err(io::Error::other);
        Ok(Curves {
            steps: table("steps.csv")?,
            ledger: table("ledger.csv")?,
            modes: match out.join("modes.csv").exists() {
                true => table("modes.csv")?,
                false => Table::default(),
            },
        })
    }
}

impl Default for Curves {
    fn default() -> Self {
        Curves::new()
    }
}

impl Observer for Curves {
    fn begin(&mut self, session: &mut Session) -> io::Result<()> {
        if self.steps.is_empty() {
            self.steps = Table::new(&step_columns(session));
            self.modes = Table::new(&mode_columns(session.modes.len()));
            self.push_step(session);
        }
        Ok(())
    }

    fn step(&mut self, session: &mut Session) -> io::Result<()> {
        self.push_step(session);
        self.ledger.push(&ledger_numbers(session.row()));
        Ok(())
    }
}
