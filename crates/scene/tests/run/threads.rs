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

#[test]
fn one_two_and_four_threads_write_the_same_bytes() {
    let outputs: Vec<_> = [1, 2, 4]
        .iter()
        .map(|&threads| {
            let dir = tempfile::tempdir().unwrap();
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            let report = pool.install(|| run_whole(WINDY, dir.path()));
            assert_eq!(report.threads, threads);
            contents(dir.path())
        })
        .collect();
    let names: Vec<&str> = outputs[0].keys().map(String::as_str).collect();
    for name in [
        "steps.csv",
        "probes.csv",
        "series.pvd",
        "frames/00003.vtu",
        "checkpoint.supple",
        "report.json",
    ] {
        assert!(names.contains(&name), "{name} is missing from {names:?}");
    }
    assert_same(&outputs[1], &outputs[0], "two threads");
    assert_same(&outputs[2], &outputs[0], "four threads");
}
