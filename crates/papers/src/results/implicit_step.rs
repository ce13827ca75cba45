//! 002 §4: the linearly implicit step of ẍ = f(t, x, ẋ).
//!
//! (I − h f_v − h² f_x) Δv = h (f₀ + h f_x v₀ + h f_t), Δx = h (v₀ + Δv). Eq. (4-6) is printed with f_t instead of
//! h f_t, and does not converge so. One mass on a hardening spring with a cubic damper, by hand, against
//! `s-backward-euler` (no f_t: the force does not know the time) and the one-stage Rosenbrock method with γ = 1.

use chart::{Axis, Chart, Series};
use march::problems::Chain;
use march::{Newton, Options, Parameters, State, Stepper, find};

use crate::bodies::{one_step, slope, stepper};
use crate::check::{below, near};
use crate::{Finding, Job, PaperError, Table};

/// f, f_x, f_v of one mass without load: −(k x + k₃ x³) − (c v + c₃ v³).
fn force(c: &Chain, x: f64, v: f64) -> [f64; 3] {
    [
        -(c.stiffness * x + c.hardening * x.powi(3))
            - (c.damping * v + c.cubic_damping * v.powi(3)),
        -(c.stiffness + 3.0 * c.hardening * x * x),
        -(c.damping + 3.0 * c.cubic_damping * v * v),
    ]
}

/// The load that makes x = A sin(wt + p) exact, and its rate: g = ẍ − f(x, ẋ).
fn load(c: &Chain, t: f64) -> [f64; 2] {
    let Some([a, w, p]) = c.motion.first() else {
        return [0.0; 2];
    };
    let (sin, cos) = (w * t + p).sin_cos();
    let (x, v, acc, jerk) = (a * sin, a * w * cos, -a * w * w * sin, -a * w.powi(3) * cos);
    let [f, fx, fv] = force(c, x, v);
    [acc - f, jerk - fx * v - fv * acc]
}

/// (4-5), (4-6) by hand; `rate` is the factor of ∂f/∂t in the bracket.
fn by_hand(c: &Chain, s: (f64, f64, f64), h: f64, rate: f64) -> (f64, f64) {
    let (t, x, v) = s;
    let [f, fx, fv] = force(c, x, v);
    let [g, gt] = load(c, t);
    let dv = h * (f + g + h * fx * v + rate * gt) / (1.0 - h * fv - h * h * fx);
    (x + h * (v + dv), v + dv)
}

/// The 2n × 2n system (4-4), by Cramer's rule.
fn doubled(c: &Chain, x: f64, v: f64, h: f64) -> (f64, f64) {
    let [f, fx, fv] = force(c, x, v);
    // [1, −h; −h f_x, 1 − h f_v] (Δx, Δv) = h (v, f).
    let determinant = (1.0 - h * fv) - h * h * fx;
    let dx = (h * v * (1.0 - h * fv) + h * h * f) / determinant;
    let dv = (h * f + h * fx * h * v) / determinant;
    (x + dx, v + dv)
}

/// One step of a method of ours.
fn ours(
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
    let state = one_step(Box::new(stepper), Options::default(), &mut system, start, h)
        .map_err(PaperError::failure("a linearly implicit step"))?;
    Ok((state.u[0], state.v[0]))
}

/// Rosenbrock's method with one stage and γ = 1.
fn one_stage() -> Result<Box<dyn Stepper>, PaperError> {
    let table = Parameters {
        alpha: Some(vec![vec![]]),
        gamma_matrix: Some(vec![vec![1.0]]),
        b: Some(vec![1.0]),
        ..Parameters::default()
    };
    Ok(find("rosenbrock")?.stepper(&table, Newton::Minimise)?)
}

fn apart(a: (f64, f64), b: (f64, f64)) -> f64 {
    (a.0 - b.0).abs().max((a.1 - b.1).abs())
}

/// Computes the steps.
pub fn compute(_job: &Job) -> Result<Finding, PaperError> {
    let mut free = Chain::new(1).damped(0.3).cubic(12.0, 1.5);
    free.stiffness = 4.0;
    let mut forced = free.clone();
    forced.motion = vec![[0.7, 1.1, 0.3]];
    let mut finding = Finding::default();
    finding.parameter("force", "-(4 x + 12 x^3) - (0.3 v + 1.5 v^3), mass 1");
    finding.parameter("load", "whatever makes x = 0.7 sin(1.1 t + 0.3) exact");
    let (mut reduction, mut step, mut rate) = (0.0_f64, 0.0_f64, 0.0_f64);
    let (mut semi, mut rosenbrock) = (stepper("s-backward-euler")?, one_stage()?);
    for (x, v) in [(0.3, -0.7), (1.0, 2.0), (-0.4, 0.1)] {
        for h in [1e-3, 0.1, 10.0] {
            let hand = by_hand(&free, (0.0, x, v), h, 0.0);
            reduction = reduction.max(apart(hand, doubled(&free, x, v, h)));
            step = step.max(apart(hand, ours(semi.as_mut(), &free, (0.0, x, v), h)?));
            let hand = by_hand(&forced, (0.4, x, v), h, h);
            rate = rate.max(apart(
                hand,
                ours(rosenbrock.as_mut(), &forced, (0.4, x, v), h)?,
            ));
        }
    }
    finding.claim(
        "reduction",
        "the n x n system (4-5) has the solution of the 2n x 2n system (4-4)",
        format!("differs by {reduction:.1e} at most"),
        below(reduction, 1e-12).of("difference"),
    );
    finding.claim(
        "s-backward-euler",
        "eq. (4-5) is our s-backward-euler",
        format!("differs by {step:.1e} at most"),
        below(step, 1e-12).of("difference"),
    );
    finding.claim(
        "rosenbrock",
        "eq. (4-6), with h df/dt in the bracket, is the one-stage Rosenbrock method with gamma = 1",
        format!("differs by {rate:.1e} at most"),
        below(rate, 1e-11).of("difference"),
    );
    convergence(&mut finding, &forced);
    Ok(finding)
}

/// Errors after 2 s, corrected and as printed.
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
                s = by_hand(forced, (f64::from(k) * h, s.0, s.1), h, rate);
            }
            apart(s, (truth.u[0], truth.v[0]))
        };
        let errors = [run(h), run(1.0)];
        table.row([h, errors[0], errors[1]]);
        curves
            .iter_mut()
            .zip(errors)
            .for_each(|(c, e)| c.push((h, e)));
    }
    let [corrected, printed] = &curves;
    let p = slope(&corrected[3..]);
    finding.claim(
        "order-with-the-factor",
        "with h df/dt the step converges with order 1",
        format!("slope {p:.2}"),
        near(p, 1.0, 0.1).of("slope"),
    );
    let (first, last) = (printed[0].1, printed[printed.len() - 1].1);
    finding.claim(
"as-printed",
        "eq. (4-6) as printed, with df/dt, accounts for the time dependence",
        format!("its error stays: {first:.3} at h = 40 ms, {last:.3} at 1.25 ms; the term lacks a factor h"), below(last / first, 0.1).of("error at 1.25 ms over that at 40 ms"),
);
    finding.tables.push(table);
    let names = ["corrected", "as printed"];
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
