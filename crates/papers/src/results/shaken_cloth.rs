//! 004 Fig. 10: a mass-spring cloth hanging from two corners, one of which is shaken.
//!
//! Wrinkles are measured as the root mean square, over the inner nodes of the grid, of the discrete Laplacian
//! (x₋ + x₊ − 2x along both directions of the grid)/d², a curvature, 1/m.

use chart::{Axis, Chart, Series};
use mesh::vector::norm;
use rayon::prelude::*;
use scene::run::Flow;
use scene::session::Session;
use scene::trial::{Trial, trial};

use crate::check::above;
use crate::ways::{BDF2, BE, Curve, Jitter, SPRING_CLOTH, TRACKED, Way, curves_table, mean};
use crate::{Finding, Job, PaperError, Table};

/// The last with a tenth of the step, to compare with.
const WAYS: [Way; 4] = [BE, BDF2, TRACKED, FINE];
const FINE: Way = Way {
    name: "tracked, step / 10",
    ..TRACKED
};
const FINER: u64 = 10;
const STEP: f64 = 0.033;
/// The hand rests from here on, s.
const REST: f64 = 1.8;

/// One run.
struct Seen {
    trial: Trial,
    /// Curvature, 1/m.
    wrinkles: Curve,
    /// Kinetic energy, J.
    kinetic: Curve,
    /// Fast share of the kinetic energy.
    jitter: f64,
}

impl Seen {
    /// Mean of a curve since the hand rests.
    fn late(&self, curve: &Curve) -> f64 {
        let late: Curve = curve.iter().copied().filter(|p| p.0 > REST).collect();
        mean(&late)
    }
}

/// Computes the figure.
pub fn compute(job: &Job) -> Result<Finding, PaperError> {
    let (cells, steps) = job.size.pick((24, 150), (100, 200));
    // As springs in a row are added, each gets stiffer, and the cloth stays as stretchy as it was.
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
    finding.choice("Size, mass, stiffness and how the corner is shaken are ours: 20 cm to and fro in 1.8 s, then still. Wrinkles are the root mean square of the cloth's discrete Laplacian, averaged over the time after that.");
    let runs = WAYS.par_iter().map(|way| {
        let seen = shake(*way, cells, steps, stiffness);
        (job.tell)(way.name);
        seen
    });
    let seen = runs.collect::<Result<Vec<Seen>, PaperError>>()?;
    let columns = ["way", "wrinkles_per_m", "kinetic_J", "fast_share", "lost_J"];
    let mut table = Table::new("runs", columns);
    for (way, s) in WAYS.iter().zip(&seen) {
        let lost = -(s.trial.ledger.numerical + s.trial.ledger.residual);
        table.line(
            way.name,
            [s.late(&s.wrinkles), s.late(&s.kinetic), s.jitter, lost],
        );
    }
    finding.tables.push(table);
    plots(&mut finding, &seen);
    claims(&mut finding, &seen);
    Ok(finding)
}

fn shake(way: Way, cells: usize, steps: u64, stiffness: f64) -> Result<Seen, PaperError> {
    let finer = if way == FINE { FINER } else { 1 };
    let set = [
        ("time.step", format!("{:?}", STEP / finer as f64)),
        ("time.until", format!("{:?}", STEP * steps as f64)),
        ("body.cloth.mesh.sheet.cells", format!("[{cells}, {cells}]")),
        ("body.cloth.springs.stiffness", format!("{stiffness:?}")),
        ("body.cloth.springs.bend", format!("{:?}", 0.01 * stiffness)),
    ];
    let mut sim = way.open(SPRING_CLOTH, &set)?;
    let grid = Grid::of(&sim, cells);
    let mut jitter = Jitter::of(&sim, |_| true);
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
        if row.t > REST {
            jitter.see(sim);
        }
        Flow::On
    });
    if let Some(why) = trial.failure {
        return Err(PaperError::Step {
            what: way.name.into(),
            why,
        });
    }
    let jitter = jitter.share();
    Ok(Seen {
        trial,
        wrinkles,
        kinetic,
        jitter,
    })
}

/// The nodes of a sheet as a grid.
struct Grid {
    rest: Vec<[f64; 3]>,
    /// Nodes by row and column.
    at: Vec<Vec<usize>>,
    spacing: f64,
}

impl Grid {
    fn of(sim: &Session, cells: usize) -> Grid {
        let rest = sim.model.rest().to_vec();
        let mut at = vec![vec![0; cells + 1]; cells + 1];
        for (k, x) in rest.iter().enumerate() {
            let [i, j] = [x[1], x[0]].map(|x| (x * cells as f64).round() as usize);
            at[i][j] = k;
        }
        Grid {
            rest,
            at,
            spacing: 1.0 / cells as f64,
        }
    }

    /// Root mean square of the Laplacian of places.
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

fn plots(finding: &mut Finding, seen: &[Seen]) {
    for (name, y, curve) in [
        (
            "wrinkles",
            "curvature, 1/m",
            (|s| &s.wrinkles) as fn(&Seen) -> &Curve,
        ),
        ("kinetic", "kinetic energy, J", |s| &s.kinetic),
    ] {
        let named = WAYS.iter().zip(seen).map(|(w, s)| (w.name, curve(s)));
        finding.tables.push(curves_table(name, named.clone()));
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

fn claims(finding: &mut Finding, seen: &[Seen]) {
    let [be, bdf2, ours, fine] = seen else {
        return;
    };
    let wrinkles = [be, bdf2, ours].map(|s| s.late(&s.wrinkles));
    let [b, d, o] = wrinkles;
    finding.claim(
        "wrinkles",
        "the paper's method shows more wrinkles than backward Euler and BDF2",
        format!(
            "curvature {o:.2}, against {b:.2} and {d:.2} 1/m; with a tenth of the step {:.2}",
            fine.late(&fine.wrinkles)
        ),
        [
            above(o / b, 1.2).of("ratio to backward Euler"),
            above(o / d, 1.1).of("ratio to BDF2"),
        ],
    );
    let [b, d, o] = [be, bdf2, ours].map(|s| s.late(&s.kinetic));
    finding.claim(
"waves",
        "waves are quickly damped out by backward Euler and BDF2 and preserved by it",
        format!(
            "kinetic energy after the shaking {o:.4}, against {b:.4} and {d:.4} J; with a tenth of the step {:.4}",
            fine.late(&fine.kinetic)
        ), [above(o / b, 3.0).of("ratio to backward Euler"), above(o / d, 1.5).of("ratio to BDF2")],
);
    finding.claim(
        "high-frequencies",
        "backward Euler and BDF2 damp high frequencies above all",
        format!(
            "fast share of the kinetic energy {:.4}, against {:.4} and {:.4}",
            ours.jitter, be.jitter, bdf2.jitter
        ),
        [
            above(ours.jitter / be.jitter, 2.0).of("ratio to backward Euler"),
            above(ours.jitter / bdf2.jitter, 1.0).of("ratio to BDF2"),
        ],
    );
}
