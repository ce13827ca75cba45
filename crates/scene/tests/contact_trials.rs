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
    session_of(trial, &trial.scene(method, step))
}

/// A session of the text of a scene, beside the files of a trial.
fn session_of(trial: &Trial, text: &str) -> Session {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in &trial.files {
        std::fs::write(dir.path().join(name), text).unwrap();
    }
    let file = dir.path().join("trial.toml");
    std::fs::write(&file, text).unwrap();
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

/// Newton iterations per stage of the steps in contact, and the total energy at the end (J).
fn iterations_in_contact(trial: &Trial, method: &str, solver: &str) -> (f64, f64) {
    let mut converged = trial.scene(method, 0.005);
    converged += solver;
    let mut session = session_of(trial, &converged);
    let (mut newton, mut stages, mut before) = (0, 0, 0.0);
    let ran = session.run_until(0.95, &mut |_, row| {
        if row.energies.contact > 0.0 || before > 0.0 {
            newton += row.work.newton;
            stages += row.work.stages;
        }
        before = row.energies.contact;
        Flow::On
    });
    ran.unwrap_or_else(|e| panic!("{e}"));
    assert!(stages > 10, "no contact");
    (newton as f64 / stages as f64, session.energies().total())
}

/// In contact the iteration ends with the error of the step; what it leaves does not show in the energy.
#[test]
fn few_newton_iterations_in_contact_leave_the_energy_alone() {
    let ball = trial("ball");
    for (method, most) in [("backward-euler", 3.36), ("sdirk2", 3.9)] {
        let (few, energy) = iterations_in_contact(&ball, method, "");
        let tight = "\n[solver]\naccuracy = 1e-9\n";
        let (many, exact) = iterations_in_contact(&ball, method, tight);
        println!("{method}: {few:.2} and {many:.2} iterations, {energy:.4} and {exact:.4} J");
        assert!(few <= most, "{method}: {few} iterations per stage");
        assert!(many > 1.5 * few, "{method}: {many} and {few}");
        let change = (energy / exact - 1.0).abs();
        assert!(change < 2e-3, "{method}: {energy} and {exact} J");
    }
}
