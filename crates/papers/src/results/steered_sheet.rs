//! ["Adaptive Time-Stepping with Linearized Force Error Estimation", section 4] names a cloth simulator without showing it: a sheet held at two corners and a falling one, steps chosen in seven
//! ways at about equal numbers of linear solves.

use chart::{Axis, Chart, Series};

use crate::apart::apart;
use crate::bodies::open;
use crate::check::{above, below};
use crate::controlled::{Reference, Run, Steering, at_budget, measure};
use crate::finding::Cell;
use crate::{Finding, Job, PaperError, Table};

/// The sheets: their titles and their scenes.
const SHEETS: [(&str, &str); 2] = [
    ("pinned", include_str!("../../scenes/pinned-sheet.toml")),
    ("falling", include_str!("../../scenes/falling-sheet.toml")),
];

const WAYS: [Steering; 7] = [
    Steering::PRINTED,
    Steering::new("embedded"),
    Steering::new("doubling"),
    Steering::new("speed"),
    Steering::new("stretch"),
    Steering::new("auto"),
    Steering::FIXED,
];

const METHOD: &str = "s-newmark";
const UNTIL: f64 = 0.6;
const LONGEST: f64 = 0.1;
/// Linear systems that a run is to solve.
const BUDGET: u64 = 150;
/// Most linear systems solved in a run.
const MOST: u64 = 2 * BUDGET;
/// Share by which the error of another way is greater if the force error is more accurate.
const MORE: f64 = 1.1;
/// Share by which the work of a run may differ from it.
const SLACK: f64 = 0.05;
/// Tolerances tried first lie between these.
const TOLERANCES: [f64; 2] = [1e-8, 10.0];
const BISECTIONS: usize = 9;

/// Computes the comparison.
pub fn compute(job: &Job) -> Result<Finding, PaperError> {
    let mut finding = Finding::default();
    let (cells, fine) = job.size.pick((6, 2e-4), (24, 1e-4));
    finding.parameter("cells", format!("{cells} x {cells}"));
    finding.parameter("until_s", UNTIL);
    finding.parameter("method", METHOD);
    finding.parameter("linear_solves", BUDGET);
    finding.parameter("longest_step_s", LONGEST);
    finding.choice(format!("The paper shows no cloth: the sheets are ours, of springs, and no contact is made. One linearised step each of Newmark's method, as the paper's, but accelerations are kept from step to step. Every tolerance is found by bisection so that a run solves {BUDGET} linear systems, rejected attempts counted, and then varied by a few percent: of the runs within {:.0} % the one of median error is shown. Errors are the largest of any coordinate of any node, against rk4 at {fine:.0e} s.", 100.0 * SLACK));
    finding.choice("The falling sheet is what the paper says of bodies between collisions: its speed grows and its forces do not.");
    let columns = [
        "sheet",
        "steering",
        "tolerance",
        "steps",
        "in_second_half",
        "rejected",
        "solves",
        "factorizations",
        "error_at_nodes_m",
        "error_between_m",
    ];
    let mut table = Table::new("runs", columns);
    for (name, scene) in SHEETS {
        let sheet = Sheet { scene, cells };
        let reference = sheet.reference(fine)?;
        let trust = reference.difference(&sheet.reference(2.0 * fine)?);
        finding.parameter(
            &format!("reference_{name}"),
            format!("twice the step changes it by {trust:.1e} m"),
        );
        let scans = apart(WAYS.len(), |k| sheet.scan(&WAYS[k], &reference))?;
        let runs = at_the_budget(&scans)?;
        for (way, run) in WAYS.iter().zip(&runs) {
            table.row(row(name, way, run));
        }
        claims(&mut finding, name, &runs);
        finding.plot(name, chart(name, &scans));
        (job.tell)(name);
    }
    finding.tables.push(table);
    Ok(finding)
}

/// The run of each way that is shown.
fn at_the_budget(scans: &[Vec<Run>]) -> Result<Vec<&Run>, PaperError> {
    let each = WAYS.iter().zip(scans).map(|(way, runs)| {
        at_budget(runs, BUDGET as f64, SLACK, |r| r.solves).ok_or_else(|| PaperError::Nothing {
            what: format!("sheet under {}", way.name),
        })
    });
    each.collect()
}

/// Error against linear solves.
fn chart(name: &str, scans: &[Vec<Run>]) -> Chart {
    let line = |runs: &Vec<Run>| {
        let points = runs.iter().map(|r| (r.solves as f64, r.at_nodes));
        let mut points: Vec<(f64, f64)> = points.filter(|p| p.0 >= 0.2 * BUDGET as f64).collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        points
    };
    let series = WAYS.iter().zip(scans);
    Chart {
        title: format!("Mass-spring sheet, {name}: error against linear solves"),
        x: Axis::log("linear solves, rejected attempts included"),
        y: Axis::log("largest error at ends of steps, m"),
        series: series
            .map(|(way, runs)| Series::line_with_markers(way.name, line(runs)))
            .collect(),
    }
}

/// A sheet with this number of cells along each side.
struct Sheet {
    scene: &'static str,
    cells: u32,
}

impl Sheet {
    fn open(
        &self,
        method: &str,
        way: &Steering,
        tolerance: f64,
    ) -> Result<scene::session::Session, PaperError> {
        let cells = self.cells;
        // As springs in a row are added each gets stiffer, and the sheet stays as stretchy as it was.
        let stiffness = 2.0 * f64::from(cells);
        let mut keys = vec![
            ("time.method", method.to_string()),
            ("time.until", format!("{UNTIL:?}")),
            ("body.sheet.mesh.sheet.cells", format!("[{cells}, {cells}]")),
            ("body.sheet.springs.stiffness", format!("{stiffness:?}")),
            ("body.sheet.springs.bend", format!("{:?}", 0.01 * stiffness)),
        ];
        keys.extend(way.keys(tolerance, LONGEST));
        open(self.scene, &keys)
    }

    fn reference(&self, step: f64) -> Result<Reference, PaperError> {
        Reference::of(&mut self.open("rk4", &Steering::FIXED, step)?)
    }

    /// Runs of a way at several tolerances, most of them near the budget.
    fn scan(&self, way: &Steering, reference: &Reference) -> Result<Vec<Run>, PaperError> {
        let run = |tolerance| {
            let mut sim = self.open(METHOD, way, tolerance)?;
            Ok::<_, PaperError>(measure(&mut sim, reference, tolerance, MOST, false))
        };
        let mut runs = Vec::new();
        let middle = if *way == Steering::FIXED {
            for share in [0.5, 0.7, 1.4, 2.0, 3.0] {
                runs.extend(run(share * UNTIL / BUDGET as f64)?);
            }
            UNTIL / BUDGET as f64
        } else {
            let [mut low, mut high] = TOLERANCES;
            for _ in 0..BISECTIONS {
                let tolerance = (low * high).sqrt();
                let found = run(tolerance)?;
                // A run that was stopped solved too many.
                match found.as_ref().is_some_and(|r| r.solves <= BUDGET) {
                    true => high = tolerance,
                    false => low = tolerance,
                }
                runs.extend(found);
            }
            high
        };
        for share in [0.94, 0.97, 1.0, 1.03, 1.06] {
            runs.extend(run(middle * share)?);
        }
        Ok(runs)
    }
}

fn row(sheet: &str, way: &Steering, run: &Run) -> Vec<Cell> {
    let numbers = [
        run.tolerance,
        run.steps as f64,
        run.late as f64,
        run.rejected as f64,
        run.solves as f64,
        run.factorizations as f64,
        run.at_nodes,
        run.between,
    ];
    let words = [sheet, way.name].map(Cell::from);
    words.into_iter().chain(numbers.map(Cell::from)).collect()
}

fn claims(finding: &mut Finding, sheet: &str, runs: &[&Run]) {
    let [force, embedded, doubling, speed, stretch, auto, fixed] = runs else {
        return;
    };
    let ratio = |other: &Run| other.at_nodes / force.at_nodes;
    let told = |other: &Run| format!("{:.2e} m, {:.2} times", other.at_nodes, ratio(other));
    for (name, other) in [
        ("speed", speed),
        ("stretch", stretch),
        ("doubling", doubling),
        ("fixed", fixed),
    ] {
        let than = match name {
            "fixed" => "a fixed step, which the paper leaves out",
            "doubling" => "adaptive quadrature (doubling)",
            "speed" => "speed limiting",
            _ => "stretch limiting",
        };
        finding.claim(
            format!("{sheet}-{name}"),
            format!("{sheet} sheet: with a similar budget the force error is more accurate than {than} (abstract)"),
            format!("{} the error of force-error, {:.2e} m", told(other), force.at_nodes),
            above(ratio(other), MORE).of("error over that of force-error"),
        );
    }
    finding.claim(
        format!("{sheet}-estimates"),
        format!("{sheet} sheet: with a similar budget the force error is more accurate than estimates of the whole error of a step (embedded, auto), which the paper leaves out (abstract)"),
        format!("embedded {} the error of force-error, auto {}", told(embedded), told(auto)),
        [
            above(ratio(embedded), MORE).of("embedded"),
            above(ratio(auto), MORE).of("auto"),
        ],
    );
    if sheet == "falling" {
        let growth = |run: &Run| run.late as f64 / (run.steps - run.late) as f64;
        finding.claim(
            "falling-steps",
            "free of collisions the force error lets steps stay large while speed limiting shortens them (sec. 4)",
            format!(
                "steps in the second half of the fall over those in the first: {:.2} with speed limiting, {:.2} with the force error",
                growth(speed),
                growth(force)
            ),
            [
                above(growth(speed), 1.2).of("speed"),
                below(growth(force), growth(speed)).of("force error"),
            ],
        );
    }
}
