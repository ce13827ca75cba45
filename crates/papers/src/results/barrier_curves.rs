//! [Ascher et al. 2021, Fig. 8, eqs. 28–30]: the barrier b(x; δ) = −(x − δ)² ln(x/δ) for several δ.
//!
//! We use +∞ at x ≤ 0 instead of the printed 0 (docs/references.md, E21). b(x; δ) = δ² b(x/δ; 1), so that with a stiffness
//! that carries a given load at a given fraction of δ the gap at rest is proportional to δ.

use chart::{Axis, Chart, Series};
use contact::BarrierShape;
use scene::session::Flow;

use crate::check::{above, below, condition, near};
use crate::scenes::open_scene;
use crate::{Finding, Job, PaperError, Table};

/// The values of δ, m.
const REACHES: [f64; 4] = [0.02, 0.01, 0.005, 0.002];
/// A particle that falls on a plane from 3 cm.
const PARTICLE: &str = r#"
[time]
method = "backward-euler"
step = 0.01
until = 6.0
[[particle]]
position = [0, 0.03, 0]
mass = 1.0
[[obstacle]]
plane = { point = [0, 0, 0], normal = [0, 1, 0] }
[contact]
kind = "barrier"
shape = "log"
stiffness = 9.81
"#;

/// The published barrier, eq. 28.
fn printed(x: f64, reach: f64) -> f64 {
    match (0.0..=reach).contains(&x) {
        true => -(x - reach).powi(2) * (x / reach).ln(),
        false => 0.0,
    }
}

/// Plots the barrier and compares it with the published formula.
fn curves(finding: &mut Finding) {
    let last = 1.2 * REACHES[0];
    let grid = |k: usize| last * (k as f64 + 0.5) / 400.0;
    let barrier = |x: f64, reach: f64| BarrierShape::Log.derivatives(x, reach);
    let (mut difference, mut growth) = (0.0f64, f64::INFINITY);
    let mut series = Vec::new();
    for reach in REACHES {
        let points: Vec<_> = (0..400)
            .map(|k| (grid(k), barrier(grid(k), reach)[0]))
            .collect();
        for (x, b) in &points {
            let wanted = printed(*x, reach);
            difference = difference.max((b - wanted).abs() / (reach * reach));
        }
        let force = |fraction: f64| -barrier(fraction * reach, reach)[1];
        growth = growth.min(force(1e-6) / force(0.5));
        series.push(Series::line(format!("delta {} mm", 1e3 * reach), points));
    }
    finding.plot(
        "barrier",
        Chart {
            title: "barrier function".into(),
            x: Axis::linear("distance, m"),
            y: Axis::linear("b, m^2"),
            series,
        },
    );
    finding.claim(
        "formula",
        "b(x; delta) = -(x - delta)^2 log(x/delta) within reach and 0 beyond (eq. 28)",
        format!("the difference is {difference:.1e} delta^2"),
        below(difference, 1e-14).of("difference"),
    );
    finding.claim(
        "grows-without-bound",
        "the barrier enforces strict positivity of the distance",
        format!("its force at a millionth of delta is at least {growth:.1e} times that at half of delta, and infinite at x <= 0"),
        [
            above(growth, 1e5).of("ratio"),
            condition(barrier(-1e-9, 0.01)[0] == f64::INFINITY, "infinite below 0"),
        ],
    );
    // Second derivatives from within at the reach, over those at half of it.
    let bend = REACHES.map(|r| barrier(r * (1.0 - 1e-6), r)[2] / barrier(0.5 * r, r)[2]);
    let largest = bend.into_iter().fold(0.0, f64::max);
    finding.claim(
        "smooth",
        "the truncated barrier is smooth at delta",
        format!("its second derivative goes to {largest:.1e} of that at half of delta"),
        below(largest, 1e-5).of("ratio"),
    );
}

/// Lets the particle come to rest for each δ.
fn rests(job: &Job, finding: &mut Finding) -> Result<(), PaperError> {
    let mut table = Table::new(
        "rest",
        ["delta", "step", "gap", "gap_over_delta", "least_gap"],
    );
    let steps: &[f64] = job.size.pick(&[0.033, 0.01], &[0.033, 0.01, 0.002]);
    let (mut shares, mut least) = (Vec::new(), f64::INFINITY);
    let mut series = Vec::new();
    for reach in REACHES {
        for &step in steps {
            let set = [
                ("contact.reach", format!("{reach:?}")),
                ("time.step", format!("{step:?}")),
            ];
            let mut session = open_scene(PARTICLE, &set)?;
            let (mut lowest, mut path) = (f64::INFINITY, Vec::new());
            session
                .run_until(6.0, &mut |session, _| {
                    let y = 0.03 + session.state().u[1];
                    lowest = lowest.min(y);
                    path.push((session.t(), y));
                    Flow::On
                })
                .map_err(PaperError::from_session("the falling particle"))?;
            let gap = 0.03 + session.state().u[1];
            table.row([reach, step, gap, gap / reach, lowest]);
            shares.push(gap / reach);
            least = least.min(lowest);
            if step == 0.01 {
                path.retain(|(t, _)| *t < 0.5);
                series.push(Series::line(format!("delta {} mm", 1e3 * reach), path));
            }
        }
    }
    finding.tables.push(table);
    finding.plot(
        "rest",
        Chart {
            title: "a particle falls on a plane, backward Euler at 10 ms".into(),
            x: Axis::linear("time, s"),
            y: Axis::linear("height, m"),
            series,
        },
    );
    finding.claim(
        "sharpens",
        "the barrier sharpens as delta is decreased",
        "a load that is carried at half of delta rests there for every delta and step",
        shares
            .iter()
            .map(|s| near(*s, 0.5, 1e-4).of("gap/delta"))
            .collect::<Vec<_>>(),
    );
    finding.claim(
        "no-penetration",
        "distances stay positive",
        format!("the least height of the falling particle is {least:.1e} m"),
        above(least, 0.0).of("m"),
    );
    Ok(())
}

/// Computes the curves and the gaps at rest.
pub fn compute(job: &Job) -> Result<Finding, PaperError> {
    let mut finding = Finding::default();
    finding.parameter("delta, m", format!("{REACHES:?}"));
    finding.choice("The paper gives no values of delta for Fig. 8. The published b is 0 at x < 0, where a body that has passed would feel nothing; we use infinity there (E21). kappa is chosen so that the weight of the particle is carried at half of delta.");
    curves(&mut finding);
    rests(job, &mut finding)?;
    Ok(finding)
}
