//! Newton that recovers from anything: scattered bodies, failed steps, seeded failures, random bodies.

mod failures;
mod meshes;
mod projection;
mod random;
mod retreat;
mod root;
mod scattered;

use std::path::Path;

use scene::build::{Simulation, build};
use scene::run::{Flow, Report, RunError, RunOptions, run};
use scene::spec::parse;

/// Builds a scene that is known to be right.
fn simulation(text: &str) -> Simulation {
    let (scene, source) = parse("scene.toml", text).unwrap();
    build(scene, &source).unwrap()
}

/// Runs a simulation to its end or its failure.
fn finish(sim: &mut Simulation, out: &Path) -> Result<Report, RunError> {
    let options = RunOptions {
        out: out.into(),
        resume: None,
    };
    run(sim, &options, &mut |_| Flow::On)
}
