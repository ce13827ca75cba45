//! Failed runs: each reports its cause and writes a capsule whose replay fails bit for bit in the same way.

use std::path::Path;

use scene::capsule::Capsule;
use scene::run::{CAPSULE, FailureCause, RunError};
use scene::session::Session;

use super::{finish, simulation};

const BAR: &str = r#"
[time]
method = "backward-euler"
step = 0.01
until = 0.1
fps = 10.0
control = { kind = "retreat", min = 0.0025 }
[[body]]
name = "bar"
mesh = { box = { size = [0.4, 0.1, 0.1], cells = [4, 1, 1], element = "tet4" } }
material = { law = "neo-hookean", young = 1e5, poisson = 0.3, density = 1000 }
[[body.fix]]
where = { x = 0.0 }
"#;

/// Runs to the failure, checks the replay of its capsule, and returns cause and message.
fn failed(sim: &mut Session, out: &Path) -> (FailureCause, String) {
    let error = finish(sim, out).unwrap_err();
    let sentence = error.to_string();
    let RunError::Step { cause, .. } = error else {
        panic!("not a failed step: {sentence}");
    };
    assert!(sentence.contains(&cause.to_string()), "{sentence}");
    assert!(sentence.contains("supple replay"), "{sentence}");
    let capsule = Capsule::read(&out.join(CAPSULE)).unwrap();
    assert_eq!(capsule.cause, cause);
    assert_eq!(capsule.state(), sim.state());
    (cause, sentence)
}

fn assert_replays(out: &Path) {
    let capsule = Capsule::read(&out.join(CAPSULE)).unwrap();
    let replay = capsule.replay().unwrap();
    assert!(replay.same, "{:?}", replay.error);
    assert!(replay.error.is_some());
}

#[test]
fn a_constraint_that_inverts_elements_is_diagnosed() {
    // The far end is pushed through the near one within a step.
    let text = format!(
        "{BAR}\n[[body.fix]]\nwhere = {{ x = 0.4 }}\nmotion = {{ keys = [{{ t = 0.0 }}, {{ t = 0.1, translate = [-0.8, 0.0, 0.0] }}] }}\n"
    )
    .replace("cells = [4, 1, 1]", "cells = [2, 1, 1]");
    let dir = tempfile::tempdir().unwrap();
    let (cause, sentence) = failed(&mut simulation(&text), dir.path());
    assert_eq!(cause, FailureCause::Folded, "{sentence}");
    let words = ["the boundary cannot move", "partial moves", "element"];
    assert!(words.iter().all(|w| sentence.contains(w)), "{sentence}");
    assert_replays(dir.path());
}

/// Steps before the failure reuse factors; the failed step is repeated without them, and so is its capsule.
#[test]
fn a_capsule_needs_no_factors_of_earlier_steps() {
    let shove = "motion = { keys = [{ t = 0.0 }, { t = 0.01, translate = [0.001, 0.0, 0.0] }, { t = 0.011, translate = [4.0, 3.0, 0.0] }] }";
    let text = format!("gravity = [0.0, -9.81, 0.0]\n[solver]\nmax-iterations = 1\n{BAR}\n[[body.fix]]\nwhere = {{ x = 0.4 }}\n{shove}\n")
        .replace("neo-hookean", "stable-neo-hookean")
        .replace("step = 0.01", "step = 0.001")
        .replace("min = 0.0025", "min = 0.001");
    let dir = tempfile::tempdir().unwrap();
    let mut before = simulation(&text.replace("until = 0.1", "until = 0.01"));
    finish(&mut before, dir.path()).unwrap();
    assert!(before.time_loop().solver().keeps_factors());
    let dir = tempfile::tempdir().unwrap();
    let mut sim = simulation(&text);
    let (_, sentence) = failed(&mut sim, dir.path());
    assert!(sentence.contains("Newton stalled"), "{sentence}");
    assert!((sim.state().t - 0.01).abs() < 1e-12, "{sentence}");
    assert_replays(dir.path());
}

#[test]
fn inverted_elements_under_a_law_that_forbids_them() {
    for (poisson, wanted) in [
        ("0.3", FailureCause::Folded),
        ("0.4999", FailureCause::Folded),
    ] {
        let text = BAR.replace("poisson = 0.3", &format!("poisson = {poisson}"))
            + "[body.disturb]\nscatter = 0.5\nseed = 1\n";
        let dir = tempfile::tempdir().unwrap();
        let (cause, sentence) = failed(&mut simulation(&text), dir.path());
        assert_eq!(cause, wanted, "{sentence}");
        assert!(sentence.contains("worst element"), "{sentence}");
        assert_replays(dir.path());
    }
}

#[test]
fn an_inverted_nearly_incompressible_start_is_diagnosed() {
    let text = BAR
        .replace("neo-hookean", "stable-neo-hookean")
        .replace("poisson = 0.3", "poisson = 0.4999")
        .replace("[time]", "[solver]\nnewton = \"residual\"\n[time]")
        + "[body.disturb]\nscatter = 0.5\nseed = 1\n";
    let dir = tempfile::tempdir().unwrap();
    let (cause, sentence) = failed(&mut simulation(&text), dir.path());
    assert_eq!(cause, FailureCause::Incompressible, "{sentence}");
    assert_replays(dir.path());
    // Minimisation of the incremental potential succeeds where Newton on the residual fails.
    let text = text.replace("newton = \"residual\"", "newton = \"minimise\"");
    let dir = tempfile::tempdir().unwrap();
    let report = finish(&mut simulation(&text), dir.path()).unwrap();
    assert_eq!(report.newton_unconverged, 0);
}

#[test]
fn forces_that_are_not_finite_are_diagnosed() {
    for (value, wanted) in [
        (f64::INFINITY, FailureCause::InfiniteForce),
        (f64::NAN, FailureCause::NotANumber),
    ] {
        let mut sim = simulation(BAR);
        // Scene files cannot contain such loads, but programs can set them.
        sim.model.set_gravity([0.0, value, 0.0]);
        let dir = tempfile::tempdir().unwrap();
        let (cause, sentence) = failed(&mut sim, dir.path());
        assert_eq!(cause, wanted, "{sentence}");
    }
}

#[test]
fn stiff_tethers_and_steps_of_ten_seconds_succeed() {
    let mut cases: Vec<String> = ["1e12", "1e14", "1e20"]
        .iter()
        .map(|k| format!("{BAR}[[body.tether]]\nwhere = {{ x = 0.4 }}\nstiffness = {k}\nmotion = {{ keys = [{{ t = 0.0 }}, {{ t = 0.1, translate = [0.05, 0.02, 0.0] }}] }}\n"))
        .collect();
    cases.push(endless(BAR));
    for text in cases {
        let dir = tempfile::tempdir().unwrap();
        let report = finish(&mut simulation(&text), dir.path()).unwrap();
        assert_eq!(report.newton_unconverged, 0);
        assert!(report.energy.last.is_finite());
        assert_eq!(report.rejected, 0);
    }
}

/// Minimisation succeeds, but Newton on the residual [Löschner et al. 2020, eq. 10] fails: the rounding of the tether's
/// force exceeds all other forces.
#[test]
fn a_stiff_tether_stalls_newton_on_the_residual() {
    for k in ["1e16", "1e20", "1e24"] {
        let text = format!(
            "[solver]\nnewton = \"residual\"\n{BAR}[[body.tether]]\nwhere = {{ x = 0.4 }}\nstiffness = {k}\nmotion = {{ keys = [{{ t = 0.0 }}, {{ t = 0.02, translate = [0.05, 0.02, 0.0] }}] }}\n"
        );
        let dir = tempfile::tempdir().unwrap();
        let (cause, sentence) = failed(&mut simulation(&text), dir.path());
        assert_eq!(cause, FailureCause::StiffnessContrast, "{k}: {sentence}");
        assert_replays(dir.path());
    }
}

/// Steps of ten seconds, and none shorter than five.
fn endless(text: &str) -> String {
    text.replace("step = 0.01", "step = 10.0")
        .replace("until = 0.1", "until = 20.0")
        .replace("min = 0.0025", "min = 5.0")
}

#[test]
fn springs_whose_rounding_exceeds_inertia_are_diagnosed() {
    // A rotating net of unrealistically stiff wires: the rounding of their lengths causes larger forces than all others.
    let text = BAR
        .replace(
            "material = { law = \"neo-hookean\", young = 1e5, poisson = 0.3, density = 1000 }",
            "springs = { stiffness = 1e18, density = 1000 }\nvelocity = { angular = [0.0, 0.0, 4.0] }",
        )
        .replace("[[body.fix]]\nwhere = { x = 0.0 }\n", "");
    let dir = tempfile::tempdir().unwrap();
    let (cause, sentence) = failed(&mut simulation(&text), dir.path());
    assert_eq!(cause, FailureCause::StiffnessContrast, "{sentence}");
    assert!(sentence.contains("1e12"), "{sentence}");
    assert_replays(dir.path());
    // With the stiffness of steel the run succeeds.
    let text = text.replace("1e18", "1e7");
    finish(&mut simulation(&text), tempfile::tempdir().unwrap().path()).unwrap();
}

#[test]
fn a_step_that_is_too_long_is_diagnosed() {
    // A very soft body falls half a kilometre in such a step.
    let text = endless(BAR)
        .replace("young = 1e5", "young = 30")
        .replace("[time]", "[solver]\nmax-iterations = 5\n[time]");
    let dir = tempfile::tempdir().unwrap();
    let (cause, sentence) = failed(&mut simulation(&text), dir.path());
    assert_eq!(cause, FailureCause::StepTooLong, "{sentence}");
    assert!(sentence.contains("a hundredth"), "{sentence}");
    assert_replays(dir.path());
}
