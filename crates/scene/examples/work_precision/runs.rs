//! Runs of small scenes with their cost, and how far apart two of them are.

use std::error::Error;

use scene::build::build;
use scene::spec::parse;

/// Solves that cost as much as a factorization.
const FACTORIZATION: f64 = 6.0;

/// The hardening spring of the adaptive paper; `{time}` stands for its method and steps.
pub const SPRING: &str = r#"
gravity = [0.0, 0.0, 0.0]
[time]
{time}
until = 2.0
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

/// A clamped bar that falls under its weight.
pub const BAR: &str = r#"
[time]
{time}
until = 0.5
[solver]
tolerance = 1e-10
[[body]]
mesh = { box = { size = [1.0, 0.2, 0.2], cells = [6, 2, 2], element = "hex8" } }
material = { law = "stable-neo-hookean", young = 1e5, poisson = 0.3, density = 1000 }
[[body.fix]]
where = { x = 0.0 }
"#;

/// Positions at all looks, and what the run took.
pub struct Run {
    /// Positions of all nodes at every look, m.
    pub looks: Vec<Vec<[f64; 3]>>,
    /// Solves, and factorizations in solves; rejected attempts are part of it.
    pub cost: f64,
    /// Steps taken.
    pub steps: u64,
    /// Attempts rejected.
    pub rejected: u64,
    /// Factorizations.
    pub factorizations: u64,
}

/// Runs a scene and records all positions `looks_a_second` times a second, interpolated between the ends of steps.
pub fn run(text: &str, looks_a_second: f64) -> Result<Run, Box<dyn Error>> {
    let (scene, source) = parse("scene.toml", text)?;
    let mut session = build(scene, &source)?;
    let until = session.scene.time.until;
    let mut looks = Vec::new();
    let mut next = 1.0;
    while session.step_towards(until)? {
        while next / looks_a_second <= session.t() + 1e-12 {
            looks.push(session.positions_at(next / looks_a_second));
            next += 1.0;
        }
    }
    let totals = session.totals();
    Ok(Run {
        looks,
        cost: totals.work.solves as f64 + FACTORIZATION * totals.work.factorizations as f64,
        steps: totals.steps,
        rejected: totals.rejected,
        factorizations: totals.work.factorizations,
    })
}

/// Largest distance between two runs at any look, m.
pub fn distance(a: &Run, b: &Run) -> f64 {
    let pairs = a.looks.iter().zip(&b.looks);
    let nodes = pairs.flat_map(|(a, b)| a.as_flattened().iter().zip(b.as_flattened()));
    nodes.fold(0.0, |m, (x, y)| m.max((x - y).abs()))
}
