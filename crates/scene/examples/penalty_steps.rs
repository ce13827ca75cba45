//! Time of a step of 33 ms of a solid with 4913 vertices over spheres, with penalty contact and local/global iterations: backward
//! Euler against the midpoint rule with energy tracking.
//!
//! ```text
//! cargo run --release -p supple-scene --example penalty_steps
//! ```

use std::time::Instant;

use scene::build::build;
use scene::session::Session;
use scene::spec::parse;

const STEP: f64 = 0.033;

fn solid(method: &str, stabilise: &str) -> Session {
    let mut text = format!(
        "[time]\nmethod = \"{method}\"\nstep = {STEP:?}\nuntil = 3.0\n{stabilise}\
         [solver]\nnewton = \"local-global\"\niterations = 10\n\
         [[body]]\nname = \"solid\"\nmesh = {{ box = {{ size = [1, 1, 1], cells = [16, 16, 16], element = \"tet4\" }} }}\n\
         place = {{ translate = [-0.5, 0.55, -0.5] }}\nmass = \"lumped\"\n\
         material = {{ law = \"arap\", young = 1e5, poisson = 0.3, density = 1000 }}\n\
         [contact]\nkind = \"penalty\"\nreach = 0.02\nstiffness = 5e4\nfriction = 0.3\n"
    );
    for (x, z) in [
        (-0.3, -0.3),
        (0.3, -0.3),
        (-0.3, 0.3),
        (0.3, 0.3),
        (0.0, 0.0),
    ] {
        text += &format!("[[obstacle]]\nsphere = {{ center = [{x:?}, 0, {z:?}], radius = 0.4 }}\n");
    }
    let (scene, source) = parse("solid.toml", &text).unwrap_or_else(|e| panic!("{e}"));
    build(scene, &source).unwrap_or_else(|e| panic!("{e}"))
}

fn main() {
    let mut runs = [
        ("backward Euler", solid("backward-euler", "")),
        (
            "tracked midpoint",
            solid("implicit-midpoint", "[time.stabilise]\n"),
        ),
    ];
    let mut times = [Vec::new(), Vec::new()];
    for step in 0..90 {
        for ((_, session), times) in runs.iter_mut().zip(&mut times) {
            let started = Instant::now();
            let (time, model) = session.time_loop_and_model();
            if let Err(failure) = time.step(model, f64::INFINITY) {
                panic!("{failure}");
            }
            // The first steps factor the matrices and warm up.
            if step >= 5 {
                times.push(1e3 * started.elapsed().as_secs_f64());
            }
        }
    }
    for ((name, session), times) in runs.iter_mut().zip(&mut times) {
        let (model, state) = session.model_and_state();
        let touching = model.contact_pairs(state.t, &state.u, &state.v).len();
        times.sort_by(f64::total_cmp);
        println!(
            "{name}: median {:.1} ms, 90 % below {:.1} ms, slowest {:.1} ms; {touching} pairs touch at the end",
            times[times.len() / 2],
            times[times.len() * 9 / 10],
            times[times.len() - 1],
        );
    }
}
