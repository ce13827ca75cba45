//! Step halving: failed steps are repeated with shorter steps from the unchanged state.

use std::path::Path;

use scene::run::{Flow, RunError, RunOptions, run};
use scene::session::Session;

use super::{column, finish, simulation};

/// A scattered ball with so small a limit of Newton iterations without progress that long steps fail.
const FEW_ITERATIONS: &str = r#"
gravity = [0.0, 0.0, 0.0]
[time]
method = "{method}"
step = 0.005
until = 0.05
fps = 100.0
checkpoint-every = 0.0001
[solver]
max-iterations = 3
[[body]]
name = "ball"
mesh = { ball = { radius = 0.5, cells = 6, element = "tet4" } }
material = { law = "stable-neo-hookean", young = 1e6, poisson = 0.4, density = 1000 }
damping = { mass = 1.0, stiffness = 0.002 }
disturb = { scatter = 1.0, seed = {seed} }
"#;

fn few_iterations(method: &str, seed: u32) -> String {
    FEW_ITERATIONS
        .replace("{method}", method)
        .replace("{seed}", &seed.to_string())
}

/// Finds a seed for which a run with this method has failed steps.
fn scene_with_failed_steps(method: &str) -> (String, u64) {
    for seed in 1..12 {
        let dir = tempfile::tempdir().unwrap();
        let report = finish(&mut simulation(&few_iterations(method, seed)), dir.path()).unwrap();
        if report.rejected > 0 {
            assert!(report.shortest_step < 0.005);
            return (few_iterations(method, seed), report.rejected);
        }
    }
    panic!("no seed made a step of {method} fail");
}

fn run_to(sim: &mut Session, out: &Path, resume: Option<&Path>, stop: u64) -> Result<(), RunError> {
    let options = RunOptions {
        out: out.into(),
        resume: resume.map(Into::into),
    };
    let mut watch = |p: &scene::run::Progress| match p.steps >= stop {
        true => Flow::Stop,
        false => Flow::On,
    };
    run(sim, &options, &mut watch).map(|_| ())
}

#[test]
fn a_failed_step_is_halved_counted_and_restored() {
    let (text, rejected) = scene_with_failed_steps("backward-euler");
    let dir = tempfile::tempdir().unwrap();
    finish(&mut simulation(&text), dir.path()).unwrap();
    let (t, h) = (column(dir.path(), "t"), column(dir.path(), "h"));
    let sum: f64 = column(dir.path(), "rejected").iter().sum();
    assert_eq!(sum, rejected as f64);
    assert_eq!(*t.last().unwrap(), 0.05);
    assert_eq!(*h.last().unwrap(), 0.005, "back to whole steps");
    for i in 1..t.len() {
        assert!((t[i] - t[i - 1] - h[i]).abs() < 1e-15);
    }
    // Every multiple of the scene's step is reached exactly.
    for k in 1..=10 {
        assert!(t.contains(&(f64::from(k) * 0.005)), "{k}");
    }
}

#[test]
fn a_run_stopped_between_halved_steps_resumes_bit_for_bit() {
    for method in ["backward-euler", "bdf2"] {
        let (text, _) = scene_with_failed_steps(method);
        let whole = tempfile::tempdir().unwrap();
        let mut sim = simulation(&text);
        run_to(&mut sim, whole.path(), None, u64::MAX).unwrap();
        let h = column(whole.path(), "h");
        let short = h.iter().position(|h| *h > 0.0 && *h < 0.005).unwrap() as u64;
        let parts = tempfile::tempdir().unwrap();
        run_to(&mut simulation(&text), parts.path(), None, short).unwrap();
        let checkpoint = parts.path().join("checkpoint.supple");
        let mut resumed = simulation(&text);
        run_to(&mut resumed, parts.path(), Some(&checkpoint), u64::MAX).unwrap();
        assert_eq!(resumed.state(), sim.state(), "{method}");
        for file in ["steps.csv", "ledger.csv"] {
            let read = |out: &Path| std::fs::read(out.join(file)).unwrap();
            assert!(read(whole.path()) == read(parts.path()), "{method}: {file}");
        }
    }
}
