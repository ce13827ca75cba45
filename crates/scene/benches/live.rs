//! Step times of local/global iterations and energy tracking on a solid and a cloth of the sizes in [Dinev et al. 2018].
//!
//! `cargo bench -p supple-scene --bench live [-- STEPS] [solid|cloth]`. Every step is taken by five identical copies of a
//! simulation, and its time is the smallest of the five, which reduces the influence of other programs. Percentiles of
//! these and of all times are printed, and ratios of all times. Newton has one copy.

use std::time::Instant;

use scene::build::build;
use scene::session::Session;
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

/// Number of Newton steps: a second of motion.
const NEWTON: usize = 30;
/// Number of copies that take each step.
const COPIES: usize = 5;
/// Number of rounds in which simulations alternate.
const ROUNDS: usize = 10;
const FAST: &str = "[solver]\nnewton = \"local-global\"\n";
/// Newton with a factorization in every step, as in papers.
const TEXTBOOK: &str = "[solver]\nfactors = \"each-step\"\n";
const TRACKED: &str = "[time.stabilise]\ntolerance = 0.01\n[solver]\nnewton = \"local-global\"\n";

fn simulation(text: &str, method: &str, more: &str) -> Session {
    let text = text.replace("{method}", method).replace("{more}", more);
    let (scene, source) = parse("bench.toml", &text).expect("a scene");
    build(scene, &source).expect("a simulation")
}

/// A simulation whose steps are timed in rounds that alternate with those of others: a temporarily busy machine affects all
/// of them.
struct Runner {
    what: &'static str,
    copies: Vec<Session>,
    /// Number of timed steps of a round, and of steps before them.
    round: usize,
    early: usize,
    /// Whether the same step is repeated from the same state, to measure the variation of the machine.
    again: bool,
    /// Step times of each round, ms: the smallest of the copies.
    rounds: Vec<Vec<f64>>,
    /// Step times of all copies in each round, ms.
    all: Vec<Vec<f64>>,
    blended: usize,
    failed: bool,
}

impl Runner {
    fn new(what: &'static str, copies: Vec<Session>, round: usize, early: usize) -> Runner {
        Runner {
            what,
            copies,
            round,
            early,
            again: false,
            rounds: Vec::new(),
            all: Vec::new(),
            blended: 0,
            failed: false,
        }
    }

    /// Takes a round of steps, one copy after another.
    fn run(&mut self) {
        let (mut least, mut all) = (vec![f64::INFINITY; self.round], Vec::new());
        for k in 0..self.copies.len() {
            let times = self.round(k);
            all.extend(&times);
            least.truncate(times.len());
            for (least, spent) in least.iter_mut().zip(times) {
                *least = least.min(spent);
            }
        }
        self.rounds.push(least);
        self.all.push(all);
    }

    /// Takes a round of steps with one copy; returns the times, ms.
    fn round(&mut self, k: usize) -> Vec<f64> {
        let sim = &mut self.copies[k];
        sim.time_loop_and_model().0.drop_ledger();
        let here = sim.state().clone();
        let mut times = Vec::with_capacity(self.round);
        for n in 0..self.early + self.round {
            if self.failed {
                break;
            }
            if self.again {
                sim.start_from(&here);
                sim.time_loop_and_model().0.drop_ledger();
            }
            let start = Instant::now();
            let (time, model) = sim.time_loop_and_model();
            let done = time.step(model, f64::INFINITY);
            let spent = 1e3 * start.elapsed().as_secs_f64();
            let step = match done {
                Ok(step) => step,
                Err(why) => {
                    println!("    {}: {why}", self.what);
                    self.failed = true;
                    break;
                }
            };
            if n >= self.early {
                times.push(spent);
                self.blended += usize::from(step.is_some_and(|s| s.report.blend != 0.0));
            }
        }
        if self.again {
            sim.start_from(&here);
        }
        times
    }

    fn report(&self) {
        let (mut least, mut all) = (self.rounds.concat(), self.all.concat());
        let late = |times: &mut [f64]| quantile(times, 0.99) / quantile(times, 0.5);
        println!(
            "  {:34} {:9.2} ms   99th percentile {:.2}, of all times {:.2}   blended {:.0} %",
            self.what,
            quantile(&mut least, 0.5),
            late(&mut least),
            late(&mut all),
            100.0 * self.blended as f64 / all.len().max(1) as f64
        );
    }

    /// Returns median, minimum and maximum over the rounds of the ratio of the median times of two simulations.
    fn over(&self, other: &Runner) -> [f64; 3] {
        let pairs = self.all.iter().zip(&other.all);
        let mut ratios: Vec<f64> = pairs
            .filter(|(x, _)| !x.is_empty())
            .map(|(x, y)| quantile(&mut x.clone(), 0.5) / quantile(&mut y.clone(), 0.5))
            .collect();
        [0.5, 0.0, 1.0].map(|q| quantile(&mut ratios, q))
    }
}

/// Sorts numbers and returns a quantile.
fn quantile(all: &mut [f64], q: f64) -> f64 {
    all.sort_by(f64::total_cmp);
    let last = all.len().saturating_sub(1);
    let at = ((q * all.len() as f64) as usize).min(last);
    all.get(at).copied().unwrap_or(f64::NAN)
}

fn bench(text: &str, steps: usize) {
    let round = steps.div_ceil(ROUNDS);
    let copies = |method, more| {
        (0..COPIES)
            .map(move |_| simulation(text, method, more))
            .collect()
    };
    let fast = |what, method, more| Runner::new(what, copies(method, more), round, 3);
    let newton = vec![simulation(text, "backward-euler", TEXTBOOK)];
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
        // On a thread of the pool, as in `supple run`: from another thread each call would wake the pool and wait.
        rayon::scope(|_| bench(text, steps));
    }
}
