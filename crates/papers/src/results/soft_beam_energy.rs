//! [Ascher et al. 2021, Fig. 6]: energy of a soft beam, clamped at both ends and released under gravity, under five
//! methods.

use chart::{Axis, Chart, Series};
use rayon::prelude::*;

use crate::check::{above, below, condition};
use crate::soft_beam::{BeamRun, cells};
use crate::{Finding, Job, PaperError, Table};

/// The methods, as written in scene files, and their short names.
const METHODS: [(&str, &str); 6] = [
    ("backward-euler", "\"backward-euler\""),
    ("siere", "{ name = \"siere\", modes = 10, refresh = 1 }"),
    (
        "str-sbdf2-ere",
        "{ name = \"str-sbdf2-ere\", modes = 10, refresh = 1 }",
    ),
    ("tr-bdf2-bathe", "\"tr-bdf2-bathe\""),
    ("tr-bdf2", "\"tr-bdf2\""),
    ("sdirk2", "\"sdirk2\""),
];
const STEP: f64 = 0.02;
const YOUNG: f64 = 1e5;

/// Computes the figure and checks the claims of the paper against the numbers.
pub fn compute(job: &Job) -> Result<Finding, PaperError> {
    let until = job.size.pick(4.0, 20.0);
    let mut finding = Finding::default();
    finding.parameter("cells", format!("{:?}", cells(job.size)));
    finding.parameter("step_s", STEP);
    finding.parameter("until_s", until);
    finding.parameter("young_pa", YOUNG);
    finding.parameter("modes", "10, computed in every step");
    finding.choice("The beam is 8 x 1 x 1 m with 1000 kg/m3 and steps of 20 ms; the paper gives neither size, density nor step. The \"SDIRK\" of the paper is tr-bdf2 (docs/references.md, E10); str-sbdf2-ere is corrected (E11, E20). The loss is the fall of the total energy from the start, relative to the largest kinetic energy of the run.");
    let runs = METHODS.par_iter().map(|&(name, method)| {
        let run = BeamRun {
            method,
            step: STEP,
            until,
            young: YOUNG,
        };
        let (_, rows, trial) = run.run(job, 400)?;
        let start = trial.first.energies.total();
        let scale = trial.max_kinetic;
        let change = |e: f64| (e - start) / scale;
        let points: Vec<(f64, f64)> = rows
            .iter()
            .map(|r| (r.t, change(r.energies.total())))
            .collect();
        let strain: Vec<(f64, f64)> = rows.iter().map(|r| (r.t, r.energies.strain)).collect();
        let lost = -points.last().map_or(f64::NAN, |p| p.1);
        let gain = change(trial.total[1]);
        Ok((name, points, strain, [lost, gain], trial.failure.is_none()))
    });
    let runs = runs.collect::<Result<Vec<_>, PaperError>>()?;
    let mut table = Table::new("losses", ["method", "loss", "gain"]);
    for (name, _, _, numbers, _) in &runs {
        table.line(name, *numbers);
    }
    finding.tables.push(table);
    let chart = |title: &str, y: &str, series: Vec<Series>| Chart {
        title: title.into(),
        x: Axis::linear("time, s"),
        y: Axis::linear(y),
        series,
    };
    let lines = runs
        .iter()
        .map(|r| Series::line(r.0, r.1.clone()))
        .collect();
    let title = "Soft clamped beam, step 20 ms";
    finding.plot(
        "energy",
        chart(title, "change of energy / largest kinetic energy", lines),
    );
    let lines = runs
        .iter()
        .map(|r| Series::line(r.0, r.2.clone()))
        .collect();
    finding.plot("potential", chart(title, "strain energy, J", lines));
    let finished = runs.iter().all(|r| r.4);
    let losses: Vec<f64> = runs.iter().map(|r| r.3[0]).collect();
    claims(&mut finding, &losses, finished);
    Ok(finding)
}

fn claims(finding: &mut Finding, losses: &[f64], finished: bool) {
    let [euler, siere, str_ere, bathe, tr, sdirk2] = losses else {
        return;
    };
    let lively = [*str_ere, *bathe, *tr, *sdirk2];
    let most = lively.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    finding.claim(
        "euler-loses-most",
        "backward Euler dissipates energy quickly, SIERE less",
        format!("losses {euler:.3} and {siere:.3}"),
        [
            condition(finished, "all runs finish"),
            above(euler / siere, 1.2).of("ratio"),
        ],
    );
    finding.claim(
        "siere-loses-more-than-second-order",
        "SIERE is still much more damping than STR-SBDF2ERE, TR-BDF2 and SDIRK",
        format!("losses {siere:.3} and at most {most:.4}"),
        above(siere / most.max(1e-12), 1.5).of("ratio"),
    );
    let dirk = bathe.max(*tr);
    finding.claim(
        "str-sbdf2-ere-between",
        "STR-SBDF2ERE is more damping than the two DIRK methods",
        format!("losses {str_ere:.4} and {bathe:.4}, {tr:.4}"),
        above(str_ere / dirk.max(1e-12), 1.0).of("ratio"),
    );
    finding.claim(
        "str-sbdf2-ere-is-lively",
        "corrected STR-SBDF2ERE is as lively as the DIRK methods (docs/references.md, E20)",
        format!("losses {str_ere:.4} and {bathe:.4}, {tr:.4}"),
        below((str_ere - dirk).abs(), 0.1).of("difference"),
    );
}
