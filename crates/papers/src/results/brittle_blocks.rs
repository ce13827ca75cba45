//! [Linearized Force Error, Fig. 2]: brittle solids under Newmark's method with fixed and with adaptive steps, at frames 30 and 35.
//!
//! The fixed step is not chosen but decided: it is the largest of the 1–2–5 series whose damage agrees with that of its own
//! half step as well as the adaptive run must agree with the reference.

use chart::{Axis, Chart, Dash, Series};

use crate::brittle::{FRAMES, IMPACTS, Impact, ImpactRun, LENGTH, Steps, correlations};
use crate::check::{above, at_least};
use crate::finding::Cell;
use crate::{Finding, Job, PaperError, Size, Table};

/// Fixed steps, s: the 1–2–5 series.
const SERIES: [f64; 6] = [5e-3, 2e-3, 1e-3, 5e-4, 2e-4, 1e-4];
/// Tolerances of adaptive runs, m.
const TOLERANCES: [f64; 7] = [2e-2, 1e-2, 5e-3, 2e-3, 1e-3, 5e-4, 2e-4];
/// How much lower than the noise floor a correlation may be.
const MARGIN: f64 = 0.05;
/// The finest step of the series in times in which a wave passes one spacing.
const FINEST: f64 = 1.0;
/// Speed of waves √(E/ρ), m/s.
const WAVE_SPEED: f64 = 44.7;

/// Fixed and adaptive steps that give the same damage, and their cost.
struct Comparison {
    cells: u32,
    /// Correlation of the damage under the finest step and its half, at the frames.
    floor: [f64; 2],
    step: f64,
    tolerance: f64,
    fixed: ImpactRun,
    adaptive: ImpactRun,
    /// Correlations with the reference: the half of the finest step.
    agreement: [[f64; 2]; 2],
}

/// Computes the comparisons and checks the claims of the paper.
pub fn compute(job: &Job) -> Result<Finding, PaperError> {
    let sizes = |impact: &Impact| match (job.size, impact.name) {
        (Size::Quick, _) => vec![12],
        (Size::Full, "dropped") => vec![12, 26, 42],
        (Size::Full, _) => vec![12, 26],
    };
    let mut finding = Finding::default();
    finding.parameter(
        "method",
        "s-newmark, as in the paper: one linear solve a step",
    );
    finding.parameter(
        "frames",
        "30 and 35 at 250 frames a second, contact in frame 29",
    );
    finding.parameter("steps_s", format!("{SERIES:?}"));
    finding.parameter("tolerances_m", format!("{TOLERANCES:?}"));
    finding.choice("The paper gives neither bodies nor sizes. Ours are blocks of 0.4 m with Young's modulus 2 MPa, a critical stretch of 0.008 that scatters by a quarter, and a horizon of 2.015 spacings, calibrated. One falls on a round edge, one and a heavy ball meet, seen from the ball; contact is a penalty.");
    finding.choice(format!("Patterns are compared by the correlation of the damage of all particles. The noise floor is that of the finest step and its half. The fixed step is the largest of the series whose damage agrees with that of its half step to the floor less {MARGIN}; the tolerance is the largest whose damage agrees so with that of the half of the finest step. Fixed runs that only decide the step start at 110 ms, shortly before contact. Cost is that of whole runs: linear solves of M + h²/4 K, rejected attempts included, and processor seconds (of the process: of quick results, which share it, they mean nothing)."));
    let columns = [
        "scene",
        "particles",
        "floor_30",
        "floor_35",
        "step_s",
        "tolerance_m",
        "fixed_steps",
        "adaptive_steps",
        "rejected",
        "fixed_solves",
        "adaptive_solves",
        "solves_ratio",
        "fixed_seconds",
        "adaptive_seconds",
        "seconds_ratio",
        "fixed_30",
        "fixed_35",
        "adaptive_30",
        "adaptive_35",
    ];
    let mut table = Table::new("runs", columns);
    for impact in &IMPACTS {
        let mut all = Vec::new();
        for cells in sizes(impact) {
            let done = compare(impact, cells)?;
            let row = row(impact, &done);
            (job.progress)(
                &row.iter()
                    .map(Cell::to_string)
                    .collect::<Vec<_>>()
                    .join(","),
            );
            table.row(row);
            all.push(done);
        }
        claims(&mut finding, impact, &all, job.size);
        if let Some(last) = all.last() {
            finding.plot(
                &format!("damage-{}", impact.name),
                damage_chart(impact, last),
            );
        }
    }
    finding.tables.push(table);
    Ok(finding)
}

fn least(pair: [f64; 2]) -> f64 {
    pair[0].min(pair[1])
}

/// Returns whether correlations at both frames reach the floor less the margin.
fn agrees(found: [f64; 2], floor: [f64; 2]) -> bool {
    (0..2).all(|k| found[k] >= floor[k] - MARGIN)
}

/// Finds the fixed step and the tolerance, and runs both.
fn compare(impact: &Impact, cells: u32) -> Result<Comparison, PaperError> {
    let transit = LENGTH / f64::from(cells) / WAVE_SPEED;
    let count = SERIES.iter().filter(|h| **h >= FINEST * transit).count();
    // One more than resolves a wave, and at least two.
    let finest = SERIES[count.clamp(1, SERIES.len() - 1)];
    let short = |steps| impact.run_shortly(cells, steps);
    let against_half = |h: f64| -> Result<_, PaperError> {
        Ok((short(Steps::Fixed(h))?, short(Steps::Fixed(0.5 * h))?))
    };
    let (fine, reference) = against_half(finest)?;
    let floor = correlations(&fine, &reference);
    let mut step = finest;
    for h in SERIES.into_iter().filter(|h| *h > finest) {
        let (run, half): (ImpactRun, ImpactRun) = against_half(h)?;
        if agrees(correlations(&run, &half), floor) {
            step = h;
            break;
        }
    }
    // Whole runs: an adaptive flight takes few steps.
    let mut adaptive = (f64::NAN, ImpactRun::default());
    for tolerance in TOLERANCES {
        adaptive = (tolerance, impact.run(cells, Steps::Adaptive(tolerance))?);
        if agrees(correlations(&adaptive.1, &reference), floor) {
            break;
        }
    }
    let (tolerance, adaptive) = adaptive;
    let fixed = impact.run(cells, Steps::Fixed(step))?;
    Ok(Comparison {
        cells,
        floor,
        step,
        tolerance,
        agreement: [&fixed, &adaptive].map(|run| correlations(run, &reference)),
        fixed,
        adaptive,
    })
}

impl Comparison {
    fn solves_ratio(&self) -> f64 {
        self.fixed.solves as f64 / self.adaptive.solves as f64
    }

    fn seconds_ratio(&self) -> f64 {
        self.fixed.seconds / self.adaptive.seconds
    }
}

fn row(impact: &Impact, c: &Comparison) -> Vec<Cell> {
    let round = |x: f64| (x * 1e3).round() / 1e3;
    let [fixed, adaptive] = c.agreement;
    let numbers = [
        c.fixed.particles as f64,
        round(c.floor[0]),
        round(c.floor[1]),
        c.step,
        c.tolerance,
        c.fixed.steps as f64,
        c.adaptive.steps as f64,
        c.adaptive.rejected as f64,
        c.fixed.solves as f64,
        c.adaptive.solves as f64,
        round(c.solves_ratio()),
        round(c.fixed.seconds),
        round(c.adaptive.seconds),
        round(c.seconds_ratio()),
        round(fixed[0]),
        round(fixed[1]),
        round(adaptive[0]),
        round(adaptive[1]),
    ];
    let numbers = numbers.map(Cell::from).into_iter();
    std::iter::once(Cell::from(impact.name))
        .chain(numbers)
        .collect()
}

fn claims(finding: &mut Finding, impact: &Impact, all: &[Comparison], size: Size) {
    let name = impact.name;
    let list = |value: &dyn Fn(&Comparison) -> String| {
        all.iter().map(value).collect::<Vec<_>>().join(", ")
    };
    let patterns = all.iter().flat_map(|c| {
        let of = format!(
            "{} particles: correlation with the reference",
            c.fixed.particles
        );
        [0, 1].map(|k| at_least(c.agreement[1][k], c.floor[k] - MARGIN).of(&of))
    });
    finding.claim(
        format!("pattern-{name}"),
        format!("{name}: adaptive steps produce fracture patterns similar to those of fixed steps at frames 30 and 35 (Fig. 2)"),
        list(&|c| format!("{:.3} and {:.3} at {} particles", c.agreement[1][0], c.agreement[1][1], c.fixed.particles)),
        patterns.collect::<Vec<_>>(),
    );
    let mut cost = vec![
        at_least(all.last().map_or(f64::NAN, Comparison::solves_ratio), 3.0)
            .of("linear solves, fixed over adaptive"),
    ];
    if size == Size::Full {
        cost.push(
            at_least(all.last().map_or(f64::NAN, Comparison::seconds_ratio), 3.0)
                .of("seconds, fixed over adaptive"),
        );
    }
    finding.claim(
        format!("cost-{name}"),
        format!("{name}: adaptive steps are 3 to 6 times cheaper (sec. 4)"),
        list(&|c| {
            format!(
                "{:.2} times fewer linear solves at {} particles ({} against {}; fixed step {} s)",
                c.solves_ratio(),
                c.fixed.particles,
                c.fixed.solves,
                c.adaptive.solves,
                c.step
            )
        }),
        cost,
    );
    let growth: Vec<_> = all
        .windows(2)
        .map(|w| {
            above(w[1].solves_ratio() / w[0].solves_ratio(), 1.0).of(&format!(
                "ratio at {} over that at {} cells",
                w[1].cells, w[0].cells
            ))
        })
        .collect();
    if growth.is_empty() {
        return;
    }
    finding.claim(
        format!("growth-{name}"),
        format!("{name}: the speedup increases with the size of the simulation (sec. 4)"),
        list(&|c| format!("{:.2}", c.solves_ratio())),
        growth,
    );
}

/// Mean damage of cross-sections along the block.
fn profile(run: &ImpactRun, frame: usize, cells: u32) -> Vec<(f64, f64)> {
    let along = cells as usize + 1;
    let spacing = LENGTH / f64::from(cells);
    let damage = &run.damage[frame];
    let mean = |i: usize| {
        let section = damage.iter().skip(i).step_by(along);
        section.sum::<f64>() * along as f64 / damage.len() as f64
    };
    let points = (0..along).map(|i| (i as f64 * spacing, mean(i)));
    points.filter(|p| p.1.is_finite()).collect()
}

fn damage_chart(impact: &Impact, c: &Comparison) -> Chart {
    let runs = [("fixed", &c.fixed), ("adaptive", &c.adaptive)];
    let series = runs.iter().enumerate().flat_map(|(colour, (name, run))| {
        [0, 1].map(|k| {
            let dash = if k == 0 { Dash::Dashed } else { Dash::Solid };
            let name = format!("{name}, frame {:.0}", FRAMES[k] * 250.0);
            Series::line(name, profile(run, k, c.cells))
                .dash(dash)
                .colour(colour)
        })
    });
    Chart {
        title: format!(
            "Block {}: mean damage of cross-sections, {} particles (correlation with fixed steps {:.3})",
            impact.name,
            c.fixed.particles,
            least(correlations(&c.fixed, &c.adaptive)),
        ),
        x: Axis::linear("place along the block, m"),
        y: Axis::linear("damage"),
        series: series.collect(),
    }
}
