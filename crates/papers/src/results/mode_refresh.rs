//! [Ascher et al. 2021, sec. 4]: how frequently should the modes of SIERE be computed? The paper leaves it open.

use chart::{Axis, Chart, Series};
use march::State;
use rayon::prelude::*;

use crate::check::{above, below, condition};
use crate::soft_beam::{BeamRun, cells};
use crate::{Finding, Job, PaperError, Table};

const POLICIES: [&str; 5] = ["1", "5", "20", "\"angle\"", "\"once\""];
const STEP: f64 = 0.02;
const YOUNG: f64 = 1e5;

/// Runs SIERE under five policies and compares errors and solves.
pub fn compute(job: &Job) -> Result<Finding, PaperError> {
    let until = job.size.pick(2.0, 10.0);
    let mut finding = Finding::default();
    finding.parameter("cells", format!("{:?}", cells(job.size)));
    finding.parameter("step_s", STEP);
    finding.parameter("until_s", until);
    finding.parameter("modes", 10);
    finding.choice("The beam of 003-fig6. The error is the largest difference of a displacement at the end from sdirk2 at a tenth of the step; solves are all linear solves of the run, those of the eigenpairs included. The answer is ours.");
    let end = |method: &str, step: f64| -> Result<_, PaperError> {
        let run = BeamRun {
            method,
            step,
            until,
            young: YOUNG,
        };
        let (sim, rows, trial) = run.run(job, 300)?;
        let start = trial.first.energies.total();
        let curve: Vec<(f64, f64)> = rows
            .iter()
            .map(|r| (r.t, (r.energies.total() - start) / trial.max_kinetic))
            .collect();
        let gain = (trial.total[1] - start) / trial.max_kinetic;
        let finished = trial.failure.is_none();
        Ok((
            sim.state().clone(),
            curve,
            gain,
            trial.work.solves as f64,
            finished,
        ))
    };
    let exact = end("\"sdirk2\"", 0.1 * STEP)?.0;
    let runs = POLICIES.par_iter().map(|policy| {
        let method = format!("{{ name = \"siere\", modes = 10, refresh = {policy} }}");
        end(&method, STEP)
    });
    let runs = runs.collect::<Result<Vec<_>, PaperError>>()?;
    let distance = |s: &State| march::vector::max_abs_difference(&s.u, &exact.u);
    let errors: Vec<f64> = runs.iter().map(|r| distance(&r.0)).collect();
    let solves: Vec<f64> = runs.iter().map(|r| r.3).collect();
    let mut table = Table::new("policies", ["refresh", "error_m", "solves", "gain"]);
    for (k, policy) in POLICIES.iter().enumerate() {
        table.line(policy.trim_matches('"'), [errors[k], solves[k], runs[k].2]);
    }
    finding.tables.push(table);
    let series = POLICIES.iter().zip(&runs);
    finding.plot(
        "energy",
        Chart {
            title: "SIERE, modes computed every n steps".into(),
            x: Axis::linear("time, s"),
            y: Axis::linear("change of energy / largest kinetic energy"),
            series: series
                .map(|(p, r)| Series::line(p.trim_matches('"'), r.1.clone()))
                .collect(),
        },
    );
    let every = errors[0];
    finding.claim(
        "modes-of-soft-objects-age",
        "for soft objects the spectral decomposition is needed more frequently than once",
        format!(
            "errors {every:.4} m with new modes in every step, {:.4} m with modes of the start",
            errors[4]
        ),
        [
            condition(runs[0].4, "the run with new modes in every step finishes"),
            above(errors[4] / every, 1.05).of("error with modes of the start / in every step"),
        ],
    );
    finding.claim(
        "angle-suffices",
        "modes that follow the angle are as accurate as modes computed in every step, at less cost (ours)",
        format!("errors {:.4} m and {every:.4} m, {:.0} and {:.0} solves", errors[3], solves[3], solves[0]),
        [
            below(errors[3] / every, 1.25).of("ratio of errors"),
            below(solves[3] / solves[0], 1.0).of("ratio of solves"),
        ],
    );
    Ok(finding)
}
