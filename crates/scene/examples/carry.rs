//! Measures the speed-up by reusing factors over steps, against a factorization in every step: a table of
//! `docs/newton.md`. `cargo run --release -p supple-scene --example carry -- [STEPS]` (60 steps by default).

use std::error::Error;
use std::path::Path;

use scene::build::build;
use scene::run::Flow;
use scene::spec::Source;
use scene::trial::{Trial, trial};

const SCENES: [&str; 4] = ["beam", "cantilever", "jello", "cloth"];
const METHODS: [&str; 2] = ["backward-euler", "sdirk2"];
const STEPS: [&str; 4] = ["5e-5", "5e-4", "5e-3", "3.3e-2"];

fn main() -> Result<(), Box<dyn Error>> {
    let steps: f64 = match std::env::args().nth(1) {
        Some(word) => word.parse()?,
        None => 60.0,
    };
    println!(
        "| scene | method | step, s | factorizations, solves, ms per step: factored in every step | reused | speed-up |"
    );
    println!("|---|---|---|---|---|---|");
    for scene in SCENES {
        for method in METHODS {
            for step in STEPS {
                // The folding cloth takes minutes with such steps, with and without reuse.
                if (scene, step) == ("cloth", "3.3e-2") {
                    continue;
                }
                let [refactored, reused] =
                    [false, true].map(|keep| run(scene, method, step, steps, keep));
                let (refactored, reused) = (refactored?, reused?);
                println!(
                    "| {scene} | {method} | {step} | {} | {} | {:.1} |",
                    cells(&refactored),
                    cells(&reused),
                    refactored.seconds / reused.seconds
                );
            }
        }
    }
    Ok(())
}

/// Runs a number of steps of a scene.
fn run(
    scene: &str,
    method: &str,
    step: &str,
    steps: f64,
    keep: bool,
) -> Result<Trial, Box<dyn Error>> {
    let path = Path::new("scenes").join(scene).with_extension("toml");
    let until = steps * step.parse::<f64>()?;
    let mut source = Source::read(&path)?;
    source.set("time.method", &format!("\"{method}\""))?;
    source.set("time.step", step)?;
    source.set("solver.factors", if keep { "keep" } else { "each-step" })?;
    source.set("time.until", &format!("{until:?}"))?;
    // Implicit damping takes additional iterations.
    if scene == "jello" {
        source.set("body[0].damping.rate", "frozen")?;
    }
    let mut sim = build(source.scene()?, &source)?;
    let done = trial(&mut sim, &mut |_, _| Flow::On);
    match done.failure {
        Some(why) => Err(format!("{scene}, {method}, {step} s: {why}").into()),
        None => Ok(done),
    }
}

/// Formats factorizations, solves and milliseconds per step.
fn cells(t: &Trial) -> String {
    let ms = 1e3 * t.seconds / t.steps as f64;
    format!("{}, {}, {ms:.1}", t.work.factorizations, t.work.solves)
}
