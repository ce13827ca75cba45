//! [Linearized Force Error, sec. 4] mentions a cloth simulator without results: a sheet held at two corners and a
//! falling one, under seven step-size controls at about equal numbers of linear solves.

use chart::{Axis, Chart, Series};

use crate::check::{above, below};
use crate::finding::Cell;
use crate::parallel_runs::run_in_parallel;
use crate::scenes::open_scene;
use crate::step_control::{
    ControlledRun, ReferenceSolution, StepControl, median_run_at_budget, run_and_measure,
};
use crate::{Finding, Job, PaperError, Table};

/// The names and scenes of the sheets.
const SHEETS: [(&str, &str); 2] = [
    ("pinned", include_str!("../../scenes/pinned-sheet.toml")),
    ("falling", include_str!("../../scenes/falling-sheet.toml")),
];

/// The step-size controls compared.
const CONTROLS: [StepControl; 7] = [
    StepControl::FORCE_ERROR_EQ12,
    StepControl::new("embedded"),
    StepControl::new("doubling"),
    StepControl::new("speed"),
    StepControl::new("stretch"),
    StepControl::new("auto"),
    StepControl::FIXED,
];

const METHOD: &str = "s-newmark";
const UNTIL: f64 = 0.6;
const MAX_STEP: f64 = 0.1;
/// The number of linear solves of a run.
const BUDGET: u64 = 150;
/// The largest number of linear solves of a run.
const MAX_SOLVES: u64 = 2 * BUDGET;
/// The smallest ratio of errors at which force-error control counts as more accurate.
const MIN_ERROR_RATIO: f64 = 1.1;
/// The relative difference allowed between the work of a run and the budget.
const BUDGET_TOLERANCE: f64 = 0.05;
/// The range of the bisection for the tolerance.
const TOLERANCES: [f64; 2] = [1e-8, 10.0];
/// The number of bisections for the tolerance.
const BISECTIONS: usize = 9;

/// Computes the comparison and checks the claims of the paper against the numbers.
pub fn compute(job: &Job) -> Result<Finding, PaperError> {
    let mut finding = Finding::default();
    let (cells, fine) = job.size.pick((6, 2e-4), (24, 1e-4));
    finding.parameter("cells", format!("{cells} x {cells}"));
    finding.parameter("until_s", UNTIL);
    finding.parameter("method", METHOD);
    finding.parameter("linear_solves", BUDGET);
    finding.parameter("longest_step_s", MAX_STEP);
    finding.choice(format!("The paper shows no cloth: the mass-spring sheets are ours, without contact. Every step is one linearised step of Newmark's method, as in the paper, but accelerations are kept from step to step. Every tolerance is found by bisection so that a run solves {BUDGET} linear systems, rejected attempts included, and then varied by a few percent. Of the runs within {:.0} % we show the one of median error. Errors are the largest of any coordinate of any node, against rk4 at {fine:.0e} s.", 100.0 * BUDGET_TOLERANCE));
    finding.choice("The falling sheet stands for what the paper says of bodies between collisions: its speed grows but its forces do not.");
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
            format!("doubling the step changes it by {trust:.1e} m"),
        );
        let scans = run_in_parallel(CONTROLS.len(), |k| sheet.scan(&CONTROLS[k], &reference))?;
        let runs = at_the_budget(&scans)?;
        for (way, run) in CONTROLS.iter().zip(&runs) {
            table.row(row(name, way, run));
        }
        claims(&mut finding, name, &runs);
        finding.plot(name, chart(name, &scans));
        (job.progress)(name);
    }
    finding.tables.push(table);
    Ok(finding)
}

/// Returns the run of each control at the budget.
fn at_the_budget(scans: &[Vec<ControlledRun>]) -> Result<Vec<&ControlledRun>, PaperError> {
    let each = CONTROLS.iter().zip(scans).map(|(way, runs)| {
        median_run_at_budget(runs, BUDGET as f64, BUDGET_TOLERANCE, |r| r.solves).ok_or_else(|| {
            PaperError::NoMeasurement {
                what: format!("the sheet under {}", way.name),
            }
        })
    });
    each.collect()
}

/// Plots the error against linear solves.
fn chart(name: &str, scans: &[Vec<ControlledRun>]) -> Chart {
    let line = |runs: &Vec<ControlledRun>| {
        let points = runs.iter().map(|r| (r.solves as f64, r.step_end_error));
        let mut points: Vec<(f64, f64)> = points.filter(|p| p.0 >= 0.2 * BUDGET as f64).collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        points
    };
    let series = CONTROLS.iter().zip(scans);
    Chart {
        title: format!("Mass-spring sheet, {name}: error against linear solves"),
        x: Axis::log("linear solves, rejected attempts included"),
        y: Axis::log("largest error at ends of steps, m"),
        series: series
            .map(|(way, runs)| Series::line_with_markers(way.name, line(runs)))
            .collect(),
    }
}

/// A sheet with `cells` cells along each side.
struct Sheet {
    scene: &'static str,
    cells: u32,
}

impl Sheet {
    fn open(
        &self,
        method: &str,
        way: &StepControl,
        tolerance: f64,
    ) -> Result<scene::session::Session, PaperError> {
        let cells = self.cells;
        // The stiffness of a spring grows with the number of cells, so that the sheet as a whole stays equally stiff.
        let stiffness = 2.0 * f64::from(cells);
        let mut keys = vec![
            ("time.method", method.to_string()),
            ("time.until", format!("{UNTIL:?}")),
            ("body.sheet.mesh.sheet.cells", format!("[{cells}, {cells}]")),
            ("body.sheet.springs.stiffness", format!("{stiffness:?}")),
            ("body.sheet.springs.bend", format!("{:?}", 0.01 * stiffness)),
        ];
        keys.extend(way.keys(tolerance, MAX_STEP));
        open_scene(self.scene, &keys)
    }

    fn reference(&self, step: f64) -> Result<ReferenceSolution, PaperError> {
        ReferenceSolution::compute(&mut self.open("rk4", &StepControl::FIXED, step)?)
    }

    /// Runs one control at several tolerances, most of them near the budget.
    fn scan(
        &self,
        way: &StepControl,
        reference: &ReferenceSolution,
    ) -> Result<Vec<ControlledRun>, PaperError> {
        let run = |tolerance| {
            let mut sim = self.open(METHOD, way, tolerance)?;
            Ok::<_, PaperError>(run_and_measure(
                &mut sim, reference, tolerance, MAX_SOLVES, false,
            ))
        };
        let mut runs = Vec::new();
        let middle = if *way == StepControl::FIXED {
            for share in [0.5, 0.7, 1.4, 2.0, 3.0] {
                runs.extend(run(share * UNTIL / BUDGET as f64)?);
            }
            UNTIL / BUDGET as f64
        } else {
            let [mut low, mut high] = TOLERANCES;
            for _ in 0..BISECTIONS {
                let tolerance = (low * high).sqrt();
                let found = run(tolerance)?;
                // A run that was stopped exceeded the number of solves.
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

fn row(sheet: &str, way: &StepControl, run: &ControlledRun) -> Vec<Cell> {
    let numbers = [
        run.tolerance,
        run.steps as f64,
        run.second_half_steps as f64,
        run.rejected as f64,
        run.solves as f64,
        run.factorizations as f64,
        run.step_end_error,
        run.dense_error,
    ];
    let words = [sheet, way.name].map(Cell::from);
    words.into_iter().chain(numbers.map(Cell::from)).collect()
}

fn claims(finding: &mut Finding, sheet: &str, runs: &[&ControlledRun]) {
    let [force, embedded, doubling, speed, stretch, auto, fixed] = runs else {
        return;
    };
    let ratio = |other: &ControlledRun| other.step_end_error / force.step_end_error;
    let summary = |other: &ControlledRun| {
        format!("{:.2e} m, {:.2} times", other.step_end_error, ratio(other))
    };
    for (name, other) in [
        ("speed", speed),
        ("stretch", stretch),
        ("doubling", doubling),
        ("fixed", fixed),
    ] {
        let than = match name {
            "fixed" => "a fixed step, which the paper omits",
            "doubling" => "adaptive quadrature (doubling)",
            "speed" => "speed limiting",
            _ => "stretch limiting",
        };
        finding.claim(
            format!("{sheet}-{name}"),
            format!("{sheet} sheet: with a similar budget force-error control is more accurate than {than} (abstract)"),
            format!("{} the error of force-error, {:.2e} m", summary(other), force.step_end_error),
            above(ratio(other), MIN_ERROR_RATIO).of("error over that of force-error"),
        );
    }
    finding.claim(
        format!("{sheet}-estimates"),
        format!("{sheet} sheet: with a similar budget force-error control is more accurate than estimates of the whole error of a step (embedded, auto), which the paper omits (abstract)"),
        format!("embedded {} the error of force-error, auto {}", summary(embedded), summary(auto)),
        [
            above(ratio(embedded), MIN_ERROR_RATIO).of("embedded"),
            above(ratio(auto), MIN_ERROR_RATIO).of("auto"),
        ],
    );
    if sheet == "falling" {
        let growth = |run: &ControlledRun| {
            run.second_half_steps as f64 / (run.steps - run.second_half_steps) as f64
        };
        finding.claim(
            "falling-steps",
            "without collisions force-error control keeps steps large while speed limiting shortens them (sec. 4)",
            format!(
                "steps in the second half of the fall relative to the first: {:.2} with speed limiting, {:.2} with force-error control",
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
