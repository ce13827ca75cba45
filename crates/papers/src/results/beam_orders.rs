//! Orders of convergence on the beam of 000, of the state and not of the energy.
//!
//! At steps small against every period of the mesh each method shows the order of its table. At steps of animation
//! most of the spectrum is stiff (hω ≫ 1), and higher orders are not to be seen (000 §5.3: "convergence orders higher
//! than two were only achieved at step sizes that are too small for practical use").

use chart::{Axis, Chart, Series};
use march::analysis::order::{Convergence, Ladder};
use march::analysis::{Run, order_on};
use march::{Options, StageSolver, State, StepError, find};
use rayon::prelude::*;

use crate::bodies::{Pace, beam, beam_cells, stepper};
use crate::{Finding, Job, PaperError, Table};

/// Methods whose orders must show.
const METHODS: [&str; 16] = [
    "backward-euler",
    "implicit-midpoint",
    "trapezoid",
    "bdf2",
    "generalized-alpha",
    "sdirk2",
    "tr-bdf2",
    "tr-bdf2-bathe",
    "sdirk3",
    "sdirk-ncs23",
    "sdirk-3345",
    "sdirk-4347",
    "ros3p",
    "ros3pl",
    "sdirk-nc34",
    "rodas4",
];

/// Methods made for oscillations: of order four (their dispersion order) on linear systems.
const LOW: [&str; 2] = ["sdirk-3345", "sdirk-4347"];

/// A span of the motion with steps to cross it, and the steps of its reference.
#[derive(Clone, Copy)]
struct Span {
    /// Where it begins, s: the beam is crossed there by RODAS4 with [`LEAD`].
    begin: f64,
    end: f64,
    ladder: Ladder,
    reference: u32,
}

/// Computes the orders.
pub fn compute(job: &Job) -> Result<Finding, PaperError> {
    let fine = Span {
        begin: 0.8,
        end: 0.9,
        ladder: Ladder {
            first: 40,
            last: 320,
            floor: 3e-11,
        },
        reference: 1280,
    };
    let coarse = Span {
        begin: 0.0,
        end: 2.0,
        ladder: Ladder {
            first: 20,
            last: 80,
            floor: 1e-10,
        },
        reference: 1600,
    };
    let mut finding = Finding::default();
    finding.parameter("cells", format!("{:?}", beam_cells(job.size)));
    finding.parameter("small_steps", "t = 0.8 to 0.9 s in 40 to 320 steps");
    finding.parameter("large_steps", "t = 0 to 2 s in 20 to 80 steps");
    finding.parameter("newton_tolerance", TIGHT);
    finding.choice("Small steps are taken where the beam swings fast and far: at its start the motion is so nearly linear that only linear order conditions would show. Errors are the larger of the relative errors of displacements and velocities at the end, in the largest component, against RODAS4 with finer steps; the slope is that of the two finest runs above round-off.");
    let small = measure(job, fine)?;
    let large = measure(job, coarse)?;
    let mut table = Table::new(
        "orders",
        ["method", "declared", "small_steps", "large_steps"],
    );
    let mut wrong = Vec::new();
    let mut dropped = Vec::new();
    let mut at_least = Vec::new();
    let mut high = 0;
    for ((&method, s), l) in METHODS.iter().zip(&small).zip(&large) {
        let declared = f64::from(find(method)?.order());
        let of = |c: &Convergence| c.order.unwrap_or(f64::NAN);
        table.line(method, [declared, of(s), of(l)]);
        let low = LOW.contains(&method);
        if low {
            at_least.push(of(s));
        }
        // Not `>`: a slope that could not be measured is wrong too.
        if !low && !((of(s) - declared).abs() <= 0.15) {
            wrong.push(format!("{method} {:.2}", of(s)));
        }
        if declared > 2.0 {
            high += 1;
            if !(of(l) > 2.5) {
                dropped.push(format!("{method} {:.2}", of(l)));
            }
        }
    }
    let points = errors(&small, &large);
    finding.plot("small-steps", chart("Beam, from 0.8 to 0.9 s", &small));
    finding.plot("large-steps", chart("Beam, from 0 to 2 s", &large));
    finding.tables.extend([table, points]);
    finding.claim(
        "classical orders 1 (BE), 2, 3 and 4 where steps are small against every period",
        if wrong.is_empty() {
            format!("all {} within 0.15", METHODS.len() - LOW.len())
        } else {
            format!("not {}", wrong.join(", "))
        },
        wrong.is_empty(),
    );
    finding.claim(
        "SDIRK(3,3,4,5) and SDIRK(4,3,4,7) show an order of three or higher",
        format!("{:.2} and {:.2}: order four for linear forces, and their third-order terms are lost in round-off here", at_least[0], at_least[1]),
        at_least.iter().all(|p| *p >= 2.85),
    );
    finding.claim(
        "orders higher than two are not reached at steps for practical use (25 to 100 ms)",
        format!(
            "below 2.5 there: {} of {high}: {}",
            dropped.len(),
            dropped.join(", ")
        ),
        dropped.len() == high,
    );
    Ok(finding)
}

const TIGHT: f64 = 1e-12;
/// Step of the lead-in, s.
const LEAD: f64 = 0.004;

fn measure(job: &Job, span: Span) -> Result<Vec<Convergence>, PaperError> {
    let pace = Pace {
        method: "rodas4",
        step: 0.01,
        until: 1.0,
    };
    let mut sim = beam(job.size, &pace, TIGHT)?;
    let options = Options {
        tolerance: TIGHT,
        ..sim.options
    };
    let mut solver = StageSolver::new(options);
    let mut march = |from: &State, to: f64, steps: u32| -> Result<State, StepError> {
        let mut s = from.clone();
        let span = to - from.t;
        for k in 1..=steps {
            let h = span / f64::from(steps);
            sim.stepper.step(&mut sim.model, &mut solver, &mut s, h)?;
            s.t = from.t + span * f64::from(k) / f64::from(steps);
        }
        Ok(s)
    };
    let rest = sim.state.clone();
    let lead = (span.begin / LEAD).round() as u32;
    let start = march(&rest, span.begin, lead).map_err(PaperError::step("the lead-in"))?;
    let truth =
        march(&start, span.end, span.reference).map_err(PaperError::step("the reference"))?;
    (job.tell)(&format!("reference to {} s", span.end));
    let each = METHODS.par_iter().map(|&method| {
        let mut sim = beam(job.size, &pace, TIGHT)?;
        let mut run = Run {
            system: &mut sim.model,
            start: &start,
            truth: &truth,
            options,
        };
        let found = order_on(stepper(method)?.as_mut(), &mut run, span.ladder);
        (job.tell)(&format!("{method} to {} s", span.end));
        found.map_err(PaperError::step(method))
    });
    each.collect()
}

fn errors(small: &[Convergence], large: &[Convergence]) -> Table {
    let mut table = Table::new("errors", ["method", "step_s", "error"]);
    for set in [small, large] {
        for (method, c) in METHODS.iter().zip(set) {
            c.points
                .iter()
                .for_each(|(h, e)| table.line(method, [*h, *e]));
        }
    }
    table
}

fn chart(title: &str, found: &[Convergence]) -> Chart {
    let series = METHODS.iter().zip(found);
    Chart {
        title: title.into(),
        x: Axis::log("step, s"),
        y: Axis::log("relative error of the state"),
        series: series
            .map(|(m, c)| Series::both(*m, c.points.clone()))
            .collect(),
    }
}
