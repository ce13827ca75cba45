//! Projection on demand needs fewer Newton iterations than projecting always, and than never: a small part of the table
//! in `docs/newton.md`.

use scene::run::{Flow, RunOptions, attempt};

use super::simulation;

/// A bar released under its weight, or a rotating ball, scattered or not.
fn scene(method: &str, law: &str, mesh: &str, rest: &str) -> String {
    format!(
        r#"
gravity = [0.0, -9.81, 0.0]
[time]
method = "{method}"
step = 0.005
until = 0.04
fps = 1.0
[[body]]
name = "body"
mesh = {mesh}
material = {{ law = "{law}", young = 1e6, poisson = 0.4, density = 1000 }}
{rest}
"#
    )
}

/// Number of Newton iterations of a run, including those of rejected and failed steps.
fn iterations(text: &str, policy: &str) -> u64 {
    let text = format!("{text}\n[solver]\nprojection = \"{policy}\"\n");
    let mut sim = simulation(&text);
    let dir = tempfile::tempdir().unwrap();
    let options = RunOptions {
        out: dir.path().into(),
        resume: None,
    };
    attempt(&mut sim, &options, &mut |_| Flow::On).unwrap();
    sim.totals().work.newton
}

#[test]
fn on_demand_needs_the_fewest_iterations() {
    let ball = "{ ball = { radius = 0.5, cells = 5, element = \"tet4\" } }";
    let bar = "{ box = { size = [1.0, 0.1, 0.1], cells = [10, 2, 2], element = \"hex8\" } }";
    let scattered = "disturb = { scatter = 1.0, seed = 3 }";
    let clamped = "[[body.fix]]\nwhere = { x = 0.0 }\n[[body.fix]]\nwhere = { x = 1.0 }\nmotion = { keys = [{ t = 0.0 }, { t = 0.05, translate = [-0.2, 0.0, 0.0] }] }";
    let cases = [
        scene("sdirk2", "stable-neo-hookean", bar, clamped),
        scene("backward-euler", "stable-neo-hookean", ball, scattered),
        scene("sdirk2", "stable-neo-hookean", ball, scattered),
        scene("bdf2", "arap", ball, scattered),
        scene("backward-euler", "corotated", ball, scattered),
    ];
    let mut sums = [0; 3];
    for text in cases {
        let counts = ["on-demand", "always", "never"].map(|policy| iterations(&text, policy));
        println!("{counts:?}");
        let [on_demand, always, never] = counts;
        // Single runs may differ, but on-demand projection must not need many more iterations.
        assert!(
            10 * on_demand <= 11 * always.min(never),
            "{counts:?}: {text}"
        );
        for (sum, count) in sums.iter_mut().zip(counts) {
            *sum += count;
        }
    }
    let [on_demand, always, never] = sums;
    assert!(on_demand < always && on_demand < never, "{sums:?}");
}

#[test]
fn projection_always_and_never_are_obeyed() {
    let ball = "{ ball = { radius = 0.5, cells = 4, element = \"tet4\" } }";
    let text = scene(
        "backward-euler",
        "arap",
        ball,
        "disturb = { scatter = 1.0, seed = 3 }",
    );
    for (policy, wanted) in [("always", true), ("never", false)] {
        let mut sim = simulation(&format!("{text}\n[solver]\nprojection = \"{policy}\"\n"));
        let step = sim.step();
        step.unwrap();
        let work = sim.row().work;
        assert_eq!(work.projections > 0, wanted, "{policy}: {work:?}");
        if wanted {
            assert_eq!(work.assemblies, work.projections, "{policy}: {work:?}");
        }
    }
}
