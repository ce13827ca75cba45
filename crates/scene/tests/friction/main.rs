//! Friction in scenes: closed forms, orders, energy, coefficients and refusals.

mod closed_forms;
mod energy;
mod orders;
mod pairs;
mod refusals;
mod ropes;
mod towers;

use march::methods::MethodChoice;
use scene::build::build;
use scene::session::{Flow, Session};
use scene::spec::parse;

/// Gravitational acceleration of all scenes, m/s².
const G: f64 = 9.81;
/// Reach of all scenes of this file, m.
const REACH: f64 = 0.01;

/// Parses and builds a scene; returns the messages of one that is refused.
fn try_session(text: &str) -> Result<Session, String> {
    let (scene, source) = parse("scene.toml", text).map_err(|e| e.to_string())?;
    build(scene, &source).map_err(|e| e.to_string())
}

/// Builds a valid scene.
fn session(text: &str) -> Session {
    try_session(text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// Takes steps until a time; `after` is called after each.
fn run_until(session: &mut Session, until: f64, mut after: impl FnMut(&mut Session)) {
    session
        .run_until(until, &mut |session, _| {
            after(session);
            Flow::On
        })
        .unwrap_or_else(|e| panic!("{e}"));
}

/// Takes all steps of a scene.
fn run(session: &mut Session) {
    let until = session.scene.time.until;
    run_until(session, until, |_| {});
}

/// A scene with `[time]` and a tight tolerance.
fn timed(scene: &str, method: &str, step: f64, until: f64) -> String {
    format!(
        "{scene}[time]\nmethod = \"{method}\"\nstep = {step:?}\nuntil = {until:?}\n[solver]\ntolerance = 1e-12\n"
    )
}

/// A particle of 1 kg on the plane y = 0 under tilted gravity, which stands for a slope of this angle (rad) that falls
/// towards +x. Its weight is carried at half the reach, where it starts unless it is lifted (m).
fn particle(angle: f64, velocity: f64, lift: f64, contact: &str) -> String {
    let (gx, gy) = (G * angle.sin(), G * angle.cos());
    format!(
        "gravity = [{gx:?}, {:?}, 0]\n\
         [[particle]]\nposition = [0, {:?}, 0]\nvelocity = [{velocity:?}, 0, 0]\nmass = 1.0\n\
         [[obstacle]]\nname = \"floor\"\nplane = {{ point = [0, 0, 0], normal = [0, 1, 0] }}\n\
         [contact]\nkind = \"barrier\"\nreach = {REACH:?}\nstiffness = {gy:?}\n{contact}\n",
        -gy,
        0.5 * REACH + lift,
    )
}

/// A block on a floor, which carries the weight of the block at half the reach.
fn block(size: [f64; 3], cells: [u32; 3], young: f64, body: &str, contact: &str) -> String {
    format!(
        "[[body]]\nname = \"block\"\nmesh = {{ box = {{ size = {size:?}, cells = {cells:?} }} }}\n\
         place = {{ translate = [0, {:?}, 0] }}\n\
         material = {{ young = {young:?}, poisson = 0.3, density = 1000 }}\n{body}\n\
         [[obstacle]]\nname = \"floor\"\nplane = {{ point = [0, 0, 0], normal = [0, 1, 0] }}\n\
         [contact]\nkind = \"barrier\"\nreach = {REACH:?}\nstiffness = {:?}\n{contact}\n",
        0.5 * REACH,
        1000.0 * G * size[1],
    )
}

/// Momentum of everything over its mass, m/s.
fn mean_velocity(session: &Session, mass: f64) -> [f64; 3] {
    session.row().momentum.linear.map(|p| p / mass)
}

/// All methods that carry the barrier.
fn barrier_methods() -> Vec<MethodChoice> {
    let names = march::methods::METHODS.iter().map(|m| m.name);
    let carries = |name: &&str| {
        let text = timed(&particle(0.0, 0.0, 0.0, ""), name, 0.01, 0.01);
        try_session(&text).is_ok()
    };
    let found: Vec<_> = (names.filter(carries)).flat_map(march::find).collect();
    assert!(found.len() >= 16, "{} methods", found.len());
    found
}
