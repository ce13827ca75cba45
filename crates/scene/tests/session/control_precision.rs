//! The true error follows the tolerance, at a bounded cost. The same over four decades, more methods and larger scenes:
//! `cargo run --release -p scene --example work_precision`.

use scene::session::Session;

use super::session;

const SPRING: &str = r#"
gravity = [0.0, 0.0, 0.0]
[time]
{time}
until = 1.0
[[particle]]
position = [-1.0, 0.0, 0.0]
mass = 1.0
[[spring]]
a = 0
b = [0.0, 0.0, 0.0]
law = "cubic"
stiffness = 100.0
damping = 1.0
rest = 0.0
"#;

const BEAM: &str = r#"
[time]
{time}
until = 0.3
[solver]
tolerance = 1e-10
[[body]]
mesh = { box = { size = [1.0, 0.2, 0.2], cells = [4, 1, 1], element = "hex8" } }
material = { law = "stable-neo-hookean", young = 1e5, poisson = 0.3, density = 1000 }
[[body.fix]]
where = { x = 0.0 }
"#;

/// At rest, struck for 20 ms, then at rest again.
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

struct Run {
    looks: Vec<Vec<[f64; 3]>>,
    cost: f64,
    steps: u64,
    rejected: u64,
}

/// Runs a scene and looks at it sixty times a second, between steps too.
fn run(scene: &str, time: &str) -> Run {
    let mut s: Session = session(&scene.replace("{time}", time));
    let until = s.scene.time.until;
    let (mut looks, mut next) = (Vec::new(), 1.0);
    while s.step_towards(until).unwrap() {
        while next / 60.0 <= s.t() + 1e-12 {
            looks.push(s.positions_at(next / 60.0));
            next += 1.0;
        }
    }
    let totals = s.totals();
    // Rejected attempts are part of it.
    let work = totals.work;
    Run {
        looks,
        cost: work.solves as f64 + 6.0 * work.factorizations as f64,
        steps: totals.steps,
        rejected: totals.rejected,
    }
}

fn distance(a: &Run, b: &Run) -> f64 {
    let pairs = a.looks.iter().zip(&b.looks);
    let numbers = pairs.flat_map(|(a, b)| a.as_flattened().iter().zip(b.as_flattened()));
    numbers.fold(0.0, |m, (x, y)| m.max((x - y).abs()))
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

/// Two decades: at least 0.7 a decade under auto and doubling, p/(p+1) − 0.1 under embedded, and few rejections.
#[test]
fn the_error_falls_with_the_tolerance() {
    for (name, scene) in [("spring", SPRING), ("beam", BEAM)] {
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
                    // Of each step: the same errors need smaller ones.
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

/// A quiet and a violent phase: at most half the cost of the best step of one length with the same error.
#[test]
fn a_struck_body_costs_at_most_half() {
    let truth = reference(STRUCK);
    for kind in ["auto", "embedded"] {
        let found = controlled(STRUCK, "sdirk2", kind, 1e-3);
        let error = distance(&found, &truth);
        // Steps of one length, finer and finer, until they are as good.
        let mut step = 0.02;
        let fixed = loop {
            let fixed = run(STRUCK, &format!("method = \"sdirk2\"\nstep = {step:?}"));
            if distance(&fixed, &truth) <= error {
                break fixed;
            }
            step /= 1.3;
        };
        println!(
            "{kind}: error {error:.2e}, cost {} of {} with {step} s",
            found.cost, fixed.cost
        );
        assert!(
            found.cost <= 0.5 * fixed.cost,
            "{kind}: {} {}",
            found.cost,
            fixed.cost
        );
    }
}
