//! `supple run`: output, files, overrides and failures.

use super::{BAR, Workspace};

#[test]
fn a_quiet_run_prints_nothing_and_writes_all_files() {
    let workspace = Workspace::new();
    let output = workspace.supple(&["run", "bar.toml", "--quiet"]);
    assert_eq!(
        (output.code, output.out.as_str(), output.err.as_str()),
        (Some(0), "", "")
    );
    for file in [
        "steps.csv",
        "probes.csv",
        "series.pvd",
        "report.json",
        "report.html",
        "checkpoint.supple",
        "frames/00001.vtu",
    ] {
        assert!(workspace.path("out/bar").join(file).exists(), "{file}");
    }
    let report: serde_json::Value =
        serde_json::from_str(&workspace.read("out/bar/report.json")).unwrap();
    for key in [
        "status",
        "scene",
        "method",
        "dofs",
        "steps",
        "rejected",
        "wall_seconds",
        "newton_mean",
        "factorizations",
        "solves",
        "energy",
        "momentum",
        "version",
        "threads",
        "seed",
    ] {
        assert!(!report[key].is_null(), "report.json lacks {key}");
    }
    for key in ["initial", "final", "min", "max"] {
        assert!(
            report["energy"][key].is_f64(),
            "report.json lacks energy.{key}"
        );
    }
    assert_eq!(
        (report["status"].as_str(), report["steps"].as_u64()),
        (Some("finished"), Some(5))
    );
}

#[test]
fn a_run_prints_its_summary_and_output_folder() {
    let workspace = Workspace::new();
    let output = workspace.supple(&["run", "bar.toml", "-o", "here", "--threads", "2"]);
    assert_eq!(output.err, "");
    let out = output.success();
    assert!(
        out.contains("sdirk2: 48 unknowns, 5 steps to t = 0.0500 s"),
        "{out}"
    );
    assert!(out.contains("2 frames in here/series.pvd"), "{out}");
    assert!(!workspace.path("out").exists());
}

#[test]
fn arguments_override_the_scene() {
    let workspace = Workspace::new();
    let args = [
        "run",
        "bar.toml",
        "--method",
        "s-bdf2",
        "--step",
        "0.02",
        "--until",
        "0.1",
        "--set",
        "title=Other",
    ];
    let out = workspace
        .supple(&[&args[..], &["--set", "body.bar.material.young=2e5"]].concat())
        .success();
    assert!(
        out.contains("s-bdf2: 48 unknowns, 5 steps to t = 0.1000 s"),
        "{out}"
    );
    let report: serde_json::Value =
        serde_json::from_str(&workspace.read("out/bar/report.json")).unwrap();
    assert_eq!(
        (report["scene"].as_str(), report["method"].as_str()),
        (Some("Other"), Some("s-bdf2"))
    );
}

#[test]
fn threads_do_not_change_a_byte() {
    let workspace = Workspace::new();
    for threads in ["1", "3"] {
        workspace
            .supple(&["run", "bar.toml", "-q", "--threads", threads, "-o", threads])
            .success();
    }
    for file in [
        "steps.csv",
        "probes.csv",
        "checkpoint.supple",
        "series.pvd",
        "frames/00001.vtu",
    ] {
        let [one, three] = ["1", "3"].map(|t| std::fs::read(workspace.path(t).join(file)).unwrap());
        assert!(one == three, "{file} differs");
    }
}

#[test]
fn folders_that_cannot_be_written_are_reported() {
    let workspace = Workspace::new();
    workspace.write("file", "in the way");
    for out in ["file", "file/below"] {
        workspace
            .supple(&["run", "bar.toml", "-o", out])
            .refuses(1, &["could not make the folder file"]);
    }
    assert_eq!(workspace.read("file"), "in the way");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_reported() {
    let workspace = Workspace::new();
    for name in [
        "steps.csv",
        "frames/00000.vtu.part",
        "checkpoint.supple.part",
    ] {
        let out = workspace.path(&name.replace('/', "-"));
        std::fs::create_dir_all(out.join("frames")).unwrap();
        std::os::unix::fs::symlink("/dev/full", out.join(name)).unwrap();
        let file = name.trim_end_matches(".part");
        let output = workspace.supple(&["run", "bar.toml", "-o", out.to_str().unwrap()]);
        output.refuses(
            1,
            &[
                "could not write",
                file,
                "No space left on device",
                "free some space",
            ],
        );
    }
}

#[test]
fn a_failed_simulation_reports_time_place_and_cause() {
    let workspace = Workspace::new();
    let args = [
        "run",
        "bar.toml",
        "--method",
        "forward-euler",
        "--step",
        "0.05",
        "--until",
        "50",
    ];
    workspace
        .supple(&args)
        .refuses(1, &["blown up", "try a smaller step", "out/bar", "t = "]);
    let report: serde_json::Value =
        serde_json::from_str(&workspace.read("out/bar/report.json")).unwrap();
    assert_eq!(report["status"].as_str(), Some("failed"));
    assert!(
        workspace.path("out/bar/checkpoint.supple").exists()
            && workspace.path("out/bar/frames/00000.vtu").exists()
    );
}

#[test]
fn checkpoints_of_other_scenes_are_refused() {
    let workspace = Workspace::new();
    workspace.supple(&["run", "bar.toml", "-q"]).success();
    let resume =
        |more: &[&str]| workspace.supple(&[&["run", "bar.toml", "--resume"], more].concat());
    resume(&["nowhere.supple"]).refuses(2, &["nowhere.supple: the checkpoint cannot be read"]);
    resume(&["bar.toml"]).refuses(2, &["bar.toml: this is not a checkpoint"]);
    let checkpoint = "out/bar/checkpoint.supple";
    resume(&[checkpoint, "--method", "rk4"]).refuses(2, &["another scene, method or step"]);
    resume(&[checkpoint, "--set", "body.bar.material.young=3e5"])
        .refuses(2, &["another scene, method or step"]);
    resume(&[checkpoint, "-o", "elsewhere"]).refuses(
        1,
        &["elsewhere/steps.csv", "the folder in which it was stopped"],
    );
    let mut bytes = std::fs::read(workspace.path(checkpoint)).unwrap();
    bytes[100] ^= 1;
    std::fs::write(workspace.path("damaged.supple"), bytes).unwrap();
    resume(&["damaged.supple"]).refuses(2, &["damaged.supple: the checkpoint is damaged"]);
    // The checkpoint of the scene itself resumes, also beyond the end time of the scene.
    let out = resume(&[checkpoint, "--until", "0.08"]).success();
    assert!(out.contains("8 steps to t = 0.0800 s"), "{out}");
}

#[test]
fn missing_meshes_and_results_are_reported() {
    let workspace = Workspace::new();
    workspace
        .supple(&["mesh", "info", "no.msh"])
        .refuses(2, &["no.msh"]);
    workspace.write("odd.msh", "$MeshFormat\n");
    workspace
        .supple(&["mesh", "info", "odd.msh"])
        .refuses(2, &["odd.msh"]);
    workspace
        .supple(&["mesh", "convert", "no.msh", "no.vtk"])
        .refuses(2, &["no.msh"]);
    assert!(!workspace.path("no.vtk").exists());
    workspace
        .supple(&["render", "nowhere"])
        .refuses(2, &["nowhere"]);
    workspace.supple(&["run", "bar.toml", "-q"]).success();
    let render = |more: &[&str]| workspace.supple(&[&["render", "out/bar"], more].concat());
    render(&["--frame", "7"]).refuses(2, &["--frame 7: the run has frames 0 to 1"]);
    render(&["--size", "big"]).refuses(2, &["--size big: expected WIDTHxHEIGHT"]);
    let drawn = render(&["--frame", "1", "--size", "64x48"]).success();
    assert!(workspace.path(drawn.trim()).exists(), "{drawn}");
}

/// `--static` finds the equilibrium, says which keys it leaves out, and draws the load–displacement curve.
#[test]
fn static_runs_print_and_draw_their_equilibrium() {
    let workspace = Workspace::new();
    workspace.write(
        "bar.toml",
        &BAR.replace("[[body.fix]]", "damping = { mass = 1 }\n[[body.fix]]"),
    );
    let run = workspace.supple(&["run", "bar.toml", "--static", "--set", "time.steps=4"]);
    assert!(
        run.err
            .contains("note: --static leaves out time.step, body[0].damping"),
        "{}",
        run.err
    );
    let out = run.success();
    assert!(
        out.contains("statics: load factor 1, largest residual"),
        "{out}"
    );
    assert!(out.contains(", stable\n"), "{out}");
    let page = workspace.read("out/bar/report.html");
    for words in ["Load and displacement", "Reactions", "bar.fix[0]", ">tip<"] {
        assert!(page.contains(words), "{words}");
    }
    let free = BAR.replace("[[body.fix]]\nwhere = { x = 0.0 }\n", "");
    workspace.write("free.toml", &free);
    let run = workspace.supple(&["run", "free.toml", "--static"]);
    assert!(
        run.err
            .contains("note: bar: its supports allow 6 rigid motions"),
        "{}",
        run.err
    );
    let out = run.success();
    assert!(
        out.contains("warning: bar is not held (6 free rigid motions)"),
        "{out}"
    );
    assert!(
        workspace
            .read("out/free/report.html")
            .contains("Warning: bar is not held")
    );
    let listed = workspace.supple(&["list", "methods"]).success();
    assert!(
        listed.contains("static ") && listed.contains("no integrator"),
        "{listed}"
    );
    for words in [
        &["method", "static"][..],
        &["compare", "bar.toml", "--methods", "static"],
    ] {
        let refused = workspace.supple(words);
        assert_eq!(refused.code, Some(2), "{refused:?}");
    }
}
