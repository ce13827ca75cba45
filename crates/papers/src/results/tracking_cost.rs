//! [Dinev et al. 2018, Table 1]: cost of energy tracking compared with backward Euler, with Newton's method and with
//! local/global iterations.
//!
//! Frames of both are computed alternately, so that other load on the machine slows both; times are compared only
//! within a pair. The search for α is the time spent evaluating the energy.

use chart::{Axis, Chart, Series};

use crate::check::{at_least, at_most, below};
use crate::integrators::{BACKWARD_EULER, TRACKED_MIDPOINT};
use crate::models::{BenchmarkModel, FrameCost, MODEL_CHOICES, MODELS, timed_frame};
use crate::{Finding, Job, PaperError, Size, Table};

/// The number of frames before timing starts, in which patterns, orderings and constant matrices are set up.
const WARM_UP_FRAMES: usize = 2;

/// The costs of backward Euler and of energy tracking with one solver.
struct Pair {
    frames: usize,
    be: FrameCost,
    ours: FrameCost,
}

impl Pair {
    fn ratio(&self) -> f64 {
        self.ours.seconds / self.be.seconds
    }

    /// Returns the linear solves of tracking relative to backward Euler.
    fn solves(&self) -> f64 {
        self.ours.work.solves as f64 / self.be.work.solves as f64
    }

    fn search(&self) -> f64 {
        self.ours.energy_seconds / self.ours.seconds
    }
}

/// A row of the table.
struct Row {
    entry: &'static BenchmarkModel,
    vertices: usize,
    /// The costs with Newton's method, or the error if a step did not converge.
    newton: Result<Pair, PaperError>,
    local_global: Pair,
}

impl Row {
    /// Returns a number of the pair with Newton's method; NaN if it failed.
    fn newton(&self, number: impl Fn(&Pair) -> f64) -> f64 {
        self.newton.as_ref().map_or(f64::NAN, number)
    }

    /// Returns the time of a Newton frame of backward Euler relative to a local/global frame.
    fn newton_over_local_global(&self) -> f64 {
        self.newton(|n| n.be.seconds / self.local_global.be.seconds)
    }
}

/// Computes the table and checks the claims of the paper against the numbers.
pub fn compute(job: &Job) -> Result<Finding, PaperError> {
    let mut finding = Finding::default();
    finding.parameter("newton_tolerance", 1e-8);
    finding.parameter("local_global_iterations", 10);
    finding.parameter("epsilon", 0.01);
    finding.choice(MODEL_CHOICES);
    finding.choice("Times are ratios within one run, with frames of both computed alternately after two warm-up frames; the slowest quarter of each is omitted. The paper averages 30 frames; we take fewer for Newton's method on large models (column newton_frames).");
    let mut rows = Vec::new();
    for entry in MODELS.iter().filter(|e| e.is_included(job.size)) {
        (job.progress)(entry.name);
        rows.push(row(entry, job.size)?);
    }
    finding.tables.push(table(&rows));
    plot(&mut finding, &rows);
    claim_counts(&mut finding, &rows);
    if job.size == Size::Full {
        claim_times(&mut finding, &rows);
    }
    Ok(finding)
}

fn row(entry: &'static BenchmarkModel, size: Size) -> Result<Row, PaperError> {
    // Factorizations of large models are expensive.
    let newton_frames = match entry.paper_size[0] {
        n if n < 1000 => 30,
        n if n < 10_000 => 4,
        _ => 3,
    };
    let newton_frames = size.pick(4, newton_frames);
    let newton = match pair(entry, size, "minimise", newton_frames) {
        Ok((_, pair)) => Ok(pair),
        Err(why @ PaperError::Step { .. }) => Err(why),
        Err(other) => return Err(other),
    };
    let (vertices, local_global) = pair(entry, size, "local-global", size.pick(10, 30))?;
    Ok(Row {
        entry,
        vertices,
        newton,
        local_global,
    })
}

fn pair(
    entry: &BenchmarkModel,
    size: Size,
    newton: &str,
    frames: usize,
) -> Result<(usize, Pair), PaperError> {
    let set = [("solver.newton", newton.to_string())];
    let mut be = entry.open(size, BACKWARD_EULER, &set)?;
    let mut ours = entry.open(size, TRACKED_MIDPOINT, &set)?;
    let mut seen: [Vec<FrameCost>; 2] = [Vec::new(), Vec::new()];
    for k in 0..WARM_UP_FRAMES + frames {
        for (sim, seen) in [&mut be, &mut ours].into_iter().zip(&mut seen) {
            let frame = timed_frame(sim)?;
            if k >= WARM_UP_FRAMES {
                seen.push(frame);
            }
        }
    }
    let [be_frames, our_frames] = seen.map(average);
    Ok((
        be.model.nodes(),
        Pair {
            frames,
            be: be_frames,
            ours: our_frames,
        },
    ))
}

/// Returns the mean times of all frames except the slowest quarter, which other load may have delayed, and the total
/// work.
fn average(mut frames: Vec<FrameCost>) -> FrameCost {
    let mut sum = FrameCost::default();
    frames.iter().for_each(|f| sum.work.add(&f.work));
    frames.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
    let kept = &frames[..(3 * frames.len()).div_ceil(4)];
    for f in kept {
        sum.seconds += f.seconds / kept.len() as f64;
        sum.energy_seconds += f.energy_seconds / kept.len() as f64;
    }
    sum
}

fn table(rows: &[Row]) -> Table {
    let columns = [
        "model",
        "paper_vertices",
        "vertices",
        "newton_frames",
        "newton_be_ms",
        "newton_ours_ms",
        "newton_ratio",
        "newton_ratio_paper",
        "newton_search_share",
        "newton_solves_ratio",
        "lg_be_ms",
        "lg_ours_ms",
        "lg_ratio",
        "lg_ratio_paper",
        "lg_search_share",
        "lg_search_share_paper",
        "lg_solves_ratio",
        "newton_over_lg",
        "newton_over_lg_paper",
    ];
    let mut table = Table::new("models", columns);
    for r in rows {
        let (l, e) = (&r.local_global, r.entry);
        let ms = |f: &FrameCost| 1e3 * f.seconds;
        table.line(
            e.name,
            [
                f64::from(e.paper_size[0]),
                r.vertices as f64,
                r.newton(|n| n.frames as f64),
                r.newton(|n| ms(&n.be)),
                r.newton(|n| ms(&n.ours)),
                r.newton(Pair::ratio),
                e.paper_newton_ms[1] / e.paper_newton_ms[0],
                r.newton(Pair::search),
                r.newton(Pair::solves),
                ms(&l.be),
                ms(&l.ours),
                l.ratio(),
                e.paper_local_global_ms[1] / e.paper_local_global_ms[0],
                l.search(),
                e.paper_local_global_ms[2] / e.paper_local_global_ms[1],
                l.solves(),
                r.newton_over_local_global(),
                e.paper_newton_ms[0] / e.paper_local_global_ms[0],
            ],
        );
    }
    table
}

fn plot(finding: &mut Finding, rows: &[Row]) {
    let curve = |y: &dyn Fn(&Row) -> f64| -> Vec<(f64, f64)> {
        rows.iter().map(|r| (r.vertices as f64, y(r))).collect()
    };
    finding.plot(
        "ratios",
        Chart {
            title: "Time of tracking relative to backward Euler".into(),
            x: Axis::log("vertices"),
            y: Axis::linear("ratio of times"),
            series: vec![
                Series::markers("Newton", curve(&|r| r.newton(Pair::ratio))),
                Series::markers(
                    "Newton, paper",
                    curve(&|r| r.entry.paper_newton_ms[1] / r.entry.paper_newton_ms[0]),
                ),
                Series::markers("local/global", curve(&|r| r.local_global.ratio())),
                Series::markers(
                    "local/global, paper",
                    curve(&|r| r.entry.paper_local_global_ms[1] / r.entry.paper_local_global_ms[0]),
                ),
            ],
        },
    );
}

/// Returns the smallest and largest value.
fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| {
        (a.min(x), b.max(x))
    })
}

/// Adds the claims on counted work, which hold on every machine.
fn claim_counts(finding: &mut Finding, rows: &[Row]) {
    let failed = rows
        .iter()
        .filter_map(|r| Some((r, r.newton.as_ref().err()?)));
    let failed: Vec<String> = failed
        .map(|(r, why)| format!("{}: {why}", r.entry.name))
        .collect();
    finding.claim(
        "newton-converges",
        "Newton's method is iterated until convergence in every model",
        match failed.is_empty() {
            true => "it converges in every model".into(),
            false => failed.join("; "),
        },
        at_most(failed.len() as f64, 0.0).of("failures"),
    );
    let (low, high) = range(rows.iter().map(|r| r.local_global.solves()));
    finding.claim(
"local-global-solves",
        "local/global: ten iterations of midpoint and at most one of backward Euler, against ten (counted)",
        format!("{low:.3} to {high:.3} times the solves of backward Euler"), [at_least(low, 1.0).of("smallest ratio"), at_most(high, 1.2).of("largest ratio")],
);
    let (low, high) = range(rows.iter().map(|r| r.newton(Pair::solves)));
    finding.claim(
        "newton-solves",
        "Newton: up to two solves of the equations instead of one (counted)",
        format!("{low:.2} to {high:.2} times the linear solves of backward Euler"),
        at_most(high, 2.6).of("largest ratio"),
    );
}

/// Adds the claims on measured times.
fn claim_times(finding: &mut Finding, rows: &[Row]) {
    let (low, high) = range(rows.iter().map(|r| r.local_global.ratio()));
    finding.claim(
        "local-global-clock",
        "local/global: tracking takes 1.09 to 1.58 times the time of backward Euler",
        format!("{low:.2} to {high:.2} times"),
        at_most(high, 1.6).of("largest ratio"),
    );
    let (low, high) = range(rows.iter().map(|r| r.newton(Pair::ratio)));
    finding.claim(
        "newton-clock",
        "Newton: tracking takes 1.5 to 2.5 times the time of backward Euler",
        format!("{low:.2} to {high:.2} times"),
        at_most(high, 2.6).of("largest ratio"),
    );
    let (_, newton) = range(rows.iter().map(|r| r.newton(Pair::search)));
    let (_, high) = range(rows.iter().map(|r| r.local_global.search()));
    finding.claim(
"search-clock",
        "the search for alpha is no bottleneck: 1.5 % of the time with Newton, up to a third with local/global",
        format!("at most {:.1} % and {:.1} %", 100.0 * newton, 100.0 * high), [below(newton, 0.05).of("share, Newton"), below(high, 0.34).of("share, local/global")],
);
    let (low, high) = range(rows.iter().map(Row::newton_over_local_global));
    finding.claim(
        "frame-clock",
        "a local/global frame is 27 to 227 times cheaper than a converged Newton frame",
        format!("{low:.0} to {high:.0} times"),
        at_least(low, 20.0).of("smallest ratio"),
    );
}
