//! [Dinev et al. 2018, Fig. 8]: an elastic bar released under gravity without damping. A bar that loses no energy
//! returns to its start after every bounce.

use chart::{Axis, Chart, Series};
use rayon::prelude::*;
use scene::run::Flow;
use scene::trial::trial;

use crate::check::{above, below, condition, near};
use crate::integrators::{
    BACKWARD_EULER, BAR, BDF2, Curve, IntegratorSetup, TRACKED_MIDPOINT, curve_table,
    turning_points,
};
use crate::{Finding, Job, PaperError, Table};

const SETUPS: [IntegratorSetup; 3] = [BACKWARD_EULER, BDF2, TRACKED_MIDPOINT];
const STEP: f64 = 0.033;
const LENGTH: f64 = 4.0;
/// The smallest change of height that counts as a bounce, relative to the length of the bar.
const MIN_BOUNCE: f64 = 0.05;

/// The run of the bar with one integrator.
struct BarRun {
    /// The height of the foot above its start in metres.
    height: Curve,
    /// The turning points of the height.
    turning_points: Curve,
}

impl BarRun {
    /// Returns the lowest height of the first bounce.
    fn low(&self) -> f64 {
        self.turning_points.first().map_or(f64::NAN, |p| p.1)
    }

    /// Returns the fraction of the first descent regained at each highest point.
    fn returns(&self) -> Vec<f64> {
        let highs = self.turning_points.iter().skip(1).step_by(2);
        highs.map(|p| 1.0 - p.1 / self.low()).collect()
    }
}

/// Computes the figure and checks the claims of the paper against the numbers.
pub fn compute(job: &Job) -> Result<Finding, PaperError> {
    let (cells, steps) = job.size.pick(([1, 9, 1], 300), ([3, 17, 3], 1000));
    let mut finding = Finding::default();
    finding.parameter("cells", format!("{cells:?}, five tetrahedra each"));
    finding.parameter("size_m", "0.7 x 4 x 0.7");
    finding.parameter(
        "material",
        "arap, E = 6.4e4 Pa, nu = 0, 1000 kg/m3, lumped mass",
    );
    finding.parameter("step_s", STEP);
    finding.parameter("steps", steps);
    finding.parameter("solver", "local/global, 10 iterations");
    finding.choice("The paper gives no size or stiffness; with ours the bar bounces as often as in the figure, every 61 frames or so. The height is that of the centre of the foot. A return is the fraction of the first descent that is regained.");
    let seen = SETUPS
        .par_iter()
        .map(|way| bounce(*way, cells, steps))
        .collect::<Result<Vec<BarRun>, PaperError>>()?;
    let columns = [
        "way",
        "bounce",
        "low_frame",
        "low_m",
        "high_frame",
        "high_m",
        "return",
    ];
    let mut table = Table::new("bounces", columns);
    for (way, s) in SETUPS.iter().zip(&seen) {
        for (k, pair) in s.turning_points.chunks_exact(2).enumerate() {
            let frame = |p: (f64, f64)| (p.0 / STEP).round();
            let [low, high] = [pair[0], pair[1]];
            let back = 1.0 - high.1 / s.low();
            table.line(
                way.name,
                [k as f64 + 1.0, frame(low), low.1, frame(high), high.1, back],
            );
        }
    }
    finding.tables.push(table);
    let named = SETUPS.iter().zip(&seen).map(|(w, s)| (w.name, &s.height));
    finding.tables.push(curve_table("height", named.clone()));
    finding.plot(
        "height",
        Chart {
            title: "Released bar: height of its foot".into(),
            x: Axis::linear("time, s"),
            y: Axis::linear("m above the start"),
            series: named.map(|(n, c)| Series::line(n, c.clone())).collect(),
        },
    );
    claims(&mut finding, &seen)?;
    Ok(finding)
}

fn bounce(way: IntegratorSetup, cells: [u32; 3], steps: u64) -> Result<BarRun, PaperError> {
    let set = [
        ("time.until", format!("{:?}", STEP * steps as f64)),
        ("body.bar.mesh.box.cells", format!("{cells:?}")),
    ];
    let mut sim = way.open(BAR, &set)?;
    let [(_, foot)] = sim.probes[..] else {
        return Err(PaperError::NoMeasurement {
            what: "the foot of the bar".into(),
        });
    };
    let mut height = Curve::new();
    let trial = trial(&mut sim, &mut |sim, row| {
        let (u, _) = sim.expanded();
        height.push((row.t, u[foot as usize][1]));
        Flow::On
    });
    if let Some(why) = trial.failure {
        return Err(PaperError::Step {
            what: way.name.into(),
            why,
        });
    }
    let turning_points = turning_points(&height, MIN_BOUNCE * LENGTH);
    Ok(BarRun {
        height,
        turning_points,
    })
}

fn claims(finding: &mut Finding, seen: &[BarRun]) -> Result<(), PaperError> {
    let [be, _, ours] = seen else {
        return Ok(());
    };
    let no_data = || PaperError::NoMeasurement {
        what: "bounces of the bar".into(),
    };
    let frames = |s: &BarRun, k: usize| s.turning_points.get(k).map(|p| (p.0 / STEP).round());
    let [first, second] = [frames(ours, 0), frames(ours, 3)].map(|f| f.unwrap_or(f64::NAN));
    finding.claim(
        "frames",
        "lowest in the first bounce at frame 30, highest in the second at frame 122",
        format!("frames {first} and {second}"),
        [
            near(first, 30.0, 4.0).of("frame"),
            near(second, 122.0, 12.0).of("frame"),
        ],
    );
    let (ours, be) = (ours.returns(), be.returns());
    let shown = |r: &[f64]| {
        r.iter()
            .map(|x| format!("{x:.3}"))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let least = ours.iter().copied().fold(f64::INFINITY, f64::min);
    finding.claim(
        "returns",
        "the paper's method brings the bar back to its start even after several bounces",
        format!("returns {}", shown(&ours)),
        [
            above(ours.len() as f64, 2.0).of("bounces"),
            above(least, 0.9).of("least return"),
        ],
    );
    let (first, last) = be.first().zip(be.last()).ok_or_else(no_data)?;
    finding.claim(
        "backward-euler-fails-to-return",
        "backward Euler fails to return, farther and farther with each bounce",
        format!("returns {}", shown(&be)),
        [
            below(*first, 0.9).of("first return"),
            below(*last, 0.9).of("last return"),
            condition(
                be.windows(2).all(|w| w[1] < w[0]),
                "each return below the one before",
            ),
        ],
    );
    Ok(())
}
