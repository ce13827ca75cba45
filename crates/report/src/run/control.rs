//! Section on step control of `report.html`: step lengths and errors of all attempts (from `control.csv`) and a table of
//! error estimates.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io;
use std::path::Path;

use chart::{Axis, Chart, Dash, Escaped, Series};
use scene::run::ControlReport;

use crate::page::{Cell, Table, charts, figure, number};

/// Smallest error shown in the chart, relative to the tolerance: the force error of linear laws is rounding error.
const LEAST_SHOWN: f64 = 1e-8;
/// Palette index for rejected attempts.
const REJECTED: usize = 3;
/// Palette index for failed attempts.
const FAILED: usize = 4;
/// Palette index for the line of the tolerance.
const TOLERANCE: usize = 6;

/// Row of `control.csv`: one attempted step.
#[derive(Clone, Debug, PartialEq)]
struct Attempt {
    t: f64,
    h: f64,
    accepted: bool,
    reason: String,
    /// Names and values of the error estimates; the first one limited the step.
    errors: Vec<(String, f64)>,
}

impl Attempt {
    /// Time at the end of the attempt, s.
    fn end(&self) -> f64 {
        self.t + self.h
    }
}

/// Returns the HTML section: a summary sentence, the table of estimates, and charts of steps and errors.
pub fn section(report: &ControlReport, out: &Path) -> io::Result<String> {
    let attempts = read(&out.join("control.csv"))?;
    let mut page = String::from("<h2>Step control</h2>\n");
    let per = match report.tolerance_per {
        "second" => "for each second of steps",
        _ => "for each step",
    };
    // Writing to a String cannot fail.
    let _ = writeln!(
        page,
        "<p>{}, tolerance {} m {per}: {}.</p>",
        report.kind,
        number(report.tolerance),
        Escaped(&report.to_string())
    );
    page += &format!(
        "<div class=\"tables\">\n{}{}</div>\n",
        estimates(report),
        reasons(&attempts)
    );
    let lengths = figure(
        &lengths(&attempts),
        "Length of each step that was taken; marks are attempts that were rejected.",
    );
    let errors = figure(
        &errors(&attempts, report),
        "What was measured of each step that was taken, against the tolerance; marks are attempts that were rejected.",
    );
    Ok(page + &charts(&(lengths + &errors)))
}

fn estimates(report: &ControlReport) -> String {
    let mut table = Table::new().headings(&[
        "estimate",
        "steps it limited",
        "attempts it rejected",
        "largest, m",
        "mean, m",
        "largest / tolerance",
    ]);
    for (name, e) in &report.estimates {
        let numbers = [e.largest, e.mean, e.largest / report.tolerance].map(number);
        let counts = [e.ruled, e.rejected].map(Cell::text);
        let cells = std::iter::once(Cell::text(name)).chain(counts);
        table.row(cells.chain(numbers.map(Cell::text)));
    }
    table.html()
}

/// Returns a sentence with the count of each reason.
fn reasons(attempts: &[Attempt]) -> String {
    let mut counts: BTreeMap<(bool, &str), u64> = BTreeMap::new();
    for a in attempts {
        *counts.entry((!a.accepted, &a.reason)).or_default() += 1;
    }
    let mut table = Table::new().headings(&["decision", "attempts"]);
    for ((rejected, reason), count) in counts {
        let decision = if rejected { "rejected" } else { "accepted" };
        let decision = format!("{decision}: {reason}");
        table.row([Cell::text(decision), Cell::text(count)]);
    }
    table.html()
}

fn lengths(attempts: &[Attempt]) -> Chart {
    let points = |wanted: &dyn Fn(&Attempt) -> bool| {
        let some = attempts.iter().filter(|a| wanted(a));
        some.map(|a| (a.end(), a.h)).collect::<Vec<_>>()
    };
    let mut series = vec![Series::line("step", points(&|a| a.accepted)).colour(0)];
    add_marks(&mut series, "rejected", REJECTED, points(&is_rejected));
    add_marks(&mut series, "failed", FAILED, points(&has_failed));
    Chart {
        title: "Step".into(),
        x: Axis::linear("time, s"),
        y: Axis::log("length, s"),
        series,
    }
}

/// Returns `true` if the attempt was rejected for its error.
fn is_rejected(a: &Attempt) -> bool {
    !a.accepted && !a.errors.is_empty()
}

/// Returns `true` if the step itself failed, so it has no error.
fn has_failed(a: &Attempt) -> bool {
    !a.accepted && a.errors.is_empty()
}

/// Adds markers if there are any points.
fn add_marks(series: &mut Vec<Series>, name: &str, colour: usize, points: Vec<(f64, f64)>) {
    if !points.is_empty() {
        series.push(Series::markers(name, points).colour(colour));
    }
}

fn errors(attempts: &[Attempt], report: &ControlReport) -> Chart {
    let tolerance = report.tolerance;
    let mut series = Vec::new();
    for (k, name) in report.estimates.keys().enumerate() {
        let value = |a: &Attempt| {
            let error = a.errors.iter().find(|(estimate, _)| estimate == name)?;
            Some((a.end(), error.1))
        };
        let accepted = attempts.iter().filter(|a| a.accepted);
        series.push(Series::line(name, accepted.filter_map(value).collect()).colour(k));
    }
    let end = attempts.iter().map(Attempt::end).fold(0.0, f64::max);
    let start = attempts.first().map_or(0.0, |a| a.t);
    let line = vec![(start, tolerance), (end, tolerance)];
    series.push(
        Series::line("tolerance", line)
            .dash(Dash::Dashed)
            .colour(TOLERANCE),
    );
    let limiting = |a: &Attempt| Some((a.end(), a.errors.first()?.1));
    let rejected = attempts.iter().filter(|a| is_rejected(a));
    add_marks(
        &mut series,
        "rejected",
        REJECTED,
        rejected.filter_map(limiting).collect(),
    );
    let failed = attempts.iter().filter(|a| has_failed(a));
    let failed = failed.map(|a| (a.end(), tolerance)).collect();
    add_marks(&mut series, "failed", FAILED, failed);
    let per = match report.tolerance_per {
        "second" => "in a second, m",
        _ => "of a step, m",
    };
    let [low, high] = shown_range(&series, tolerance);
    Chart {
        title: "Error and tolerance".into(),
        x: Axis::linear("time, s"),
        y: Axis::log(format!("{} {per}", report.measured_quantity())).with_range(low, high),
        series,
    }
}

/// Returns the axis range that contains all errors above rounding error.
fn shown_range(series: &[Series], tolerance: f64) -> [f64; 2] {
    let values = || series.iter().flat_map(|s| &s.points).map(|p| p.1);
    let shown = values().filter(|e| e.is_finite() && *e > LEAST_SHOWN * tolerance);
    let [low, high] = shown.fold([tolerance; 2], |[low, high], e| [low.min(e), high.max(e)]);
    [0.5 * low, 3.0 * high]
}

/// Reads `control.csv`.
fn read(path: &Path) -> io::Result<Vec<Attempt>> {
    let text = std::fs::read_to_string(path).map_err(|why| {
        io::Error::new(
            why.kind(),
            format!("{}: the table cannot be read: {why}", path.display()),
        )
    })?;
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
    let attempt = |(k, line): (usize, &str)| {
        parse(&names, line).ok_or_else(|| {
            let what = format!(
                "{}:{}: expected an attempt of step control, found \"{line}\"",
                path.display(),
                k + 2
            );
            io::Error::new(io::ErrorKind::InvalidData, what)
        })
    };
    lines.enumerate().map(attempt).collect()
}

/// Parses a row with these column names. Returns `None` if a number is missing or malformed.
fn parse(names: &[&str], line: &str) -> Option<Attempt> {
    let cells: Vec<&str> = line.split(',').collect();
    if cells.len() != names.len() {
        return None;
    }
    let cell = |name: &str| Some(cells[names.iter().position(|n| *n == name)?]);
    let number = |name: &str| cell(name)?.parse::<f64>().ok();
    let mut errors = Vec::new();
    for (error, estimate) in [("error", "estimate"), ("other_error", "other_estimate")] {
        let name = cell(estimate)?;
        if !name.is_empty() {
            errors.push((name.to_string(), number(error)?));
        }
    }
    Some(Attempt {
        t: number("t")?,
        h: number("h")?,
        accepted: cell("accepted")?.parse().ok()?,
        reason: cell("reason")?.to_string(),
        errors,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 8] = [
        "t",
        "h",
        "error",
        "estimate",
        "accepted",
        "reason",
        "other_error",
        "other_estimate",
    ];

    #[test]
    fn rows_are_read_with_and_without_errors() {
        let row = "0.5,0.1,2e-3,embedded,false,too large,1e-9,force-error";
        let attempt = parse(&NAMES, row).unwrap();
        assert!(is_rejected(&attempt) && attempt.end() == 0.6);
        assert_eq!(attempt.errors[1], ("force-error".to_string(), 1e-9));
        let failed = parse(&NAMES, "0.5,0.1,,,false,the step failed,,").unwrap();
        assert!(has_failed(&failed) && !is_rejected(&failed));
        for bad in ["0.5,0.1,,,false,why,", "0.5,x,,,true,why,,", "0,1,,,2,,,"] {
            assert_eq!(parse(&NAMES, bad), None, "{bad}");
        }
    }

    #[test]
    fn errors_of_rounding_size_do_not_stretch_the_axis() {
        let series = [Series::line(
            "a",
            vec![(0.0, 1e-19), (1.0, 0.0), (2.0, 1e-5)],
        )];
        assert_eq!(shown_range(&series, 1e-3), [0.5e-5, 3e-3]);
    }
}
