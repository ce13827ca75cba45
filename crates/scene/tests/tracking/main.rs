//! Energy tracking [Dinev et al. 2018]: reference implementation, spring, cube and energy balance, with several methods.

mod bodies;
mod booking;
mod oracle;
mod projection;
mod spring;

use std::path::{Path, PathBuf};

use scene::build::build;
use scene::run::{Flow, RunOptions, run};
use scene::session::Session;
use scene::spec::Source;

fn simulation(text: &str, set: &[(&str, &str)]) -> Session {
    let mut source = Source::new("scene.toml", text).unwrap();
    for (key, value) in set {
        source.set(key, value).unwrap();
    }
    build(source.scene().unwrap(), &source).unwrap()
}

fn scene_file(name: &str) -> String {
    let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../scenes")
        .join(name);
    std::fs::read_to_string(path).unwrap()
}

/// Energy, angular momentum and ledger sums after a step.
#[derive(Clone, Copy, Debug)]
struct StepSample {
    t: f64,
    energy: f64,
    angular: [f64; 3],
    blend: f64,
    /// Sum of the ledger channels `numerical` and `residual`: the distance of the energy from its target.
    energy_error: f64,
    /// Sum of the magnitudes of both channels: the scale of rounding errors.
    booked: f64,
    /// Sums of the ledger channels `damping` and `work`.
    damping: f64,
    work: f64,
}

impl StepSample {
    fn spin(&self) -> f64 {
        self.angular.iter().map(|l| l * l).sum::<f64>().sqrt()
    }
}

/// Runs a session with all its files and reads the tables.
fn record_steps(sim: &mut Session, steps: u64) -> Vec<StepSample> {
    let dir = tempfile::tempdir().unwrap();
    let options = RunOptions {
        out: dir.path().into(),
        resume: None,
    };
    run(sim, &options, &mut |p| {
        if p.steps >= steps {
            Flow::Stop
        } else {
            Flow::On
        }
    })
    .unwrap();
    let table = |name: &str| -> Vec<Vec<f64>> {
        let text = std::fs::read_to_string(dir.path().join(name)).unwrap();
        let row = |line: &str| line.split(',').map(|x| x.parse().unwrap()).collect();
        text.lines().skip(1).map(row).collect()
    };
    let mut ledger = table("ledger.csv").into_iter();
    let (mut energy_error, mut booked, mut damping, mut work) = (0.0, 0.0, 0.0, 0.0);
    let mut out = Vec::new();
    for (i, row) in table("steps.csv").iter().enumerate() {
        if i > 0 {
            let entry = ledger.next().unwrap();
            damping += entry[2];
            energy_error += entry[5] + entry[6];
            booked += f64::abs(entry[5]) + f64::abs(entry[6]);
            work += entry[7];
        }
        out.push(StepSample {
            t: row[0],
            energy: row[6],
            angular: [row[10], row[11], row[12]],
            blend: row[17],
            energy_error,
            booked,
            damping,
            work,
        });
    }
    out
}
