//! Robustness of Newton's method: scattered bodies, failed steps, diagnosed failures and random bodies.

mod ends;
mod failures;
mod meshes;
mod projection;
mod random;
mod retreat;
mod root;
mod scattered;

use std::path::Path;

use scene::build::build;
use scene::run::{Flow, Report, RunError, RunOptions, run};
use scene::session::Session;
use scene::spec::parse;

/// Builds a valid scene.
fn simulation(text: &str) -> Session {
    let (scene, source) = parse("scene.toml", text).unwrap();
    build(scene, &source).unwrap()
}

/// Reads a column of `steps.csv`.
fn column(out: &Path, name: &str) -> Vec<f64> {
    let text = std::fs::read_to_string(out.join("steps.csv")).unwrap();
    let mut lines = text.lines();
    let at = lines
        .next()
        .unwrap()
        .split(',')
        .position(|c| c == name)
        .unwrap();
    lines
        .map(|l| l.split(',').nth(at).unwrap().parse().unwrap())
        .collect()
}

/// Runs a simulation to its end or its failure.
fn finish(sim: &mut Session, out: &Path) -> Result<Report, RunError> {
    let options = RunOptions {
        out: out.into(),
        resume: None,
    };
    run(sim, &options, &mut |_| Flow::On)
}
