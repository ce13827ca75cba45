//! Local/global steps and energy tracking in real time: ratios within one run, on the solid and the cloth of 004's size.
//!
//! `cargo bench -p scene --bench live [-- STEPS] [solid|cloth]`; with `RAYON_NUM_THREADS=1` processor time instead of the clock's.

use std::time::Instant;

use scene::build::{Simulation, build};
use scene::spec::parse;

const SOLID: &str = r#"
[time]
method = "{method}"
step = 0.033
until = 1000.0
{more}
[[body]]
mesh = { box = { size = [1.0, 1.0, 1.0], cells = [16, 16, 16], element = "tet4" } }
material = { law = "arap", young = 1e5, poisson = 0.4, density = 1000 }
mass = "lumped"
velocity = { angular = [0.0, 3.0, 0.0] }
[[body.fix]]
where = { x = 0.0 }
"#;

const CLOTH: &str = r#"
[time]
method = "{method}"
step = 0.033
until = 1000.0
{more}
[[body]]
mesh = { sheet = { size = [1.0, 1.0], cells = [100, 100] } }
springs = { stiffness = 200.0, bend = 2.0, mass = 0.3 }
[[body.tether]]
where = { near = [0.0, 0.0, 0.0] }
stiffness = 1e3
[[body.tether]]
where = { near = [1.0, 0.0, 0.0] }
stiffness = 1e3
"#;

const FAST: &str = "[solver]\nnewton = \"local-global\"\n";
const TRACKED: &str = "[time.stabilise]\ntolerance = 0.01\n[solver]\nnewton = \"local-global\"\n";

fn simulation(text: &str, method: &str, more: &str) -> Simulation {
    let text = text.replace("{method}", method).replace("{more}", more);
    let (scene, source) = parse("bench.toml", &text).expect("a scene");
    build(scene, &source).expect("a simulation")
}

/// Time of this thread, ms: what a step costs on one thread however busy the machine is. The clock on the wall where the
/// system does not tell.
fn clock(since: Instant) -> f64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let busy = told.and_then(|t| t.split(' ').next()?.parse::<f64>().ok());
    match busy {
        Some(ns) if rayon::current_num_threads() == 1 => 1e-6 * ns,
        _ => 1e3 * since.elapsed().as_secs_f64(),
    }
}

/// [`times_here`] on a thread of the pool, as `supple run` does it: from any other each call would wake the pool and wait.
fn times(text: &str, method: &str, more: &str, steps: usize) -> [f64; 3] {
    rayon::scope(|_| times_here(text, method, more, steps))
}

/// Median and 99th percentile of a step, ms, after the first ones, and the share of steps that were blended.
fn times_here(text: &str, method: &str, more: &str, steps: usize) -> [f64; 3] {
    let mut sim = simulation(text, method, more);
    let h = sim.scene.time.step;
    let mut all = Vec::with_capacity(steps);
    let mut blended = 0;
    let began = Instant::now();
    let first = (steps / 10).clamp(2, 20);
    for n in 0..steps + first {
        let start = clock(began);
        let done = sim
            .stepper
            .step(&mut sim.model, &mut sim.solver, &mut sim.state, h);
        if let Err(why) = done {
            println!("    {method}: {why}");
            break;
        }
        if n >= first {
            all.push(clock(began) - start);
            blended += usize::from(sim.stepper.blend() != 0.0);
        }
    }
    let count = all.len().max(1);
    all.sort_by(f64::total_cmp);
    let at = |q: f64| {
        all.get((q * count as f64) as usize)
            .copied()
            .unwrap_or(f64::NAN)
    };
    [at(0.5), at(0.99), blended as f64 / count as f64]
}

fn main() {
    let steps = std::env::args()
        .skip(1)
        .find_map(|a| a.parse().ok())
        .unwrap_or(300);
    for (name, text) in [
        ("solid, 4913 vertices", SOLID),
        ("cloth, 10201 vertices", CLOTH),
    ] {
        let asked = |a: &String| ["solid", "cloth"].contains(&a.as_str());
        if std::env::args().any(|a| asked(&a)) && !std::env::args().any(|a| name.starts_with(&a)) {
            continue;
        }
        println!(
            "{name}, steps of 33 ms, {} threads",
            rayon::current_num_threads()
        );
        let row = |what: &str, [median, late, blended]: [f64; 3]| {
            println!(
                "  {what:34} {median:9.2} ms   99th percentile {:.2}   blended {:.0} %",
                late / median,
                100.0 * blended
            );
            median
        };
        let euler = row(
            "local/global backward Euler",
            times(text, "backward-euler", FAST, steps),
        );
        row(
            "local/global midpoint",
            times(text, "implicit-midpoint", FAST, steps),
        );
        let tracked = row(
            "tracked midpoint",
            times(text, "implicit-midpoint", TRACKED, steps),
        );
        let newton = row(
            "Newton to 1e-8, backward Euler",
            times(text, "backward-euler", "", (steps / 20).max(5)),
        );
        println!(
            "  Newton / local-global              {:9.1}",
            newton / euler
        );
        println!(
            "  tracked / backward Euler           {:9.2}",
            tracked / euler
        );
        println!(
            "  33 ms / tracked                    {:9.2}",
            33.0 / tracked
        );
    }
}
