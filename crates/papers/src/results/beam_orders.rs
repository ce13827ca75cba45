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

/// Steps small against every period, where the beam swings fast and far.
const SMALL: Span = Span {
    begin: 0.8,
    end: 0.9,
    ladder: Ladder {
        first: 40,
        last: 320,
        floor: 3e-11,
    },
    reference: 1280,
};
/// Steps of animation.
const LARGE: Span = Span {
    begin: 0.0,
    end: 2.0,
    ladder: Ladder {
        first: 20,
        last: 80,
        floor: 1e-10,
    },
    reference: 1600,
};

/// Computes the orders.
pub fn compute(job: &Job) -> Result<Finding, PaperError> {
    let mut finding = Finding::default();
    finding.parameter("cells", format!("{:?}", beam_cells(job.size)));
    finding.parameter("small_steps", "t = 0.8 to 0.9 s in 40 to 320 steps");
    finding.parameter("large_steps", "t = 0 to 2 s in 20 to 80 steps");
    finding.parameter("newton_tolerance", TIGHT);
    finding.choice("Small steps are taken where the beam swings fast and far: at its start the motion is so nearly linear that only linear order conditions would show. Errors are the larger of the relative errors of displacements and velocities at the end, in the largest component, against RODAS4 with finer steps; the slope is that of the two finest runs above round-off.");
    let small = measure(job, SMALL)?;
    let large = measure(job, LARGE)?;
    let mut table = Table::new(
        "orders",
        ["method", "declared", "small_steps", "large_steps"],
    );
    let mut orders = Vec::new();
    for ((&method, s), l) in METHODS.iter().zip(&small).zip(&large) {
        let of = |c: &Convergence| c.order.unwrap_or(f64::NAN);
        let order = Order {
            method,
            declared: f64::from(find(method)?.order()),
            small: of(s),
            large: of(l),
        };
        table.line(method, [order.declared, order.small, order.large]);
        orders.push(order);
    }
    finding.plot("small-steps", chart("Beam, from 0.8 to 0.9 s", &small));
    finding.plot("large-steps", chart("Beam, from 0 to 2 s", &large));
    finding.tables.extend([table, errors(&small, &large)]);
    claims(&mut finding, &orders);
    Ok(finding)
}

/// What a method declares and what was measured; NaN where nothing could be.
struct Order {
    method: &'static str,
    declared: f64,
    small: f64,
    large: f64,
}

fn claims(finding: &mut Finding, orders: &[Order]) {
    let (low, plain): (Vec<&Order>, Vec<&Order>) =
        orders.iter().partition(|o| LOW.contains(&o.method));
    let right = |o: &&Order| (o.small - o.declared).abs() <= 0.15;
    let wrong: Vec<String> = plain
        .iter()
        .filter(|o| !right(o))
        .map(|o| format!("{} {:.2}", o.method, o.small))
        .collect();
    finding.claim(
        "classical orders 1 (BE), 2, 3 and 4 where steps are small against every period",
        if wrong.is_empty() {
            format!("all {} within 0.15", plain.len())
        } else {
            format!("not {}", wrong.join(", "))
        },
        wrong.is_empty(),
    );
    let found: Vec<String> = low.iter().map(|o| format!("{:.2}", o.small)).collect();
    finding.claim(
        "SDIRK(3,3,4,5) and SDIRK(4,3,4,7) show an order of three or higher",
        found.join(" and "),
        low.iter().all(|o| o.small >= 2.85),
    );
    let high: Vec<&Order> = orders.iter().filter(|o| o.declared > 2.0).collect();
    let dropped: Vec<String> = high
        .iter()
        .filter(|o| o.large < 2.5)
        .map(|o| format!("{} {:.2}", o.method, o.large))
        .collect();
    finding.claim(
        "orders higher than two are not reached at steps for practical use (25 to 100 ms)",
        format!(
            "below 2.5 there: {} of {}: {}",
            dropped.len(),
            high.len(),
            dropped.join(", ")
        ),
        dropped.len() == high.len(),
    );
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
