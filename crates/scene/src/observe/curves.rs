//! Observer that keeps the numbers of `steps.csv` and `ledger.csv` in memory for report pages.

use std::io;
use std::path::Path;

use super::Observer;
use super::tables::{ledger_columns, ledger_numbers, step_columns, step_numbers};
use crate::session::Session;
use crate::table::Table;

/// Observer that keeps energies, momenta, counts and ledger of every step in memory.
#[derive(Clone, Debug)]
pub struct Curves {
    /// Columns of `steps.csv`.
    pub steps: Table,
    /// Columns of `ledger.csv`.
    pub ledger: Table,
}

impl Curves {
    /// Creates empty curves.
    pub fn new() -> Curves {
        Curves {
            steps: Table::default(),
            ledger: Table::new(&ledger_columns()),
        }
    }

    fn push_step(&mut self, session: &Session) {
        self.steps
            .push(&step_numbers(session.row()).collect::<Vec<_>>());
    }

    /// Reads the curves of a resumed run from its tables.
    pub fn resume(out: &Path) -> io::Result<Curves> {
        let table = |name: &str| Table::read(&out.join(name)).map_err(io::Error::other);
        Ok(Curves {
            steps: table("steps.csv")?,
            ledger: table("ledger.csv")?,
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
