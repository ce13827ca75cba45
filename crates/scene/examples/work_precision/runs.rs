//! Runs small scenes, measures their cost and the distance between two runs.

use std::error::Error;

use scene::build::build;
use scene::spec::parse;

/// Cost of a factorization in solves.
const FACTORIZATION_COST_IN_SOLVES: f64 = 6.0;

/// The hardening spring of [Linearized Force Error, fig. 1]; `{time}` is a placeholder for method and steps.
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

/// A clamped bar under its weight.
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

/// Sampled positions and cost of a run.
pub struct Run {
    /// Positions of all nodes at every sample, m.
    pub samples: Vec<Vec<[f64; 3]>>,
    /// Cost in solves, with factorizations converted to solves, including rejected attempts.
    pub cost: f64,
    /// Number of steps.
    pub steps: u64,
    /// Number of rejected attempts.
    pub rejected: u64,
    /// Number of factorizations.
    pub factorizations: u64,
}

/// Runs a scene and records all positions `samples_per_second` times a second, interpolated between the ends of steps.
pub fn run(text: &str, samples_per_second: f64) -> Result<Run, Box<dyn Error>> {
    let (scene, source) = parse("scene.toml", text)?;
    let mut session = build(scene, &source)?;
    let until = session.scene.time.until;
    let mut samples = Vec::new();
    let mut next = 1.0;
    while session.step_towards(until)? {
        while next / samples_per_second <= session.t() + 1e-12 {
            samples.push(session.positions_at(next / samples_per_second));
            next += 1.0;
        }
    }
    let totals = session.totals();
    Ok(Run {
        samples,
        cost: totals.work.solves as f64
            + FACTORIZATION_COST_IN_SOLVES * totals.work.factorizations as f64,
        steps: totals.steps,
        rejected: totals.rejected,
        factorizations: totals.work.factorizations,
    })
}

/// Largest difference of a coordinate between two runs at any sample, m.
pub fn distance(a: &Run, b: &Run) -> f64 {
    let pairs = a.samples.iter().zip(&b.samples);
    let nodes = pairs.flat_map(|(a, b)| a.as_flattened().iter().zip(b.as_flattened()));
    nodes.fold(0.0, |m, (x, y)| m.max((x - y).abs()))
}
