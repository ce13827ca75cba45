//! `control` of `report.json` agrees with `control.csv`.

use std::collections::BTreeMap;
use std::path::Path;

use scene::checkpoint::Checkpoint;
use scene::run::{Status, attempt};
use serde_json::Value;

use super::{RunOptions, assert_same, contents, run_until, run_whole, shaken, simulation};

/// The shaken bar with a first step that is too long.
fn controlled(method: &str, kind: &str, tolerance: f64) -> String {
    let text = shaken(&format!("\"{method}\""))
        .replace("step = 0.001", "step = 0.04")
        .replace("until = 0.0085", "until = 0.1")
        .replace("checkpoint-every = 0.003", "checkpoint-every = 0.03");
    format!("{text}[time.control]\nkind = \"{kind}\"\ntolerance = {tolerance:?}\n")
}

fn json(out: &Path) -> Value {
    let text = std::fs::read_to_string(out.join("report.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Sums of `control.csv`, computed independently of the session.
#[derive(Debug, Default, PartialEq)]
struct ControlTable {
    accepted: u64,
    rejected: u64,
    unmeasured: u64,
    steps: Vec<f64>,
    /// Counts `ruled` and `rejected`, and the values of accepted attempts.
    estimates: BTreeMap<String, (u64, u64, Vec<f64>)>,
}

fn read_control_table(out: &Path) -> ControlTable {
    let text = std::fs::read_to_string(out.join("control.csv")).unwrap();
    let mut lines = text.lines();
    assert_eq!(
        lines.next(),
        Some("t,h,error,estimate,accepted,reason,other_error,other_estimate")
    );
    let mut table = ControlTable::default();
    for line in lines {
        let cells: Vec<&str> = line.split(',').collect();
        let accepted = cells[4] == "true";
        table.accepted += u64::from(accepted);
        table.rejected += u64::from(!accepted);
        table.unmeasured += u64::from(accepted && cells[3].is_empty());
        if accepted {
            table.steps.push(cells[1].parse().unwrap());
        }
        for (value, name) in [(2, 3), (6, 7)] {
            if cells[name].is_empty() {
                continue;
            }
            let estimate = table.estimates.entry(cells[name].into()).or_default();
            if accepted {
                estimate.2.push(cells[value].parse().unwrap());
            }
            if value == 2 {
                estimate.0 += u64::from(accepted);
                estimate.1 += u64::from(!accepted);
            }
        }
    }
    table
}

/// Compares `control` of `report.json` with `control.csv`.
fn assert_report_matches_table(out: &Path, what: &str) -> ControlTable {
    let (table, control) = (read_control_table(out), &json(out)["control"]);
    let most = |x: &[f64]| x.iter().copied().fold(0.0, f64::max);
    let least = table.steps.iter().copied().fold(f64::INFINITY, f64::min);
    assert_eq!(control["accepted"], table.accepted, "{what}");
    assert_eq!(control["rejected"], table.rejected, "{what}");
    assert_eq!(control["unmeasured"], table.unmeasured, "{what}");
    assert_eq!(control["shortest_step"], least, "{what}");
    assert_eq!(control["longest_step"], most(&table.steps), "{what}");
    let estimates = control["estimates"].as_object().unwrap();
    assert_eq!(estimates.len(), table.estimates.len(), "{what}");
    for (name, (ruled, rejected, values)) in &table.estimates {
        let e = &estimates[name];
        assert_eq!(e["ruled"], *ruled, "{what}: {name}");
        assert_eq!(e["rejected"], *rejected, "{what}: {name}");
        assert_eq!(e["largest"], most(values), "{what}: {name}");
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        assert_eq!(e["mean"], mean, "{what}: {name}");
    }
    table
}

#[test]
fn the_report_has_the_numbers_of_the_table() {
    let mut rejected = 0;
    for (method, kind, tolerance, names) in [
        ("sdirk2", "auto", 1e-2, 2),
        ("rodas4", "auto", 1e-3, 2),
        ("sdirk2", "force-error", 1e-5, 1),
        ("bdf2", "embedded", 1e-4, 1),
        ("newmark", "doubling", 1e-2, 1),
        ("sdirk2", "speed", 1e-3, 1),
        ("sdirk2", "stretch", 1e-3, 1),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let report = run_whole(&controlled(method, kind, tolerance), dir.path());
        let what = format!("{method} {kind}");
        let table = assert_report_matches_table(dir.path(), &what);
        assert_eq!(table.estimates.len(), names, "{what}");
        assert_eq!(table.accepted, report.steps, "{what}");
        assert!(table.accepted > 5, "{what}: {}", table.accepted);
        rejected += table.rejected;
        let control = json(dir.path())["control"].clone();
        assert_eq!(control["kind"], kind);
        assert_eq!(control["tolerance"], tolerance);
        let per_second = ["auto", "doubling"].contains(&kind);
        let per = if per_second { "second" } else { "step" };
        assert_eq!(control["tolerance_per"], per, "{what}");
    }
    assert!(rejected > 5, "{rejected} rejected");
}

/// The first two steps of a multistep estimate have no error estimate and are counted separately.
#[test]
fn steps_without_an_estimate_are_counted() {
    let dir = tempfile::tempdir().unwrap();
    run_whole(&controlled("bdf2", "embedded", 1e-4), dir.path());
    assert!(assert_report_matches_table(dir.path(), "bdf2").unmeasured > 0);
}

#[test]
fn a_resumed_run_reports_the_same() {
    for (method, kind) in [
        ("sdirk2", "auto"),
        ("bdf2", "embedded"),
        ("sdirk2", "speed"),
    ] {
        let text = controlled(method, kind, 1e-3);
        let whole = tempfile::tempdir().unwrap();
        run_whole(&text, whole.path());
        for stop in [0, 1, 7] {
            let dir = tempfile::tempdir().unwrap();
            let checkpoint = dir.path().join("checkpoint.supple");
            let first = run_until(&text, dir.path(), None, stop).unwrap();
            assert_eq!(first.status, Status::Interrupted);
            if stop > 0 {
                assert_report_matches_table(dir.path(), "stopped");
            }
            Checkpoint::read(&checkpoint).unwrap();
            run_until(&text, dir.path(), Some(&checkpoint), u64::MAX).unwrap();
            let what = format!("{method} {kind} stopped after step {stop}");
            assert_same(&contents(dir.path()), &contents(whole.path()), &what);
        }
    }
}

#[test]
fn scenes_without_measured_errors_have_no_such_section() {
    let retreat = format!(
        "{}[time.control]\nkind = \"retreat\"\n",
        shaken("\"sdirk2\"")
    );
    for text in [shaken("\"sdirk2\""), retreat] {
        let dir = tempfile::tempdir().unwrap();
        run_whole(&text, dir.path());
        assert_eq!(json(dir.path()).get("control"), None);
    }
}

/// A run that fails at the smallest step also writes the attempts of its last step.
#[test]
fn the_attempts_of_a_failed_step_are_written() {
    let text = format!("{}min = 0.01\n", controlled("sdirk2", "auto", 1e-9));
    let dir = tempfile::tempdir().unwrap();
    let options = RunOptions {
        out: dir.path().into(),
        resume: None,
    };
    let finished = attempt(&mut simulation(&text), &options, &mut |_| super::Flow::On).unwrap();
    assert_eq!(finished.report.status, Status::Failed);
    let table = assert_failed_report_matches_table(dir.path());
    assert!(table.rejected > 1, "{table:?}");
    let table = std::fs::read_to_string(dir.path().join("control.csv")).unwrap();
    assert!(
        table.contains("the error is above the tolerance at the shortest step"),
        "{table}"
    );
}

/// Compares the counts of a run without an accepted step.
fn assert_failed_report_matches_table(out: &Path) -> ControlTable {
    let (table, control) = (read_control_table(out), &json(out)["control"]);
    assert_eq!(control["accepted"], 0);
    assert_eq!(control["rejected"], table.rejected);
    for (name, (_, rejected, _)) in &table.estimates {
        assert_eq!(control["estimates"][name]["rejected"], *rejected);
    }
    table
}
