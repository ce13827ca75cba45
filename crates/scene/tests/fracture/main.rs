//! Bodies of peridynamic bonds in scenes: closed forms, breaking, tables, refusals, threads, resume and rejections.

#[path = "../common/same_bytes.rs"]
mod same_bytes;

mod bytes;
mod closed_forms;
mod motion;
mod notch;
#[path = "../../examples/notch_study/plate.rs"]
mod plate;
mod refusals;
mod surface;

use scene::build::build;
use scene::session::{Flow, Session};
use scene::spec::parse;

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

/// Number of broken bonds.
fn broken(session: &Session) -> usize {
    session.model.bonds().map(|b| b.broken()).sum()
}

/// A spinning bar that flies freely and breaks, by this method and with these further lines of `[time]`.
fn spinning(method: &str, time: &str) -> String {
    format!(
        r#"
gravity = [0, 0, 0]
[time]
method = "{method}"
until = 0.02
fps = 200
{time}
[[body]]
mesh = {{ box = {{ size = [0.8, 0.2, 0.2], cells = [8, 2, 2] }} }}
bonds = {{ horizon = 0.25, young = 1e6, critical-stretch = 0.004, strength-scatter = 0.3, seed = 4 }}
velocity = {{ linear = [1, 2, 0], angular = [0, 0, 20] }}
[[body.crack]]
disc = {{ center = [0.2, 0, 0.1], normal = [1, 0, 0], radius = 0.12 }}
"#
    )
}
