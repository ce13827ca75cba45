//! [Dinev et al. 2018, Fig. 10]: a mass-spring cloth hanging from two corners, one of which is shaken.
//!
//! Wrinkles are measured as the root mean square, over the inner nodes of the grid, of the discrete Laplacian (x₋ + x₊
//! − 2x in both directions of the grid)/d², a curvature in 1/m.

use chart::{Axis, Chart, Series};
use mesh::vector::norm;
use rayon::prelude::*;
use scene::run::Flow;
use scene::session::Session;
use scene::trial::{Trial, trial};

use crate::check::above;
use crate::integrators::{
    BACKWARD_EULER, BDF2, Curve, IntegratorSetup, SPRING_CLOTH, TRACKED_MIDPOINT, VibrationMeter,
    curve_table, mean,
};
use crate::{Finding, Job, PaperError, Table};

/// The integrators compared; the last has a tenth of the step for reference.
const SETUPS: [IntegratorSetup; 4] = [BACKWARD_EULER, BDF2, TRACKED_MIDPOINT, FINE_STEP];
/// Tracked midpoint with a tenth of the step.
const FINE_STEP: IntegratorSetup = IntegratorSetup {
    name: "tracked, step / 10",
    ..TRACKED_MIDPOINT
};
/// The number of steps of [`FINE_STEP`] per step of the others.
const REFINEMENT: u64 = 10;
const STEP: f64 = 0.033;
/// The time in seconds at which the shaking ends.
const SHAKING_END: f64 = 1.8;

/// The run of the cloth with one integrator.
struct ShakenClothRun {
    trial: Trial,
    /// The curvature in 1/m.
    wrinkles: Curve,
    /// The kinetic energy in joules.
    kinetic: Curve,
    /// The fraction of the kinetic energy that alternates from step to step.
    jitter: f64,
}

impl ShakenClothRun {
    /// Returns the mean of a curve after the shaking.
    fn mean_after_shaking(&self, curve: &Curve) -> f64 {
        let late: Curve = curve
            .iter()
            .copied()
            .filter(|p| p.0 > SHAKING_END)
            .collect();
        mean(&late)
    }
}

/// Computes the figure and checks the claims of the paper against the numbers.
pub fn compute(job: &Job) -> Result<Finding, PaperError> {
    let (cells, steps) = job.size.pick((24, 150), (100, 200));
    // The stiffness of a spring grows with the number of cells, so that the cloth as a whole stays equally stiff.
    let stiffness = 2.0 * cells as f64;
    let mut finding = Finding::default();
    finding.parameter("cells", format!("{cells} x {cells}"));
    finding.parameter("size_m", "1 x 1");
    finding.parameter(
        "springs_N_per_m",
        format!("{stiffness} on edges, {} bending", 0.01 * stiffness),
    );
    finding.parameter("mass_kg", 0.3);
    finding.parameter("step_s", STEP);
    finding.parameter("steps", steps);
    finding.parameter("solver", "local/global, 10 iterations");
    finding.choice("Size, mass, stiffness and the motion of the corner are ours: 20 cm back and forth in 1.8 s, then at rest. Wrinkles are the root mean square of the discrete Laplacian of the cloth, averaged over the time after that.");
    let runs = SETUPS.par_iter().map(|way| {
        let seen = shake(*way, cells, steps, stiffness);
        (job.progress)(way.name);
        seen
    });
    let seen = runs.collect::<Result<Vec<ShakenClothRun>, PaperError>>()?;
    let columns = ["way", "wrinkles_per_m", "kinetic_J", "fast_share", "lost_J"];
    let mut table = Table::new("runs", columns);
    for (way, s) in SETUPS.iter().zip(&seen) {
        let lost = -(s.trial.ledger.numerical + s.trial.ledger.residual);
        table.line(
            way.name,
            [
                s.mean_after_shaking(&s.wrinkles),
                s.mean_after_shaking(&s.kinetic),
                s.jitter,
                lost,
            ],
        );
    }
    finding.tables.push(table);
    plots(&mut finding, &seen);
    claims(&mut finding, &seen);
    Ok(finding)
}

fn shake(
    way: IntegratorSetup,
    cells: usize,
    steps: u64,
    stiffness: f64,
) -> Result<ShakenClothRun, PaperError> {
    let finer = if way == FINE_STEP { REFINEMENT } else { 1 };
    let set = [
        ("time.step", format!("{:?}", STEP / finer as f64)),
        ("time.until", format!("{:?}", STEP * steps as f64)),
        ("body.cloth.mesh.sheet.cells", format!("[{cells}, {cells}]")),
        ("body.cloth.springs.stiffness", format!("{stiffness:?}")),
        ("body.cloth.springs.bend", format!("{:?}", 0.01 * stiffness)),
    ];
    let mut sim = way.open(SPRING_CLOTH, &set)?;
    let grid = NodeGrid::new(&sim, cells);
    let mut jitter = VibrationMeter::new(&sim, |_| true);
    let (mut wrinkles, mut kinetic) = (Curve::new(), Curve::new());
    let mut k = 0;
    let trial = trial(&mut sim, &mut |sim, row| {
        k += 1;
        if (k - 1) % finer != 0 {
            return Flow::On;
        }
        kinetic.push((row.t, row.energies.kinetic));
        let (u, _) = sim.expanded();
        wrinkles.push((row.t, grid.curvature(u)));
        if row.t > SHAKING_END {
            jitter.record(sim);
        }
        Flow::On
    });
    if let Some(why) = trial.failure {
        return Err(PaperError::Step {
            what: way.name.into(),
            why,
        });
    }
    let jitter = jitter.energy_share();
    Ok(ShakenClothRun {
        trial,
        wrinkles,
        kinetic,
        jitter,
    })
}

/// The nodes of a sheet as a grid.
struct NodeGrid {
    rest: Vec<[f64; 3]>,
    /// The nodes by row and column.
    at: Vec<Vec<usize>>,
    spacing: f64,
}

impl NodeGrid {
    fn new(sim: &Session, cells: usize) -> NodeGrid {
        let rest = sim.model.rest().to_vec();
        let mut at = vec![vec![0; cells + 1]; cells + 1];
        for (k, x) in rest.iter().enumerate() {
            let [i, j] = [x[1], x[0]].map(|x| (x * cells as f64).round() as usize);
            at[i][j] = k;
        }
        NodeGrid {
            rest,
            at,
            spacing: 1.0 / cells as f64,
        }
    }

    /// Returns the root mean square of the Laplacian of positions.
    fn curvature(&self, u: &[[f64; 3]]) -> f64 {
        let x = |k: usize| [0, 1, 2].map(|c| self.rest[k][c] + u[k][c]);
        let inner = 1..self.at.len() - 1;
        let (mut sum, mut count) = (0.0, 0.0);
        for i in inner.clone() {
            for j in inner.clone() {
                let around = [
                    self.at[i - 1][j],
                    self.at[i + 1][j],
                    self.at[i][j - 1],
                    self.at[i][j + 1],
                ]
                .map(x);
                let middle = x(self.at[i][j]);
                let bend = [0, 1, 2].map(|c| around.iter().map(|x| x[c] - middle[c]).sum::<f64>());
                sum += norm(bend).powi(2);
                count += 1.0;
            }
        }
        f64::sqrt(sum / count) / self.spacing.powi(2)
    }
}

fn plots(finding: &mut Finding, seen: &[ShakenClothRun]) {
    for (name, y, curve) in [
        (
            "wrinkles",
            "curvature, 1/m",
            (|s| &s.wrinkles) as fn(&ShakenClothRun) -> &Curve,
        ),
        ("kinetic", "kinetic energy, J", |s| &s.kinetic),
    ] {
        let named = SETUPS.iter().zip(seen).map(|(w, s)| (w.name, curve(s)));
        finding.tables.push(curve_table(name, named.clone()));
        finding.plot(
            name,
            Chart {
                title: "Cloth shaken by a corner until 1.8 s".into(),
                x: Axis::linear("time, s"),
                y: Axis::linear(y),
                series: named.map(|(n, c)| Series::line(n, c.clone())).collect(),
            },
        );
    }
}

fn claims(finding: &mut Finding, seen: &[ShakenClothRun]) {
    let [be, bdf2, ours, fine] = seen else {
        return;
    };
    let wrinkles = [be, bdf2, ours].map(|s| s.mean_after_shaking(&s.wrinkles));
    let [b, d, o] = wrinkles;
    finding.claim(
        "wrinkles",
        "the paper's method shows more wrinkles than backward Euler and BDF2",
        format!(
            "curvature {o:.2}, against {b:.2} and {d:.2} 1/m; with a tenth of the step {:.2}",
            fine.mean_after_shaking(&fine.wrinkles)
        ),
        [
            above(o / b, 1.2).of("ratio to backward Euler"),
            above(o / d, 1.1).of("ratio to BDF2"),
        ],
    );
    let [b, d, o] = [be, bdf2, ours].map(|s| s.mean_after_shaking(&s.kinetic));
    finding.claim(
"waves",
        "backward Euler and BDF2 quickly damp out waves, and the paper's method preserves them",
        format!(
            "kinetic energy after the shaking {o:.4}, against {b:.4} and {d:.4} J; with a tenth of the step {:.4}",
            fine.mean_after_shaking(&fine.kinetic)
        ), [above(o / b, 3.0).of("ratio to backward Euler"), above(o / d, 1.5).of("ratio to BDF2")],
);
    finding.claim(
        "high-frequencies",
        "backward Euler and BDF2 damp mainly high frequencies",
        format!(
            "alternating fraction of the kinetic energy {:.4}, against {:.4} and {:.4}",
            ours.jitter, be.jitter, bdf2.jitter
        ),
        [
            above(ours.jitter / be.jitter, 2.0).of("ratio to backward Euler"),
            above(ours.jitter / bdf2.jitter, 1.0).of("ratio to BDF2"),
        ],
    );
}
