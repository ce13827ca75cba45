//! Output files of results: `OUT/ID/*.csv`, `*.svg` and `result.json`; `OUT/verdicts.json`, `index.html` and
//! `papers.md`.

use std::path::Path;
use std::time::Instant;

use report::papers::{ClaimRow, Motions, PaperResult, markdown, page};
use serde_json::{Value, json};

use crate::check::Check;
use crate::motions::motions_of;
use crate::registry::Reproduction;
use crate::{Finding, Job, PaperError, Size};

/// A computed result: its reproduction, findings, size and computing time.
pub struct Done {
    /// The reproduction that was computed.
    pub reproduction: &'static Reproduction,
    /// The findings.
    pub finding: Finding,
    /// The size of the computation.
    pub size: Size,
    /// The wall-clock time in seconds.
    pub seconds: f64,
    /// What the page plays for the result.
    motions: Option<Motions>,
}

/// Computes a result and measures its time.
pub fn run(reproduction: &'static Reproduction, job: &Job) -> Result<Done, PaperError> {
    let started = Instant::now();
    // On a thread of the pool, like `supple run`: from any other thread each parallel call would wake the pool and wait.
    let finding = rayon::scope(|_| (reproduction.compute)(job))?;
    Ok(Done {
        reproduction,
        finding,
        size: job.size,
        seconds: started.elapsed().as_secs_f64(),
        motions: None,
    })
}

impl Done {
    /// Computes what the page plays for the result.
    pub fn play(&mut self) -> Result<(), PaperError> {
        self.motions = rayon::scope(|_| motions_of(self.reproduction.id))?;
        Ok(())
    }

    /// Returns verdict, claims and reason as JSON.
    pub fn verdict(&self) -> Value {
        let claims = self.finding.claims.iter();
        let claims: Vec<Value> = claims
            .map(|c| {
                let check = |c: &Check| {
                    json!({ "of": c.of, "value": c.value, "threshold": c.threshold, "holds": c.holds })
                };
                let checks: Vec<Value> = c.checks.iter().map(check).collect();
                json!({ "id": c.id, "says": c.says, "found": c.found, "threshold": c.threshold(), "holds": c.holds(), "checks": checks })
            })
            .collect();
        json!({
            "id": self.reproduction.id,
            "title": self.reproduction.title,
            "size": self.size.name(),
            "verdict": self.finding.verdict().name(),
            "reason": self.finding.reason(),
            "claims": claims,
            "seconds": (self.seconds * 10.0).round() / 10.0,
        })
    }

    /// Returns everything except the tables, which have their own files, as JSON.
    fn json(&self) -> Value {
        let f = &self.finding;
        let mut all = self.verdict();
        let parameters: serde_json::Map<String, Value> = f
            .parameters
            .iter()
            .map(|(name, value)| (name.clone(), json!(value)))
            .collect();
        all["parameters"] = Value::Object(parameters);
        all["choices"] = json!(f.choices);
        let names = f.tables.iter().map(|t| format!("{}.csv", t.name));
        all["tables"] = names.collect();
        let names = f.charts.iter().map(|(name, _)| format!("{name}.svg"));
        all["plots"] = names.collect();
        all
    }

    /// The result as the page and the table of all results show it.
    fn shown(&self) -> PaperResult<'_> {
        let f = &self.finding;
        let claims = f.claims.iter().map(|c| ClaimRow {
            id: &c.id,
            says: &c.says,
            found: &c.found,
            threshold: c.threshold(),
            holds: c.holds(),
        });
        PaperResult {
            id: self.reproduction.id,
            title: self.reproduction.title,
            size: self.size.name(),
            seconds: self.seconds,
            verdict: f.verdict().name(),
            claims: claims.collect(),
            charts: f.charts.iter().map(|(_, chart)| chart).collect(),
            parameters: &f.parameters,
            choices: &f.choices,
            motions: self.motions.as_ref(),
        }
    }

    /// Writes the files of the result into its folder in `out`.
    pub fn write(&self, out: &Path) -> Result<(), PaperError> {
        let folder = out.join(self.reproduction.id);
        create_folder(&folder)?;
        for table in &self.finding.tables {
            put(&folder.join(format!("{}.csv", table.name)), &table.csv())?;
        }
        for (name, chart) in &self.finding.charts {
            put(&folder.join(format!("{name}.svg")), &chart.svg())?;
        }
        put(&folder.join("result.json"), &pretty(&self.json()))
    }
}

/// Writes the files that cover all results: verdicts, HTML page and Markdown table.
pub fn write_all(done: &[Done], out: &Path) -> Result<(), PaperError> {
    create_folder(out)?;
    let verdicts: Vec<Value> = done.iter().map(Done::verdict).collect();
    put(&out.join("verdicts.json"), &pretty(&Value::Array(verdicts)))?;
    let results: Vec<PaperResult> = done.iter().map(Done::shown).collect();
    put(&out.join("index.html"), &page(&results))?;
    put(&out.join("papers.md"), &markdown(&results))
}

fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}

fn create_folder(path: &Path) -> Result<(), PaperError> {
    std::fs::create_dir_all(path).map_err(|why| PaperError::Write {
        path: path.into(),
        why,
    })
}

fn put(path: &Path, text: &str) -> Result<(), PaperError> {
    base::file::write(path, text.as_bytes()).map_err(|why| PaperError::Write {
        path: path.into(),
        why,
    })
}
