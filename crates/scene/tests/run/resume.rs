//! A resumed run writes the same bytes as an uninterrupted one.

use march::methods;

use super::{SHAKEN, assert_same, contents, run_until, run_whole, shaken, simulation, table};
use scene::checkpoint::Checkpoint;
use scene::run::{Flow, RunOptions, Status, run};

/// All methods of the registry as TOML; those with a user's tableau get one.
fn all_methods() -> Vec<String> {
    let plain = |name: &String| match name.trim_start_matches("s-") {
        "dirk" => format!("{{ name = \"{name}\", A = [[0.3, 0.0], [0.4, 0.3]], b = [0.5, 0.5] }}"),
        "rosenbrock" => {
            format!(
                "{{ name = \"{name}\", alpha = [[0, 0], [1, 0]], Gamma = [[0.3, 0], [-0.6, 0.3]], b = [0.5, 0.5] }}"
            )
        }
        _ => format!("\"{name}\""),
    };
    methods::names().iter().map(plain).collect()
}

#[test]
fn every_method_resumes_bit_for_bit() {
    let methods = all_methods();
    assert!(methods.len() > 40);
    let mut carried = 0;
    for method in methods {
        let text = shaken(&method);
        let whole = tempfile::tempdir().unwrap();
        let report = run_whole(&text, whole.path());
        assert_eq!((report.steps, report.frames), (9, 3), "{method}");
        let whole = contents(whole.path());
        for stop in [0, 1, 2, 5, 8] {
            let dir = tempfile::tempdir().unwrap();
            let first = run_until(&text, dir.path(), None, stop).unwrap();
            assert_eq!((first.status, first.steps), (Status::Interrupted, stop));
            let checkpoint = dir.path().join("checkpoint.supple");
            let saved = Checkpoint::read(&checkpoint).unwrap();
            carried += u32::from(saved.session.has_cached_factors());
            let second = run_until(&text, dir.path(), Some(&checkpoint), u64::MAX).unwrap();
            assert_eq!((second.status, second.steps), (Status::Finished, 9));
            assert_same(
                &contents(dir.path()),
                &whole,
                &format!("{method} stopped after step {stop}"),
            );
        }
    }
    assert!(carried > 30, "{carried} checkpoints hold a matrix");
}

/// The body is free, and its blends keep the angular momentum.
const FREE: &str = "angular-momentum = \"keep\"\n";
const PROJECTED: &str = "kind = \"project\"\n";
const ENERGY_MOMENTUM: &str = "kind = \"fepr\"\n";
const MULTIPLIER: &str = "kind = \"multiplier\"\n";

/// Energy tracking around methods with and without history: the energy budget is resumed, also with damping after the
/// steps, which the budget books one step later.
#[test]
fn energy_tracking_resumes_bit_for_bit() {
    for (method, more) in [
        ("implicit-midpoint", ""),
        ("newmark", ""),
        ("bdf2", ""),
        ("symplectic-euler", ""),
        ("implicit-midpoint", "[solver]\nnewton = \"local-global\"\n"),
        ("implicit-midpoint", FREE),
        ("implicit-midpoint", PROJECTED),
        ("newmark", PROJECTED),
        ("bdf2", PROJECTED),
        ("symplectic-euler", ENERGY_MOMENTUM),
        ("bdf2", ENERGY_MOMENTUM),
        ("symplectic-euler", MULTIPLIER),
        ("bdf2", MULTIPLIER),
    ] {
        let mut text = shaken(&format!("\"{method}\""))
            .replace("stable-neo-hookean", "arap")
            .replace("mass = 0.5", "mass = 0.5, rigid-free = 3.0");
        if more == FREE {
            let (from, to) = (text.find("[[body.fix]]"), text.find("[[probe]]"));
            text.replace_range(from.unwrap()..to.unwrap(), "");
        }
        let text = format!("{text}\n[time.stabilise]\ntolerance = 1e-6\n{more}");
        let whole = tempfile::tempdir().unwrap();
        run_whole(&text, whole.path());
        let (header, rows) = table(&whole.path().join("steps.csv"));
        let blend = header.iter().position(|h| h == "blend").unwrap();
        assert_eq!(
            rows.iter().any(|r| r[blend] != 0.0),
            !more.starts_with("kind"),
            "{method} never blended"
        );
        let whole = contents(whole.path());
        for stop in [0, 1, 4, 8] {
            let dir = tempfile::tempdir().unwrap();
            run_until(&text, dir.path(), None, stop).unwrap();
            let checkpoint = dir.path().join("checkpoint.supple");
            run_until(&text, dir.path(), Some(&checkpoint), u64::MAX).unwrap();
            let what = format!("{method} {more} stopped after step {stop}");
            assert_same(&contents(dir.path()), &whole, &what);
        }
    }
}

/// Frozen rotations, lagged wind and springs with dampers have state beyond u and v.
#[test]
fn state_beyond_positions_and_velocities_is_resumed() {
    let frozen = SHAKEN.replace("stable-neo-hookean", "corotated-frozen");
    let windy = format!(
        "{SHAKEN}\n[[wind]]\nvelocity = [30.0, 0.0, 9.0]\ndrag = 1.2\ngust = {{ amplitude = 0.5, frequency = 40.0 }}\n"
    );
    let undamped = SHAKEN.replace("damping = { mass = 0.5, stiffness = 1e-4 }", "");
    let springs = SHAKEN.replace(
        "material = { law = \"stable-neo-hookean\", young = 1e5, poisson = 0.4, density = 1000 }",
        "springs = { stiffness = 2e3, damping = 0.4 }",
    );
    for (what, scene) in [
        ("frozen", frozen),
        ("windy", windy),
        ("undamped", undamped),
        ("springs", springs),
    ] {
        for method in [
            "trapezoid",
            "tr-bdf2",
            "newmark",
            "central-difference",
            "sdirk2",
            "ros3p",
            "bdf2",
        ] {
            let text = scene.replace("{method}", &format!("\"{method}\""));
            let whole = tempfile::tempdir().unwrap();
            run_whole(&text, whole.path());
            let dir = tempfile::tempdir().unwrap();
            run_until(&text, dir.path(), None, 4).unwrap();
            let checkpoint = dir.path().join("checkpoint.supple");
            // Factors of frozen rotations are not reused in other steps.
            let saved = Checkpoint::read(&checkpoint).unwrap();
            assert!(
                what != "frozen" || !saved.session.has_cached_factors(),
                "{method}"
            );
            run_until(&text, dir.path(), Some(&checkpoint), u64::MAX).unwrap();
            assert_same(
                &contents(dir.path()),
                &contents(whole.path()),
                &format!("{what} {method}"),
            );
        }
    }
}

/// The run continued after the checkpoint: tables, frames and series are truncated to it.
#[test]
fn an_older_checkpoint_truncates_the_files() {
    let text = format!(
        "{}[output]\nformats = [\"vtu\", \"gltf\", \"pc2\", \"ply\"]\n",
        shaken("\"bdf2\"")
    );
    let whole = tempfile::tempdir().unwrap();
    run_whole(&text, whole.path());
    let dir = tempfile::tempdir().unwrap();
    let checkpoint = dir.path().join("checkpoint.supple");
    let kept = dir.path().join("kept.supple");
    let options = RunOptions {
        out: dir.path().into(),
        resume: None,
    };
    // The checkpoint of t = 0.003 exists when step 4 is reported.
    run(&mut simulation(&text), &options, &mut |p| {
        if p.steps == 4 {
            std::fs::copy(&checkpoint, &kept).unwrap();
        }
        Flow::On
    })
    .unwrap();
    let resumed = run_until(&text, dir.path(), Some(&kept), 5).unwrap();
    assert_eq!(resumed.steps, 5);
    assert_eq!(
        table(&dir.path().join("steps.csv")).1.len(),
        6,
        "a row for the start and each of five steps"
    );
    run_until(&text, dir.path(), Some(&checkpoint), u64::MAX).unwrap();
    std::fs::remove_file(&kept).unwrap();
    assert_same(
        &contents(dir.path()),
        &contents(whole.path()),
        "resumed twice",
    );
}

/// A finished run can be resumed with a later `until`, also if its last step was shortened.
#[test]
fn a_finished_run_can_be_extended() {
    let text = shaken("\"trapezoid\"");
    let longer = text.replace("until = 0.0085", "until = 0.0122");
    let dir = tempfile::tempdir().unwrap();
    run_whole(&text, dir.path());
    let report = run_until(
        &longer,
        dir.path(),
        Some(&dir.path().join("checkpoint.supple")),
        u64::MAX,
    )
    .unwrap();
    assert_eq!((report.t, report.status), (0.0122, Status::Finished));
    let (_, rows) = table(&dir.path().join("steps.csv"));
    let mut t = 0.0;
    for row in &rows {
        t += row[1];
        assert!(
            (row[0] - t).abs() < 1e-15,
            "the steps up to t = {} sum to {t}",
            row[0]
        );
    }
    // Steps stay on the time grid, except at the end of the first run.
    let straight = tempfile::tempdir().unwrap();
    run_whole(&longer, straight.path());
    let ends = [dir.path(), straight.path()].map(|d| table(&d.join("probes.csv")).1.pop().unwrap());
    for k in 1..4 {
        assert!((ends[0][k] - ends[1][k]).abs() < 1e-6, "{ends:?}");
    }
}
