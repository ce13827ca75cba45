//! 004 Table 1: what energy tracking costs over backward Euler, with Newton's method and with local/global iterations.
//!
//! Frames of both are taken in turn, so that whatever else the machine does slows both; times are only ever compared
//! within one pair. The search for α is the time spent looking at the energy.

use chart::{Axis, Chart, Series};

use crate::check::{at_least, at_most, below};
use crate::models::{CHOICE, Entry, Frame, MODELS, frame};
use crate::ways::{BE, TRACKED};
use crate::{Finding, Job, PaperError, Size, Table};

/// Frames taken before the clock runs: patterns, orderings and constant matrices are made then.
const BEFORE: usize = 2;

/// Backward Euler and tracking with one solver.
struct Pair {
    frames: usize,
    be: Frame,
    ours: Frame,
}

impl Pair {
    fn ratio(&self) -> f64 {
        self.ours.seconds / self.be.seconds
    }

    /// Linear solves of tracking over those of backward Euler.
    fn solves(&self) -> f64 {
        self.ours.work.solves as f64 / self.be.work.solves as f64
    }

    fn search(&self) -> f64 {
        self.ours.search / self.ours.seconds
    }
}

/// A row of the table.
struct Row {
    entry: &'static Entry,
    vertices: usize,
    /// Nothing where a step did not converge, and why.
    newton: Result<Pair, PaperError>,
    local_global: Pair,
}

impl Row {
    /// A number of the pair with Newton's method, if it is there.
    fn newton(&self, number: impl Fn(&Pair) -> f64) -> f64 {
        self.newton.as_ref().map_or(f64::NAN, number)
    }

    /// How much cheaper a local/global frame of backward Euler is.
    fn gain(&self) -> f64 {
        self.newton(|n| n.be.seconds / self.local_global.be.seconds)
    }
}

/// Computes the table.
pub fn compute(job: &Job) -> Result<Finding, PaperError> {
    let mut finding = Finding::default();
    finding.parameter("newton_tolerance", 1e-8);
    finding.parameter("local_global_iterations", 10);
    finding.parameter("epsilon", 0.01);
    finding.choice(CHOICE);
    finding.choice("Times are ratios within one run, frames of the two taken in turn, after two frames off the clock; the slowest quarter of each is left out. The paper averages 30 frames; Newton's method takes fewer where bodies are large (column newton_frames).");
    let mut rows = Vec::new();
    for entry in MODELS.iter().filter(|e| e.takes_part(job.size)) {
        (job.tell)(entry.name);
        rows.push(row(entry, job.size)?);
    }
    finding.tables.push(table(&rows));
    plot(&mut finding, &rows);
    counted(&mut finding, &rows);
    if job.size == Size::Full {
        clocked(&mut finding, &rows);
    }
    Ok(finding)
}

fn row(entry: &'static Entry, size: Size) -> Result<Row, PaperError> {
    // The wider a body, the dearer a factorization.
    let newton_frames = match entry.paper[0] {
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
    entry: &Entry,
    size: Size,
    newton: &str,
    frames: usize,
) -> Result<(usize, Pair), PaperError> {
    let set = [("solver.newton", newton.to_string())];
    let mut be = entry.open(size, BE, &set)?;
    let mut ours = entry.open(size, TRACKED, &set)?;
    let mut seen: [Vec<Frame>; 2] = [Vec::new(), Vec::new()];
    for k in 0..BEFORE + frames {
        for (sim, seen) in [&mut be, &mut ours].into_iter().zip(&mut seen) {
            let frame = frame(sim)?;
            if k >= BEFORE {
                seen.push(frame);
            }
        }
    }
    let [be_frames, our_frames] = seen.map(sum);
    Ok((
        be.model.nodes(),
        Pair {
            frames,
            be: be_frames,
            ours: our_frames,
        },
    ))
}

/// Mean times of all frames but the slowest quarter, which something else may have held up; work of all.
fn sum(mut frames: Vec<Frame>) -> Frame {
    let mut sum = Frame::default();
    frames.iter().for_each(|f| sum.work.add(&f.work));
    frames.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
    let kept = &frames[..(3 * frames.len()).div_ceil(4)];
    for f in kept {
        sum.seconds += f.seconds / kept.len() as f64;
        sum.search += f.search / kept.len() as f64;
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
        let ms = |f: &Frame| 1e3 * f.seconds;
        table.line(
            e.name,
            [
                f64::from(e.paper[0]),
                r.vertices as f64,
                r.newton(|n| n.frames as f64),
                r.newton(|n| ms(&n.be)),
                r.newton(|n| ms(&n.ours)),
                r.newton(Pair::ratio),
                e.newton[1] / e.newton[0],
                r.newton(Pair::search),
                r.newton(Pair::solves),
                ms(&l.be),
                ms(&l.ours),
                l.ratio(),
                e.local_global[1] / e.local_global[0],
                l.search(),
                e.local_global[2] / e.local_global[1],
                l.solves(),
                r.gain(),
                e.newton[0] / e.local_global[0],
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
            title: "Time of tracking over backward Euler".into(),
            x: Axis::log("vertices"),
            y: Axis::linear("ratio of times"),
            series: vec![
                Series::markers("Newton", curve(&|r| r.newton(Pair::ratio))),
                Series::markers(
                    "Newton, paper",
                    curve(&|r| r.entry.newton[1] / r.entry.newton[0]),
                ),
                Series::markers("local/global", curve(&|r| r.local_global.ratio())),
                Series::markers(
                    "local/global, paper",
                    curve(&|r| r.entry.local_global[1] / r.entry.local_global[0]),
                ),
            ],
        },
    );
}

/// Least and greatest.
fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| {
        (a.min(x), b.max(x))
    })
}

/// Claims that hold whatever the machine.
fn counted(finding: &mut Finding, rows: &[Row]) {
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
            true => "it converges".into(),
            false => failed.join("; "),
        },
        at_most(failed.len() as f64, 0.0).of("failures"),
    );
    let (low, high) = range(rows.iter().map(|r| r.local_global.solves()));
    finding.claim(
"local-global-solves",
        "local/global: ten iterations of midpoint and at most one of backward Euler, against ten (counted)",
        format!("{low:.3} to {high:.3} times the solves of backward Euler"), [at_least(low, 1.0).of("least ratio"), at_most(high, 1.2).of("greatest ratio")],
);
    let (low, high) = range(rows.iter().map(|r| r.newton(Pair::solves)));
    finding.claim(
        "newton-solves",
        "Newton: up to two solves of the equations instead of one (counted)",
        format!("{low:.2} to {high:.2} times the linear solves of backward Euler"),
        at_most(high, 2.6).of("greatest ratio"),
    );
}

/// Claims by the clock.
fn clocked(finding: &mut Finding, rows: &[Row]) {
    let (low, high) = range(rows.iter().map(|r| r.local_global.ratio()));
    finding.claim(
        "local-global-clock",
        "local/global: tracking takes 1.09 to 1.58 times the time of backward Euler",
        format!("{low:.2} to {high:.2} times"),
        at_most(high, 1.6).of("greatest ratio"),
    );
    let (low, high) = range(rows.iter().map(|r| r.newton(Pair::ratio)));
    finding.claim(
        "newton-clock",
        "Newton: tracking takes 1.5 to 2.5 times the time of backward Euler",
        format!("{low:.2} to {high:.2} times"),
        at_most(high, 2.6).of("greatest ratio"),
    );
    let (_, newton) = range(rows.iter().map(|r| r.newton(Pair::search)));
    let (_, high) = range(rows.iter().map(|r| r.local_global.search()));
    finding.claim(
"search-clock",
        "the search for alpha is no bottleneck: 1.5 % of the time with Newton, up to a third with local/global",
        format!("at most {:.1} % and {:.1} %", 100.0 * newton, 100.0 * high), [below(newton, 0.05).of("share, Newton"), below(high, 0.34).of("share, local/global")],
);
    let (low, high) = range(rows.iter().map(Row::gain));
    finding.claim(
        "frame-clock",
        "a local/global frame is 27 to 227 times cheaper than a converged Newton frame",
        format!("{low:.0} to {high:.0} times"),
        at_least(low, 20.0).of("least ratio"),
    );
}
