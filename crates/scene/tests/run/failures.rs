//! Runs that cannot start or resume, and runs that fail.

use march::{StepError, System};
use scene::checkpoint::{Checkpoint, CheckpointError};
use scene::run::{RunError, Status};

use super::{SHAKEN, contents, run_until, run_whole, shaken, simulation, table};

fn refused(text: &str, change: impl Fn(&std::path::Path)) -> CheckpointError {
    let dir = tempfile::tempdir().unwrap();
    run_until(&shaken("\"newmark\""), dir.path(), None, 3).unwrap();
    let checkpoint = dir.path().join("checkpoint.supple");
    change(&checkpoint);
    let before = contents(dir.path());
    let error = run_until(text, dir.path(), Some(&checkpoint), u64::MAX).unwrap_err();
    assert!(
        contents(dir.path()) == before,
        "a refused resume changed the results it refused to continue"
    );
    match error {
        RunError::Checkpoint(error) => error,
        other => panic!("expected a refused checkpoint, not {other}"),
    }
}

#[test]
fn checkpoints_of_other_scenes_are_refused() {
    let others = [
        shaken("\"trapezoid\""),
        shaken("\"s-newmark\""),
        shaken("{ name = \"newmark\", beta = 0.3 }"),
        shaken("\"newmark\"").replace("young = 1e5", "young = 1.1e5"),
        shaken("\"newmark\"").replace("cells = [3, 1, 1]", "cells = [4, 1, 1]"),
        shaken("\"newmark\"").replace("step = 0.001", "step = 0.002"),
        shaken("\"newmark\"").replace("frequency = 9.0", "frequency = 8.0"),
    ];
    for text in others {
        let error = refused(&text, |_| ());
        assert!(matches!(error, CheckpointError::Foreign { .. }), "{error}");
        assert!(
            error.to_string().contains("another scene, method or step"),
            "{error}"
        );
    }
}

#[test]
fn damaged_and_missing_checkpoints_are_refused() {
    let text = shaken("\"newmark\"");
    let flip = |path: &std::path::Path| {
        let mut bytes = std::fs::read(path).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        std::fs::write(path, bytes).unwrap();
    };
    let cut = |path: &std::path::Path| {
        let bytes = std::fs::read(path).unwrap();
        std::fs::write(path, &bytes[..bytes.len() / 2]).unwrap();
    };
    for (error, what) in [
        (refused(&text, flip), "damaged"),
        (refused(&text, cut), "damaged"),
        (
            refused(&text, |path| {
                std::fs::write(path, "title = \"a scene\"").unwrap()
            }),
            "not a checkpoint",
        ),
        (
            refused(&text, |path| std::fs::write(path, "").unwrap()),
            "not a checkpoint",
        ),
        (
            refused(&text, |path| std::fs::remove_file(path).unwrap()),
            "cannot be read",
        ),
    ] {
        let sentence = error.to_string();
        assert!(
            sentence.contains(what) && sentence.contains("checkpoint.supple"),
            "{sentence}"
        );
    }
}

/// A checkpoint without its tables is refused, as the tables would have a gap.
#[test]
fn a_resume_without_its_tables_is_refused() {
    let text = shaken("\"newmark\"");
    let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    run_until(&text, from.path(), None, 3).unwrap();
    let checkpoint = from.path().join("checkpoint.supple");
    let error = run_until(&text, to.path(), Some(&checkpoint), u64::MAX)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("steps.csv") && error.contains("folder"),
        "{error}"
    );
}

/// Explicit Euler far beyond its stability limit: the run reports time and cause and keeps its earlier results.
#[test]
fn a_run_that_blows_up_keeps_its_earlier_results() {
    let text = shaken("\"forward-euler\"")
        .replace("step = 0.001", "step = 0.02")
        .replace("until = 0.0085", "until = 20.0")
        .replace("fps = 300.0", "fps = 50.0");
    let dir = tempfile::tempdir().unwrap();
    let error = run_until(&text, dir.path(), None, u64::MAX).unwrap_err();
    let RunError::Step {
        t,
        why: StepError::NotFinite { .. },
        ..
    } = &error
    else {
        panic!("{error}")
    };
    let sentence = error.to_string();
    assert!(
        sentence.contains("blown up") && sentence.contains("try a smaller step"),
        "{sentence}"
    );
    assert!(
        sentence.contains(&dir.path().display().to_string()),
        "{sentence}"
    );
    let report: serde_json::Value =
        serde_json::from_slice(&std::fs::read(dir.path().join("report.json")).unwrap()).unwrap();
    assert_eq!(report["status"], "failed");
    assert_eq!(report["error"].as_str(), Some(sentence.as_str()));
    assert_eq!(report["t"].as_f64(), Some(*t));
    let (_, rows) = table(&dir.path().join("steps.csv"));
    assert_eq!(rows.last().unwrap()[0], *t);
    assert_eq!(rows.len() as u64, report["steps"].as_u64().unwrap() + 1);
    let frames = std::fs::read_dir(dir.path().join("frames"))
        .unwrap()
        .count();
    assert_eq!(frames as u64, report["frames"].as_u64().unwrap());
    assert!(frames > 3, "only {frames} frames before it blew up");
    let checkpoint = dir.path().join("checkpoint.supple");
    let saved = Checkpoint::read(&checkpoint).unwrap();
    let saved = saved.session.state();
    assert!(saved.u.iter().chain(&saved.v).all(|x| x.is_finite()));
    assert_eq!(saved.u.len(), simulation(&text).model.dofs());
    // Resumed from the checkpoint it fails with the same message.
    let again = run_until(&text, dir.path(), Some(&checkpoint), u64::MAX).unwrap_err();
    assert_eq!(again.to_string(), sentence);
}

/// Newton's method with too few iterations: the message has the residual and a suggestion.
#[test]
fn a_stalled_iteration_is_reported_with_its_residual() {
    // Newton on the residual fails with inverted elements, and no shorter step is allowed.
    let text = shaken("\"backward-euler\"")
        .replace(
            "[[body.fix]]",
            "disturb = { scatter = 0.5, seed = 1 }\n[[body.fix]]",
        )
        .replace("poisson = 0.4", "poisson = 0.4999")
        .replace(
            "[[body]]",
            "control = { kind = \"retreat\", min = 0.001 }\n[[body]]",
        )
        + "[solver]\nnewton = \"residual\"\n";
    let dir = tempfile::tempdir().unwrap();
    let error = run_until(&text, dir.path(), None, u64::MAX).unwrap_err();
    let RunError::Step {
        why: StepError::Newton { .. },
        ..
    } = &error
    else {
        panic!("{error}")
    };
    assert!(error.to_string().contains("try a smaller step"), "{error}");
    Checkpoint::read(&dir.path().join("checkpoint.supple")).unwrap();
}

#[test]
fn folders_that_cannot_be_created_are_reported() {
    let dir = tempfile::tempdir().unwrap();
    let text = SHAKEN.replace("{method}", "\"newmark\"");
    let file = dir.path().join("file");
    std::fs::write(&file, "no folder").unwrap();
    for out in [file.clone(), file.join("below")] {
        let error = run_until(&text, &out, None, u64::MAX).unwrap_err();
        assert!(matches!(error, RunError::Write(_)), "{error}");
        assert!(
            error.to_string().contains("could not make the folder"),
            "{error}"
        );
    }
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "no folder");
}

/// Output files are links to a device that is always full.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_reported() {
    let text = shaken("\"newmark\"");
    for name in [
        "steps.csv",
        "probes.csv",
        "frames/00001.vtu.part",
        "checkpoint.supple.part",
        "report.json.part",
    ] {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("frames")).unwrap();
        std::os::unix::fs::symlink("/dev/full", dir.path().join(name)).unwrap();
        let error = run_until(&text, dir.path(), None, u64::MAX).unwrap_err();
        let sentence = error.to_string();
        assert!(matches!(error, RunError::Write(_)), "{name}: {sentence}");
        let file = name.trim_end_matches(".part");
        assert!(
            sentence.contains(file) && sentence.contains("free some space"),
            "{name}: {sentence}"
        );
    }
}

#[test]
fn a_finished_run_has_status_finished() {
    let dir = tempfile::tempdir().unwrap();
    let report = run_whole(&shaken("\"newmark\""), dir.path());
    assert_eq!(
        (report.status, report.steps, report.t),
        (Status::Finished, 9, 0.0085)
    );
    let (header, rows) = table(&dir.path().join("steps.csv"));
    let columns = "t,h,kinetic,elastic,gravity,contact,total,px,py,pz,lx,ly,lz,newton,factorizations,solves,rejected,blend";
    assert_eq!(header.join(","), columns);
    for row in &rows {
        let sum: f64 = row[2..6].iter().sum();
        assert!((sum - row[6]).abs() <= 1e-12 * row[6].abs().max(1.0));
    }
    let (header, rows) = table(&dir.path().join("probes.csv"));
    assert_eq!(header, ["t", "tip.x", "tip.y", "tip.z"]);
    assert_eq!(rows[0], [0.0, 0.3, 0.1, 0.1]);
}
