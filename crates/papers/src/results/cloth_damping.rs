//! The cloth of 000 with Rayleigh's stiffness damping (β = 2·10⁻⁴ s) under SDIRK2, without, and undamped under
//! backward Euler (§5.3, supplemental video).

use chart::{Axis, Chart, Series};
use scene::run::Flow;
use scene::session::Session;
use scene::trial::Trial;

use crate::apart::apart;
use crate::bodies::{CLOTH, Pace, open};
use crate::check::{above, below};
use crate::progress::watched;
use crate::{Finding, Job, PaperError, Table};

/// Time over which slow motion is averaged, s.
const WINDOW: f64 = 0.03;

/// What a cloth did.
pub struct Seen {
    /// Its run.
    pub trial: Trial,
    /// Root mean square, over nodes and the last half of the run, of v less its slow part, m/s. The slow part 2 m₁ − m₂
    /// is made of the running mean m₁ of v over [`WINDOW`] and the running mean m₂ of that, and follows a constant
    /// acceleration without lag.
    pub shiver: f64,
    /// Stored elastic energy, mean over the last half, J: bent and stretched detail.
    pub detail: f64,
    /// Time and kinetic energy.
    pub kinetic: Vec<(f64, f64)>,
}

/// Runs a cloth to its end.
pub fn watch(job: &Job, name: &str, sim: &mut Session) -> Result<Seen, PaperError> {
    let (step, until) = (sim.scene.time.nominal_step(), sim.scene.time.until);
    // Sampled every 5 ms, whatever the step; running means are first-order filters.
    let every = ((0.005 / step).round() as u64).max(1);
    let share = (every as f64 * step / WINDOW).min(1.0);
    let mut mean: Vec<[f64; 2]> = Vec::new();
    let (mut squares, mut samples, mut stored, mut k) = (0.0, 0u64, 0.0, 0u64);
    let mut kinetic = Vec::new();
    let trial = watched(job, name, sim, &mut |sim, row| {
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
            // Per node: three unknowns each.
            squares += 3.0 * sum / v.len() as f64;
            stored += row.energies.strain;
            samples += 1;
        }
        Flow::On
    });
    if let Some(why) = trial.failure {
        return Err(PaperError::step(name)(why));
    }
    Ok(Seen {
        trial,
        shiver: (squares / samples as f64).sqrt(),
        detail: stored / samples as f64,
        kinetic,
    })
}

/// Rayleigh's stiffness damping, s.
const BETA: f64 = 2e-4;

/// Name, method, stiffness damping.
type Case = (&'static str, &'static str, f64);

const CASES: [Case; 3] = [
    ("sdirk2 undamped", "sdirk2", 0.0),
    ("sdirk2 damped", "sdirk2", BETA),
    ("backward-euler undamped", "backward-euler", 0.0),
];

/// Computes the comparison.
pub fn compute(job: &Job) -> Result<Finding, PaperError> {
    let (cells, until) = job.size.pick((8, 2.0), (96, 2.0));
    // Cells of the whole cloth's size, 4 m with 96 of them: damping acts on the frequencies of cells.
    let side = f64::from(cells) / 24.0;
    let mut finding = Finding::default();
    finding.parameter("cells", format!("{cells} x {cells} x 1"));
    finding.parameter("side_m", side);
    finding.parameter("until_s", until);
    finding.parameter("step_s", 0.005);
    finding.parameter("stiffness_damping_s", BETA);
    finding.choice("Cells are 4.2 cm wide: 96 across, as in the paper, are 4 m; the quick size is a patch of 8. How long the paper's cloth was run is not told. Fast oscillation is the root mean square of the nodes' velocities less their slow part (slower than 0.03 s), in the last half of the run; detail is the mean elastic energy of that half.");
    let seen = apart(CASES.len(), |case| {
        hang(job, cells, side, until, CASES[case])
    })?;
    let columns = [
        "case",
        "fast_m_per_s",
        "elastic_J",
        "lost_to_damping_J",
        "lost_to_integrator_J",
    ];
    let mut table = Table::new("cases", columns);
    for ((name, ..), s) in CASES.iter().zip(&seen) {
        let l = &s.trial.ledger;
        table.line(name, [s.shiver, s.detail, -l.damping, -l.numerical]);
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
                .zip(&seen)
                .map(|((name, ..), s)| Series::line(*name, s.kinetic.clone()))
                .collect(),
        },
    );
    claims(&mut finding, &seen);
    Ok(finding)
}

/// Runs one case on a patch of so many cells and so many metres.
fn hang(job: &Job, cells: u32, side: f64, until: f64, case: Case) -> Result<Seen, PaperError> {
    let (name, method, damping) = case;
    let pace = Pace {
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
        // The paper's model: the stiffness matrix at the start of the step.
        set.push(("body.cloth.damping.rate", "frozen".into()));
    }
    set.extend(pace.keys());
    watch(job, name, &mut open(CLOTH, &set)?)
}

fn claims(finding: &mut Finding, seen: &[Seen]) {
    let [free, damped, euler] = seen else {
        return;
    };
    finding.claim(
        "less-oscillation",
        "a little damping cancels much of the high-frequency oscillation",
        format!(
            "fast motion {:.3} m/s with it, {:.3} without",
            damped.shiver, free.shiver
        ),
        below(damped.shiver / free.shiver, 0.8).of("ratio"),
    );
    finding.claim(
        "detail-kept",
        "and retains much of the detail",
        format!(
            "elastic energy {:.2} J with it, {:.2} without",
            damped.detail, free.detail
        ),
        above(damped.detail / free.detail, 0.5).of("ratio"),
    );
    finding.claim(
        "control",
        "SDIRK2 lets the user control damping: BE loses more by itself than this damping takes",
        format!(
            "BE itself {:.2} J; SDIRK2 itself {:.2} J and its damping {:.2} J",
            -euler.trial.ledger.numerical,
            -damped.trial.ledger.numerical,
            -damped.trial.ledger.damping
        ),
        below(euler.trial.ledger.numerical, damped.trial.ledger.numerical)
            .of("energy given by BE itself, J"),
    );
}
