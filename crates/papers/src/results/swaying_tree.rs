//! [Ascher et al. 2021, Fig. 1 and sec. 3.5]: a tree sways in the wind under semi-implicit backward Euler, SIERE and SDIRK2.

use chart::{Axis, Chart, Series};
use scene::run::Flow;

use crate::check::{above, below, condition};
use crate::parallel_runs::run_in_parallel;
use crate::progress::trial_with_progress;
use crate::scenes::{TREE, open_scene};
use crate::{Finding, Job, PaperError, Table};

/// The step of the methods, and that of the reference relative to it.
const STEP: f64 = 0.03;
const REFERENCE_STEP: f64 = 0.2;

/// The largest displacement in metres that the plot shows: half of the height of the tree.
const MAX_SHOWN: f64 = 2.0;

/// The runs: name, method as written in a scene, step relative to [`STEP`].
const RUNS: [(&str, &str, f64); 7] = [
    ("reference", "\"sdirk2\"", REFERENCE_STEP),
    ("s-backward-euler", "\"s-backward-euler\"", 1.0),
    ("siere, 5 modes", "{ name = \"siere\", modes = 5 }", 1.0),
    ("siere, 20 modes", "{ name = \"siere\", modes = 20 }", 1.0),
    (
        "siere, 5 modes of the start",
        "{ name = \"siere\", modes = 5, refresh = \"once\" }",
        1.0,
    ),
    (
        "siere, 5 new modes in every step",
        "{ name = \"siere\", modes = 5, refresh = 1 }",
        1.0,
    ),
    ("sdirk2", "\"sdirk2\"", 1.0),
];

/// The path of the top of the tree along the wind, and the work of a step.
struct Sway {
    /// Displacement in metres over time in seconds, at multiples of [`STEP`].
    path: Vec<(f64, f64)>,
    /// The time in seconds at which the run failed.
    failed_at: Option<f64>,
    factorizations: f64,
    solves: f64,
}

impl Sway {
    /// Returns the root mean square of the distance from another path of the same times, infinite for a run that failed.
    fn distance(&self, other: &Sway) -> f64 {
        if self.failed_at.is_some() {
            return f64::INFINITY;
        }
        let pairs = self.path.iter().zip(&other.path);
        let sum: f64 = pairs.map(|(a, b)| (a.1 - b.1).powi(2)).sum();
        (sum / self.path.len() as f64).sqrt()
    }

    /// Returns the path without the end of a run that blows up.
    fn shown_path(&self) -> Vec<(f64, f64)> {
        let near = self.path.iter().take_while(|p| p.1.abs() < MAX_SHOWN);
        near.copied().collect()
    }

    /// Returns the root mean square of the motion about its mean after half of the time.
    fn amplitude(&self) -> f64 {
        let late = &self.path[self.path.len() / 2..];
        let count = late.len() as f64;
        let mean = late.iter().map(|p| p.1).sum::<f64>() / count;
        let sum: f64 = late.iter().map(|p| (p.1 - mean).powi(2)).sum();
        (sum / count).sqrt()
    }
}

/// Computes the motion of the tree and checks the claims of the paper against it.
pub fn compute(job: &Job) -> Result<Finding, PaperError> {
    let (cells, until) = job.size.pick((24, 3.0), (64, 15.0));
    let mut finding = Finding::default();
    finding.parameter("cells", cells);
    finding.parameter("step_s", STEP);
    finding.parameter("until_s", until);
    finding.choice("The paper shows a picture of its tree and gives neither sizes nor numbers. Ours is a leafless tree of 4 m with 16 branches, E = 1e8 Pa, whose top sways by half a metre in gusts of wind (crates/papers/scenes/tree.toml). We check what the paper says about stiff objects. Modes follow the tree (refresh = \"angle\"), except where noted; five of them are as good as five new ones in every step, so the error that is left is not that of the modes. The reference is sdirk2 at a fifth of the step; sway is the displacement of the top along the wind, its error a root mean square relative to the amplitude of the reference, the root mean square about the mean in the second half of the run.");
    let sways = run_in_parallel(RUNS.len(), |k| sway(job, RUNS[k], cells, until))?;
    let Some(exact) = sways.first() else {
        return Ok(finding);
    };
    let unit = exact.amplitude();
    let columns = [
        "method",
        "error",
        "amplitude",
        "factorizations_a_step",
        "solves_a_step",
    ];
    let mut table = Table::new("sway", columns);
    for ((name, ..), s) in RUNS.iter().zip(&sways) {
        let numbers = [
            s.distance(exact) / unit,
            s.amplitude() / unit,
            s.factorizations,
            s.solves,
        ];
        table.line(name, numbers);
    }
    finding.tables.push(table);
    let curves = RUNS.iter().zip(&sways);
    finding.plot(
        "sway",
        Chart {
            title: "A tree in the wind".into(),
            x: Axis::linear("time, s"),
            y: Axis::linear("displacement of the top along the wind, m"),
            series: curves
                .map(|((name, ..), s)| Series::line(*name, s.shown_path()))
                .collect(),
        },
    );
    claim_five_modes(&mut finding, &sways);
    claim_policies(&mut finding, &sways);
    Ok(finding)
}

fn claim_five_modes(finding: &mut Finding, sways: &[Sway]) {
    let [exact, euler, five, twenty, _, _, sdirk2] = sways else {
        return;
    };
    let unit = exact.amplitude();
    let [lethargic, lively] = [euler, five].map(|s| s.amplitude() / unit);
    finding.claim(
        "si-is-lethargic",
        "semi-implicit backward Euler is lethargic and loses energy rapidly",
        format!("its amplitude is {lethargic:.3} of the reference, that of SIERE {lively:.3}"),
        [
            below(lethargic, 0.9).of("amplitude of semi-implicit Euler"),
            below((lively - 1.0).abs(), 0.5 * (lethargic - 1.0).abs())
                .of("difference of SIERE's from 1, half of that of Euler"),
        ],
    );
    let errors = [euler, five, twenty, sdirk2].map(|s| s.distance(exact) / unit);
    finding.claim(
        "five-modes-suffice",
        "s = 5 is already suitable for many practical applications",
        format!(
            "errors {:.3} with 5 modes, {:.3} with 20, {:.3} without; {:.3} with sdirk2 at the same step",
            errors[1], errors[2], errors[0], errors[3]
        ),
        [
            below(errors[1], 0.1).of("error with 5 modes"),
            above(errors[0] / errors[1], 3.0).of("ratio of errors without and with 5 modes"),
        ],
    );
}

fn claim_policies(finding: &mut Finding, sways: &[Sway]) {
    let [exact, _, five, _, once, fresh, _] = sways else {
        return;
    };
    let unit = exact.amplitude();
    let [followed, at_start, in_every_step] = [five, once, fresh].map(|s| s.distance(exact) / unit);
    let found = match once.failed_at {
        Some(t) => format!("with modes of the start the tree blows up after {t:.2} s"),
        None => format!(
            "with modes of the start the error is {at_start:.3}, with newer ones {followed:.3}"
        ),
    };
    finding.claim(
        "modes-once",
        "for stiff objects it is sufficient to perform the spectral decomposition only once, at the beginning",
        found,
        [
            condition(once.failed_at.is_none(), "the run finishes"),
            below(at_start / followed, 1.25).of("ratio of errors with modes of the start and newer ones"),
        ],
    );
    let work = [five, fresh].map(|s| s.factorizations + s.solves);
    finding.claim(
        "following-suffices",
        "modes that follow the tree are as accurate as modes computed in every step, at less cost (ours)",
        format!(
            "errors {followed:.3} and {in_every_step:.3}, {:.1} and {:.1} factorizations and solves a step",
            work[0], work[1]
        ),
        [
            below(followed / in_every_step, 1.1).of("ratio of errors"),
            below(work[0] / work[1], 0.5).of("ratio of the work"),
        ],
    );
}

fn sway(
    job: &Job,
    (name, method, share): (&str, &str, f64),
    cells: u32,
    until: f64,
) -> Result<Sway, PaperError> {
    (job.progress)(name);
    let step = share * STEP;
    let set = [
        ("body.tree.mesh.blob.cells", cells.to_string()),
        ("time.method", method.to_string()),
        ("time.step", format!("{step:?}")),
        ("time.until", format!("{until:?}")),
    ];
    let mut sim = open_scene(TREE, &set)?;
    let top = sim.probes.first().map_or(0, |p| p.1 as usize);
    let every = (1.0 / share).round() as u64;
    let mut path = Vec::new();
    let mut k = 0;
    let trial = trial_with_progress(job, name, &mut sim, &mut |sim, row| {
        if k % every == 0 {
            path.push((row.t, sim.expanded().0[top][0]));
        }
        k += 1;
        Flow::On
    });
    let steps = trial.steps as f64;
    Ok(Sway {
        path,
        failed_at: trial.failure.map(|_| trial.last.t),
        factorizations: trial.work.factorizations as f64 / steps,
        solves: trial.work.solves as f64 / steps,
    })
}
