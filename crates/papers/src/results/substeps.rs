//! [Dinev et al. 2018, Table 2]: energy tracking against implicit midpoint with substeps.
//!
//! A run is stable while its numerical energy gain, as booked by the ledger, stays below half of the largest kinetic
//! energy of the tracked run. (The colours of the cells in the paper mark stability by eye; the text available to us
//! has lost them.)

use chart::{Axis, Chart, Series};
use scene::run::Flow;
use scene::trial::trial;

use crate::check::{above, at_most, below, condition};
use crate::integrators::{IntegratorSetup, MIDPOINT, TRACKED_MIDPOINT};
use crate::models::{BenchmarkModel, MODEL_CHOICES, MODELS, timed_frame};
use crate::{Finding, Job, PaperError, Size, Table};

/// The numbers of substeps per frame.
const SUBSTEPS: [u32; 5] = [1, 5, 10, 20, 100];
/// The number of timed frames.
const TIMED_FRAMES: usize = 5;

/// The run of a model with one integrator.
#[derive(Clone, Copy)]
struct Run {
    /// The largest numerical energy gain in joules.
    gained: f64,
    /// The largest kinetic energy in joules.
    kinetic: f64,
    /// The time of a frame in seconds; for midpoint relative to tracking.
    seconds: f64,
    /// The linear solves per frame.
    solves: f64,
    failed: bool,
}

/// A row of the table.
struct Row {
    entry: &'static BenchmarkModel,
    vertices: usize,
    ours: Run,
    /// The runs with the numbers of [`SUBSTEPS`]; `None` if omitted.
    midpoint: Vec<Option<Run>>,
}

impl Row {
    fn stable(&self, run: &Run) -> bool {
        !run.failed && run.gained < 0.5 * self.ours.kinetic
    }

    /// Returns the index of the smallest number of substeps from which on midpoint is stable.
    fn stable_substeps(&self) -> Option<usize> {
        let stable = |k: usize| self.midpoint[k].is_none_or(|run| self.stable(&run));
        let from = (0..SUBSTEPS.len()).find(|&k| (k..SUBSTEPS.len()).all(stable))?;
        self.midpoint[from].map(|_| from)
    }
}

/// Computes the table and checks the claims of the paper against the numbers.
pub fn compute(job: &Job) -> Result<Finding, PaperError> {
    let mut finding = Finding::default();
    finding.parameter("solver", "local/global, 10 iterations");
    finding.parameter("substeps", format!("{SUBSTEPS:?}"));
    finding.choice(MODEL_CHOICES);
    finding.choice("A run is stable if its numerical energy gain stays below half of the largest kinetic energy of the tracked run. Times are ratios within one run, with frames of both computed alternately, medians of five. Large models run for fewer frames and without the largest numbers of substeps (column frames; empty cells).");
    let mut rows = Vec::new();
    let mut frames = Vec::new();
    for entry in MODELS.iter().filter(|e| e.is_included(job.size)) {
        let (count, most) = budget(entry, job.size);
        (job.progress)(entry.name);
        rows.push(row(entry, job.size, count, most)?);
        frames.push(count);
    }
    finding.tables.push(table(&rows, &frames));
    plot(&mut finding, &rows);
    claims(&mut finding, &rows, job.size);
    Ok(finding)
}

/// Returns the number of frames and the largest number of substeps.
fn budget(entry: &BenchmarkModel, size: Size) -> (u64, u32) {
    match (size, entry.paper_size[0]) {
        (Size::Quick, _) => (50, 10),
        (Size::Full, n) if n < 1000 => (300, 100),
        (Size::Full, n) if n < 11_000 => (60, 20),
        (Size::Full, _) => (20, 5),
    }
}

fn row(
    entry: &'static BenchmarkModel,
    size: Size,
    frames: u64,
    most: u32,
) -> Result<Row, PaperError> {
    let (vertices, mut ours) = run(entry, size, TRACKED_MIDPOINT, 1, frames)?;
    let mut midpoint = Vec::new();
    for n in SUBSTEPS.map(|n| (n <= most).then_some(n)) {
        let Some(n) = n else {
            midpoint.push(None);
            continue;
        };
        let (_, mut run) = run(entry, size, MIDPOINT, n, frames)?;
        let [one, many] = clock(entry, size, n)?;
        run.seconds = many / one;
        if n == 1 {
            ours.seconds = one;
        }
        midpoint.push(Some(run));
    }
    Ok(Row {
        entry,
        vertices,
        ours,
        midpoint,
    })
}

/// Returns the keys of a run.
fn keys(
    entry: &BenchmarkModel,
    size: Size,
    substeps: u32,
    frames: u64,
) -> Result<[(&'static str, String); 2], PaperError> {
    let step = entry.open(size, MIDPOINT, &[])?.scene.time.nominal_step();
    Ok([
        ("time.step", format!("{:?}", step / f64::from(substeps))),
        ("time.until", format!("{:?}", step * frames as f64)),
    ])
}

/// Returns the median seconds of a frame with tracking and with substeps of midpoint, computed alternately.
fn clock(entry: &BenchmarkModel, size: Size, substeps: u32) -> Result<[f64; 2], PaperError> {
    let mut ours = entry.open(size, TRACKED_MIDPOINT, &keys(entry, size, 1, 1)?)?;
    let mut other = entry.open(size, MIDPOINT, &keys(entry, size, substeps, 1)?)?;
    // Set up orderings and constant matrices before timing.
    timed_frame(&mut ours)?;
    timed_frame(&mut other)?;
    let mut seen = [Vec::new(), Vec::new()];
    for _ in 0..TIMED_FRAMES {
        seen[0].push(timed_frame(&mut ours)?.seconds);
        let mut sum = 0.0;
        for _ in 0..substeps {
            sum += timed_frame(&mut other)?.seconds;
        }
        seen[1].push(sum);
    }
    Ok(seen.map(|mut s| {
        s.sort_by(f64::total_cmp);
        s[TIMED_FRAMES / 2]
    }))
}

fn run(
    entry: &BenchmarkModel,
    size: Size,
    way: IntegratorSetup,
    substeps: u32,
    frames: u64,
) -> Result<(usize, Run), PaperError> {
    let mut sim = entry.open(size, way, &keys(entry, size, substeps, frames)?)?;
    let (mut sum, mut gained) = (0.0, 0.0f64);
    let trial = trial(&mut sim, &mut |_, row| {
        sum += row.entry.numerical + row.entry.residual;
        gained = gained.max(sum);
        Flow::On
    });
    let run = Run {
        gained,
        kinetic: trial.max_kinetic,
        seconds: f64::NAN,
        solves: trial.work.solves as f64 / trial.steps as f64 * f64::from(substeps),
        failed: trial.failure.is_some(),
    };
    Ok((sim.model.nodes(), run))
}

fn table(rows: &[Row], frames: &[u64]) -> Table {
    let mut columns: Vec<String> = ["model", "paper_vertices", "vertices", "frames", "ours_ms"]
        .map(String::from)
        .into();
    for n in SUBSTEPS {
        columns.extend(
            [
                "time_ratio",
                "time_ratio_paper",
                "solves_ratio",
                "gained_over_kinetic",
                "stable",
            ]
            .map(|c| format!("{c}_{n}")),
        );
    }
    let mut table = Table::new("models", columns);
    for (r, frames) in rows.iter().zip(frames) {
        let e = r.entry;
        let mut values = vec![
            f64::from(e.paper_size[0]),
            r.vertices as f64,
            *frames as f64,
            1e3 * r.ours.seconds,
        ];
        for (run, paper) in r.midpoint.iter().zip(e.paper_substeps_ms) {
            let paper = paper / e.paper_local_global_ms[1];
            values.extend(match run {
                Some(run) => [
                    run.seconds,
                    paper,
                    run.solves / r.ours.solves,
                    run.gained / r.ours.kinetic,
                    f64::from(u8::from(r.stable(run))),
                ],
                None => [f64::NAN, paper, f64::NAN, f64::NAN, f64::NAN],
            });
        }
        table.line(e.name, values);
    }
    table
}

fn plot(finding: &mut Finding, rows: &[Row]) {
    let series = rows.iter().map(|r| {
        let points = SUBSTEPS.iter().zip(&r.midpoint);
        let points = points
            .filter_map(|(n, run)| run.map(|run| (f64::from(*n), run.gained / r.ours.kinetic)));
        Series {
            style: chart::SeriesStyle::LineWithMarkers,
            ..Series::line(r.entry.name, points.collect())
        }
    });
    finding.plot(
        "gained",
        Chart {
            title: "Implicit midpoint: numerical energy gain".into(),
            x: Axis::log("substeps per frame"),
            y: Axis::log("gain / largest kinetic energy"),
            series: series.collect(),
        },
    );
}

fn claims(finding: &mut Finding, rows: &[Row], size: Size) {
    let ours: Vec<&str> = rows
        .iter()
        .filter(|r| !r.stable(&r.ours))
        .map(|r| r.entry.name)
        .collect();
    finding.claim(
        "tracking-stable",
        "tracking is stable in every model despite large steps",
        if ours.is_empty() {
            "stable in all models".into()
        } else {
            format!("not stable: {}", ours.join(", "))
        },
        at_most(ours.len() as f64, 0.0).of("models that are not"),
    );
    let lost: Vec<&Row> = rows
        .iter()
        .filter(|r| r.stable_substeps() != Some(0))
        .collect();
    let names: Vec<&str> = lost.iter().map(|r| r.entry.name).collect();
    finding.claim(
        "midpoint-not-stable",
        "implicit midpoint without substeps is not stable everywhere",
        format!(
            "unstable: {}",
            if names.is_empty() {
                "none".into()
            } else {
                names.join(", ")
            }
        ),
        above(lost.len() as f64, 0.0).of("models"),
    );
    let words: Vec<String> = lost
        .iter()
        .map(|r| match r.stable_substeps() {
            Some(k) => format!("{}: {} substeps suffice", r.entry.name, SUBSTEPS[k]),
            None => format!("{}: no number of substeps tried suffices", r.entry.name),
        })
        .collect();
    // For models unstable with one step: whether the most substeps gain less, and whether some number is still unstable.
    let helps = lost.iter().all(|r| {
        let gained: Vec<f64> = r.midpoint.iter().flatten().map(|run| run.gained).collect();
        gained.last() < gained.first()
    });
    let substeps = |r: &&Row| r.midpoint[1..].iter().flatten().any(|run| !r.stable(run));
    let words = match words.is_empty() {
        true => "no model needs substeps".into(),
        false => words.join("; "),
    };
    finding.claim(
        "no-guarantee",
        "decreasing the step improves stability but does not guarantee it",
        words,
        [
            above(lost.len() as f64, 0.0).of("models"),
            condition(helps, "the most substeps gain less than one step"),
            condition(
                rows.iter().any(|r| substeps(&r)),
                "some number of substeps is unstable",
            ),
        ],
    );
    let costs = lost.iter().filter_map(|r| {
        r.stable_substeps()
            .and_then(|k| r.midpoint[k])
            .map(|run| run.solves / r.ours.solves)
    });
    let least = costs.fold(f64::INFINITY, f64::min);
    finding.claim(
        "substeps-cost",
        "if substeps are needed they cost significantly more than tracking (counted solves)",
        format!("at least {least:.1} times"),
        above(least, 3.0).of("least ratio"),
    );
    if size == Size::Full {
        let ratio = |k: usize| {
            let all = rows
                .iter()
                .filter_map(move |r| r.midpoint[k].map(|run| run.seconds));
            all.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| {
                (a.min(x), b.max(x))
            })
        };
        let ((a, b), (c, d)) = (ratio(0), ratio(1));
        finding.claim(
"clock",
            "one midpoint step takes 0.66 to 0.93 of the time of tracking, five take 2.8 to 6 times",
            format!("{a:.2} to {b:.2}, and {c:.1} to {d:.1} times"), [below(b, 1.05).of("one step"), above(c, 2.0).of("five steps")],
);
    }
}
