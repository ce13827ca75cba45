//! 200 s of the beam with every L-stable method of the registry: no failure and no gain of energy.
//!
//! [Löschner et al. 2020, sec. 5.3] runs its methods that long and reports one (SDIRK(4,3,4,7), not L-stable) that
//! gains energy after 100 s.

use chart::{Axis, Chart, Series};
use march::METHODS;
use march::methods::{Family, Stability};
use rayon::prelude::*;
use scene::trial::{Row, Trial};

use crate::check::at_most;
use crate::scenes::{RunSettings, beam_cells, format_milliseconds, open_beam, run_recorded};
use crate::{Finding, Job, PaperError, Table};

const TOLERANCE: f64 = 1e-8;
/// The largest gain of energy allowed, relative to the largest kinetic energy.
const MAX_GAIN: f64 = 0.01;

/// Runs the simulations of this result and checks the claims of the paper against them.
pub fn compute(job: &Job) -> Result<Finding, PaperError> {
    let (step, until) = job.size.pick((0.02, 20.0), (0.02, 200.0));
    let mut finding = Finding::default();
    finding.parameter("cells", format!("{:?}", beam_cells(job.size)));
    finding.parameter("step_s", step);
    finding.parameter("until_s", until);
    finding.choice("This test is ours, not the paper's; we require it of every L-stable method. A gain is the rise of the total energy above its start, relative to the largest kinetic energy of the run.");
    let stable: Vec<&'static str> = METHODS
        .iter()
        .filter(|m| m.stability == Stability::L && !matches!(m.family, Family::Additive(..)))
        .map(|m| m.name)
        .collect();
    let runs = stable.par_iter().map(|&method| {
        let pace = RunSettings {
            method,
            step,
            until,
        };
        let mut sim = open_beam(job.size, &pace, TOLERANCE)?;
        let (kept, trial) = run_recorded(job, &pace.name(), &mut sim, 400);
        (job.progress)(&pace.name());
        Ok(Run {
            method,
            kept,
            trial,
        })
    });
    let runs = runs.collect::<Result<Vec<_>, PaperError>>()?;
    finding.tables.push(table(&runs));
    let series = runs.iter().map(|run| Series::line(run.method, run.curve()));
    finding.plot(
        "energy",
        Chart {
            title: format!("Beam, step {}: L-stable methods", format_milliseconds(step)),
            x: Axis::linear("time, s"),
            y: Axis::linear("change of energy / largest kinetic energy"),
            series: series.collect(),
        },
    );
    let failed = |run: &Run| {
        run.trial
            .failure
            .as_ref()
            .map(|why| format!("{}: {why}", run.method))
    };
    let ended: Vec<String> = runs.iter().filter_map(failed).collect();
    finding.claim(
        "to-the-end",
        format!(
            "each of {} L-stable methods runs for {until} s",
            stable.len()
        ),
        if ended.is_empty() {
            "all ran to the end".into()
        } else {
            ended.join("; ")
        },
        at_most(ended.len() as f64, 0.0).of("failures"),
    );
    let worst = runs.iter().max_by(|a, b| a.gain().total_cmp(&b.gain()));
    let worst = worst.ok_or_else(|| PaperError::NoMeasurement {
        what: "the energy gain of L-stable methods".into(),
    })?;
    finding.claim(
        "no-gain",
        "no energy gain beyond 1 %",
        format!("at most {:.2e} ({})", worst.gain(), worst.method),
        at_most(worst.gain(), MAX_GAIN).of("gain"),
    );
    Ok(finding)
}

/// A run and its recorded rows.
struct Run {
    method: &'static str,
    kept: Vec<Row>,
    trial: Trial,
}

impl Run {
    /// Returns the change of an energy since the start, relative to the largest kinetic energy.
    fn relative(&self, total: f64) -> f64 {
        (total - self.trial.first.energies.total()) / self.trial.max_kinetic
    }

    fn gain(&self) -> f64 {
        self.relative(self.trial.total[1])
    }

    fn curve(&self) -> Vec<(f64, f64)> {
        let rows = self.kept.iter();
        rows.map(|row| (row.t, self.relative(row.energies.total())))
            .collect()
    }
}

fn table(runs: &[Run]) -> Table {
    let columns = [
        "method",
        "steps",
        "initial_J",
        "final_J",
        "highest_J",
        "kinetic_max_J",
        "gain",
        "factorizations",
        "solves",
    ];
    let mut table = Table::new("runs", columns);
    for run in runs {
        let t = &run.trial;
        let numbers = [
            t.steps as f64,
            t.first.energies.total(),
            t.last.energies.total(),
            t.total[1],
            t.max_kinetic,
            run.gain(),
            t.work.factorizations as f64,
            t.work.solves as f64,
        ];
        table.line(run.method, numbers);
    }
    table
}
