//! The shipped scenes run.

use std::path::{Path, PathBuf};

use scene::build::build;
use scene::error::SceneErrors;
use scene::run::{Flow, RunOptions, run};
use scene::session::Session;
use scene::spec::Source;
use testdata::repository;

/// Builds a scene file with keys set.
pub fn open(path: &Path, set: &[(&str, &str)]) -> Result<Session, SceneErrors> {
    let mut source = Source::read(path)?;
    for (key, value) in set {
        source.set(key, value)?;
    }
    build(source.scene()?, &source)
}

/// Runs a few steps with all output files.
fn few_steps(sim: &mut Session, steps: u64) {
    let dir = tempfile::tempdir().unwrap();
    let options = RunOptions {
        out: dir.path().into(),
        resume: None,
    };
    let report = run(sim, &options, &mut |p| {
        if p.steps >= steps {
            Flow::Stop
        } else {
            Flow::On
        }
    })
    .unwrap();
    assert_eq!(report.steps, steps);
    assert!(report.energy.last.is_finite());
    assert!(dir.path().join("frames/00000.vtu").exists());
}

/// Coarser meshes for scenes that would take minutes.
pub fn coarser(name: &str) -> &'static [(&'static str, &'static str)] {
    match name {
        "cloth.toml" => &[("body[0].mesh.box.cells", "[12, 12, 1]")],
        "beam.toml" => &[("body[0].mesh.box.cells", "[16, 2, 2]")],
        "cantilever.toml" => &[("body[0].mesh.box.cells", "[20, 2, 2]")],
        "blob.toml" => &[("body[0].mesh.blob.cells", "12")],
        "jello.toml" => &[("body[0].mesh.mould.cells", "8")],
        _ => &[],
    }
}

#[test]
fn the_repository_s_scenes_run() {
    let mut files: Vec<PathBuf> = std::fs::read_dir(repository().join("scenes"))
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "toml"));
    assert!(files.len() >= 6);
    for path in files {
        let name = path.file_name().unwrap().to_str().unwrap().to_string();
        few_steps(&mut open(&path, coarser(&name)).unwrap(), 3);
    }
}

#[test]
fn the_contract_s_scenes_run_unchanged_or_are_refused() {
    let Some(folder) = testdata::shared("contract/scenes") else {
        return;
    };
    // Unchanged except for coarser meshes.
    for name in [
        "beam.toml",
        "cloth.toml",
        "spring-001.toml",
        "spring-004.toml",
        "cube-004.toml",
    ] {
        few_steps(&mut open(&folder.join(name), coarser(name)).unwrap(), 3);
    }
    let mut sim = open(&folder.join("beam.toml"), &[]).unwrap();
    few_steps(&mut sim, 1);
    assert_eq!(sim.model.nodes(), 33 * 5 * 5);
    few_steps(&mut open(&folder.join("ball.toml"), &[]).unwrap(), 1);
    let barrier = [
        ("contact.kind", "\"barrier\""),
        ("body[0].mesh.ball.cells", "4"),
    ];
    few_steps(&mut open(&folder.join("ball.toml"), &barrier).unwrap(), 3);
}

/// The stiff spring runs to its end: the midpoint rule does not conserve its energy.
#[test]
fn the_stiff_spring_runs_to_its_end() {
    let path = repository().join("scenes/spring-004.toml");
    let dir = tempfile::tempdir().unwrap();
    let options = RunOptions {
        out: dir.path().into(),
        resume: None,
    };
    let report = run(&mut open(&path, &[]).unwrap(), &options, &mut |_| Flow::On).unwrap();
    assert_eq!(report.steps, 1000);
    assert!((report.t - 33.0).abs() < 1e-12);
}
