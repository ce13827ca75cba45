//! Tables of numbers that a run wrote (`steps.csv`, `ledger.csv`), read again by the names of their columns.

use std::path::{Path, PathBuf};

/// Columns of numbers under names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    names: Vec<String>,
    columns: Vec<Vec<f64>>,
}

/// Why a table cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// The file cannot be read.
    #[error("{}: the table cannot be read: {why}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's words.
        why: std::io::Error,
    },
    /// A row is not as the header promises.
    #[error("{}:{line}: expected {wanted} numbers, found \"{found}\"; the run that wrote it must finish first", path.display())]
    Row {
        /// The file.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
        /// Number of columns.
        wanted: usize,
        /// The row.
        found: String,
    },
}

impl Table {
    /// A table without rows under these names, separated by commas.
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

    /// Whether the table has no rows.
    pub fn is_empty(&self) -> bool {
        self.columns.iter().all(Vec::is_empty)
    }

    /// Reads a file: a line of names, then lines of numbers, separated by commas.
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

    /// A column; empty where there is none of that name.
    pub fn column(&self, name: &str) -> &[f64] {
        let at = self.names.iter().position(|n| n == name);
        at.map_or(&[], |k| &self.columns[k])
    }

    /// Two columns as points.
    pub fn points(&self, x: &str, y: &str) -> Vec<(f64, f64)> {
        let (x, y) = (self.column(x), self.column(y));
        x.iter().copied().zip(y.iter().copied()).collect()
    }

    /// A column summed from the start, over time: what has gone that way so far.
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
