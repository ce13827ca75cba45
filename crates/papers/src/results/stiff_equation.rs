//! [Baraff 2001, secs. 2 and 3]: explicit and implicit Euler on eq. 2-1, Ẋ = (−x, −k y).
//!
//! A velocity under linear damping alone obeys this equation, v̇ = −c v. Explicit Euler gives (1 − hk) y and requires
//! hk < 2. Implicit Euler gives y/(1 + hk) at any step, and 0 in one step as h → ∞.

use chart::{Axis, Chart, Dash, Series};
use march::{Options, State};
use problems::Chain;

use crate::check::{above, below};
use crate::scenes::{stepper, take_one_step};
use crate::{Finding, Job, PaperError, Table};

/// Returns the velocity after one step of h from 1 under v̇ = −k v.
fn step(method: &str, k: f64, h: f64) -> Result<f64, PaperError> {
    let mut system = Chain::new(1).damped(k);
    system.stiffness = 0.0;
    let start = State {
        t: 0.0,
        u: vec![0.0],
        v: vec![1.0],
    };
    let options = Options {
        tolerance: 1e-14,
        ..Options::default()
    };
    let s = take_one_step(stepper(method)?, options, &mut system, start, h)
        .map_err(PaperError::from_failure(method))?;
    Ok(s.v[0])
}

/// Returns the largest hk at which |y| does not grow, by bisection.
fn limit(method: &str) -> Result<f64, PaperError> {
    let (mut low, mut high) = (1.0, 10.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if step(method, middle, 1.0)?.abs() > 1.0 {
            high = middle;
        } else {
            low = middle;
        }
    }
    Ok(low)
}

/// Computes the stability limits and checks the claims of the paper against the numbers.
pub fn compute(_job: &Job) -> Result<Finding, PaperError> {
    let k = 1000.0;
    let mut finding = Finding::default();
    finding.parameter("k", k);
    let mut table = Table::new(
        "steps",
        [
            "h_s",
            "hk",
            "explicit",
            "explicit_formula",
            "implicit",
            "implicit_formula",
        ],
    );
    let [mut explicit_off, mut implicit_off] = [0.0_f64; 2];
    let mut curves = [(); 2].map(|()| Vec::new());
    for n in 1..=80 {
        let h = f64::from(n) * 5e-5;
        let found = [step("forward-euler", k, h)?, step("backward-euler", k, h)?];
        let wanted = [1.0 - h * k, 1.0 / (1.0 + h * k)];
        explicit_off = explicit_off.max((found[0] - wanted[0]).abs());
        implicit_off = implicit_off.max((found[1] - wanted[1]).abs());
        table.row([h, h * k, found[0], wanted[0], found[1], wanted[1]]);
        curves
            .iter_mut()
            .zip(found)
            .for_each(|(c, y)| c.push((h * k, y)));
    }
    finding.tables.push(table);
    finding.claim(
        "explicit-step",
        "an explicit Euler step gives (1 - h) x and (1 - hk) y (sec. 2)",
        format!("the difference is at most {explicit_off:.1e}"),
        below(explicit_off, 1e-12).of("difference"),
    );
    let euler = limit("forward-euler")?;
    finding.claim(
        "explicit-limit",
        "explicit Euler is unstable for |1 - hk| > 1: the largest step is 2/k",
        format!("y stops growing at hk = {euler:.9}"),
        below((euler - 2.0).abs(), 1e-9).of("|hk − 2|"),
    );
    let rk4 = limit("rk4")?;
    finding.claim(
        "rk4-limit",
        "fourth-order Runge-Kutta allows slightly larger steps",
        format!("stable up to hk = {rk4:.4}"),
        [above(rk4, euler).of("hk"), below(rk4, 3.0).of("hk")],
    );
    finding.claim(
        "implicit-step",
        "an implicit Euler step changes y by -hk/(1 + hk) y for every step (sec. 3)",
        format!("the difference is at most {implicit_off:.1e}"),
        below(implicit_off, 1e-12).of("difference"),
    );
    linear_solve(&mut finding, k)?;
    let [explicit, implicit] = curves;
    finding.plot(
        "one-step",
        Chart {
            title: "One step of ẏ = −ky from y = 1".into(),
            x: Axis::linear("hk"),
            y: Axis::linear("y after the step"),
            series: vec![
                Series::line("explicit Euler", explicit),
                Series::line("implicit Euler", implicit),
                Series::line("limit of stability", vec![(0.0, -1.0), (4.0, -1.0)])
                    .dash(Dash::Dotted),
            ],
        },
    );
    Ok(finding)
}

/// Adds the claims on [Baraff 2001, eq. 3-2], the step by one linear solve, for moderate and very large steps.
fn linear_solve(finding: &mut Finding, k: f64) -> Result<(), PaperError> {
    let linear = step("s-backward-euler", k, 0.1)? - step("backward-euler", k, 0.1)?;
    finding.claim(
        "linear-solve",
        "eq. (3-2), one linear solve, is the implicit Euler step for linear forces",
        format!("the difference is {:.1e}", linear.abs()),
        below(linear.abs(), 1e-14).of("difference"),
    );
    // By eq. 3-2: an iteration to convergence would have no force left to scale its residual.
    let far = step("s-backward-euler", k, 1e12)?;
    finding.claim(
        "infinite-step",
        "as h grows to infinity X = 0 is reached in a single step",
        format!("{far:.1e} of the initial value is left after a step of 1e12 s"),
        below(far.abs(), 1e-11).of("left"),
    );
    Ok(())
}
