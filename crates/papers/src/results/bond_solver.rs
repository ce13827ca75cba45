//! [Linearized Force Error, sec. 4] on conjugate gradients: iterations against the step, on a brittle solid of peridynamic bonds,
//! with and without a preconditioner.

use chart::{Axis, Chart, Series};
use march::{At, Curvature, System, Weights};
use sparse::{BlockCg, BlockPreconditioner, LinearSolver, Matrix};

use crate::check::{above, at_most};
use crate::finding::Cell;
use crate::scenes::open_scene;
use crate::{Finding, Job, PaperError, Table};

const BAR: &str = include_str!("../../scenes/notched-bar.toml");
/// Length of the bar, m.
const LENGTH: f64 = 0.4;
/// Speed of waves √(E/ρ), m/s.
const WAVE_SPEED: f64 = 100.0;
/// Steps, in the time that a wave takes for one spacing.
const STEPS: [f64; 7] = [1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 100.0];
/// Preconditioners and their names.
const PRECONDITIONERS: [(&str, BlockPreconditioner); 3] = [
    ("none", BlockPreconditioner::Identity),
    ("diagonal blocks", BlockPreconditioner::Jacobi),
    ("two levels", BlockPreconditioner::TwoLevel),
];
/// Cuts: none, or two planes that leave three pieces.
const BODIES: [(&str, bool); 2] = [("whole", false), ("in pieces", true)];

/// Computes iterations and checks the claims of the paper.
pub fn compute(job: &Job) -> Result<Finding, PaperError> {
    let cells: Vec<u32> = job.size.pick(vec![24], vec![24, 48, 96]);
    let mut finding = Finding::default();
    finding.parameter(
        "steps_h",
        format!("{STEPS:?} times the spacing over the wave speed"),
    );
    finding.parameter("tolerance", "1e-10 of the right-hand side");
    finding.choice("The matrix is M + h²/4 K of Newmark's method on a bar of calibrated bonds of three spacings, whole and cut into three pieces. The right-hand side is a blow: a force on the particles of one corner.");
    let mut table = Table::new(
        "iterations",
        [
            "body",
            "preconditioner",
            "particles",
            "step_h",
            "iterations",
        ],
    );
    let mut series = Vec::new();
    for &n in &cells {
        for (body, cut) in BODIES {
            let mut counts = Vec::new();
            let particles = iterations(n, cut, &mut counts)?;
            for ((name, _), counts) in PRECONDITIONERS.iter().zip(&counts) {
                for (step, count) in STEPS.iter().zip(counts) {
                    let numbers = [particles as f64, *step, *count].map(Cell::from);
                    table.row([body, *name].map(Cell::from).into_iter().chain(numbers));
                }
                if n == cells[cells.len() - 1] {
                    let points = STEPS.iter().copied().zip(counts.iter().copied());
                    let title = format!("{name}, {body}");
                    series.push(Series::line_with_markers(&title, points.collect()));
                }
            }
            claims(
                &mut finding,
                &format!("{body}, {particles} particles"),
                &counts,
            );
            (job.progress)(&format!("{body}, {particles} particles"));
        }
    }
    finding.tables.push(table);
    finding.plot(
        "iterations",
        Chart {
            title: "Conjugate gradients on a brittle bar".into(),
            x: Axis::log("step, in spacings over wave speed"),
            y: Axis::log("iterations"),
            series,
        },
    );
    Ok(finding)
}

/// Counts the iterations of each preconditioner at each step; returns the number of particles.
fn iterations(cells: u32, cut: bool, counts: &mut Vec<Vec<f64>>) -> Result<usize, PaperError> {
    let spacing = LENGTH / f64::from(cells);
    let thick = cells / 8;
    let mut keys = vec![
        (
            "body.bar.mesh.box.cells",
            format!("[{cells}, {}, {thick}]", cells / 4),
        ),
        (
            "body.bar.mesh.box.size",
            format!("[{LENGTH:?}, 0.1, {:?}]", f64::from(thick) * spacing),
        ),
        ("body.bar.bonds.horizon", format!("{:?}", 3.015 * spacing)),
        (
            "body.bar.crack[0].plane.point",
            format!("[{:?}, 0, 0]", 0.5 * spacing),
        ),
    ];
    if cut {
        keys.push(("body.bar.crack[0].plane.min", "[-1, -1, -1]".into()));
    }
    let mut session = open_scene(BAR, &keys)?;
    let state = session.state().clone();
    let model = &mut session.model;
    let mut blow = vec![0.0; state.u.len()];
    blow[..12].fill(1.0);
    let mut matrix: Matrix = model.zero_matrix();
    *counts = vec![Vec::new(); PRECONDITIONERS.len()];
    for step in STEPS {
        let h = step * spacing / WAVE_SPEED;
        let weights = Weights {
            mass: 1.0,
            damping: 0.5 * h,
            stiffness: 0.25 * h * h,
        };
        let at = At {
            t: state.t,
            u: &state.u,
            v: &state.v,
        };
        model.tangent(at, weights, Curvature::Exact, &mut matrix);
        for ((_, preconditioner), counts) in PRECONDITIONERS.iter().zip(counts.iter_mut()) {
            let mut cg = BlockCg::with_preconditioner(*preconditioner);
            let failed = |why: &dyn std::fmt::Display| PaperError::NoMeasurement {
                what: format!("conjugate gradients: {why}"),
            };
            cg.factor(&matrix).map_err(|e| failed(&e))?;
            cg.solve(&mut blow.clone()).map_err(|e| failed(&e))?;
            counts.push(cg.counts().iterations as f64);
        }
    }
    Ok(model.nodes())
}

fn claims(finding: &mut Finding, body: &str, counts: &[Vec<f64>]) {
    let growth = |counts: &[f64], at: usize| counts[at] / counts[0];
    let [none, diagonal, two] = counts else {
        return;
    };
    let id = crate::check::slug(body);
    let last = STEPS.len() - 1;
    if body.starts_with(BODIES[0].0) {
        finding.claim(
            format!("growth-{id}"),
            format!("{body}: conjugate gradients take more than an order of magnitude more iterations at large steps (sec. 4)"),
            format!(
                "{} iterations at h, {} at 30 h, {} at 100 h; with the inverses of the diagonal blocks {}, {}, {}",
                none[0], none[last - 1], none[last], diagonal[0], diagonal[last - 1], diagonal[last]
            ),
            above(growth(none, last), 10.0).of("iterations at 100 h over those at h"),
        );
    }
    finding.claim(
        format!("preconditioner-{id}"),
        format!("{body}: a preconditioner could reduce the number of iterations with large steps (sec. 4)"),
        format!("two levels: {} iterations at h, {} at 30 h, {} at 100 h", two[0], two[last - 1], two[last]),
        [
            at_most(growth(two, last - 1), 3.0).of("iterations at 30 h over those at h"),
            at_most(two[last - 1] / none[last - 1], 0.5).of("iterations at 30 h over those without"),
        ],
    );
}
