//! Contact in scenes: runs without penetration, tables, refusals, threads, resume and rejections.

#[path = "../common/same_bytes.rs"]
mod same_bytes;

mod bytes;
mod iterations;
mod methods;
mod physics;
mod refusals;
mod start;

use scene::build::build;
use scene::session::{Flow, Session};
use scene::spec::parse;

/// A ball above a floor; `{method}` is a placeholder. The floor moves if `{motion}` is a motion.
const BALL: &str = r#"
[time]
method = "{method}"
step = 0.005
until = 1.2
fps = 50.0

[[body]]
name = "ball"
mesh = { ball = { radius = 0.5, cells = 4, element = "tet4" } }
place = { translate = [0.0, {height}, 0.0] }
material = { law = "stable-neo-hookean", young = 6e5, poisson = 0.48, density = 1000 }

[[obstacle]]
name = "floor"
plane = { point = [0.0, 0.0, 0.0], normal = [0.0, 1.0, 0.0] }
{motion}

[contact]
kind = "barrier"
"#;

/// [`BALL`] with a method, the height of its centre (m) and a motion of the floor.
fn ball(method: &str, height: f64, motion: &str) -> String {
    BALL.replace("{method}", method)
        .replace("{height}", &format!("{height:?}"))
        .replace("{motion}", motion)
}

/// Builds a valid scene.
fn session(text: &str) -> Session {
    let (scene, source) = parse("scene.toml", text).unwrap_or_else(|e| panic!("{e}"));
    build(scene, &source).unwrap_or_else(|e| panic!("{e}"))
}

/// Returns the error message of a scene that is refused.
fn refusal(text: &str) -> String {
    match parse("scene.toml", text) {
        Err(errors) => errors.to_string(),
        Ok((scene, source)) => match build(scene, &source) {
            Err(errors) => errors.to_string(),
            Ok(_) => panic!("the scene should be refused:\n{text}"),
        },
    }
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
