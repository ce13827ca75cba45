//! Keys of statics: refusals by name, `--static`, frames, tables, resumed runs.

use std::path::Path;

use scene::build::build;
use scene::run::{Flow, RunOptions, run};
use scene::spec::{Source, parse};

use super::session;

const TOML: &str = r#"
[time]
method = "static"
[[body]]
mesh = { box = { size = [1.0, 0.1, 0.1], cells = [4, 1, 1] } }
material = { young = 1e6, poisson = 0.3, density = 1000 }
[[body.fix]]
where = { x = 0.0 }
[[body.tether]]
where = { x = 1.0 }
stiffness = 10.0
[[probe]]
name = "tip"
body = "body-0"
near = [1.0, 0.1, 0.1]
"#;

#[test]
fn keys_without_effect_are_refused_by_name() {
    for (key, value) in [
        ("time.step", "0.01"),
        ("time.fps", "20"),
        ("time.calm-start", "false"),
        ("time.stabilise", "{}"),
        ("time.control", "{ tolerance = 1e-3 }"),
        ("solver.accuracy", "0.01"),
        ("solver.newton", "\"local-global\""),
        ("wind", "[{ velocity = [1, 0, 0], drag = 1 }]"),
        ("body[0].damping", "{ mass = 1 }"),
        ("body[0].velocity", "{ linear = [1, 0, 0] }"),
        ("body[0].material.viscosity", "{ shear = 1 }"),
    ] {
        let mut source = Source::new("scene.toml", TOML).unwrap();
        source.set(key, value).unwrap();
        let refusal = source.scene().unwrap_err().to_string();
        assert!(refusal.contains(&format!("{key}: ")), "{key}: {refusal}");
        if key == "solver.newton" {
            continue;
        }
        assert!(
            refusal.contains("has no effect in statics"),
            "{key}: {refusal}"
        );
        // `--static` leaves them out.
        assert_eq!(source.set_static().unwrap(), [key]);
        source.scene().unwrap();
    }
    let control = TOML.replace(
        "\"static\"",
        "\"static\"\ncontrol = { kind = \"retreat\", min = 0.01 }",
    );
    session(&control);
    let moving = TOML.replace(
        "\"static\"",
        "\"sdirk2\"\nstep = 0.1\nuntil = 1.0\nsteps = 3",
    );
    let refusal = parse("scene.toml", &moving).unwrap_err().to_string();
    assert!(
        refusal.contains("time.steps: is the number of load steps"),
        "{refusal}"
    );
    let missing = TOML.replace("\"static\"", "\"sdirk2\"\nstep = 0.1");
    let refusal = parse("scene.toml", &missing).unwrap_err().to_string();
    assert!(refusal.contains("time.until: missing key"), "{refusal}");
    let misspelt = TOML.replace("\"static\"", "\"statc\"\nstep = 0.1\nuntil = 1.0");
    let (scene, source) = parse("scene.toml", &misspelt).unwrap();
    let refusal = build(scene, &source).err().unwrap().to_string();
    assert!(refusal.contains("did you mean \"static\""), "{refusal}");
    let loose = "[time]\nmethod = \"static\"\n[[particle]]\nposition = [0, 0, 0]\nmass = 1\n";
    let (scene, source) = parse("scene.toml", loose).unwrap();
    let refusal = build(scene, &source).err().unwrap().to_string();
    assert!(
        refusal.contains("particle[0]: node 0 is neither held nor connected"),
        "{refusal}"
    );
    let mut static_session = session(TOML);
    assert!(static_session.set_method("sdirk2").is_err());
}

fn run_to(text: &str, out: &Path, resume: Option<&Path>, stop: u64) -> scene::run::Report {
    let options = RunOptions {
        out: out.into(),
        resume: resume.map(Into::into),
    };
    let mut session = session(text);
    run(&mut session, &options, &mut |p| match p.steps >= stop {
        true => Flow::Stop,
        false => Flow::On,
    })
    .unwrap()
}

#[test]
fn a_resumed_static_run_has_the_same_tables() {
    let [whole, parts] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let report = run_to(TOML, whole.path(), None, u64::MAX);
    assert_eq!((report.steps, report.frames), (10, 11));
    run_to(TOML, parts.path(), None, 4);
    let checkpoint = parts.path().join("checkpoint.supple");
    let resumed = run_to(TOML, parts.path(), Some(&checkpoint), u64::MAX);
    assert_eq!((resumed.steps, resumed.frames), (10, 11));
    for name in ["steps.csv", "ledger.csv", "probes.csv", "reactions.csv"] {
        let [a, b] =
            [&whole, &parts].map(|d| std::fs::read_to_string(d.path().join(name)).unwrap());
        assert_eq!(a, b, "{name}");
    }
    let read = |name: &str| std::fs::read_to_string(whole.path().join(name)).unwrap();
    let steps = read("steps.csv");
    assert!(
        steps
            .lines()
            .next()
            .unwrap()
            .ends_with(",blend,load,residual,negative_pivots,displacement")
    );
    let reactions = read("reactions.csv");
    assert!(
        reactions.starts_with("t,body-0.fix[0].fx,body-0.fix[0].fy"),
        "{reactions}"
    );
    assert_eq!(reactions.lines().count(), 12);
    let json: serde_json::Value = serde_json::from_str(&read("report.json")).unwrap();
    assert_eq!(json["statics"]["stability"], "stable");
    assert_eq!(json["statics"]["reactions"][1]["name"], "body-0.tether[0]");
    // Without the key of the end, the full loads are reached at t = 1; with another the run cannot be resumed.
    let off = TOML.replace("[time]", "[output]\nreactions = false\n[time]");
    let quiet = tempfile::tempdir().unwrap();
    run_to(&off, quiet.path(), None, u64::MAX);
    assert!(!quiet.path().join("reactions.csv").exists());
    let longer = TOML.replace("\"static\"", "\"static\"\nuntil = 2.0");
    let options = RunOptions {
        out: parts.path().into(),
        resume: Some(checkpoint),
    };
    assert!(run(&mut session(&longer), &options, &mut |_| Flow::On).is_err());
}

/// A load step that is too long for Newton's method is halved.
#[test]
fn failed_load_steps_are_halved() {
    let text = TOML
        .replace(
            "\"static\"",
            "\"static\"\nsteps = 1\n[solver]\nmax-iterations = 4\nnewton = \"residual\"",
        )
        .replace("young = 1e6", "young = 2e4");
    let mut session = session(&text);
    session.run_until(1.0, &mut |_, _| Flow::On).unwrap();
    let totals = session.totals();
    assert!(totals.rejected > 0 && totals.steps > 1, "{totals:?}");
    assert_eq!(session.row().load_step.unwrap().load, 1.0);
}
