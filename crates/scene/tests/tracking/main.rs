//! Energy tracking (004): the paper's oracles, its spring and its cube, whatever the base.

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

/// What a run showed after each step.
#[derive(Clone, Copy, Debug)]
struct Seen {
    t: f64,
    energy: f64,
    angular: [f64; 3],
    blend: f64,
    /// Sum of what the ledger calls numerical or residual so far: how far the energy is from its target.
    astray: f64,
    /// Sizes of both, added up: what their difference is rounded against.
    booked: f64,
    /// Booked as damping and as work so far.
    damping: f64,
    work: f64,
}

impl Seen {
    fn spin(&self) -> f64 {
        self.angular.iter().map(|l| l * l).sum::<f64>().sqrt()
    }
}

/// Runs with everything a run does; the tables as numbers.
fn seen(sim: &mut Session, steps: u64) -> Vec<Seen> {
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
    let (mut astray, mut booked, mut damping, mut work) = (0.0, 0.0, 0.0, 0.0);
    let mut out = Vec::new();
    for (i, row) in table("steps.csv").iter().enumerate() {
        if i > 0 {
            let entry = ledger.next().unwrap();
            damping += entry[2];
            astray += entry[5] + entry[6];
            booked += f64::abs(entry[5]) + f64::abs(entry[6]);
            work += entry[7];
        }
        out.push(Seen {
            t: row[0],
            energy: row[6],
            angular: [row[10], row[11], row[12]],
            blend: row[17],
            astray,
            booked,
            damping,
            work,
        });
    }
    out
}
