//! Statics and reactions: closed forms, balance of forces and moments, stability, refusals.

mod balance;
mod benchmarks;
mod equilibrium;
mod keys;

use scene::build::build;
use scene::run::Flow;
use scene::session::{Row, Session};
use scene::spec::parse;

/// Builds a valid scene.
fn session(text: &str) -> Session {
    let (scene, source) = parse("scene.toml", text).unwrap_or_else(|e| panic!("{e}"));
    build(scene, &source).unwrap_or_else(|e| panic!("{e}"))
}

/// Runs to the end of the scene and returns the rows of all steps.
fn rows(session: &mut Session) -> Vec<Row> {
    let mut rows = Vec::new();
    let until = session.scene.time.until;
    session
        .run_until(until, &mut |_, row| {
            rows.push(*row);
            Flow::On
        })
        .unwrap();
    rows
}

/// Returns the position of the node nearest to a rest position.
fn position(session: &mut Session, near: [f64; 3]) -> [f64; 3] {
    let distance = |x: &[f64; 3]| (0..3).map(|k| (x[k] - near[k]).powi(2)).sum::<f64>();
    let rest = session.model.rest().to_vec();
    let nodes = (0..rest.len()).min_by(|&a, &b| distance(&rest[a]).total_cmp(&distance(&rest[b])));
    session.positions()[nodes.unwrap()]
}
