//! Complete runs: their files are the same for any number of threads and after interruptions.

mod control_report;
mod counts;
mod failures;
mod frames;
mod modes;
mod motions;
mod naming;
mod rejections;
mod resume;
mod scenes;
mod starts;
mod threads;
mod warnings;

use std::collections::BTreeMap;
use std::path::Path;

use scene::build::build;
use scene::run::{Flow, Report, RunError, RunOptions, run};
use scene::session::Session;
use scene::spec::parse;

/// Three soft hexahedra with a shaken end and Rayleigh damping; `{method}` is a placeholder.
const SHAKEN: &str = r#"
title = "Shaken"
[time]
method = {method}
step = 0.001
until = 0.0085
fps = 300.0
checkpoint-every = 0.003

[[body]]
name = "bar"
mesh = { box = { size = [0.3, 0.1, 0.1], cells = [3, 1, 1], element = "hex8" } }
material = { law = "stable-neo-hookean", young = 1e5, poisson = 0.4, density = 1000 }
damping = { mass = 0.5, stiffness = 1e-4 }
velocity = { linear = [0.0, 0.3, 0.0], angular = [0.0, 0.0, 4.0] }

[[body.fix]]
where = { x = 0.0 }
motion = { shake = { axis = "y", amplitude = 0.01, frequency = 9.0 } }

[[probe]]
name = "tip"
body = "bar"
near = [0.3, 0.1, 0.1]
"#;

/// [`SHAKEN`] with a method, given as TOML.
fn shaken(method: &str) -> String {
    SHAKEN.replace("{method}", method)
}

/// Builds a valid scene.
fn simulation(text: &str) -> Session {
    let (scene, source) = parse("scene.toml", text).unwrap();
    build(scene, &source).unwrap()
}

/// Runs until `stop` steps are taken, from the start or from a checkpoint.
fn run_until(text: &str, out: &Path, resume: Option<&Path>, stop: u64) -> Result<Report, RunError> {
    let options = RunOptions {
        out: out.into(),
        resume: resume.map(Into::into),
    };
    run(&mut simulation(text), &options, &mut |p| {
        if p.steps >= stop {
            Flow::Stop
        } else {
            Flow::On
        }
    })
}

/// Runs to the end.
fn run_whole(text: &str, out: &Path) -> Report {
    run_until(text, out, None, u64::MAX).unwrap()
}

/// Reads all files below a folder; the report without wall time and number of threads.
fn contents(out: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = vec![out.to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
                continue;
            }
            let name = path.strip_prefix(out).unwrap().display().to_string();
            let mut bytes = std::fs::read(&path).unwrap();
            if name == "report.json" {
                let mut report: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
                for key in ["wall_seconds", "threads"] {
                    assert!(
                        report.as_object_mut().unwrap().remove(key).is_some(),
                        "report.json lacks {key}"
                    );
                }
                bytes = report.to_string().into_bytes();
            }
            found.insert(name, bytes);
        }
    }
    found
}

/// Fails with the names of the files that differ.
fn assert_same(found: &BTreeMap<String, Vec<u8>>, wanted: &BTreeMap<String, Vec<u8>>, what: &str) {
    let differs = |name: &&String| found.get(*name) != wanted.get(*name);
    let names: std::collections::BTreeSet<&String> =
        wanted.keys().chain(found.keys()).filter(differs).collect();
    let readable = names
        .iter()
        .find(|n| n.ends_with(".csv") || n.ends_with(".json"));
    let text = |of: &BTreeMap<String, Vec<u8>>| {
        let bytes = readable
            .and_then(|n| of.get(*n))
            .map_or(&[][..], Vec::as_slice);
        String::from_utf8_lossy(bytes).into_owned()
    };
    assert!(
        names.is_empty(),
        "{what}: {names:?} differ:\n{}\nwanted\n{}",
        text(found),
        text(wanted)
    );
}

/// Rows of a CSV file as numbers, and its header.
fn table(path: &Path) -> (Vec<String>, Vec<Vec<f64>>) {
    let text = std::fs::read_to_string(path).unwrap();
    let mut lines = text.lines();
    let header: Vec<String> = lines.next().unwrap().split(',').map(Into::into).collect();
    let row = |line: &str| line.split(',').map(|x| x.parse().unwrap()).collect();
    let rows: Vec<Vec<f64>> = lines.map(row).collect();
    assert!(
        rows.iter().all(|r| r.len() == header.len()),
        "a row of {} is not as long as its header",
        path.display()
    );
    (header, rows)
}
