//! [Löschner et al. 2020, sec. 5.3 and supplemental video]: the cloth with stiffness-proportional Rayleigh damping
//! (2·10⁻⁴ s) under SDIRK2, without it, and undamped under backward Euler.

use chart::{Axis, Chart, Series};
use scene::run::Flow;
use scene::session::Session;
use scene::trial::Trial;

use crate::check::{above, below};
use crate::parallel_runs::run_in_parallel;
use crate::progress::trial_with_progress;
use crate::scenes::{CLOTH, RunSettings, open_scene};
use crate::{Finding, Job, PaperError, Table};

/// The averaging time of slow motion in seconds.
const AVERAGING_TIME: f64 = 0.03;

/// The run of a cloth with its fast motion, elastic energy and kinetic energy.
pub struct ClothRun {
    /// The trial run.
    pub trial: Trial,
    /// The root mean square, over nodes and the second half of the run, of the fast part of v in m/s. The slow part 2
    /// m₁ − m₂, with the running mean m₁ of v over [`AVERAGING_TIME`] and the running mean m₂ of m₁, follows a constant
    /// acceleration without lag.
    pub fast_velocity: f64,
    /// The mean elastic energy of the second half in joules, a measure of bending and stretching detail.
    pub detail: f64,
    /// The kinetic energy over time.
    pub kinetic: Vec<(f64, f64)>,
}

/// Runs a cloth to its end and measures its motion.
pub fn run_cloth(job: &Job, name: &str, sim: &mut Session) -> Result<ClothRun, PaperError> {
    let (step, until) = (sim.scene.time.nominal_step(), sim.scene.time.until);
    // Sampled every 5 ms, whatever the step; running means are first-order filters.
    let every = ((0.005 / step).round() as u64).max(1);
    let share = (every as f64 * step / AVERAGING_TIME).min(1.0);
    let mut mean: Vec<[f64; 2]> = Vec::new();
    let (mut squares, mut samples, mut stored, mut k) = (0.0, 0u64, 0.0, 0u64);
    let mut kinetic = Vec::new();
    let trial = trial_with_progress(job, name, sim, &mut |sim, row| {
        k += 1;
        if (k - 1) % every != 0 {
            return Flow::On;
        }
        kinetic.push((row.t, row.energies.kinetic));
        let v = &sim.state().v;
        mean.resize(v.len(), [0.0; 2]);
        let late = row.t >= 0.5 * until;
        let mut sum = 0.0;
        for (m, v) in mean.iter_mut().zip(v) {
            m[0] += share * (v - m[0]);
            m[1] += share * (m[0] - m[1]);
            sum += (v - 2.0 * m[0] + m[1]).powi(2);
        }
        if late {
            // Per node, with three unknowns each.
            squares += 3.0 * sum / v.len() as f64;
            stored += row.energies.strain;
            samples += 1;
        }
        Flow::On
    });
    if let Some(why) = trial.failure {
        return Err(PaperError::from_step(name)(why));
    }
    Ok(ClothRun {
        trial,
        fast_velocity: (squares / samples as f64).sqrt(),
        detail: stored / samples as f64,
        kinetic,
    })
}

/// The coefficient of stiffness damping in seconds.
const BETA: f64 = 2e-4;

/// The name, method and stiffness damping of a case.
type Case = (&'static str, &'static str, f64);

const CASES: [Case; 3] = [
    ("sdirk2 undamped", "sdirk2", 0.0),
    ("sdirk2 damped", "sdirk2", BETA),
    ("backward-euler undamped", "backward-euler", 0.0),
];

/// Computes the comparison and checks the claims of the paper against the numbers.
pub fn compute(job: &Job) -> Result<Finding, PaperError> {
    let (cells, until) = job.size.pick((8, 2.0), (96, 2.0));
    // The cell size of the whole cloth (96 cells in 4 m), because damping acts on the frequencies of cells.
    let side = f64::from(cells) / 24.0;
    let mut finding = Finding::default();
    finding.parameter("cells", format!("{cells} x {cells} x 1"));
    finding.parameter("side_m", side);
    finding.parameter("until_s", until);
    finding.parameter("step_s", 0.005);
    finding.parameter("stiffness_damping_s", BETA);
    finding.choice("Cells are 4.2 cm wide: 96 across, as in the paper, make 4 m; the quick size is a patch of 8. The paper does not give the length of the run. Fast oscillation is the root mean square of the nodes' velocities without their slow part (slower than 0.03 s) in the second half of the run. Detail is the mean elastic energy of that half.");
    let runs = run_in_parallel(CASES.len(), |case| {
        run_case(job, cells, side, until, CASES[case])
    })?;
    let columns = [
        "case",
        "fast_m_per_s",
        "elastic_J",
        "lost_to_damping_J",
        "lost_to_integrator_J",
    ];
    let mut table = Table::new("cases", columns);
    for ((name, ..), s) in CASES.iter().zip(&runs) {
        let l = &s.trial.ledger;
        table.line(name, [s.fast_velocity, s.detail, -l.damping, -l.numerical]);
    }
    finding.tables.push(table);
    finding.plot(
        "kinetic",
        Chart {
            title: "Cloth: kinetic energy".into(),
            x: Axis::linear("time, s"),
            y: Axis::linear("J"),
            series: CASES
                .iter()
                .zip(&runs)
                .map(|((name, ..), s)| Series::line(*name, s.kinetic.clone()))
                .collect(),
        },
    );
    claims(&mut finding, &runs);
    Ok(finding)
}

/// Runs one case on a patch of `cells` cells and `side` metres along a side.
fn run_case(
    job: &Job,
    cells: u32,
    side: f64,
    until: f64,
    case: Case,
) -> Result<ClothRun, PaperError> {
    let (name, method, damping) = case;
    let pace = RunSettings {
        method,
        step: 0.005,
        until,
    };
    let mut set = vec![
        (
            "body.cloth.mesh.box.cells",
            format!("[{cells}, {cells}, 1]"),
        ),
        (
            "body.cloth.mesh.box.size",
            format!("[{side:?}, {side:?}, 0.04]"),
        ),
        ("body.cloth.damping.stiffness", format!("{damping:?}")),
    ];
    if damping > 0.0 {
        // The model of the paper: the stiffness matrix at the start of the step.
        set.push(("body.cloth.damping.rate", "frozen".into()));
    }
    set.extend(pace.keys());
    run_cloth(job, name, &mut open_scene(CLOTH, &set)?)
}

fn claims(finding: &mut Finding, runs: &[ClothRun]) {
    let [free, damped, euler] = runs else {
        return;
    };
    finding.claim(
        "less-oscillation",
        "a little damping cancels much of the high-frequency oscillation",
        format!(
            "fast motion {:.3} m/s with it, {:.3} without",
            damped.fast_velocity, free.fast_velocity
        ),
        below(damped.fast_velocity / free.fast_velocity, 0.8).of("ratio"),
    );
    finding.claim(
        "detail-kept",
        "damping retains much of the detail",
        format!(
            "elastic energy {:.2} J with it, {:.2} without",
            damped.detail, free.detail
        ),
        above(damped.detail / free.detail, 0.5).of("ratio"),
    );
    finding.claim(
        "control",
        "SDIRK2 lets the user control damping: the numerical dissipation of backward Euler exceeds this physical damping",
        format!(
            "numerical dissipation {:.2} J with backward Euler and {:.2} J with SDIRK2, whose physical damping takes {:.2} J",
            -euler.trial.ledger.numerical,
            -damped.trial.ledger.numerical,
            -damped.trial.ledger.damping
        ),
        below(euler.trial.ledger.numerical, damped.trial.ledger.numerical)
            .of("numerical energy change of backward Euler, J"),
    );
}
