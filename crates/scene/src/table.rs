//! Tables of numbers with named columns, read from `steps.csv` and `ledger.csv` or recorded in memory.

use std::path::{Path, PathBuf};

/// A table of numbers with named columns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    names: Vec<String>,
    columns: Vec<Vec<f64>>,
}

/// Error while a table is read.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// The file cannot be read.
    #[error("{}: the table cannot be read: {why}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Error of the operating system.
        why: std::io::Error,
    },
    /// A row has not as many numbers as the header has columns.
    #[error("{}:{line}: expected {wanted} numbers, found \"{found}\"; wait until the run that writes it has ended", path.display())]
    Row {
        /// The file.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
        /// Number of columns.
        wanted: usize,
        /// Text of the row.
        found: String,
    },
}

impl Table {
    /// Creates a table without rows; `header` has the names of the columns, separated by commas.
    pub fn new(header: &str) -> Table {
        let names: Vec<String> = header.split(',').map(str::to_string).collect();
        Table {
            columns: vec![Vec::new(); names.len()],
            names,
        }
    }

    /// Appends a row.
    pub fn push(&mut self, row: &[f64]) {
        debug_assert_eq!(row.len(), self.columns.len());
        self.columns
            .iter_mut()
            .zip(row)
            .for_each(|(c, x)| c.push(*x));
    }

    /// Returns whether the table has no rows.
    pub fn is_empty(&self) -> bool {
        self.columns.iter().all(Vec::is_empty)
    }

    /// Reads a CSV file: a header line, then lines of numbers.
    pub fn read(path: &Path) -> Result<Table, TableError> {
        let text = std::fs::read_to_string(path).map_err(|why| TableError::Read {
            path: path.to_path_buf(),
            why,
        })?;
        let mut lines = text.lines();
        let mut table = Table::new(lines.next().unwrap_or_default());
        let wanted = table.names.len();
        for (k, line) in lines.enumerate() {
            let row: Vec<f64> = line.split(',').filter_map(|x| x.parse().ok()).collect();
            if row.len() != wanted {
                return Err(TableError::Row {
                    path: path.to_path_buf(),
                    line: k + 2,
                    wanted,
                    found: line.into(),
                });
            }
            table.push(&row);
        }
        Ok(table)
    }

    /// Returns a column, or an empty slice if there is none of that name.
    pub fn column(&self, name: &str) -> &[f64] {
        let at = self.names.iter().position(|n| n == name);
        at.map_or(&[], |k| &self.columns[k])
    }

    /// Returns two columns as points (x, y).
    pub fn points(&self, x: &str, y: &str) -> Vec<(f64, f64)> {
        let (x, y) = (self.column(x), self.column(y));
        x.iter().copied().zip(y.iter().copied()).collect()
    }

    /// Returns the cumulative sum of a column over time `t`.
    pub fn cumulative(&self, y: &str) -> Vec<(f64, f64)> {
        let mut sum = 0.0;
        let total = |(t, x): (f64, f64)| {
            sum += x;
            (t, sum)
        };
        self.points("t", y).into_iter().map(total).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{Table, TableError};

    fn read(text: &str) -> Result<Table, TableError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.csv");
        std::fs::write(&path, text).unwrap();
        Table::read(&path)
    }

    #[test]
    fn columns_come_back_by_name() {
        let table = read("t,a,b\n0.0,1e-3,2\n0.5,NaN,4\n").unwrap();
        assert_eq!(table.points("t", "b"), [(0.0, 2.0), (0.5, 4.0)]);
        assert!(table.column("a")[1].is_nan() && table.column("c").is_empty());
        assert_eq!(table.cumulative("b"), [(0.0, 2.0), (0.5, 6.0)]);
    }

    #[test]
    fn a_short_row_is_named() {
        let error = read("t,a\n0,1\n2\n").unwrap_err().to_string();
        assert!(
            error.contains("t.csv:3: expected 2 numbers, found \"2\""),
            "{error}"
        );
    }
}
