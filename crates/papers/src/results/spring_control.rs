//! ["Adaptive Time-Stepping with Linearized Force Error Estimation", Fig. 1]: a mass on a hardening spring, steps chosen in five ways, at equal numbers of steps and of linear solves.
//!
//! The paper compares at equal numbers of accepted steps, by eye, and leaves out steps of one length. A step by doubling
//! costs three linear solves and a rejected attempt costs as much as an accepted one, so equal work is another
//! comparison. Both are made here, against the true solution.

use chart::{Axis, Chart, Dash, Series};

use crate::check::{above, slug};
use crate::controlled::{
    EULER, KEPT_NEWMARK, LONGEST, Linearised, NEWMARK, Reference, Run, Steering, at_budget,
    decades, spring, spring_reference, spring_runs,
};
use crate::finding::Cell;
use crate::{Finding, Job, PaperError, Table};

/// The ways to choose steps, and the tolerances between which their budgets lie.
const WAYS: [(Steering, f64, f64); 5] = [
    (Steering::PRINTED, 1e-8, 0.1),
    (Steering::new("speed"), 3e-3, 1.0),
    (Steering::new("stretch"), 3e-3, 1.0),
    (Steering::new("doubling"), 1e-5, 10.0),
    (Steering::FIXED, UNTIL / 350.0, UNTIL / 8.0),
];
/// The methods of the figure, and Newmark's as shipped.
const METHODS: [Linearised; 3] = [EULER, NEWMARK, KEPT_NEWMARK];
const UNTIL: f64 = 2.0;
/// Numbers of steps or of linear solves at which the ways are compared.
const BUDGETS: [f64; 4] = [40.0, 80.0, 160.0, 320.0];
/// Most linear systems solved in a run: doubling needs three a step, and some attempts are rejected.
const MOST: u64 = 1200;
/// Share by which the work of a run may differ from a budget.
const SLACK: f64 = 0.03;

/// What is equal in a comparison.
struct Equal {
    name: &'static str,
    of: fn(&Run) -> u64,
}

const EQUAL: [Equal; 2] = [
    Equal {
        name: "steps",
        of: |run| run.steps,
    },
    Equal {
        name: "solves",
        of: |run| run.solves,
    },
];

/// The run of each way at each budget.
type Matched<'a> = Vec<[&'a Run; WAYS.len()]>;

/// Computes the figure.
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
        let runs = WAYS.iter().map(|way| scan(&method, way, &reference, each));
        let runs = runs.collect::<Result<Vec<_>, PaperError>>()?;
        for equal in &EQUAL {
            let matched = matched(&runs, equal)?;
            rows(&mut table, name, equal, &matched);
            claims(&mut finding, name, equal, &matched);
            curves(&mut finding, &method, equal, &matched[0], &reference)?;
        }
        precision(&mut finding, name, &runs);
        (job.tell)(name);
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
    finding.parameter("longest_step_s", LONGEST);
    finding.parameter("safety", 0.5);
    finding.parameter(
        "reference",
        format!("rk4 at 0.1 ms; twice the step changes it by {trust:.1e} m"),
    );
    finding.parameter("tolerances_a_decade", each);
    finding.choice("The paper says neither how many steps its figure has nor how far the curves are from the reference. We compare at 40, 80, 160 and 320 steps or linear solves, by the largest error against the true solution, at the ends of steps and, with cubics through positions and velocities, in between.");
    finding.choice("A linear solve is one with the matrix of a step, and those of rejected attempts count; dividing by the diagonal mass for the force error does not.");
    finding.choice(format!("Tolerances are scanned; of the runs within {:.0} % of a budget the one of median error at the ends of steps is shown, as a single tolerance may be lucky.", 100.0 * SLACK));
    finding.choice("Every step is one linearised step, as in the paper (s-backward-euler, s-newmark). The paper's equations begin a step of Newmark's method with the force at its start; s-newmark keeps the acceleration that the linearised step before ended with, which is another, so both are shown (under doubling the second half of a step keeps that of the first in both). The paper's adaptive quadrature halves recursively until the difference of a step from its two halves is small, with a difference for each step; ours (kind = \"doubling\") asks for an error per unit step, extrapolated from the same difference, chooses the next step from it and keeps the two halves. Fewer of its attempts fail than by halving from the top each time.");
    finding.choice("Stretch rejects steps in which the spring's length changes by more than the tolerance; speed rejects nothing.");
}

/// Runs under one way at many tolerances.
fn scan(
    method: &Linearised,
    (way, least, most): &(Steering, f64, f64),
    reference: &Reference,
    each: usize,
) -> Result<Vec<Run>, PaperError> {
    let tolerances = match *way == Steering::FIXED {
        // Every whole number of steps.
        true => ((UNTIL / most) as u32..=(UNTIL / least) as u32)
            .map(|n| UNTIL / f64::from(n))
            .collect(),
        false => decades(*least, *most, each),
    };
    spring_runs(method, way, &tolerances, reference, MOST)
}

fn matched<'a>(runs: &'a [Vec<Run>], equal: &Equal) -> Result<Matched<'a>, PaperError> {
    let nothing = || PaperError::Nothing {
        what: format!("runs of the spring at equal {}", equal.name),
    };
    let at = |budget: f64| {
        let each = runs
            .iter()
            .map(|runs| at_budget(runs, budget, SLACK, equal.of));
        let each = each.collect::<Option<Vec<&Run>>>()?;
        each.try_into().ok()
    };
    let all = BUDGETS.iter().map(|&budget| at(budget));
    all.collect::<Option<Matched>>().ok_or_else(nothing)
}

fn rows(table: &mut Table, method: &str, equal: &Equal, matched: &Matched) {
    for (budget, runs) in BUDGETS.iter().zip(matched) {
        for ((way, ..), run) in WAYS.iter().zip(runs) {
            let words = [method, equal.name].map(Cell::from);
            let numbers = [
                run.tolerance,
                run.steps as f64,
                run.rejected as f64,
                run.solves as f64,
                run.at_nodes,
                run.between,
                run.mean,
            ];
            let cells = words.into_iter().chain([(*budget).into(), way.name.into()]);
            table.row(cells.chain(numbers.map(Cell::from)));
        }
    }
}

/// How many times the error of force-error another way has, at each budget.
fn ratios(matched: &Matched, way: usize, error: fn(&Run) -> f64) -> Vec<f64> {
    let each = matched.iter();
    each.map(|runs| error(runs[way]) / error(runs[0])).collect()
}

fn shown(ratios: &[f64]) -> String {
    let each: Vec<String> = ratios.iter().map(|r| format!("{r:.2}")).collect();
    each.join(", ")
}

fn claims(finding: &mut Finding, method: &str, equal: &Equal, matched: &Matched) {
    for (k, (way, ..)) in WAYS.iter().enumerate().skip(1) {
        let nodes = ratios(matched, k, |r| r.at_nodes);
        let between = ratios(matched, k, |r| r.between);
        let least = |r: &[f64]| r.iter().copied().fold(f64::INFINITY, f64::min);
        let says = match way.kind {
            "fixed" => {
                "the force error is more accurate than a fixed step, which the figure leaves out"
            }
            "doubling" => "adaptive quadrature is farther from the reference than the force error",
            "speed" => "speed limiting deviates more from the reference than the force error",
            _ => "stretch limiting is farther from the reference than the force error",
        };
        let work = match equal.name {
            "steps" => "steps",
            _ => "linear solves",
        };
        // Where it is not, it is a draw or worse: by how much stands beside it.
        finding.claim(
            format!("equal-{}-{}-{}", equal.name, way.kind, slug(method)),
            format!("{method}, equal {work}: {says} (sec. 4)"),
            format!(
                "its error is {} times that of force-error at ends of steps and {} times in between, at 40, 80, 160 and 320 {work}",
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

/// x(t) of every way at the smallest budget, like the paper's figure.
fn curves(
    finding: &mut Finding,
    method: &Linearised,
    equal: &Equal,
    runs: &[&Run; WAYS.len()],
    reference: &Reference,
) -> Result<(), PaperError> {
    let place = |(t, u): (f64, f64)| (t, u - 1.0);
    let exact = reference.curve(0).into_iter().step_by(20).map(place);
    let mut series = vec![Series::line("true solution", exact.collect())];
    for ((way, ..), run) in WAYS.iter().zip(runs) {
        let mut sim = spring(method.method, way, run.tolerance)?;
        let mut points = vec![(0.0, -1.0)];
        loop {
            if method.anew {
                sim.restart_method();
            }
            let step = sim.step_towards(UNTIL);
            if !step.map_err(PaperError::session(way.name))? {
                break;
            }
            points.push(place((sim.t(), sim.state().u[0])));
        }
        let label = format!("{} ({} steps, {} solves)", way.name, run.steps, run.solves);
        let line = Series::line_with_markers(label, points);
        series.push(match *way == Steering::FIXED {
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

/// Error against linear solves.
fn precision(finding: &mut Finding, name: &str, runs: &[Vec<Run>]) {
    let line = |runs: &Vec<Run>| -> Vec<(f64, f64)> {
        let mut points: Vec<(f64, f64)> =
            runs.iter().map(|r| (r.solves as f64, r.at_nodes)).collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        points
    };
    let series = WAYS.iter().zip(runs);
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
