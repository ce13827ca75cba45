//! [Löschner et al. 2020, Table 1 and Fig. 6]: the thick cloth in the wind, undamped.

use chart::{Axis, Chart, Series};

use crate::check::{at_least, below, within};
use crate::parallel_runs::run_in_parallel;
use crate::results::cloth_damping::{ClothRun, run_cloth};
use crate::scenes::{CLOTH, RunSettings, open_scene};
use crate::{Finding, Job, PaperError, Table};

/// Method, step, and the published Newton iterations per step and seconds per simulated second; the longest run comes
/// first.
const ROWS: [(&str, f64, f64, f64); 5] = [
    ("backward-euler", 0.00005, 1.01, 1530.42),
    ("backward-euler", 0.005, 2.51, 37.92),
    ("sdirk2", 0.005, 6.9, 100.32),
    ("tr-bdf2-bathe", 0.005, 6.59, 102.46),
    ("sdirk-4347", 0.005, 20.78, 533.58),
];

/// Computes the table and checks the claims of the paper against the numbers.
pub fn compute(job: &Job) -> Result<Finding, PaperError> {
    let (cells, until) = job.size.pick((6, 0.25), (96, 1.0));
    let mut finding = Finding::default();
    finding.parameter("cells", format!("{cells} x {cells} x 1"));
    finding.parameter("until_s", until);
    finding.parameter("newton_tolerance", 1e-8);
    finding.parameter(
        "material",
        "stable-neo-hookean, E = 3e5 Pa, nu = 0.4, 1000 kg/m3",
    );
    finding.parameter(
        "wind",
        "6 m/s along x, 3 m/s along z, drag 1.2 kg/m3, gusts of 50 % at 0.7 Hz",
    );
    finding.choice("At full size the mesh is that of the paper, 96 x 96 x 1. Size, wind, Newton's tolerance and the length of the run are not in the paper. Each run has one thread and every step computes its own factors, like the authors' solver. At 0.05 ms linear systems are solved by conjugate gradients, which halves the time and still counts as a factorization and a solve. Fast motion is the root mean square of the nodes' velocities without their slow part (slower than 0.03 s).");
    let runs = run_in_parallel(ROWS.len(), |row| run_in_wind(job, cells, &pace(row, until)))?;
    finding.tables.push(table(&runs, until));
    claims(&mut finding, &runs);
    let series = (0..ROWS.len()).zip(&runs);
    finding.plot(
        "kinetic",
        Chart {
            title: "Cloth: kinetic energy".into(),
            x: Axis::linear("time, s"),
            y: Axis::linear("J"),
            series: series
                .map(|(row, s)| Series::line(pace(row, until).name(), s.kinetic.clone()))
                .collect(),
        },
    );
    Ok(finding)
}

/// Runs the cloth with one method.
fn run_in_wind(job: &Job, cells: u32, pace: &RunSettings) -> Result<ClothRun, PaperError> {
    let mesh = format!("[{cells}, {cells}, 1]");
    // At very small steps the matrix is close to the mass matrix, and only there conjugate gradients are faster.
    let linear = match pace.step < 1e-3 {
        true => "\"cg\"",
        false => "\"cholesky\"",
    };
    let mut set = vec![
        ("body.cloth.mesh.box.cells", mesh),
        ("solver.linear", linear.into()),
    ];
    set.extend(pace.keys());
    run_cloth(job, &pace.name(), &mut open_scene(CLOTH, &set)?)
}

fn pace(row: usize, until: f64) -> RunSettings<'static> {
    RunSettings {
        method: ROWS[row].0,
        step: ROWS[row].1,
        until,
    }
}

fn table(runs: &[ClothRun], until: f64) -> Table {
    let columns = [
        "method",
        "step_s",
        "newton_a_step",
        "factorizations",
        "solves",
        "seconds_a_second",
        "shiver_m_per_s",
        "kinetic_end_J",
        "paper_newton",
        "paper_seconds_a_second",
    ];
    let mut table = Table::new("table1", columns);
    for ((method, step, newton, seconds), s) in ROWS.iter().zip(runs) {
        let t = &s.trial;
        let numbers = [
            *step,
            t.work.newton as f64 / t.steps as f64,
            t.work.factorizations as f64,
            t.work.solves as f64,
            t.seconds / until,
            s.fast_velocity,
            t.last.energies.kinetic,
            *newton,
            *seconds,
        ];
        table.line(method, numbers);
    }
    table
}

fn claims(finding: &mut Finding, runs: &[ClothRun]) {
    let [fine, coarse, sdirk2, bathe, low] = runs else {
        return;
    };
    let newton = |s: &ClothRun| s.trial.work.newton as f64 / s.trial.steps as f64;
    let (a, b) = (
        newton(sdirk2) / newton(coarse),
        newton(bathe) / newton(coarse),
    );
    finding.claim(
"newton-iterations",
        "SDIRK2 and TR-BDF2(B) take 2.6 to 3.5 times the Newton iterations of backward Euler at the same step",
        format!(
            "{a:.2} and {b:.2} times: {:.2} and {:.2} against {:.2}, because our stages start from the acceleration of the previous stage and not from zero",
            newton(sdirk2),
            newton(bathe),
            newton(coarse)
        ), [a, b].map(|r| within(r, 2.0, 4.0).of("ratio")),
);
    finding.claim(
        "newton-iterations-sdirk-4347",
        "SDIRK(4,3,4,7) takes 20.78 iterations, 3.0 times those of SDIRK2 (Table 1)",
        format!(
            "{:.2}, {:.2} times",
            newton(low),
            newton(low) / newton(sdirk2)
        ),
        within(newton(low) / newton(sdirk2), 2.0, 4.0).of("ratio"),
    );
    let cost = |s: &ClothRun| (s.trial.work.factorizations + s.trial.work.solves) as f64;
    let ratio = cost(fine) / cost(sdirk2);
    finding.claim(
        "cheaper",
        "SDIRK2 at 5 ms is almost 17 (by Table 1: 15.3) times cheaper than backward Euler at 0.05 ms",
        format!("{ratio:.1} times fewer factorizations and solves"),
        at_least(ratio, 15.0).of("ratio"),
    );
    finding.claim(
        "detail",
        "SDIRK2 at 5 ms is comparable to backward Euler at 0.05 ms, and backward Euler at 5 ms loses most detail",
        format!(
            "fast motion {:.3} and {:.3} m/s; backward Euler at 5 ms {:.3} m/s",
            sdirk2.fast_velocity, fine.fast_velocity, coarse.fast_velocity
        ),
        [
            below(coarse.fast_velocity / sdirk2.fast_velocity, 0.75).of("backward Euler over SDIRK2 at 5 ms"),
            within(sdirk2.fast_velocity / fine.fast_velocity, 0.5, 2.0).of("SDIRK2 over backward Euler at 0.05 ms"),
        ],
    );
    finding.parameter(
        "clock",
        format!(
            "SDIRK2 is {:.1} times faster than backward Euler at 0.05 ms",
            fine.trial.seconds / sdirk2.trial.seconds
        ),
    );
}
