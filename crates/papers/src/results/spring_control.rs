//! [Linearized Force Error, Fig. 1]: a mass on a hardening spring under five step-size controls, at equal numbers of
//! steps and of linear solves.
//!
//! The paper compares by eye at equal numbers of accepted steps and omits fixed steps. Step doubling costs three linear
//! solves per step, and a rejected attempt costs as much as an accepted one, so a comparison at equal work differs. We
//! make both comparisons, against the true solution.

use chart::{Axis, Chart, Dash, Series};

use crate::check::{above, slug};
use crate::finding::Cell;
use crate::step_control::{
    ControlledRun, EULER, LinearizedMethod, MAX_STEP, NEWMARK, NEWMARK_KEPT_ACCELERATION,
    ReferenceSolution, StepControl, log_spaced, median_run_at_budget, spring, spring_reference,
    spring_runs,
};
use crate::{Finding, Job, PaperError, Table};

/// The step-size controls and the range of tolerances that covers their budgets.
const CONTROLS: [(StepControl, f64, f64); 5] = [
    (StepControl::FORCE_ERROR_EQ12, 1e-8, 0.1),
    (StepControl::new("speed"), 3e-3, 1.0),
    (StepControl::new("stretch"), 3e-3, 1.0),
    (StepControl::new("doubling"), 1e-5, 10.0),
    (StepControl::FIXED, UNTIL / 350.0, UNTIL / 8.0),
];
/// The methods of the figure, and Newmark's method of the registry.
const METHODS: [LinearizedMethod; 3] = [EULER, NEWMARK, NEWMARK_KEPT_ACCELERATION];
const UNTIL: f64 = 2.0;
/// The numbers of steps or linear solves at which the controls are compared.
const BUDGETS: [f64; 4] = [40.0, 80.0, 160.0, 320.0];
/// The largest number of linear solves of a run: step doubling needs three per step, and some attempts are rejected.
const MAX_SOLVES: u64 = 1200;
/// The relative difference allowed between the work of a run and a budget.
const BUDGET_TOLERANCE: f64 = 0.03;

/// The measure of work that is equal in a comparison.
struct EqualWork {
    name: &'static str,
    of: fn(&ControlledRun) -> u64,
}

const EQUAL_WORK: [EqualWork; 2] = [
    EqualWork {
        name: "steps",
        of: |run| run.steps,
    },
    EqualWork {
        name: "solves",
        of: |run| run.solves,
    },
];

/// The run of each control at each budget.
type Matched<'a> = Vec<[&'a ControlledRun; CONTROLS.len()]>;

/// Computes the figure and checks the claims of the paper against the numbers.
pub fn compute(job: &Job) -> Result<Finding, PaperError> {
    let each = job.size.pick(100, 1000);
    let (reference, trust) = spring_reference()?;
    let mut finding = Finding::default();
    parameters(&mut finding, each, trust);
    let columns = [
        "method",
        "equal",
        "budget",
        "steering",
        "tolerance",
        "steps",
        "rejected",
        "solves",
        "error_at_nodes_m",
        "error_between_m",
        "rms_error_between_m",
    ];
    let mut table = Table::new("budgets", columns);
    for method in METHODS {
        let name = method.name;
        let runs = CONTROLS
            .iter()
            .map(|way| scan(&method, way, &reference, each));
        let runs = runs.collect::<Result<Vec<_>, PaperError>>()?;
        for equal in &EQUAL_WORK {
            let matched = matched(&runs, equal)?;
            rows(&mut table, name, equal, &matched);
            claims(&mut finding, name, equal, &matched);
            curves(&mut finding, &method, equal, &matched[0], &reference)?;
        }
        precision(&mut finding, name, &runs);
        (job.progress)(name);
    }
    finding.tables.insert(0, table);
    Ok(finding)
}

fn parameters(finding: &mut Finding, each: usize, trust: f64) {
    finding.parameter(
        "force",
        "-100 (x + x^3) - (v + v^3) N, mass 1 kg, x = -1 m and v = 0 at the start",
    );
    finding.parameter("until_s", UNTIL);
    finding.parameter("first_step_s", 1e-3);
    finding.parameter("longest_step_s", MAX_STEP);
    finding.parameter("safety", 0.5);
    finding.parameter(
        "reference",
        format!("rk4 at 0.1 ms; doubling the step changes it by {trust:.1e} m"),
    );
    finding.parameter("tolerances_a_decade", each);
    finding.choice("The paper gives neither the number of steps in its figure nor the distance of the curves from the reference. We compare at 40, 80, 160 and 320 steps or linear solves, by the largest error against the true solution at the ends of steps and, with cubic interpolation of positions and velocities, in between.");
    finding.choice("Linear solves are those with the matrix of a step, rejected attempts included. The division by the diagonal mass for the force error does not count.");
    finding.choice(format!("Tolerances are scanned. Of the runs within {:.0} % of a budget we show the one of median error at the ends of steps, because a single tolerance may be accurate by chance.", 100.0 * BUDGET_TOLERANCE));
    finding.choice("Every step is one linearised step, as in the paper (s-backward-euler, s-newmark). The equations of the paper start a step of Newmark's method with the force at its start. s-newmark keeps the acceleration at the end of the previous linearised step, which is different, so both are shown (under doubling the second half of a step keeps the acceleration of the first in both). The adaptive quadrature of the paper halves recursively until the difference between a step and its two halves is small. Ours (kind = \"doubling\") requires an error per unit step, extrapolated from the same difference, chooses the next step from it and keeps the two halves. It has fewer rejected attempts than halving from the longest step each time.");
    finding.choice("Stretch limiting rejects steps in which the length of the spring changes by more than the tolerance; speed limiting rejects none.");
}

/// Runs one control at many tolerances.
fn scan(
    method: &LinearizedMethod,
    (way, least, most): &(StepControl, f64, f64),
    reference: &ReferenceSolution,
    each: usize,
) -> Result<Vec<ControlledRun>, PaperError> {
    let tolerances = match *way == StepControl::FIXED {
        // All integer numbers of steps.
        true => ((UNTIL / most) as u32..=(UNTIL / least) as u32)
            .map(|n| UNTIL / f64::from(n))
            .collect(),
        false => log_spaced(*least, *most, each),
    };
    spring_runs(method, way, &tolerances, reference, MAX_SOLVES)
}

fn matched<'a>(
    runs: &'a [Vec<ControlledRun>],
    equal: &EqualWork,
) -> Result<Matched<'a>, PaperError> {
    let no_data = || PaperError::NoMeasurement {
        what: format!("the runs of the spring at equal {}", equal.name),
    };
    let at = |budget: f64| {
        let each = runs
            .iter()
            .map(|runs| median_run_at_budget(runs, budget, BUDGET_TOLERANCE, equal.of));
        let each = each.collect::<Option<Vec<&ControlledRun>>>()?;
        each.try_into().ok()
    };
    let all = BUDGETS.iter().map(|&budget| at(budget));
    all.collect::<Option<Matched>>().ok_or_else(no_data)
}

fn rows(table: &mut Table, method: &str, equal: &EqualWork, matched: &Matched) {
    for (budget, runs) in BUDGETS.iter().zip(matched) {
        for ((way, ..), run) in CONTROLS.iter().zip(runs) {
            let words = [method, equal.name].map(Cell::from);
            let numbers = [
                run.tolerance,
                run.steps as f64,
                run.rejected as f64,
                run.solves as f64,
                run.step_end_error,
                run.dense_error,
                run.rms_dense_error,
            ];
            let cells = words.into_iter().chain([(*budget).into(), way.name.into()]);
            table.row(cells.chain(numbers.map(Cell::from)));
        }
    }
}

/// Returns the ratio of the error of another control to that of force-error at each budget.
fn ratios(matched: &Matched, way: usize, error: fn(&ControlledRun) -> f64) -> Vec<f64> {
    let each = matched.iter();
    each.map(|runs| error(runs[way]) / error(runs[0])).collect()
}

fn shown(ratios: &[f64]) -> String {
    let each: Vec<String> = ratios.iter().map(|r| format!("{r:.2}")).collect();
    each.join(", ")
}

fn claims(finding: &mut Finding, method: &str, equal: &EqualWork, matched: &Matched) {
    for (k, (way, ..)) in CONTROLS.iter().enumerate().skip(1) {
        let nodes = ratios(matched, k, |r| r.step_end_error);
        let between = ratios(matched, k, |r| r.dense_error);
        let least = |r: &[f64]| r.iter().copied().fold(f64::INFINITY, f64::min);
        let says = match way.kind {
            "fixed" => {
                "force-error control is more accurate than a fixed step, which the figure omits"
            }
            "doubling" => {
                "adaptive quadrature is farther from the reference than force-error control"
            }
            "speed" => "speed limiting deviates more from the reference than force-error control",
            _ => "stretch limiting is farther from the reference than force-error control",
        };
        let work = match equal.name {
            "steps" => "steps",
            _ => "linear solves",
        };
        // The ratios show by how much a claim holds or fails.
        finding.claim(
            format!("equal-{}-{}-{}", equal.name, way.kind, slug(method)),
            format!("{method}, equal {work}: {says} (sec. 4)"),
            format!(
                "the error is {} times that of force-error at the ends of steps and {} times in between, at 40, 80, 160 and 320 {work}",
                shown(&nodes),
                shown(&between)
            ),
            [
                above(least(&nodes), 1.0).of("least ratio at ends of steps"),
                above(least(&between), 1.0).of("least ratio in between"),
            ],
        );
    }
}

/// Plots x(t) of every control at the smallest budget, like the figure of the paper.
fn curves(
    finding: &mut Finding,
    method: &LinearizedMethod,
    equal: &EqualWork,
    runs: &[&ControlledRun; CONTROLS.len()],
    reference: &ReferenceSolution,
) -> Result<(), PaperError> {
    let place = |(t, u): (f64, f64)| (t, u - 1.0);
    let exact = reference.curve(0).into_iter().step_by(20).map(place);
    let mut series = vec![Series::line("true solution", exact.collect())];
    for ((way, ..), run) in CONTROLS.iter().zip(runs) {
        let mut sim = spring(method.method, way, run.tolerance)?;
        let mut points = vec![(0.0, -1.0)];
        loop {
            if method.restart_each_step {
                sim.restart_method();
            }
            let step = sim.step_towards(UNTIL);
            if !step.map_err(PaperError::from_session(way.name))? {
                break;
            }
            points.push(place((sim.t(), sim.state().u[0])));
        }
        let label = format!("{} ({} steps, {} solves)", way.name, run.steps, run.solves);
        let line = Series::line_with_markers(label, points);
        series.push(match *way == StepControl::FIXED {
            true => line.dash(Dash::Dashed),
            false => line,
        });
    }
    finding.plot(
        &format!("{}-{}", slug(method.name), equal.name),
        Chart {
            title: format!(
                "Hardening spring, {}: about {} {}",
                method.name, BUDGETS[0], equal.name
            ),
            x: Axis::linear("time, s"),
            y: Axis::linear("x, m"),
            series,
        },
    );
    Ok(())
}

/// Plots the error against linear solves.
fn precision(finding: &mut Finding, name: &str, runs: &[Vec<ControlledRun>]) {
    let line = |runs: &Vec<ControlledRun>| -> Vec<(f64, f64)> {
        let mut points: Vec<(f64, f64)> = runs
            .iter()
            .map(|r| (r.solves as f64, r.step_end_error))
            .collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        points
    };
    let series = CONTROLS.iter().zip(runs);
    finding.plot(
        &format!("{}-work", slug(name)),
        Chart {
            title: format!("Hardening spring, {name}: error against linear solves"),
            x: Axis::log("linear solves, rejected attempts included"),
            y: Axis::log("largest error at ends of steps, m"),
            series: series
                .map(|((way, ..), runs)| Series::markers(way.name, line(runs)))
                .collect(),
        },
    );
}
