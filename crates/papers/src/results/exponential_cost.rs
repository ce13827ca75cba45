//! [Ascher et al. 2021, Fig. 4]: cost of ERE and SIERE against the stiffness of the body.

use chart::{Axis, Chart, Series};
use rayon::prelude::*;

use crate::check::{above, below};
use crate::soft_beam::{BeamRun, cells};
use crate::{Finding, Job, PaperError, Table};

const STIFFNESS: [f64; 5] = [1e5, 1e6, 1e7, 1e8, 1e9];
const METHODS: [(&str, &str); 2] = [
    ("ere", "\"ere\""),
    (
        "siere",
        "{ name = \"siere\", modes = 10, refresh = \"once\" }",
    ),
];
const STEP: f64 = 0.01;

/// Computes the figure and checks the claims of the paper against the numbers.
pub fn compute(job: &Job) -> Result<Finding, PaperError> {
    let steps = job.size.pick(4, 20);
    let mut finding = Finding::default();
    finding.parameter("cells", format!("{:?}", cells(job.size)));
    finding.parameter("step_s", STEP);
    finding.parameter("steps", steps);
    finding.choice("The body is the clamped beam of 003-fig6, not the armadillo. Cost is the number of products with the Jacobian and of linear solves in a step, solves with the mass matrix and those of the eigenpairs included; modes are computed once, as the paper says for stiff objects.");
    let cases: Vec<(usize, f64)> = (0..2)
        .flat_map(|m| STIFFNESS.map(|young| (m, young)))
        .collect();
    let runs = cases.par_iter().map(|&(m, young)| {
        let run = BeamRun {
            method: METHODS[m].1,
            step: STEP,
            until: f64::from(steps) * STEP,
            young,
        };
        let (_, _, trial) = run.run(job, 2)?;
        if let Some(why) = trial.failure {
            return Err(PaperError::from_step(METHODS[m].0)(why));
        }
        let work = trial.work.products + trial.work.solves;
        Ok(work as f64 / f64::from(steps))
    });
    let costs = runs.collect::<Result<Vec<f64>, PaperError>>()?;
    let (ere, siere) = costs.split_at(STIFFNESS.len());
    let mut table = Table::new("cost", ["young_pa", "ere", "siere"]);
    for (k, young) in STIFFNESS.iter().enumerate() {
        table.row([*young, ere[k], siere[k]]);
    }
    finding.tables.push(table);
    let line = |name: &str, costs: &[f64]| {
        let points = STIFFNESS.iter().copied().zip(costs.iter().copied());
        Series::line_with_markers(name, points.collect())
    };
    finding.plot(
        "cost",
        Chart {
            title: "Products and solves in a step".into(),
            x: Axis::log("Young's modulus, Pa"),
            y: Axis::log("products and solves per step"),
            series: vec![line("ere", ere), line("siere", siere)],
        },
    );
    let growth = |c: &[f64]| {
        let most = c.iter().copied().fold(0.0, f64::max);
        most / c.iter().copied().fold(f64::INFINITY, f64::min)
    };
    finding.claim(
        "ere-explodes",
        "the cost of ERE becomes prohibitive as the stiffness increases",
        format!("{:.0} to {:.0} products and solves a step", ere[0], ere[4]),
        above(growth(ere), 10.0).of("growth"),
    );
    finding.claim(
        "siere-is-flat",
        "the cost of SIERE does not grow significantly with stiffness",
        format!("{:.1} to {:.1} solves a step", siere[0], siere[4]),
        below(growth(siere), 1.5).of("growth"),
    );
    Ok(finding)
}
