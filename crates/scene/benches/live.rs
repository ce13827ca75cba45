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

/// Newton steps: a second of motion.
const NEWTON: usize = 30;
/// Rounds in which simulations take turns.
const ROUNDS: usize = 10;
const FAST: &str = "[solver]\nnewton = \"local-global\"\n";
/// Newton as papers count it.
const TEXTBOOK: &str = "[solver]\nfactors = \"each-step\"\n";
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

/// A simulation whose steps are timed a round at a time, in turn with others: a machine that is busy for a while is so for
/// all of them.
struct Runner {
    what: &'static str,
    sim: Simulation,
    /// Steps of a round, and those before its clock starts.
    round: usize,
    early: usize,
    /// Whether it is the same step from the same state each time: how steady the machine is.
    again: bool,
    /// Times of each round, ms.
    rounds: Vec<Vec<f64>>,
    blended: usize,
    failed: bool,
}

impl Runner {
    fn new(what: &'static str, sim: Simulation, round: usize, early: usize) -> Runner {
        Runner {
            what,
            sim,
            round,
            early,
            again: false,
            rounds: Vec::new(),
            blended: 0,
            failed: false,
        }
    }

    /// Takes a round of steps.
    fn run(&mut self) {
        let sim = &mut self.sim;
        let h = sim.scene.time.step;
        let began = Instant::now();
        let here = sim.state.clone();
        let mut all = Vec::with_capacity(self.round);
        for n in 0..self.early + self.round {
            if self.failed {
                break;
            }
            if self.again {
                sim.state.clone_from(&here);
            }
            let start = clock(began);
            let done = sim
                .stepper
                .step(&mut sim.model, &mut sim.solver, &mut sim.state, h);
            let spent = clock(began) - start;
            if let Err(why) = done {
                println!("    {}: {why}", self.what);
                self.failed = true;
                break;
            }
            if n >= self.early {
                all.push(spent);
                self.blended += usize::from(sim.stepper.blend() != 0.0);
            }
        }
        if self.again {
            sim.state = here;
        }
        self.rounds.push(all);
    }

    fn report(&self) {
        let mut all = self.rounds.concat();
        let median = quantile(&mut all, 0.5);
        let late = quantile(&mut all, 0.99);
        println!(
            "  {:34} {median:9.2} ms   99th percentile {:.2}   blended {:.0} %",
            self.what,
            late / median,
            100.0 * self.blended as f64 / all.len().max(1) as f64
        );
    }

    /// Median over the rounds of the ratio of a step's median here and there, its least and its greatest.
    fn over(&self, other: &Runner) -> [f64; 3] {
        let pairs = self.rounds.iter().zip(&other.rounds);
        let mut ratios: Vec<f64> = pairs
            .filter(|(x, _)| !x.is_empty())
            .map(|(x, y)| quantile(&mut x.clone(), 0.5) / quantile(&mut y.clone(), 0.5))
            .collect();
        [0.5, 0.0, 1.0].map(|q| quantile(&mut ratios, q))
    }
}

/// A quantile of some numbers, which it sorts.
fn quantile(all: &mut [f64], q: f64) -> f64 {
    all.sort_by(f64::total_cmp);
    let last = all.len().saturating_sub(1);
    let at = ((q * all.len() as f64) as usize).min(last);
    all.get(at).copied().unwrap_or(f64::NAN)
}

fn bench(text: &str, steps: usize) {
    let round = steps.div_ceil(ROUNDS);
    let fast = |what, method, more| Runner::new(what, simulation(text, method, more), round, 3);
    let newton = simulation(text, "backward-euler", TEXTBOOK);
    let mut again = fast("one backward Euler step, repeated", "backward-euler", FAST);
    again.again = true;
    let mut runners = [
        again,
        fast("local/global backward Euler", "backward-euler", FAST),
        fast("local/global midpoint", "implicit-midpoint", FAST),
        fast("tracked midpoint", "implicit-midpoint", TRACKED),
        Runner::new("Newton to 1e-8, backward Euler", newton, NEWTON / ROUNDS, 1),
    ];
    for _ in 0..ROUNDS {
        runners.iter_mut().for_each(Runner::run);
    }
    runners.iter().for_each(Runner::report);
    let [_, euler, _, tracked, newton] = &runners;
    for (what, [median, least, most]) in [
        ("Newton / local-global", newton.over(euler)),
        ("tracked / backward Euler", tracked.over(euler)),
    ] {
        println!("  {what:34} {median:9.2}      {least:.2} to {most:.2} over rounds");
    }
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
        // On a thread of the pool, as `supple run` does it: from any other each call would wake the pool and wait.
        rayon::scope(|_| bench(text, steps));
    }
}
