//! [Ascher et al. 2021, eqs. 13 and 14]: a step of backward Euler or BDF2 minimises φ(v₁) = ½‖v₁ − ṽ‖²_M + W(q₁), q₁ =
//! q̃ + c v₁, whose stationarity M (v₁ − ṽ) + c ∇W(q₁) = 0 is the equation of the step.
//!
//! Backward Euler has ṽ = v₀, q̃ = q₀, c = h; BDF2 has ṽ = v₀ + ⅓(v₀ − v₋₁), q̃ = q₀ + ⅓(q₀ − q₋₁), c = ⅔h. The
//! implicit midpoint rule has such a form too, at the middle of the step.

use chart::{Axis, Chart, Series};
use march::vector::dot;
use march::{At, State, System};
use scene::session::Session;

use crate::check::{below, condition, slug};
use crate::scenes::open_scene;
use crate::{Finding, Job, PaperError, Table};

const SCENE: &str = r#"
[time]
method = "backward-euler"
step = 0.02
until = 1.0

[solver]
tolerance = 1e-12

[[body]]
name = "bar"
mesh = { box = { size = [1.0, 0.25, 0.25], cells = [8, 2, 2], element = "hex8" } }
material = { law = "stable-neo-hookean", young = 1e5, poisson = 0.4, density = 1000 }
velocity = { angular = [0.0, 0.0, 3.0] }

[[body.fix]]
where = { x = 0.0 }
"#;

const STEP: f64 = 0.02;
const STEPS: usize = 25;

/// Runs the scene and returns its states, the start first.
fn run_states(method: &str, newton: &str) -> Result<(Session, Vec<State>), PaperError> {
    let set = [
        ("time.method", method.to_string()),
        ("solver.newton", newton.to_string()),
    ];
    let mut sim = open_scene(SCENE, &set)?;
    let mut states = vec![sim.state().clone()];
    for _ in 0..STEPS {
        sim.step()
            .map_err(PaperError::from_session(format!("{method}, {newton}")))?;
        states.push(sim.state().clone());
    }
    Ok((sim, states))
}

/// Returns the largest difference of displacements and velocities, each relative to its own size.
fn relative_max_diff(a: &State, b: &State) -> f64 {
    let off = |x: &[f64], y: &[f64]| {
        let size = x.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        x.iter()
            .zip(y)
            .fold(0.0_f64, |m, (x, y)| m.max((x - y).abs()))
            / size
    };
    off(&a.u, &b.u).max(off(&a.v, &b.v))
}

/// The objective of a step: ṽ, q̃ and c.
struct Objective {
    v: Vec<f64>,
    q: Vec<f64>,
    c: f64,
}

impl Objective {
    /// Returns the objective of backward Euler [Ascher et al. 2021, eq. 13].
    fn euler(now: &State) -> Objective {
        Objective {
            v: now.v.clone(),
            q: now.u.clone(),
            c: STEP,
        }
    }

    /// Returns the objective of BDF2 [Ascher et al. 2021, eq. 14].
    fn bdf2(now: &State, past: &State) -> Objective {
        let ahead =
            |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x + (x - y) / 3.0).collect();
        Objective {
            v: ahead(&now.v, &past.v),
            q: ahead(&now.u, &past.u),
            c: 2.0 * STEP / 3.0,
        }
    }

    fn position(&self, v: &[f64]) -> Vec<f64> {
        self.q.iter().zip(v).map(|(q, v)| q + self.c * v).collect()
    }

    /// Returns φ(v).
    fn value(&self, sim: &mut Session, t: f64, v: &[f64]) -> f64 {
        let d: Vec<f64> = v.iter().zip(&self.v).map(|(a, b)| a - b).collect();
        let mut md = vec![0.0; d.len()];
        sim.model.mass().times(&d, &mut md);
        let stored = sim
            .model
            .potential(t, &self.position(v))
            .unwrap_or(f64::NAN);
        0.5 * dot(&d, &md) + stored
    }

    /// Returns ‖∇φ‖ relative to the size of the forces.
    fn relative_gradient(&self, sim: &mut Session, t: f64, v: &[f64]) -> f64 {
        let d: Vec<f64> = v.iter().zip(&self.v).map(|(a, b)| a - b).collect();
        let (mut g, mut f) = (vec![0.0; d.len()], vec![0.0; d.len()]);
        sim.model.mass().times(&d, &mut g);
        let q = self.position(v);
        sim.model.force(At { t, u: &q, v }, &mut f);
        let size = self.c * sim.model.force_scale();
        g.iter_mut().zip(&f).for_each(|(g, f)| *g -= self.c * f);
        dot(&g, &g).sqrt() / size
    }
}

/// Computes the comparison and checks the claims of the paper against the numbers.
pub fn compute(_job: &Job) -> Result<Finding, PaperError> {
    let mut finding = Finding::default();
    finding.parameter("body", "bar of 1 x 0.25 x 0.25 m, 8 x 2 x 2 hexahedra, stable-neo-hookean, E = 1e5 Pa, nu = 0.4, swung at 3 rad/s");
    finding.parameter("step_s", STEP);
    finding.parameter("steps", STEPS);
    finding.parameter("newton_tolerance", 1e-12);
    let methods = [
        ("backward-euler", "backward Euler (13)"),
        ("bdf2", "BDF2 (14)"),
        ("implicit-midpoint", "the implicit midpoint rule"),
    ];
    let mut table = Table::new("differences", ["method", "t_s", "relative_difference"]);
    let mut series = Vec::new();
    for (method, said) in methods {
        let (mut sim, least) = run_states(method, "minimise")?;
        let (_, root) = run_states(method, "residual")?;
        let off: Vec<f64> = least
            .iter()
            .zip(&root)
            .map(|(a, b)| relative_max_diff(a, b))
            .collect();
        least
            .iter()
            .zip(&off)
            .skip(1)
            .for_each(|(s, off)| table.line(method, [s.t, *off]));
        // Identical states are plotted at 1e-17.
        let points = least
            .iter()
            .zip(&off)
            .skip(1)
            .map(|(s, off)| (s.t, off.max(1e-17)));
        series.push(Series::line_with_markers(method, points.collect()));
        let worst = off.iter().copied().fold(0.0, f64::max);
        finding.claim(
            format!("same-step-{}", slug(said)),
            format!("minimising and finding the root give the same step: {said}"),
            format!("states differ by at most {worst:.1e} over {STEPS} steps"),
            below(worst, 1e-8).of("difference"),
        );
        if method != "implicit-midpoint" {
            claim_stationarity(&mut finding, &mut sim, &least, said);
        }
    }
    finding.tables.push(table);
    finding.plot(
        "differences",
        Chart {
            title: "Minimiser against root".into(),
            x: Axis::linear("time, s"),
            y: Axis::log("relative difference of the states"),
            series,
        },
    );
    Ok(finding)
}

/// Adds the claim that the steps are stationary points and minima of φ.
fn claim_stationarity(finding: &mut Finding, sim: &mut Session, states: &[State], said: &str) {
    let (mut slope, mut lowest) = (0.0_f64, true);
    for k in 2..states.len() {
        let (past, now, next) = (&states[k - 2], &states[k - 1], &states[k]);
        let phi = if said.starts_with("BDF2") {
            Objective::bdf2(now, past)
        } else {
            Objective::euler(now)
        };
        slope = slope.max(phi.relative_gradient(sim, next.t, &next.v));
        let here = phi.value(sim, next.t, &next.v);
        // A fixed direction with components of both signs.
        let aside = |scale: f64| -> Vec<f64> {
            let mix = |i: usize| scale * ((i * 7919 % 13) as f64 - 6.0);
            next.v.iter().enumerate().map(|(i, v)| v + mix(i)).collect()
        };
        for scale in [-0.03, -0.003, 0.003, 0.03] {
            lowest &= phi.value(sim, next.t, &aside(scale)) > here;
        }
    }
    finding.claim(
        format!("stationary-{}", slug(said)),
        format!("the step is a stationary point and minimum of the objective: {said}"),
        format!(
            "gradient at most {slope:.1e} of the forces; the objective is {} nearby",
            if lowest {
                "higher everywhere"
            } else {
                "not everywhere higher"
            }
        ),
        [
            below(slope, 1e-9).of("slope"),
            condition(lowest, "higher beside it"),
        ],
    );
}
