//! The findings of a reproduction: parameters, choices, claims, tables and plots, and the verdict that follows from
//! them.

use chart::Chart;

use crate::check::{Check, IntoChecks};

/// The verdict on a result: reproduced, partly, or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Every claim holds.
    Reproduced,
    /// Some claims hold.
    Partly,
    /// No claim holds.
    Not,
}

impl Verdict {
    /// Returns the name of the verdict in output files.
    pub const fn name(self) -> &'static str {
        match self {
            Verdict::Reproduced => "reproduced",
            Verdict::Partly => "partly",
            Verdict::Not => "not",
        }
    }
}

/// A statement of a paper with our measurements and the checks that decide it.
#[derive(Clone, Debug)]
pub struct Claim {
    /// The id, unique among the claims of a result.
    pub id: String,
    /// The statement of the paper, with its place.
    pub says: String,
    /// Our measurements as a sentence.
    pub found: String,
    /// The checks of our numbers against thresholds.
    pub checks: Vec<Check>,
}

impl Claim {
    /// Returns whether all checks hold.
    pub fn holds(&self) -> bool {
        self.checks.iter().all(|c| c.holds)
    }

    /// Returns the text of all thresholds without repetitions.
    pub fn threshold(&self) -> String {
        let mut texts: Vec<String> = Vec::new();
        for text in self.checks.iter().map(Check::text) {
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
        texts.join("; ")
    }
}

/// A table of numbers with column names.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// The name of its CSV file, without extension.
    pub name: String,
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<Cell>>,
}

/// A cell of a table: a number or a word.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// A number.
    Number(f64),
    /// A word.
    Word(String),
}

impl From<f64> for Cell {
    fn from(x: f64) -> Cell {
        Cell::Number(x)
    }
}

impl From<&str> for Cell {
    fn from(word: &str) -> Cell {
        Cell::Word(word.into())
    }
}

impl From<String> for Cell {
    fn from(word: String) -> Cell {
        Cell::Word(word)
    }
}

impl std::fmt::Display for Cell {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            // The shortest digits that parse to the same number.
            Cell::Number(x) => write!(f, "{x:?}"),
            Cell::Word(word) if word.contains([',', '"']) => {
                write!(f, "\"{}\"", word.replace('"', "\"\""))
            }
            Cell::Word(word) => f.write_str(word),
        }
    }
}

impl Table {
    /// Creates a table without rows.
    pub fn new<S: Into<String>>(name: &str, columns: impl IntoIterator<Item = S>) -> Table {
        Table {
            name: name.into(),
            columns: columns.into_iter().map(Into::into).collect(),
            rows: Vec::new(),
        }
    }

    /// Appends a row.
    pub fn row<C: Into<Cell>>(&mut self, cells: impl IntoIterator<Item = C>) {
        self.rows.push(cells.into_iter().map(Into::into).collect());
    }

    /// Appends a row that begins with a word.
    pub fn line(&mut self, name: &str, numbers: impl IntoIterator<Item = f64>) {
        let numbers = numbers.into_iter().map(Cell::Number);
        self.row(std::iter::once(Cell::from(name)).chain(numbers));
    }

    /// Returns the table as comma-separated values.
    pub fn csv(&self) -> String {
        let mut out = self.columns.join(",");
        out.push('\n');
        for row in &self.rows {
            let cells: Vec<String> = row.iter().map(Cell::to_string).collect();
            out.push_str(&cells.join(","));
            out.push('\n');
        }
        out
    }
}

/// The findings of one reproduction: parameters, choices, claims, tables and plots.
#[derive(Clone, Debug, Default)]
pub struct Finding {
    /// The parameters of the computation, by name.
    pub parameters: Vec<(String, String)>,
    /// Our choices where the paper gives no value or a wrong one.
    pub choices: Vec<String>,
    /// The claims of the paper with their checks.
    pub claims: Vec<Claim>,
    /// The tables of our numbers.
    pub tables: Vec<Table>,
    /// The plots by file name, without extension.
    pub charts: Vec<(String, Chart)>,
}

impl Finding {
    /// Adds a parameter.
    pub fn parameter(&mut self, name: &str, value: impl ToString) {
        self.parameters.push((name.into(), value.to_string()));
    }

    /// Adds a choice of ours.
    pub fn choice(&mut self, sentence: impl Into<String>) {
        self.choices.push(sentence.into());
    }

    /// Adds a claim with its checks. The id must be unique within the result, and there must be at least one check.
    pub fn claim(
        &mut self,
        id: impl Into<String>,
        says: impl Into<String>,
        found: impl Into<String>,
        checks: impl IntoChecks,
    ) {
        self.claims.push(Claim {
            id: id.into(),
            says: says.into(),
            found: found.into(),
            checks: checks.into_checks(),
        });
    }

    /// Adds a plot.
    pub fn plot(&mut self, name: &str, chart: Chart) {
        self.charts.push((name.into(), chart));
    }

    /// Returns the verdict that follows from the claims.
    pub fn verdict(&self) -> Verdict {
        let held = self.claims.iter().filter(|c| c.holds()).count();
        match held {
            _ if held == self.claims.len() => Verdict::Reproduced,
            0 => Verdict::Not,
            _ => Verdict::Partly,
        }
    }

    /// Returns the claims that do not hold with our measurements; empty if all hold.
    pub fn reason(&self) -> String {
        let failed = self.claims.iter().filter(|c| !c.holds());
        let sentences: Vec<String> = failed
            .map(|c| format!("\"{}\" does not hold: {}", c.says, c.found))
            .collect();
        sentences.join("; ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::at_most;

    #[test]
    fn verdicts_follow_from_claims() {
        let mut finding = Finding::default();
        finding.claim("a", "a", "1", at_most(1.0, 1.0));
        assert_eq!(finding.verdict(), Verdict::Reproduced);
        assert_eq!(finding.reason(), "");
        finding.claim("b", "b", "2", [at_most(1.0, 1.0), at_most(2.0, 1.0)]);
        assert_eq!(finding.verdict(), Verdict::Partly);
        assert_eq!(finding.reason(), "\"b\" does not hold: 2");
        finding.claims.remove(0);
        assert_eq!(finding.verdict(), Verdict::Not);
    }

    #[test]
    fn tables_are_csv_that_reads_back() {
        let mut table = Table::new("t", ["name", "x"]);
        table.line("a, \"b\"", [0.1]);
        assert_eq!(table.csv(), "name,x\n\"a, \"\"b\"\"\",0.1\n");
    }
}
