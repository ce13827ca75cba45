//! Counts Newton iterations with projection on demand, always and never on the shipped scenes: a table of
//! `docs/newton.md`. `cargo run --release -p supple-scene --example projection -- [STEPS] [PART]` runs a number of steps
//! (10 by default) of each scene whose row contains the part.
//!
//! A run ends at its end time or with a failed step; iterations of rejected and failed steps are counted.

use std::error::Error;
use std::path::PathBuf;

use scene::build::build;
use scene::run::{Flow, RunOptions, RunOutcome, Status, attempt};
use scene::spec::Source;

const POLICIES: [&str; 3] = ["on-demand", "always", "never"];
const FOLDERS: [&str; 4] = [
    "scenes",
    "crates/claims/scenes",
    "crates/papers/scenes",
    "contract/scenes",
];
/// The scattered figure under other laws and methods.
const SCATTERED: [(&str, &str); 6] = [
    ("stable-neo-hookean", "backward-euler"),
    ("stable-neo-hookean", "sdirk2"),
    ("stable-neo-hookean", "bdf2"),
    ("arap", "sdirk2"),
    ("corotated", "sdirk2"),
    ("stvk", "sdirk2"),
];

/// A scene and the keys to override.
struct Case {
    name: String,
    path: PathBuf,
    set: Vec<(&'static str, String)>,
}

/// Counts of a run.
struct Count {
    newton: u64,
    factorizations: u64,
    rejected: u64,
    /// Time at which the run failed, s.
    failed: Option<f64>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let steps: f64 = match std::env::args().nth(1) {
        Some(word) => word.parse()?,
        None => 10.0,
    };
    let part = std::env::args().nth(2).unwrap_or_default();
    println!("| scene | steps | on demand | always | never |\n|---|---|---|---|---|");
    let mut sums = [0; 3];
    let mut factorizations = [0; 3];
    for case in cases()?.iter().filter(|c| c.name.contains(&part)) {
        let mut row = Vec::new();
        for policy in POLICIES {
            match count(case, policy, steps)? {
                Some(count) => row.push(count),
                None => break,
            }
        }
        let [on_demand, always, never] = row.as_slice() else {
            continue;
        };
        // Runs that ended early are left out of the sums.
        if row.iter().all(|count| count.failed.is_none()) {
            for (k, count) in [on_demand, always, never].into_iter().enumerate() {
                sums[k] += count.newton;
                factorizations[k] += count.factorizations;
            }
        }
        let [a, b, c] = [on_demand, always, never].map(written);
        println!("| {} | {steps} | {a} | {b} | {c} |", case.name);
    }
    let [a, b, c] = sums;
    println!("| **iterations where all finished** | | **{a}** | **{b}** | **{c}** |");
    let [a, b, c] = factorizations;
    println!("| **factorizations there** | | {a} | {b} | {c} |");
    Ok(())
}

/// All scenes of the folders that exist, then the scattered figure with several laws and methods.
fn cases() -> Result<Vec<Case>, Box<dyn Error>> {
    let repository = testdata::repository();
    let mut cases = Vec::new();
    for folder in FOLDERS {
        let own = repository.join(folder);
        let Some(place) = own
            .exists()
            .then_some(own)
            .or_else(|| testdata::shared(folder))
        else {
            continue;
        };
        let entries = std::fs::read_dir(place)?;
        let mut files: Vec<PathBuf> = entries
            .map(|e| e.map(|e| e.path()))
            .collect::<Result<_, _>>()?;
        files.retain(|f| f.extension().is_some_and(|e| e == "toml"));
        files.sort();
        for path in files {
            let file = path.file_name().unwrap_or_default().to_string_lossy();
            let set = match file.as_ref() {
                // Fewer cells bend as much and take seconds.
                "cloth.toml" => vec![("body[0].mesh.box.cells", "[24, 24, 1]".into())],
                // Local/global iterations have no tangent to project.
                "cube-004.toml" => vec![("solver.newton", "minimise".into())],
                _ => Vec::new(),
            };
            let name = format!("`{folder}/{file}`");
            cases.push(Case { name, path, set });
        }
    }
    for (law, method) in SCATTERED {
        cases.push(Case {
            name: format!("`scattered.toml`, {law}, {method}"),
            path: repository.join("crates/papers/scenes/scattered.toml"),
            set: vec![
                ("body[0].mesh.blob.cells", "12".into()),
                ("time.control.kind", "retreat".into()),
                ("time.control.min", "0.0003125".into()),
                ("body[0].material.law", law.into()),
                ("time.method", method.into()),
            ],
        });
    }
    Ok(cases)
}

/// Counts a run. Returns `None` for a scene with unsupported keys.
fn count(case: &Case, policy: &str, steps: f64) -> Result<Option<Count>, Box<dyn Error>> {
    let mut source = Source::read(&case.path)?;
    for (key, value) in &case.set {
        source.set(key, value)?;
    }
    source.set("solver.projection", policy)?;
    // Scenes with unsupported features are left out.
    let Ok(scene) = source.scene() else {
        return Ok(None);
    };
    let until = scene.time.until.min(steps * scene.time.nominal_step());
    source.set("time.until", &format!("{until:?}"))?;
    source.set("time.fps", &format!("{:?}", 1.0 / until))?;
    // Implicit damping takes additional iterations.
    let scene = source.scene()?;
    for (i, body) in scene.body.iter().enumerate() {
        if body.damping.stiffness > 0.0 {
            source.set(&format!("body[{i}].damping.rate"), "frozen")?;
        }
    }
    let Ok(mut sim) = build(source.scene()?, &source) else {
        return Ok(None);
    };
    let out = tempfile::tempdir()?;
    let options = RunOptions {
        out: out.path().into(),
        resume: None,
    };
    let RunOutcome { report, .. } = attempt(&mut sim, &options, &mut |_| Flow::On)?;
    Ok(Some(Count {
        newton: sim.totals().work.newton,
        factorizations: report.factorizations,
        rejected: report.rejected,
        failed: (report.status == Status::Failed).then_some(report.t),
    }))
}

fn written(count: &Count) -> String {
    let mut text = count.newton.to_string();
    if count.rejected > 0 {
        text += &format!(", {} rejected", count.rejected);
    }
    if let Some(t) = count.failed {
        text += &format!(", **failed** at {t:.3} s");
    }
    text
}
