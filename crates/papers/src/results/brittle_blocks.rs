//! [Linearized Force Error, Fig. 2]: brittle solids under Newmark's method with fixed and with adaptive steps, at frames 30 and 35.
//!
//! The fixed step is not chosen but decided: it is the largest of the 1–2–5 series whose damage agrees with that of its own
//! half step as well as the adaptive run must agree with the reference.

use chart::{Axis, Chart, Dash, Series};

use crate::brittle::{
    Comparison, FRAMES, IMPACTS, Impact, ImpactRun, LENGTH, MARGIN, SERIES, TOLERANCES,
    correlations,
};
use crate::check::{above, at_least};
use crate::finding::Cell;
use crate::{Finding, Job, PaperError, Size, Table};

/// Cells along the block: 637 particles, and 5292.
const SIZES: [u32; 2] = [12, 26];

/// Computes the comparisons and checks the claims of the paper.
pub fn compute(job: &Job) -> Result<Finding, PaperError> {
    let sizes = match job.size {
        Size::Quick => &SIZES[..1],
        Size::Full => &SIZES[..],
    };
    let mut finding = Finding::default();
    finding.parameter(
        "method",
        "s-newmark, as in the paper: one linear solve a step",
    );
    finding.parameter(
        "frames",
        "30 and 35 at 30 frames a second, contact in frame 29",
    );
    finding.parameter("steps_s", format!("{SERIES:?}"));
    finding.parameter("tolerances_m", format!("{TOLERANCES:?}"));
    finding.choice("The paper gives neither bodies nor sizes. Ours are blocks of 2 m with Young's modulus 40 MPa, a critical stretch of 0.025 that scatters by a quarter, and a horizon of 2.015 spacings, calibrated. One falls 4.6 m on a round edge, one meets a heavy ball at 9.55 m/s, seen from the ball; contact is a penalty. The example impact_study of supple-claims has larger bodies (docs/fracture.md).");
    finding.choice(format!("Patterns are compared by the correlation of the damage of all particles. The noise floor is that of the finest step, in which a wave passes about one spacing, and its half. The fixed step is the largest of the series whose damage agrees with that of its half step to the floor less {MARGIN}; the tolerance is the largest whose damage agrees so with that of the half of the finest step. Fixed runs that only decide the step start in frame 28.5, shortly before contact; a run whose energy grows tenfold is unstable and agrees with nothing. Cost is that of whole runs: linear solves of M + h²/4 K, rejected attempts included, and processor seconds (of the process: of quick results, which share it, they mean nothing)."));
    let mut table = Table::new("runs", Comparison::COLUMNS);
    for impact in &IMPACTS {
        let mut all = Vec::new();
        for &cells in sizes {
            let done = Comparison::compute(impact, cells, job.progress)?;
            let row = done.row();
            let line: Vec<String> = row.iter().map(Cell::to_string).collect();
            (job.progress)(&line.join(","));
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
            let name = format!("{name}, frame {:.0}", FRAMES[k]);
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
