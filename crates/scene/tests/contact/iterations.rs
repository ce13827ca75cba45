//! Newton iterations in contact, against those recorded with IPC Toolkit on the same ball.

#[allow(dead_code)]
#[path = "../../examples/contact_trials/scenes.rs"]
mod scenes;
#[allow(dead_code)]
#[path = "../../examples/contact_trials/tally.rs"]
mod tally;

use scene::build::build;
use scene::session::Flow;
use scene::spec::Source;

use tally::Tallies;

/// The whole first contact of a ball of 729 vertices: at most 1.2 times the iterations recorded.
#[test]
fn a_ball_takes_few_newton_iterations_per_stage_in_contact() {
    let trial = scenes::trials(true)
        .into_iter()
        .find(|t| t.name == "ball")
        .unwrap();
    for (method, most) in [
        ("backward-euler", 1.2 * 2.8),
        ("sdirk2", 1.2 * 2.5),
        ("tr-bdf2", 1.2 * 2.8),
    ] {
        let dir = tempfile::tempdir().unwrap();
        for (name, text) in &trial.files {
            std::fs::write(dir.path().join(name), text).unwrap();
        }
        let file = dir.path().join("ball.toml");
        std::fs::write(&file, trial.scene(method, 0.005)).unwrap();
        let source = Source::read(&file).unwrap();
        let mut session = build(source.scene().unwrap(), &source).unwrap();
        let mut tallies = Tallies::default();
        session
            .run_until(0.9, &mut |_, row| {
                tallies.add(row.energies.contact, &row.work, 0.0);
                Flow::On
            })
            .unwrap();
        let (steps, per_stage) = (tallies.contact.steps, tallies.contact.newton_per_stage());
        assert!(steps > 15, "{method}: {steps} steps in contact");
        assert!(
            per_stage <= most,
            "{method}: {per_stage} iterations per stage"
        );
    }
}
