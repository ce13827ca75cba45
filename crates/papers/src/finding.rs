//! What was found, and what follows from it.

use chart::Chart;

use crate::check::{Check, Checks};

/// How far a result holds.
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
    /// The word used in files.
    pub const fn name(self) -> &'static str {
        match self {
            Verdict::Reproduced => "reproduced",
            Verdict::Partly => "partly",
            Verdict::Not => "not",
        }
    }
}

/// A sentence of a paper, held against our numbers.
#[derive(Clone, Debug)]
pub struct Claim {
    /// Its name among the claims of its result.
    pub id: String,
    /// What the paper says, with its place.
    pub says: String,
    /// What we found, in numbers.
    pub found: String,
    /// The numbers and the thresholds they are held against.
    pub checks: Vec<Check>,
}

impl Claim {
    /// Whether what we found bears out what the paper says: every number is on the right side of its threshold.
    pub fn holds(&self) -> bool {
        self.checks.iter().all(|c| c.holds)
    }

    /// All thresholds, those that several numbers share once.
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

/// Numbers with headings.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// Name of its file, without ending.
    pub name: String,
    /// Names of the columns.
    pub columns: Vec<String>,
    /// Cells.
    pub rows: Vec<Vec<Cell>>,
}

/// One place of a table.
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
            // Shortest digits that read back to the same number.
            Cell::Number(x) => write!(f, "{x:?}"),
            Cell::Word(word) if word.contains([',', '"']) => {
                write!(f, "\"{}\"", word.replace('"', "\"\""))
            }
            Cell::Word(word) => f.write_str(word),
        }
    }
}

impl Table {
    /// A table without rows.
    pub fn new<S: Into<String>>(name: &str, columns: impl IntoIterator<Item = S>) -> Table {
        Table {
            name: name.into(),
            columns: columns.into_iter().map(Into::into).collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row.
    pub fn row<C: Into<Cell>>(&mut self, cells: impl IntoIterator<Item = C>) {
        self.rows.push(cells.into_iter().map(Into::into).collect());
    }

    /// A row that begins with a word.
    pub fn line(&mut self, name: &str, numbers: impl IntoIterator<Item = f64>) {
        let numbers = numbers.into_iter().map(Cell::Number);
        self.row(std::iter::once(Cell::from(name)).chain(numbers));
    }

    /// As comma-separated values.
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

/// Everything a result has to show.
#[derive(Clone, Debug, Default)]
pub struct Finding {
    /// What was computed with, by name.
    pub parameters: Vec<(String, String)>,
    /// What we chose where the paper is silent or wrong.
    pub choices: Vec<String>,
    /// The paper's claims.
    pub claims: Vec<Claim>,
    /// Our numbers.
    pub tables: Vec<Table>,
    /// Plots, by the name of their file.
    pub charts: Vec<(String, Chart)>,
}

impl Finding {
    /// Notes a parameter.
    pub fn parameter(&mut self, name: &str, value: impl ToString) {
        self.parameters.push((name.into(), value.to_string()));
    }

    /// Notes a choice of ours.
    pub fn choice(&mut self, sentence: impl Into<String>) {
        self.choices.push(sentence.into());
    }

    /// Holds a claim against numbers. Its id is unlike that of any other claim of the result; without a check it holds
    /// nothing against anything.
    pub fn claim(
        &mut self,
        id: impl Into<String>,
        says: impl Into<String>,
        found: impl Into<String>,
        checks: impl Checks,
    ) {
        self.claims.push(Claim {
            id: id.into(),
            says: says.into(),
            found: found.into(),
            checks: checks.list(),
        });
    }

    /// Adds a plot.
    pub fn plot(&mut self, name: &str, chart: Chart) {
        self.charts.push((name.into(), chart));
    }

    /// What follows from the claims.
    pub fn verdict(&self) -> Verdict {
        let held = self.claims.iter().filter(|c| c.holds()).count();
        match held {
            _ if held == self.claims.len() => Verdict::Reproduced,
            0 => Verdict::Not,
            _ => Verdict::Partly,
        }
    }

    /// Why the verdict is not better; empty where all holds.
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
