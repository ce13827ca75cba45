//! 200 s of the beam with every L-stable method of the registry: no number that is none, no gain of energy.
//!
//! 000 §5.3 runs its methods that long and finds one (SDIRK(4,3,4,7), not L-stable) to gain energy after 100 s.

use chart::{Axis, Chart, Series};
use march::METHODS;
use march::methods::Stability;
use rayon::prelude::*;

use crate::bodies::{Pace, beam, beam_cells, milliseconds, rows};
use crate::{Finding, Job, PaperError, Table};

const TOLERANCE: f64 = 1e-8;
/// Gain allowed, relative to the greatest kinetic energy.
const GAIN: f64 = 0.01;

/// Computes the runs.
pub fn compute(job: &Job) -> Result<Finding, PaperError> {
    let (step, until) = job.size.pick((0.02, 20.0), (0.02, 200.0));
    let mut finding = Finding::default();
    finding.parameter("cells", format!("{:?}", beam_cells(job.size)));
    finding.parameter("step_s", step);
    finding.parameter("until_s", until);
    finding.choice("The paper names no such test; we ask it of every L-stable method. A gain is the rise of the total energy above its start, relative to the greatest kinetic energy of the run.");
    let stable: Vec<&str> = METHODS
        .iter()
        .filter(|m| m.stability == Stability::L)
        .map(|m| m.name)
        .collect();
    let runs = stable.par_iter().map(|&method| {
        let pace = Pace {
            method,
            step,
            until,
        };
        let mut sim = beam(job.size, &pace, TOLERANCE)?;
        let (kept, trial) = rows(&mut sim, 400);
        (job.tell)(&pace.name());
        Ok((method, kept, trial))
    });
    let runs = runs.collect::<Result<Vec<_>, PaperError>>()?;
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
    let mut series = Vec::new();
    let (mut worst, mut ended) = ((0.0_f64, ""), Vec::new());
    for (method, kept, t) in &runs {
        let start = t.first.energies.total();
        let gain = (t.total[1] - start) / t.most_kinetic;
        let (f, s) = (t.work.factorizations as f64, t.work.solves as f64);
        let last = t.last.energies.total();
        table.line(
            method,
            [
                t.steps as f64,
                start,
                last,
                t.total[1],
                t.most_kinetic,
                gain,
                f,
                s,
            ],
        );
        // Not `>`: what is not a number is worse than any.
        if !(gain <= worst.0) {
            worst = (gain, method);
        }
        if let Some(why) = &t.failure {
            ended.push(format!("{method}: {why}"));
        }
        let relative = |e: f64| (e - start) / t.most_kinetic;
        let points = kept
            .iter()
            .map(|row| (row.t, relative(row.energies.total())));
        series.push(Series::line(*method, points.collect()));
    }
    finding.tables.push(table);
    finding.plot(
        "energy",
        Chart {
            title: format!("Beam, step {}: L-stable methods", milliseconds(step)),
            x: Axis::linear("time, s"),
            y: Axis::linear("change of energy / greatest kinetic energy"),
            series,
        },
    );
    finding.claim(
        format!("{until} s with each of {} L-stable methods", stable.len()),
        if ended.is_empty() {
            "all ran to the end".into()
        } else {
            ended.join("; ")
        },
        ended.is_empty(),
    );
    finding.claim(
        "no energy gain beyond 1 %",
        format!("at most {:.2e} ({})", worst.0, worst.1),
        worst.0 <= GAIN,
    );
    Ok(finding)
}
