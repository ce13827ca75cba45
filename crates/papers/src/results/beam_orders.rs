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

/// A span of the motion with steps to cross it, and the steps of its reference.
#[derive(Clone, Copy)]
struct Span {
    end: f64,
    ladder: Ladder,
    reference: u32,
}

/// Computes the orders.
pub fn compute(job: &Job) -> Result<Finding, PaperError> {
    let fine = Span {
        end: 0.1,
        ladder: Ladder {
            first: 40,
            last: 320,
            floor: 3e-11,
        },
        reference: 1280,
    };
    let coarse = Span {
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
    finding.parameter("small_steps", "0.1 s in 40 to 320 steps");
    finding.parameter("large_steps", "2 s in 20 to 80 steps");
    finding.parameter("newton_tolerance", TIGHT);
    finding.choice("Errors are the larger of the relative errors of displacements and velocities at the end, in the largest component, against RODAS4 with finer steps; the slope is that of the two finest runs above round-off.");
    let small = measure(job, fine)?;
    let large = measure(job, coarse)?;
    let mut table = Table::new(
        "orders",
        ["method", "declared", "small_steps", "large_steps"],
    );
    let mut wrong = Vec::new();
    let mut dropped = Vec::new();
    let mut high = 0;
    for ((&method, s), l) in METHODS.iter().zip(&small).zip(&large) {
        let declared = f64::from(find(method)?.order());
        let of = |c: &Convergence| c.order.unwrap_or(f64::NAN);
        table.line(method, [declared, of(s), of(l)]);
        // Not `>`: a slope that could not be measured is wrong too.
        if !((of(s) - declared).abs() <= 0.15) {
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
    finding.plot("small-steps", chart("Beam, 0.1 s", &small));
    finding.plot("large-steps", chart("Beam, 2 s", &large));
    finding.tables.extend([table, points]);
    finding.claim(
        "classical orders 1 (BE), 2, 3 and 4 where steps are small against every period",
        if wrong.is_empty() {
            format!("all {} within 0.15", METHODS.len())
        } else {
            format!("not {}", wrong.join(", "))
        },
        wrong.is_empty(),
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
    let start = sim.state.clone();
    let mut truth = start.clone();
    let mut solver = StageSolver::new(options);
    let mut march = || -> Result<State, StepError> {
        let h = span.end / f64::from(span.reference);
        for k in 1..=span.reference {
            sim.stepper
                .step(&mut sim.model, &mut solver, &mut truth, h)?;
            truth.t = span.end * f64::from(k) / f64::from(span.reference);
        }
        Ok(truth.clone())
    };
    let truth = march().map_err(PaperError::step("the reference"))?;
    (job.tell)(&format!("reference over {} s", span.end));
    let each = METHODS.par_iter().map(|&method| {
        let mut sim = beam(job.size, &pace, TIGHT)?;
        let mut run = Run {
            system: &mut sim.model,
            start: &start,
            truth: &truth,
            options,
        };
        let found = order_on(stepper(method)?.as_mut(), &mut run, span.ladder);
        (job.tell)(&format!("{method} over {} s", span.end));
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
