//! The true error is proportional to the tolerance, at a bounded cost. Over four decades, with more methods and scenes:
//! `cargo run --release -p supple-scene --example work_precision`.

#[path = "../../examples/work_precision/runs.rs"]
mod runs;

use runs::{BAR, Run, SPRING, distance};

/// A body at rest, struck for 20 ms, that comes to rest again.
const STRUCK: &str = r#"
gravity = [0.0, 0.0, 0.0]
[time]
{time}
until = 3.0
[solver]
tolerance = 1e-10
[[body]]
mesh = { box = { size = [0.6, 0.2, 0.2], cells = [3, 1, 1], element = "hex8" } }
material = { law = "stable-neo-hookean", young = 1e5, poisson = 0.3, density = 1000 }
damping = { mass = 16.0 }
[[body.fix]]
where = { x = 0.0 }
[[body.push]]
where = { x = 0.6 }
force = [0.0, 200.0, 0.0]
from = 1.0
to = 1.02
"#;

/// Runs a scene and samples it sixty times a second.
fn run(scene: &str, time: &str) -> Run {
    runs::run(&scene.replace("{time}", time), 60.0).unwrap()
}

fn reference(scene: &str) -> Run {
    run(
        scene,
        "method = \"rodas4\"\ncontrol = { kind = \"embedded\", tolerance = 1e-10 }",
    )
}

fn controlled(scene: &str, method: &str, kind: &str, tolerance: f64) -> Run {
    let time = format!(
        "method = \"{method}\"\ncontrol = {{ kind = \"{kind}\", tolerance = {tolerance:?} }}"
    );
    run(scene, &time)
}

/// Over two decades of tolerance the error falls by at least 0.7 decades per decade under `auto` and `doubling`, and by
/// p/(p+1) − 0.1 under `embedded`, with few rejections.
#[test]
fn the_error_falls_with_the_tolerance() {
    let spring = SPRING.replace("until = 2.0", "until = 1.0");
    let beam = BAR
        .replace("until = 0.5", "until = 0.3")
        .replace("cells = [6, 2, 2]", "cells = [4, 1, 1]");
    for (name, scene) in [("spring", &spring), ("beam", &beam)] {
        let truth = reference(scene);
        for (method, order) in [
            ("sdirk2", 2.0),
            ("tr-bdf2", 2.0),
            ("bdf2", 2.0),
            ("trapezoid", 2.0),
            ("newmark", 2.0),
            ("sdirk3", 3.0),
            ("rodas4", 4.0),
        ] {
            for kind in ["auto", "embedded", "doubling"] {
                let tolerances = match kind {
                    // This tolerance is per step and has to be smaller for the same error.
                    "embedded" => [1e-4, 1e-6],
                    _ => [1e-3, 1e-5],
                };
                let runs = tolerances.map(|tol| controlled(scene, method, kind, tol));
                let [coarse, fine] = runs.each_ref().map(|r| distance(r, &truth));
                let slope = (coarse / fine).log10() / 2.0;
                let least = match kind {
                    "embedded" => order / (order + 1.0) - 0.1,
                    _ => 0.7,
                };
                println!("{name} {method} {kind}: {coarse:.2e} {fine:.2e} slope {slope:.2}");
                assert!(slope >= least, "{name}, {method}, {kind}: slope {slope}");
                for r in &runs {
                    let share = r.rejected as f64 / (r.steps + r.rejected) as f64;
                    assert!(
                        share < 0.15 || r.rejected <= 3,
                        "{name}, {method}, {kind}: {} of {} rejected",
                        r.rejected,
                        r.steps
                    );
                }
            }
        }
    }
}

/// With a phase at rest and one of fast motion the cost is at most half of that of the best fixed step at equal error.
#[test]
fn step_control_halves_the_cost_of_a_struck_body() {
    let truth = reference(STRUCK);
    for kind in ["auto", "embedded"] {
        let found = controlled(STRUCK, "sdirk2", kind, 1e-3);
        let error = distance(&found, &truth);
        // Fixed steps are refined until the error is as small.
        let mut step = 0.02;
        let fixed = loop {
            let fixed = run(STRUCK, &format!("method = \"sdirk2\"\nstep = {step:?}"));
            if distance(&fixed, &truth) <= error {
                break fixed;
            }
            step /= 1.3;
        };
        println!(
            "{kind}: error {error:.2e}, cost {} of {} with {step} s, {} factorizations of {}",
            found.cost, fixed.cost, found.factorizations, fixed.factorizations
        );
        assert!(
            found.cost <= 0.5 * fixed.cost,
            "{kind}: {} {}",
            found.cost,
            fixed.cost
        );
    }
}
