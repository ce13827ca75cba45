//! [Ascher et al. 2021, Example 2]: u̇ = −1000 u, ẇ = log u, u(0) = 1, one step of 0.1.
//!
//! The trapezoidal stage of TR-BDF2 reaches u ≈ −1, where the logarithm is undefined. BDF2 needs a u₋₁: from u₋₁ = u₀
//! it completes its first step and fails at its second; from the true past u₋₁ = e¹⁰⁰ it fails at once
//! (docs/references.md, E21).

use chart::{Axis, Chart, Series};
use march::{
    At, Curvature, MethodMemory, Newton, Options, Parameters, State, System, TimeLoop, Weights,
    find,
};
use sparse::{Matrix, Pattern};

use crate::check::{at_least, at_most, below, within};
use crate::{Finding, Job, PaperError, Table};

const DECAY_RATE: f64 = 1000.0;
const STEP: f64 = 0.1;
/// The unit of w, so large that u dominates the merit function of Newton's method.
const W_UNIT: f64 = 1e12;

/// The example with (u, w) as velocities: v̇₀ = −1000 v₀, v̇₁ = log v₀/[`W_UNIT`].
struct Logarithm {
    mass: Matrix,
    scale: f64,
}

impl Logarithm {
    fn new() -> Logarithm {
        let mut mass = Matrix::new(Pattern::new(2, []));
        for i in 0..2 {
            if let Some(k) = mass.pattern().find(i, i) {
                mass.values_mut()[k] = 1.0;
            }
        }
        Logarithm { mass, scale: 1.0 }
    }
}

impl System for Logarithm {
    fn dofs(&self) -> usize {
        2
    }

    fn mass(&self) -> &Matrix {
        &self.mass
    }

    fn force(&mut self, at: At, f: &mut [f64]) {
        f[0] = -DECAY_RATE * at.v[0];
        // NaN below zero. Newton's iteration starts at u = 0 exactly, but never ends there.
        f[1] = if at.v[0] == 0.0 {
            0.0
        } else {
            at.v[0].ln() / W_UNIT
        };
        self.scale = f[0].abs().max(f[1].abs());
    }

    /// Omits ∂(log u)/∂u, which is not symmetric; w follows one iteration later.
    fn tangent(&mut self, _at: At, w: Weights, _c: Curvature, out: &mut Matrix) {
        for (i, damping) in [DECAY_RATE, 0.0].into_iter().enumerate() {
            if let Some(k) = out.pattern().find(i, i) {
                out.values_mut()[k] = w.mass + w.damping * damping;
            }
        }
    }

    fn zero_matrix(&self) -> Matrix {
        Matrix::new(self.mass.pattern().clone())
    }

    fn tangent_times(&mut self, _du: &[f64], dv: &[f64], y: &mut [f64]) {
        y[0] = DECAY_RATE * dv[0];
        y[1] = 0.0;
    }

    fn potential(&mut self, _t: f64, _u: &[f64]) -> Option<f64> {
        None
    }

    fn dissipation(&mut self, _t: f64, _v: &[f64]) -> Option<f64> {
        None
    }

    fn force_scale(&self) -> f64 {
        self.scale
    }
}

/// The values of u after each step, and the failure.
type Path = (Vec<f64>, Option<String>);

/// Takes at most five steps and returns u after each, and the failure. `past` is u₋₁ for BDF2.
fn run_steps(method: &str, past: Option<f64>) -> Result<Path, PaperError> {
    let mut stepper = find(method)?.stepper(&Parameters::default(), Newton::Residual)?;
    if let Some(u) = past {
        stepper.restore(&MethodMemory::PreviousState {
            h: STEP,
            u: vec![0.0; 2],
            v: vec![u, 0.0],
        });
    }
    let options = Options {
        newton: Newton::Residual,
        ..Options::default()
    };
    let mut system = Logarithm::new();
    let start = State {
        t: 0.0,
        u: vec![0.0; 2],
        v: vec![1.0, 0.0],
    };
    let mut path = vec![1.0];
    let mut time = TimeLoop::fixed(stepper, options, start, STEP);
    let run = time.run(&mut system, 5.0 * STEP, &mut |time, _| {
        path.push(time.state().v[0]);
        true
    });
    Ok((path, run.err().map(|failure| failure.to_string())))
}

/// Computes the example and checks the claims of the paper against the numbers.
pub fn compute(_job: &Job) -> Result<Finding, PaperError> {
    let mut finding = Finding::default();
    finding.parameter("rate_per_s", DECAY_RATE);
    finding.parameter("step_s", STEP);
    finding.choice(
        "The paper does not give u_-1 for BDF2. We use u_-1 = u_0, and the true past exp(100).",
    );
    let cases = [
        ("backward-euler", "backward-euler", None),
        ("bdf2, past 1", "bdf2", Some(1.0)),
        (
            "bdf2, past exp(100)",
            "bdf2",
            Some((DECAY_RATE * STEP).exp()),
        ),
        ("tr-bdf2-bathe", "tr-bdf2-bathe", None),
        ("tr-bdf2", "tr-bdf2", None),
        ("sdirk2", "sdirk2", None),
    ];
    let mut table = Table::new("steps", ["method", "steps_taken", "u_1", "u_last"]);
    let mut series = Vec::new();
    let mut paths = Vec::new();
    for (name, method, past) in cases {
        let (path, failure) = run_steps(method, past)?;
        let first = path.get(1).copied().unwrap_or(f64::NAN);
        table.line(name, [path.len() as f64 - 1.0, first, path[path.len() - 1]]);
        let points = path.iter().enumerate().map(|(k, u)| (k as f64 * STEP, *u));
        series.push(Series::line_with_markers(name, points.collect()));
        paths.push((path, failure));
    }
    finding.tables.push(table);
    finding.plot(
        "steps",
        Chart {
            title: "u until the logarithm fails".into(),
            x: Axis::linear("time, s"),
            y: Axis::log("u"),
            series,
        },
    );
    claims(&mut finding, &paths);
    Ok(finding)
}

fn claims(finding: &mut Finding, paths: &[Path]) {
    let taken = |k: usize| paths[k].0.len() - 1;
    let (bathe, singly) = (taken(3), taken(4));
    finding.claim(
        "stuck",
        "both DIRK methods with a trapezoidal stage get stuck in the first step",
        format!(
            "{bathe} and {singly} steps taken; {}",
            paths[4].1.as_deref().unwrap_or("no failure")
        ),
        [bathe, singly].map(|n| at_most(n as f64, 0.0).of("steps")),
    );
    let first = paths[1].0.get(1).copied().unwrap_or(f64::NAN);
    // (4/3 − 1/3)/(1 + 200/3).
    let wanted = 1.0 / (1.0 + 2.0 / 3.0 * DECAY_RATE * STEP);
    finding.claim(
        "bdf2-first-step",
        "BDF2 completes the step, with a u close to 0 and positive",
        format!("u = {first:.6} from u_-1 = u_0 (closed form {wanted:.6})"),
        below((first - wanted).abs(), 1e-9).of("difference"),
    );
    finding.claim(
        "bdf2-goes-on",
        "BDF2 continues after the first step",
        format!("{} step taken: the second reaches a negative u", taken(1)),
        within(taken(1) as f64, 5.0, 5.0).of("steps"),
    );
    finding.claim(
        "bdf2-from-the-true-past",
        "BDF2 completes the step from the true past",
        format!("{} steps taken from u_-1 = exp(100)", taken(2)),
        at_least(taken(2) as f64, 1.0).of("steps"),
    );
}
