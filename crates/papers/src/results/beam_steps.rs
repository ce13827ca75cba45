//! [Löschner et al. 2020, Fig. 4]: energy error |e(T) − e(0)| of the beam against the step.
//!
//! The paper attributes the plateau at small steps to the mesh. The semi-discrete energy is an exact invariant, so the
//! plateau is the tolerance of Newton's method (docs/references.md, E24); we state it with the curve.

use chart::{Axis, Chart, Series};
use rayon::prelude::*;

use crate::check::{above, at_most, near, within};
use crate::scenes::{
    BEAM_METHODS, RunSettings, beam_cells, format_milliseconds, log_log_slope, open_beam,
    total_mass,
};
use crate::{Finding, Job, PaperError, Table};
use scene::run::Flow;
use scene::trial::trial;

const TOLERANCE: f64 = 1e-10;

/// A method, its fitted slope, and its worst error at each step.
type Fitted<'a> = (&'a str, f64, Vec<(f64, f64)>);

/// A step with the error at the end and the worst error of the last tenth; `None` if the run failed.
type Point = (f64, Option<(f64, f64)>);

/// Computes the figure and checks the claims of the paper against the numbers.
pub fn compute(job: &Job) -> Result<Finding, PaperError> {
    let until = job.size.pick(2.5, 10.0);
    let steps: &[f64] = job.size.pick(
        &[0.25, 0.1, 0.05, 0.02, 0.01, 0.005],
        &[1.0, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001],
    );
    let mut finding = Finding::default();
    finding.parameter("cells", format!("{:?}", beam_cells(job.size)));
    finding.parameter("until_s", until);
    finding.parameter("newton_tolerance", TOLERANCE);
    finding.choice(format!(
        "Newton's tolerance is {TOLERANCE:.0e} of the force scale. Steps below {} are omitted (the paper goes to 1e-5 s). Slopes are fitted to the worst error of the last tenth of the run at the three smallest steps, because the error at one moment may pass through zero.",
        format_milliseconds(steps[steps.len() - 1])
    ));
    let runs = BEAM_METHODS.par_iter().map(|&method| {
        let line = steps
            .iter()
            .map(|&step| Ok((step, error(job, method, step, until)?)))
            .collect::<Result<Vec<Point>, PaperError>>()?;
        (job.progress)(method);
        Ok((method, line))
    });
    let lines = runs.collect::<Result<Vec<_>, PaperError>>()?;
    let mut errors = Table::new(
        "errors",
        ["method", "step_s", "end_J_per_kg", "worst_J_per_kg"],
    );
    let mut slopes = Table::new("slopes", ["method", "slope"]);
    let mut series = Vec::new();
    let mut found = Vec::new();
    for (method, line) in &lines {
        let good: Vec<(f64, (f64, f64))> = line
            .iter()
            .filter_map(|(h, e)| e.map(|e| (*h, e)))
            .collect();
        good.iter()
            .for_each(|(h, e)| errors.line(method, [*h, e.0, e.1]));
        let worst: Vec<(f64, f64)> = good.iter().map(|(h, e)| (*h, e.1)).collect();
        let p = log_log_slope(&worst[worst.len().saturating_sub(3)..]);
        slopes.line(method, [p]);
        found.push((*method, p, worst));
        series.push(Series::line_with_markers(
            *method,
            good.iter().map(|(h, e)| (*h, e.0)).collect(),
        ));
    }
    // A method that blew up would compress the curves of the others.
    let most = found.iter().find(|f| f.0 == "backward-euler");
    let max_euler_error = most.map_or(f64::INFINITY, |f| f.2.iter().fold(0.0, |m, p| p.1.max(m)));
    for line in &mut series {
        line.points.retain(|p| p.1 <= 10.0 * max_euler_error);
    }
    finding.choice("Points above ten times the largest error of backward Euler, where a method blew up, are in the table but not in the plot.");
    finding.tables.extend([errors, slopes]);
    finding.plot(
        "error-against-step",
        Chart {
            title: format!("Beam after {until} s, Newton tolerance {TOLERANCE:.0e}"),
            x: Axis::log("step, s"),
            y: Axis::log("change of energy per mass, J/kg"),
            series,
        },
    );
    claims(&mut finding, &found);
    Ok(finding)
}

/// Returns the error at the end and the worst error of the last tenth; `None` if the run failed.
fn error(job: &Job, method: &str, step: f64, until: f64) -> Result<Option<(f64, f64)>, PaperError> {
    let pace = RunSettings {
        method,
        step,
        until,
    };
    let mut sim = open_beam(job.size, &pace, TOLERANCE)?;
    let mass = total_mass(&sim);
    let mut start = None;
    let mut worst = 0.0_f64;
    let run = trial(&mut sim, &mut |_, row| {
        let total = row.energies.total();
        let off = (total - *start.get_or_insert(total)).abs() / mass;
        if row.t >= 0.9 * until {
            worst = worst.max(off);
        }
        Flow::On
    });
    let off = (run.last.energies.total() - run.first.energies.total()).abs() / mass;
    Ok(run.failure.is_none().then_some((off, worst)))
}

fn fitted_slope(found: &[Fitted], name: &str) -> f64 {
    found.iter().find(|f| f.0 == name).map_or(f64::NAN, |f| f.1)
}

fn claims(finding: &mut Finding, found: &[Fitted]) {
    let of = |name: &str| found.iter().find(|f| f.0 == name);
    let p = |name: &str| fitted_slope(found, name);
    let at = |name: &str, h: f64| {
        let line = of(name).map_or(&[][..], |f| &f.2[..]);
        line.iter()
            .find(|q| (q.0 - h).abs() < 1e-9)
            .map_or(f64::INFINITY, |q| q.1)
    };
    finding.claim(
        "euler-first-order",
        "the first-order convergence of backward Euler is clearly visible",
        format!("slope {:.2}", p("backward-euler")),
        near(p("backward-euler"), 1.0, 0.3).of("slope"),
    );
    let above = |h: f64| {
        let euler = at("backward-euler", h);
        found
            .iter()
            .filter(|f| f.0 != "backward-euler" && at(f.0, h) >= euler)
            .map(|f| format!("{} at {}", f.0, format_milliseconds(h)))
            .collect::<Vec<_>>()
    };
    let steps: Vec<f64> =
        of("backward-euler").map_or(Vec::new(), |f| f.2.iter().map(|q| q.0).collect());
    let worse: Vec<String> = steps.iter().flat_map(|h| above(*h)).collect();
    finding.claim(
        "smaller-than-euler",
        "all other methods show a significantly smaller error over the whole range",
        if worse.is_empty() {
            "smaller at every step".into()
        } else {
            format!("not smaller: {}", worse.join(", "))
        },
        at_most(worse.len() as f64, 0.0).of("methods and steps with a larger error"),
    );
    let range = [0.1, 0.05, 0.02, 0.01];
    let ahead = |h: f64| {
        let pair = at("sdirk2", h).max(at("tr-bdf2-bathe", h));
        found
            .iter()
            .filter(|f| !["sdirk2", "tr-bdf2-bathe"].contains(&f.0) && at(f.0, h) < pair)
            .map(|f| format!("{} at {}", f.0, format_milliseconds(h)))
            .collect::<Vec<_>>()
    };
    let ahead: Vec<String> = range.iter().flat_map(|h| ahead(*h)).collect();
    finding.claim(
        "best-between-100-and-10-ms",
        "SDIRK2 and TR-BDF2(B) perform significantly better than all others between 100 and 10 ms",
        if ahead.is_empty() {
            "no other method has a smaller error".into()
        } else {
            format!("smaller errors: {}", ahead.join(", "))
        },
        at_most(ahead.len() as f64, 0.0).of("methods and steps with a smaller error"),
    );
    orders(finding, found);
}

fn orders(finding: &mut Finding, found: &[Fitted]) {
    let p = |name: &str| fitted_slope(found, name);
    let low = ["sdirk-3345", "sdirk-4347"];
    finding.claim(
        "low-dispersion-orders",
        "SDIRK(3,3,4,5) and SDIRK(4,3,4,7) show an order of three or higher",
        format!("slopes {:.2} and {:.2}", p(low[0]), p(low[1])),
        low.map(|m| above(p(m), 2.85).of(m)),
    );
    let rest: Vec<_> = found
        .iter()
        .filter(|f| f.0 != "backward-euler" && !low.contains(&f.0))
        .collect();
    let text: Vec<String> = rest.iter().map(|f| format!("{} {:.2}", f.0, f.1)).collect();
    finding.claim(
        "other-orders",
        "all other higher-order methods show an order between two and three",
        text.join(", "),
        rest.iter()
            .map(|f| within(f.1, 1.85, 3.15).of(f.0))
            .collect::<Vec<_>>(),
    );
}
