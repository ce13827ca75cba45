//! The corrector in scenes: the ball of the contract under every method, momentum, ledger, friction, bytes and refusals.

#[path = "../common/same_bytes.rs"]
mod same_bytes;

mod ball;
mod bytes;
mod physics;

use scene::build::build;
use scene::session::{Flow, Session};
use scene::spec::parse;

/// Builds a valid scene.
fn session(text: &str) -> Session {
    let (scene, source) = parse("scene.toml", text).unwrap_or_else(|e| panic!("{e}"));
    build(scene, &source).unwrap_or_else(|e| panic!("{e}"))
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

/// The contract's ball with a method, keys of `[time]` and keys of `[contact]`, or `None` without the contract.
fn contract_ball(method: &str, until: f64, time: &str, contact: &str) -> Option<String> {
    let file = testdata::shared("contract/scenes/ball.toml")?;
    let text = std::fs::read_to_string(file).unwrap();
    Some(
        text.replace(
            "method = \"sdirk2\"",
            &format!("method = \"{method}\"\n{time}"),
        )
        .replace("until = 10.0", &format!("until = {until:?}"))
            + contact,
    )
}

/// Height of the lowest node, m.
fn lowest(s: &mut Session) -> f64 {
    let heights = s.positions().into_iter().map(|x| x[1]);
    heights.fold(f64::INFINITY, f64::min)
}
