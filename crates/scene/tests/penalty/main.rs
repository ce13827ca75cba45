//! Penalty contact and emission in scenes: closed forms, derivatives, every method, energy, bytes and refusals.

#[path = "../common/same_bytes.rs"]
mod same_bytes;

mod bytes;
mod closed_forms;
mod derivatives;
mod emission;
mod methods;
mod refusals;

use scene::build::build;
use scene::session::{Flow, Session};
use scene::spec::parse;

/// Gravitational acceleration of all scenes, m/s².
const G: f64 = 9.81;
/// Reach of the scenes with particles, m.
const REACH: f64 = 0.01;

fn try_session(text: &str) -> Result<Session, String> {
    let (scene, source) = parse("scene.toml", text).map_err(|e| e.to_string())?;
    build(scene, &source).map_err(|e| e.to_string())
}

fn session(text: &str) -> Session {
    try_session(text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// Takes all steps; `after` is called after each.
fn run(session: &mut Session, mut after: impl FnMut(&mut Session)) {
    let until = session.scene.time.until;
    session
        .run_until(until, &mut |session, _| {
            after(session);
            Flow::On
        })
        .unwrap_or_else(|e| panic!("{e}"));
}

/// A particle of 1 kg above the plane y = 0, which carries its weight at half the reach.
fn particle(
    position: [f64; 3],
    velocity: [f64; 3],
    contact: &str,
    method: &str,
    step: f64,
    until: f64,
) -> String {
    format!(
        "[time]\nmethod = \"{method}\"\nstep = {step:?}\nuntil = {until:?}\n\
         [[particle]]\nposition = {position:?}\nvelocity = {velocity:?}\nmass = 1.0\n\
         [[obstacle]]\nname = \"floor\"\nplane = {{ point = [0, 0, 0], normal = [0, 1, 0] }}\n\
         [contact]\nkind = \"penalty\"\nreach = {REACH:?}\nstiffness = {G:?}\n{contact}\n"
    )
}

/// Two cubes, one falling on the other and on a sphere, with a wall of a mesh at the side.
fn two_cubes(method: &str, contact: &str, more: &str) -> String {
    format!(
        r#"
[time]
method = "{method}"
step = 0.004
until = 0.12
fps = 70.0
[[body]]
name = "lower"
mesh = {{ box = {{ size = [0.3, 0.3, 0.3], cells = [3, 3, 3], element = "tet4" }} }}
place = {{ translate = [0, 0.31, 0] }}
material = {{ law = "arap", young = 1e5, poisson = 0.4, density = 1000 }}
velocity = {{ linear = [0, -1, 0], angular = [0, 0, 1] }}
[[body]]
name = "upper"
mesh = {{ box = {{ size = [0.3, 0.3, 0.3], cells = [3, 3, 3], element = "tet4" }} }}
place = {{ translate = [0.05, 0.63, 0.02], rotate-deg = [3, 20, 2] }}
material = {{ law = "arap", young = 1e5, poisson = 0.4, density = 1000 }}
velocity = {{ linear = [0, -1.5, 0] }}
[[obstacle]]
name = "ball"
sphere = {{ center = [0.1, 0.0, 0.1], radius = 0.28 }}
motion = {{ keys = [{{ t = 0 }}, {{ t = 0.1, translate = [0, 0.01, 0], rotate-deg = [0, 5, 0] }}] }}
[[obstacle]]
name = "ledge"
box = {{ min = [0.25, 0, -0.5], max = [1, 0.25, 0.5], rotate-deg = [0, 0, -5] }}
[contact]
kind = "penalty"
reach = 0.01
stiffness = 5e4
{contact}
{more}
"#
    )
}
