//! 000 Table 1 and Fig. 5: the jello.
//!
//! With rotations frozen for each step every stage is linear: one Newton iteration. But in μ‖F − R‖² a rotation that
//! lags by a step resists turning, like a viscosity proportional to the step, whatever the method (warping the
//! symmetric strain instead, as the authors may have done, would not). So the table is computed twice: with rotations
//! frozen, and with those of the state. A third part is what `supple run` makes of it: there factors outlive their step,
//! which saves most where steps are shortest, so that backward Euler gains more by it than SDIRK2 does.

use chart::{Axis, Chart, Series};
use scene::run::Flow;
use scene::trial::Trial;

use crate::apart::apart;
use crate::bodies::{JELLO, Pace, open};
use crate::check::{at_least, below, near, slug, that};
use crate::progress::watched;
use crate::{Finding, Job, PaperError, Table};

/// Method, step, the paper's Newton iterations a step and seconds a simulated second.
const ROWS: [(&str, f64, f64, f64); 5] = [
    ("backward-euler", 0.005, 1.0, 21.3),
    ("backward-euler", 0.0005, 1.0, 191.4),
    ("backward-euler", 0.00005, 1.0, 1907.3),
    ("sdirk2", 0.005, 2.0, 34.42),
    ("tr-bdf2-bathe", 0.005, 2.0, 40.8),
];
/// Laws and Newton's tolerance with them: linear stages are solved to round-off by one iteration; others are given one
/// as well, and what it leaves over is booked.
const LAWS: [Law; 2] = [("corotated-frozen", 1e-10), ("corotated", 1e-5)];

/// Time in which the jello moves, s.
const MOVING: f64 = 1.0;

/// A law and Newton's tolerance with it.
type Law = (&'static str, f64);

/// Cells across, and the total energy of the body at rest.
#[derive(Clone, Copy)]
struct Jello {
    cells: u32,
    rest: f64,
}

/// What is counted: the work a method asks for, or what a run as shipped needs of it.
#[derive(Clone, Copy, PartialEq)]
enum Count {
    Own,
    Shipped,
}

/// A row of the table, measured.
struct Measured {
    trial: Trial,
    /// Share of the energy of the wobble still there at the end.
    kept: f64,
    /// Time and sideways displacement of the top.
    path: Vec<(f64, f64)>,
    /// Newton iterations and stages of the first second, in which the jello moves whatever the method.
    moving: [u64; 2],
    /// Most iterations more than stages that a step took.
    excess: i64,
}

impl Measured {
    fn cost(&self) -> f64 {
        (self.trial.work.factorizations + self.trial.work.solves) as f64
    }

    fn a_stage(&self) -> f64 {
        self.trial.work.newton as f64 / self.trial.work.stages as f64
    }

    fn a_moving_stage(&self) -> f64 {
        self.moving[0] as f64 / self.moving[1] as f64
    }
}

fn pace(row: usize, until: f64) -> Pace<'static> {
    Pace {
        method: ROWS[row].0,
        step: ROWS[row].1,
        until,
    }
}

/// Computes the table.
pub fn compute(job: &Job) -> Result<Finding, PaperError> {
    let (cells, until) = job.size.pick((3, 1.0), (6, 10.0));
    let mut finding = Finding::default();
    finding.parameter("cells_across", cells);
    finding.parameter("until_s", until);
    for (law, tolerance) in LAWS {
        finding.parameter(&format!("newton_tolerance, {law}"), tolerance);
    }
    finding.parameter("material", "E = 5.5e5 Pa, nu = 0.38, 1000 kg/m3");
    finding.parameter("nudge", "5 cm aside in 0.1 s and back in another");
    finding.choice("Size (a mould 0.6 m high), mesh, density, nudge and Newton's tolerance are not in the paper. What is kept is the total energy above that of rest, relative to what it would be without the integrator's own losses. In the table every step makes its own factors, as the authors' solver does (`factors = \"each-step\"`); as shipped they are kept over steps, and what is counted then is told apart.");
    let rest = energy_at_rest(job, cells)?;
    let jobs: Vec<(usize, Law)> = LAWS
        .iter()
        .flat_map(|law| (0..ROWS.len()).map(move |row| (row, *law)))
        .collect();
    let body = Jello { cells, rest };
    let measured = apart(jobs.len(), |k| {
        let (row, law) = jobs[k];
        measure(job, &pace(row, until), body, law, Count::Own)
    })?;
    finding.tables.push(table(&jobs, &measured, until));
    for ((law, _), part) in LAWS.iter().zip(measured.chunks(ROWS.len())) {
        let lines = part.iter().enumerate();
        finding.plot(
            &format!("top-{law}"),
            Chart {
                title: format!("Jello, {law}: the top, sideways"),
                x: Axis::linear("time, s"),
                y: Axis::linear("displacement, m"),
                series: lines
                    .map(|(k, m)| Series::line(pace(k, until).name(), m.path.clone()))
                    .collect(),
            },
        );
    }
    let (frozen, turning) = measured.split_at(ROWS.len());
    counts(&mut finding, frozen);
    liveliness(&mut finding, "rotations frozen", frozen);
    liveliness(&mut finding, "rotations of the state", turning);
    shipped(&mut finding, job, body, until)?;
    Ok(finding)
}

fn table(jobs: &[(usize, Law)], measured: &[Measured], until: f64) -> Table {
    let columns = [
        "law",
        "method",
        "step_s",
        "newton_a_step",
        "newton_a_stage",
        "factorizations",
        "solves",
        "seconds_a_second",
        "energy_kept",
        "residual_J",
        "paper_newton",
        "paper_seconds_a_second",
    ];
    let mut table = Table::new("table1", columns);
    for ((row, law), m) in jobs.iter().zip(measured) {
        let (method, step, newton, seconds) = ROWS[*row];
        let (w, t) = (&m.trial.work, &m.trial);
        let numbers = [
            step,
            w.newton as f64 / t.steps as f64,
            m.a_stage(),
            w.factorizations as f64,
            w.solves as f64,
            t.seconds / until,
            m.kept,
            t.ledger.residual,
            newton,
            seconds,
        ];
        let mut cells = vec![law.0.into(), method.into()];
        cells.extend(numbers.map(crate::finding::Cell::Number));
        table.row(cells);
    }
    table
}

/// Total energy once all wobbling has ended: backward Euler with large steps.
fn energy_at_rest(job: &Job, cells: u32) -> Result<f64, PaperError> {
    let pace = Pace {
        method: "backward-euler",
        step: 0.05,
        until: 20.0,
    };
    let body = Jello { cells, rest: 0.0 };
    let m = measure(job, &pace, body, LAWS[0], Count::Own)?;
    Ok(m.trial.last.energies.total())
}

fn measure(
    job: &Job,
    pace: &Pace,
    body: Jello,
    law: Law,
    count: Count,
) -> Result<Measured, PaperError> {
    let name = format!("{}, {}", law.0, pace.name());
    (job.tell)(&name);
    let mut set = vec![
        ("body.jello.mesh.mould.cells", body.cells.to_string()),
        ("body.jello.material.law", law.0.to_string()),
        ("solver.tolerance", format!("{:?}", law.1)),
    ];
    if count == Count::Shipped {
        set.push(("solver.factors", "keep".into()));
    }
    set.extend(pace.keys());
    let mut sim = open(JELLO, &set)?;
    let top = sim.probes.first().map_or(0, |p| p.1 as usize);
    let steps = (pace.until / pace.step).round() as u64;
    let every = steps.div_ceil(2000).max(1);
    let mut path = Vec::new();
    let mut k = 0;
    let (mut moving, mut excess) = ([0, 0], 0);
    let trial = watched(job, &name, &mut sim, &mut |sim, row| {
        excess = excess.max(row.work.newton as i64 - row.work.stages as i64);
        if row.t <= MOVING {
            moving[0] += row.work.newton;
            moving[1] += row.work.stages;
        }
        if k % every == 0 {
            let (u, _) = sim.expanded();
            path.push((row.t, u[top][0]));
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
    let now = trial.last.energies.total() - body.rest;
    Ok(Measured {
        kept: now / (now - trial.ledger.numerical),
        trial,
        path,
        moving,
        excess,
    })
}

fn counts(finding: &mut Finding, frozen: &[Measured]) {
    let counts: Vec<String> = frozen
        .iter()
        .map(|m| format!("{:.4}", m.a_moving_stage()))
        .collect();
    let later: Vec<String> = frozen
        .iter()
        .map(|m| format!("{:.3}", m.a_stage()))
        .collect();
    finding.claim(
"one-iteration-a-stage",
        "one Newton iteration a stage: 1.00 a step with BE, 2.00 with SDIRK2 and TR-BDF2(B) (Table 1)",
        format!(
            "{} a stage in the first second, never more than one in any; over the whole run {}, as a stage that begins within the tolerance, the jello at rest, takes none",
            counts.join(", "),
            later.join(", ")
        ), frozen.iter().map(|m| that(m.moving[0] == m.moving[1] && m.excess <= 0, "one in every moving stage, never more")).collect::<Vec<_>>(),
);
}

fn liveliness(finding: &mut Finding, how: &str, measured: &[Measured]) {
    let [coarse, middle, fine, sdirk2, bathe] = measured else {
        return;
    };
    let percent = |m: &Measured| format!("{:.1} %", 100.0 * m.kept);
    finding.claim(
        format!("wobbles-like-fine-euler-{}", slug(how)),
        format!("SDIRK2 at 5 ms wobbles like BE at 0.05 ms ({how})"),
        format!(
            "{} and {} of the energy kept",
            percent(sdirk2),
            percent(fine)
        ),
        at_least(sdirk2.kept / fine.kept, 0.95).of("ratio of energy kept"),
    );
    finding.claim(
        format!("euler-comes-to-rest-{}", slug(how)),
        format!("BE at 5 ms comes to rest, and at 0.5 ms is still damped strongly ({how})"),
        format!("{} and {} kept", percent(coarse), percent(middle)),
        [
            below(coarse.kept, 0.05).of("kept at 5 ms"),
            below(middle.kept, 0.75).of("kept at 0.5 ms"),
        ],
    );
    let ratio = fine.cost() / sdirk2.cost();
    finding.claim(
format!("cheaper-{}", slug(how)),
        format!("SDIRK2 at 5 ms is more than 55 times faster than BE at 0.05 ms; we ask 40 in factorizations and solves ({how})"),
        format!("{ratio:.1} times fewer"), at_least(ratio, 40.0).of("ratio"),
);
    let clock = |m: &Measured| m.trial.seconds;
    finding.parameter(
        &format!("clock, {how}"),
        format!(
            "SDIRK2 is {:.1} times faster than BE at 0.05 ms; TR-BDF2(B) takes {:.2} times as long as SDIRK2",
            clock(fine) / clock(sdirk2),
            clock(bathe) / clock(sdirk2)
        ),
    );
}

/// Work with factors kept over steps: against backward Euler at 0.05 ms, and at the step at which backward Euler would lose
/// as little as SDIRK2 does.
fn shipped(finding: &mut Finding, job: &Job, body: Jello, until: f64) -> Result<(), PaperError> {
    let law = LAWS[1];
    let runs = [2, 3];
    let measured = apart(runs.len(), |k| {
        measure(job, &pace(runs[k], until), body, law, Count::Shipped)
    })?;
    let [fine, sdirk2] = &measured[..] else {
        return Ok(());
    };
    let claim = "as shipped, factors kept over steps: still more than 40 times fewer than BE that is as lively (rotations of the state)";
    // Backward Euler's rate of loss is proportional to its step; no finer than a hundredth of 0.05 ms.
    let step = ROWS[2].1 * sdirk2.kept.ln() / fine.kept.ln();
    if !(0.01 * ROWS[2].1..ROWS[2].1).contains(&step) {
        finding.claim(
            "cheaper-as-shipped",
            claim,
            format!("no step of BE is as lively: {step:e} s"),
            that(
                false,
                "a step of BE between 0.0005 and 0.05 ms that is as lively",
            ),
        );
        return Ok(());
    }
    let alike = measure(
        job,
        &Pace {
            method: ROWS[2].0,
            step,
            until,
        },
        body,
        law,
        Count::Shipped,
    )?;
    let told = |m: &Measured| {
        let w = &m.trial.work;
        format!(
            "{} factorizations and {} solves, {:.1} % kept",
            w.factorizations,
            w.solves,
            100.0 * m.kept
        )
    };
    finding.claim(
"cheaper-as-shipped",
        claim,
        format!(
            "SDIRK2 {}; BE at 0.05 ms {}: {:.1} times fewer; BE as lively as SDIRK2, at {:.2e} s, {}: {:.1} times fewer",
            told(sdirk2),
            told(fine),
            fine.cost() / sdirk2.cost(),
            step,
            told(&alike),
            alike.cost() / sdirk2.cost()
        ), [at_least(alike.cost() / sdirk2.cost(), 40.0).of("ratio"), near(alike.kept / sdirk2.kept, 1.0, 0.02).of("ratio of energy kept")],
);
    Ok(())
}
