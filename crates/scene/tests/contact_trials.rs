//! Small versions of the trials of barrier contact (`examples/contact_trials`): no accepted step has an intersection, by an
//! exact edge–triangle test, or a vertex inside a smooth obstacle.

#[path = "../examples/contact_trials/scenes.rs"]
mod scenes;
#[path = "../examples/contact_trials/watch.rs"]
mod watch;

use scene::build::build;
use scene::session::{Flow, Session};
use scene::spec::Source;

use scenes::{Trial, trials};
use watch::{Findings, Watch};

const METHODS: [&str; 3] = ["backward-euler", "sdirk2", "tr-bdf2"];

fn trial(name: &str) -> Trial {
    let mut all = trials(true);
    all.retain(|t| t.name == name);
    all.pop().unwrap()
}

fn session(trial: &Trial, method: &str, step: f64) -> Session {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in &trial.files {
        std::fs::write(dir.path().join(name), text).unwrap();
    }
    let file = dir.path().join("trial.toml");
    std::fs::write(&file, trial.scene(method, step)).unwrap();
    let source = Source::read(&file).unwrap_or_else(|e| panic!("{e}"));
    let scene = source.scene().unwrap_or_else(|e| panic!("{e}"));
    build(scene, &source).unwrap_or_else(|e| panic!("{e}"))
}

/// Runs a trial under all methods and steps; every step is checked, and something must come within reach.
fn hold(name: &str) {
    let trial = trial(name);
    for &step in trial.steps {
        for method in METHODS {
            let mut session = session(&trial, method, step);
            let watch = Watch::new(&session).unwrap();
            let ran = session.run_until(trial.until, &mut |session, row| {
                let found = watch.check(session);
                assert_eq!(
                    found,
                    Findings::default(),
                    "{name} {method} {step} at {} s",
                    row.t
                );
                Flow::On
            });
            ran.unwrap_or_else(|e| panic!("{name} {method} {step}: {e}"));
            // The bullet may touch the sheet within a step only.
            let gap = session.totals().contact.least_gap;
            assert!(
                gap.is_some() || name == "bullet",
                "{name} {method}: no contact"
            );
        }
    }
}

#[test]
fn a_mat_twisted_by_a_turn() {
    hold("mat");
}

#[test]
fn a_ball_through_rollers() {
    hold("rollers");
}

#[test]
fn a_bullet_does_not_pass_a_sheet_at_frame_size_steps() {
    hold("bullet");
    // Without contact it would be 33 m behind the sheet, which bulges by less than its width.
    let trial = trial("bullet");
    let mut session = session(&trial, "sdirk2", 0.033);
    session
        .run_until(trial.until, &mut |_, _| Flow::On)
        .unwrap();
    let bullet = session.positions().pop().unwrap();
    assert!(bullet[2] > -0.4, "the bullet is at {bullet:?}");
}

#[test]
fn a_ball_through_a_funnel() {
    hold("funnel");
}

#[test]
fn strips_that_fold() {
    hold("folds");
}

#[test]
fn bodies_poured_into_a_box() {
    hold("hundred");
}
