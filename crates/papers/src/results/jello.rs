//! 000 Table 1 and Fig. 5: the jello, its rotations frozen for each step.
//!
//! With frozen rotations every stage is linear: one Newton iteration. Backward Euler needs a hundredth of SDIRK2's
//! step to wobble as long.

use chart::{Axis, Chart, Series};
use scene::run::Flow;
use scene::trial::{Trial, trial};

use crate::bodies::{JELLO, Pace, open};
use crate::{Finding, Job, PaperError, Table};

/// Method, step, the paper's Newton iterations a step and seconds a simulated second.
const ROWS: [(&str, f64, f64, f64); 5] = [
    ("backward-euler", 0.005, 1.0, 21.3),
    ("backward-euler", 0.0005, 1.0, 191.4),
    ("backward-euler", 0.00005, 1.0, 1907.3),
    ("sdirk2", 0.005, 2.0, 34.42),
    ("tr-bdf2-bathe", 0.005, 2.0, 40.8),
];

/// A row of the table, measured.
struct Measured {
    trial: Trial,
    /// Sideways speed of the top, root mean square over the last fifth, m/s.
    liveliness: f64,
    /// Time and sideways displacement of the top.
    path: Vec<(f64, f64)>,
}

/// Computes the table.
pub fn compute(job: &Job) -> Result<Finding, PaperError> {
    let (cells, until) = job.size.pick((3, 1.0), (8, 10.0));
    let mut finding = Finding::default();
    finding.parameter("cells_across", cells);
    finding.parameter("until_s", until);
    finding.parameter(
        "material",
        "corotated-frozen, E = 5.5e5 Pa, nu = 0.38, 1000 kg/m3",
    );
    finding.parameter("nudge", "5 cm aside in 0.1 s and back in another");
    finding.choice("Size (a mould 0.6 m high), mesh, density and nudge are not in the paper. Liveliness is the root mean square of the sideways speed of the top over the last fifth of the run.");
    let mut measured = Vec::new();
    for (method, step, ..) in ROWS {
        let pace = Pace {
            method,
            step,
            until,
        };
        (job.tell)(&pace.name());
        measured.push(measure(&pace, cells)?);
    }
    let columns = [
        "method",
        "step_s",
        "newton_a_step",
        "newton_a_stage",
        "factorizations",
        "solves",
        "seconds_a_second",
        "liveliness_m_per_s",
        "paper_newton",
        "paper_seconds_a_second",
    ];
    let mut table = Table::new("table1", columns);
    for ((method, step, newton, seconds), m) in ROWS.iter().zip(&measured) {
        let (w, steps) = (&m.trial.work, m.trial.steps as f64);
        let a_step = w.newton as f64 / steps;
        let a_stage = w.newton as f64 / w.stages as f64;
        let clock = m.trial.seconds / until;
        table.line(
            method,
            [
                *step,
                a_step,
                a_stage,
                w.factorizations as f64,
                w.solves as f64,
                clock,
                m.liveliness,
                *newton,
                *seconds,
            ],
        );
    }
    finding.tables.push(table);
    claims(&mut finding, &measured);
    let series = ROWS.iter().zip(&measured);
    finding.plot(
        "top",
        Chart {
            title: "Jello: the top, sideways".into(),
            x: Axis::linear("time, s"),
            y: Axis::linear("displacement, m"),
            series: series
                .map(|(r, m)| {
                    let pace = Pace {
                        method: r.0,
                        step: r.1,
                        until,
                    };
                    Series::line(pace.name(), m.path.clone())
                })
                .collect(),
        },
    );
    Ok(finding)
}

fn measure(pace: &Pace, cells: u32) -> Result<Measured, PaperError> {
    let mut set = vec![("body.jello.mesh.mould.cells", cells.to_string())];
    set.extend(pace.keys());
    let mut sim = open(JELLO, &set)?;
    let top = sim.probes.first().map_or(0, |p| p.1 as usize);
    let steps = (pace.until / pace.step).round() as u64;
    let every = steps.div_ceil(2000).max(1);
    let (mut squares, mut seen, mut k) = (0.0, 0u64, 0);
    let mut path = Vec::new();
    let trial = trial(&mut sim, &mut |sim, row| {
        let s = &sim.state;
        let (u, v) = sim.model.expand(s.t, &s.u, &s.v);
        if k % every == 0 {
            path.push((row.t, u[top][0]));
        }
        if row.t > 0.8 * pace.until {
            squares += v[top][0].powi(2);
            seen += 1;
        }
        k += 1;
        Flow::On
    });
    if let Some(why) = trial.failure {
        return Err(PaperError::Step {
            what: pace.name(),
            why,
        });
    }
    Ok(Measured {
        trial,
        liveliness: (squares / seen as f64).sqrt(),
        path,
    })
}

fn claims(finding: &mut Finding, measured: &[Measured]) {
    let [coarse, middle, fine, sdirk2, bathe] = measured else {
        return;
    };
    let a_stage = |m: &Measured| m.trial.work.newton as f64 / m.trial.work.stages as f64;
    let exact = measured
        .iter()
        .all(|m| m.trial.work.newton == m.trial.work.stages);
    let counts: Vec<String> = measured
        .iter()
        .map(|m| format!("{:.4}", a_stage(m)))
        .collect();
    finding.claim(
        "one Newton iteration a stage: 1.00 a step with BE, 2.00 with SDIRK2 and TR-BDF2(B) (Table 1)",
        format!("{} a stage", counts.join(", ")),
        exact,
    );
    finding.claim(
        "SDIRK2 at 5 ms wobbles like BE at 0.05 ms",
        format!(
            "{:.3e} against {:.3e} m/s at the end",
            sdirk2.liveliness, fine.liveliness
        ),
        sdirk2.liveliness >= 0.9 * fine.liveliness,
    );
    finding.claim(
        "BE at 5 ms comes to rest, and at 0.5 ms is still damped strongly",
        format!(
            "{:.1} % and {:.1} % of SDIRK2's speed left",
            100.0 * coarse.liveliness / sdirk2.liveliness,
            100.0 * middle.liveliness / sdirk2.liveliness
        ),
        coarse.liveliness < 0.2 * sdirk2.liveliness && middle.liveliness < 0.9 * sdirk2.liveliness,
    );
    let cost = |m: &Measured| (m.trial.work.factorizations + m.trial.work.solves) as f64;
    let clock = |m: &Measured| m.trial.seconds;
    let ratio = cost(fine) / cost(sdirk2);
    finding.claim(
        "SDIRK2 at 5 ms is more than 55 times faster than BE at 0.05 ms (at least 40 in factorizations and solves)",
        format!("{ratio:.1} times fewer factorizations and solves"),
        ratio >= 40.0,
    );
    finding.parameter(
        "clock",
        format!(
            "SDIRK2 is {:.1} times faster than BE at 0.05 ms; TR-BDF2(B) takes {:.2} times as long as SDIRK2",
            clock(fine) / clock(sdirk2),
            clock(bathe) / clock(sdirk2)
        ),
    );
}
