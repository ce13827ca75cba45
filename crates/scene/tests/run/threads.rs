//! Results do not depend on the number of threads.

use super::{assert_same, contents, run_whole};

const WINDY: &str = r#"
[time]
method = "sdirk2"
step = 0.01
until = 0.055
fps = 70.0

[output]
formats = ["vtu", "ply", "obj", "gltf", "usd", "pc2"]

[[body]]
name = "bar"
mesh = { box = { size = [1.6, 0.4, 0.4], cells = [16, 4, 4], element = "hex8" } }
material = { law = "stable-neo-hookean", young = 1e5, poisson = 0.4, density = 1000 }
damping = { mass = 0.5, stiffness = 0.002 }

[[body.fix]]
where = { x = 0.0 }
motion = { shake = { axis = "y", amplitude = 0.02, frequency = 4.0 } }

[[body]]
name = "lump"
mesh = { box = { size = [0.4, 0.4, 0.4], cells = [4, 4, 4], element = "tet4" } }
place = { translate = [3.0, 0.0, 0.0] }
material = { law = "corotated", young = 1e5, poisson = 0.4, density = 1000 }
disturb = { scatter = 0.005, seed = 3 }

[[wind]]
velocity = [6.0, 0.0, 3.0]
drag = 1.2
gust = { amplitude = 0.5, frequency = 0.7 }

[[probe]]
name = "tip"
body = "bar"
near = [1.6, 0.4, 0.4]
"#;

/// Runs a scene with one, two and four threads, and compares all files.
fn outputs_agree(scene: &str, what: &str) -> Vec<String> {
    let outputs: Vec<_> = [1, 2, 4]
        .iter()
        .map(|&threads| {
            let dir = tempfile::tempdir().unwrap();
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            let report = pool.install(|| run_whole(scene, dir.path()));
            assert_eq!(report.threads, threads);
            contents(dir.path())
        })
        .collect();
    assert_same(&outputs[1], &outputs[0], &format!("{what}, two threads"));
    assert_same(&outputs[2], &outputs[0], &format!("{what}, four threads"));
    outputs[0].keys().cloned().collect()
}

#[test]
fn one_two_and_four_threads_write_the_same_bytes() {
    let names = outputs_agree(WINDY, "sdirk2");
    for name in [
        "steps.csv",
        "probes.csv",
        "series.pvd",
        "frames/00003.vtu",
        "checkpoint.supple",
        "report.json",
    ] {
        assert!(
            names.iter().any(|n| n == name),
            "{name} is missing from {names:?}"
        );
    }
}

/// Modes are computed at the start and again in every second step, or follow the body.
#[test]
fn exponential_methods_write_the_same_bytes_for_any_number_of_threads() {
    let names = march::methods::names().into_iter();
    let names: Vec<String> = names
        .filter(|n| n == "ere" || n.contains("ere-exact") || n.ends_with("-ere") || n == "siere")
        .collect();
    assert!(names.len() >= 9, "{names:?}");
    for name in names {
        let method = match name.as_str() {
            "ere" => "\"ere\"".to_owned(),
            other if other.starts_with('s') => {
                format!("{{ name = \"{other}\", modes = 6, refresh = 2 }}")
            }
            other => format!("{{ name = \"{other}\", modes = 6 }}"),
        };
        let scene = WINDY
            .replace("\"sdirk2\"", &method)
            .replace("until = 0.055", "until = 0.03")
            .replace("cells = [16, 4, 4]", "cells = [8, 2, 2]");
        outputs_agree(&scene, &name);
    }
}
