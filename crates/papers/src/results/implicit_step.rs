//! [Baraff 2001, sec. 4]: the linearly implicit step of ẍ = f(t, x, ẋ).
//!
//! (I − h f_v − h² f_x) Δv = h (f₀ + h f_x v₀ + h f_t), Δx = h (v₀ + Δv). [Baraff 2001, eq. 4-6] has f_t instead of h
//! f_t and does not converge (docs/references.md, E7). We compare the closed form for one mass on a hardening spring
//! with a cubic damper with `s-backward-euler` (without f_t, because its force does not depend on time) and the
//! one-stage Rosenbrock method with γ = 1.

use chart::{Axis, Chart, Series};
use march::{Newton, Options, Parameters, State, Stepper, find};
use problems::Chain;

use crate::check::{below, near};
use crate::scenes::{log_log_slope, stepper, take_one_step};
use crate::{Finding, Job, PaperError, Table};

/// Returns f, f_x, f_v of one mass without load, f = −(k x + k₃ x³) − (c v + c₃ v³).
fn force(c: &Chain, x: f64, v: f64) -> [f64; 3] {
    [
        -(c.stiffness * x + c.hardening * x.powi(3))
            - (c.damping * v + c.cubic_damping * v.powi(3)),
        -(c.stiffness + 3.0 * c.hardening * x * x),
        -(c.damping + 3.0 * c.cubic_damping * v * v),
    ]
}

/// Returns the load for which x = A sin(wt + p) is exact, g = ẍ − f(x, ẋ), and its time derivative.
fn load(c: &Chain, t: f64) -> [f64; 2] {
    let Some([a, w, p]) = c.motion.first() else {
        return [0.0; 2];
    };
    let (sin, cos) = (w * t + p).sin_cos();
    let (x, v, acc, jerk) = (a * sin, a * w * cos, -a * w * w * sin, -a * w.powi(3) * cos);
    let [f, fx, fv] = force(c, x, v);
    [acc - f, jerk - fx * v - fv * acc]
}

/// Computes the step of [Baraff 2001, eqs. 4-5 and 4-6]; `rate` is the factor of ∂f/∂t in the bracket.
fn closed_form_step(c: &Chain, s: (f64, f64, f64), h: f64, rate: f64) -> (f64, f64) {
    let (t, x, v) = s;
    let [f, fx, fv] = force(c, x, v);
    let [g, gt] = load(c, t);
    let dv = h * (f + g + h * fx * v + rate * gt) / (1.0 - h * fv - h * h * fx);
    (x + h * (v + dv), v + dv)
}

/// Solves the 2n × 2n system [Baraff 2001, eq. 4-4] by Cramer's rule.
fn solve_full_system(c: &Chain, x: f64, v: f64, h: f64) -> (f64, f64) {
    let [f, fx, fv] = force(c, x, v);
    // [1, −h; −h f_x, 1 − h f_v] (Δx, Δv) = h (v, f).
    let determinant = (1.0 - h * fv) - h * h * fx;
    let dx = (h * v * (1.0 - h * fv) + h * h * f) / determinant;
    let dv = (h * f + h * fx * h * v) / determinant;
    (x + dx, v + dv)
}

/// Takes one step with a method of this library.
fn library_step(
    stepper: &mut dyn Stepper,
    c: &Chain,
    s: (f64, f64, f64),
    h: f64,
) -> Result<(f64, f64), PaperError> {
    let mut system = c.clone();
    let start = State {
        t: s.0,
        u: vec![s.1],
        v: vec![s.2],
    };
    stepper.restart();
    let state = take_one_step(Box::new(stepper), Options::default(), &mut system, start, h)
        .map_err(PaperError::from_failure("a linearly implicit step"))?;
    Ok((state.u[0], state.v[0]))
}

/// Creates the Rosenbrock method with one stage and γ = 1.
fn one_stage_rosenbrock() -> Result<Box<dyn Stepper>, PaperError> {
    let table = Parameters {
        alpha: Some(vec![vec![]]),
        gamma_matrix: Some(vec![vec![1.0]]),
        b: Some(vec![1.0]),
        ..Parameters::default()
    };
    Ok(find("rosenbrock")?.stepper(&table, Newton::Minimise)?)
}

/// Returns the largest difference of position and velocity.
fn max_abs_diff(a: (f64, f64), b: (f64, f64)) -> f64 {
    (a.0 - b.0).abs().max((a.1 - b.1).abs())
}

/// Computes the steps and checks the claims of the paper against the numbers.
pub fn compute(_job: &Job) -> Result<Finding, PaperError> {
    let mut free = Chain::new(1).damped(0.3).cubic(12.0, 1.5);
    free.stiffness = 4.0;
    let mut forced = free.clone();
    forced.motion = vec![[0.7, 1.1, 0.3]];
    let mut finding = Finding::default();
    finding.parameter("force", "-(4 x + 12 x^3) - (0.3 v + 1.5 v^3), mass 1");
    finding.parameter(
        "load",
        "the load for which x = 0.7 sin(1.1 t + 0.3) is exact",
    );
    let (mut reduction, mut step, mut rate) = (0.0_f64, 0.0_f64, 0.0_f64);
    let (mut semi, mut rosenbrock) = (stepper("s-backward-euler")?, one_stage_rosenbrock()?);
    for (x, v) in [(0.3, -0.7), (1.0, 2.0), (-0.4, 0.1)] {
        for h in [1e-3, 0.1, 10.0] {
            let hand = closed_form_step(&free, (0.0, x, v), h, 0.0);
            reduction = reduction.max(max_abs_diff(hand, solve_full_system(&free, x, v, h)));
            step = step.max(max_abs_diff(
                hand,
                library_step(semi.as_mut(), &free, (0.0, x, v), h)?,
            ));
            let hand = closed_form_step(&forced, (0.4, x, v), h, h);
            rate = rate.max(max_abs_diff(
                hand,
                library_step(rosenbrock.as_mut(), &forced, (0.4, x, v), h)?,
            ));
        }
    }
    finding.claim(
        "reduction",
        "the n x n system (4-5) has the solution of the 2n x 2n system (4-4)",
        format!("the difference is at most {reduction:.1e}"),
        below(reduction, 1e-12).of("difference"),
    );
    finding.claim(
        "s-backward-euler",
        "eq. (4-5) is our s-backward-euler",
        format!("the difference is at most {step:.1e}"),
        below(step, 1e-12).of("difference"),
    );
    finding.claim(
        "rosenbrock",
        "eq. (4-6), with h df/dt in the bracket, is the one-stage Rosenbrock method with gamma = 1",
        format!("the difference is at most {rate:.1e}"),
        below(rate, 1e-11).of("difference"),
    );
    convergence(&mut finding, &forced);
    Ok(finding)
}

/// Compares the errors after 2 s of the corrected and the published formula.
fn convergence(finding: &mut Finding, forced: &Chain) {
    let end = 2.0;
    let truth = forced.exact(end);
    let mut table = Table::new("time-derivative", ["h_s", "corrected", "printed"]);
    let mut curves = [(); 2].map(|()| Vec::new());
    for steps in [50, 100, 200, 400, 800, 1600] {
        let h = end / f64::from(steps);
        let run = |rate: f64| {
            let start = forced.exact(0.0);
            let mut s = (start.u[0], start.v[0]);
            for k in 0..steps {
                s = closed_form_step(forced, (f64::from(k) * h, s.0, s.1), h, rate);
            }
            max_abs_diff(s, (truth.u[0], truth.v[0]))
        };
        let errors = [run(h), run(1.0)];
        table.row([h, errors[0], errors[1]]);
        curves
            .iter_mut()
            .zip(errors)
            .for_each(|(c, e)| c.push((h, e)));
    }
    let [corrected, printed] = &curves;
    let p = log_log_slope(&corrected[3..]);
    finding.claim(
        "order-with-the-factor",
        "with h df/dt the step converges with order 1",
        format!("slope {p:.2}"),
        near(p, 1.0, 0.1).of("slope"),
    );
    let (first, last) = (printed[0].1, printed[printed.len() - 1].1);
    finding.claim(
"as-printed",
        "eq. (4-6) as published, with df/dt instead of h df/dt, accounts for the time dependence",
        format!("the error does not decrease: {first:.3} at h = 40 ms, {last:.3} at 1.25 ms; the term lacks a factor h"), below(last / first, 0.1).of("error at 1.25 ms over that at 40 ms"),
);
    finding.tables.push(table);
    let names = ["corrected", "published eq. (4-6)"];
    finding.plot(
        "time-derivative",
        Chart {
            title: "Error after 2 s".into(),
            x: Axis::log("step, s"),
            y: Axis::log("error"),
            series: curves
                .into_iter()
                .zip(names)
                .map(|(points, name)| Series::line_with_markers(name, points))
                .collect(),
        },
    );
}
