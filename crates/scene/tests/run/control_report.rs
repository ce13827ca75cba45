//! Step control in `report.json`: the numbers of `control.csv`.

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

/// What `control.csv` says, summed by other means than the session does.
#[derive(Debug, Default, PartialEq)]
struct Told {
    accepted: u64,
    rejected: u64,
    unmeasured: u64,
    steps: Vec<f64>,
    /// Ruled, rejected, and all accepted values.
    estimates: BTreeMap<String, (u64, u64, Vec<f64>)>,
}

fn told(out: &Path) -> Told {
    let text = std::fs::read_to_string(out.join("control.csv")).unwrap();
    let mut lines = text.lines();
    assert_eq!(
        lines.next(),
        Some("t,h,error,estimate,accepted,reason,other_error,other_estimate")
    );
    let mut told = Told::default();
    for line in lines {
        let cells: Vec<&str> = line.split(',').collect();
        let accepted = cells[4] == "true";
        told.accepted += u64::from(accepted);
        told.rejected += u64::from(!accepted);
        told.unmeasured += u64::from(accepted && cells[3].is_empty());
        if accepted {
            told.steps.push(cells[1].parse().unwrap());
        }
        for (value, name) in [(2, 3), (6, 7)] {
            if cells[name].is_empty() {
                continue;
            }
            let estimate = told.estimates.entry(cells[name].into()).or_default();
            if accepted {
                estimate.2.push(cells[value].parse().unwrap());
            }
            if value == 2 {
                estimate.0 += u64::from(accepted);
                estimate.1 += u64::from(!accepted);
            }
        }
    }
    told
}

/// Compares `control` of `report.json` with `control.csv`.
fn assert_told(out: &Path, what: &str) -> Told {
    let (told, control) = (told(out), &json(out)["control"]);
    let most = |x: &[f64]| x.iter().copied().fold(0.0, f64::max);
    let least = told.steps.iter().copied().fold(f64::INFINITY, f64::min);
    assert_eq!(control["accepted"], told.accepted, "{what}");
    assert_eq!(control["rejected"], told.rejected, "{what}");
    assert_eq!(control["unmeasured"], told.unmeasured, "{what}");
    assert_eq!(control["shortest_step"], least, "{what}");
    assert_eq!(control["longest_step"], most(&told.steps), "{what}");
    let estimates = control["estimates"].as_object().unwrap();
    assert_eq!(estimates.len(), told.estimates.len(), "{what}");
    for (name, (ruled, rejected, values)) in &told.estimates {
        let e = &estimates[name];
        assert_eq!(e["ruled"], *ruled, "{what}: {name}");
        assert_eq!(e["rejected"], *rejected, "{what}: {name}");
        assert_eq!(e["largest"], most(values), "{what}: {name}");
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        assert_eq!(e["mean"], mean, "{what}: {name}");
    }
    told
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
        let told = assert_told(dir.path(), &what);
        assert_eq!(told.estimates.len(), names, "{what}");
        assert_eq!(told.accepted, report.steps, "{what}");
        assert!(told.accepted > 5, "{what}: {}", told.accepted);
        rejected += told.rejected;
        let control = json(dir.path())["control"].clone();
        assert_eq!(control["kind"], kind);
        assert_eq!(control["tolerance"], tolerance);
        let per_second = ["auto", "doubling"].contains(&kind);
        let per = if per_second { "second" } else { "step" };
        assert_eq!(control["tolerance_per"], per, "{what}");
    }
    assert!(rejected > 5, "{rejected} rejected");
}

/// The first two steps of a multistep estimate have no error: they are counted apart.
#[test]
fn steps_without_an_estimate_are_counted() {
    let dir = tempfile::tempdir().unwrap();
    run_whole(&controlled("bdf2", "embedded", 1e-4), dir.path());
    assert!(assert_told(dir.path(), "bdf2").unmeasured > 0);
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
                assert_told(dir.path(), "stopped");
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

/// A run that ends because no step is short enough tells the attempts of its last step, too.
#[test]
fn the_attempts_of_a_step_that_failed_are_told() {
    let text = format!("{}min = 0.01\n", controlled("sdirk2", "auto", 1e-9));
    let dir = tempfile::tempdir().unwrap();
    let options = RunOptions {
        out: dir.path().into(),
        resume: None,
    };
    let finished = attempt(&mut simulation(&text), &options, &mut |_| super::Flow::On).unwrap();
    assert_eq!(finished.report.status, Status::Failed);
    let told = assert_told_failed(dir.path());
    assert!(told.rejected > 1, "{told:?}");
    let table = std::fs::read_to_string(dir.path().join("control.csv")).unwrap();
    assert!(
        table.contains("the error is above the tolerance at the shortest step"),
        "{table}"
    );
}

/// The counts of a run without a single accepted step.
fn assert_told_failed(out: &Path) -> Told {
    let (told, control) = (told(out), &json(out)["control"]);
    assert_eq!(control["accepted"], 0);
    assert_eq!(control["rejected"], told.rejected);
    for (name, (_, rejected, _)) in &told.estimates {
        assert_eq!(control["estimates"][name]["rejected"], *rejected);
    }
    told
}
