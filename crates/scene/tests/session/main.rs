//! Sessions: interaction, snapshots and step control.

mod control;
mod control_kinds;
mod control_precision;
mod control_random;
mod events;
mod interaction;
mod snapshots;

use scene::build::build;
use scene::session::Session;
use scene::spec::parse;

/// Builds a valid scene.
fn session(text: &str) -> Session {
    let (scene, source) = parse("scene.toml", text).unwrap();
    build(scene, &source).unwrap()
}

/// A particle of 2 kg at rest at the origin, without gravity, under a method.
fn particle(method: &str) -> Session {
    session(&format!(
        "gravity = [0.0, 0.0, 0.0]\n[time]\nmethod = \"{method}\"\nstep = 0.01\nuntil = 1.0\n\
         [[particle]]\nposition = [0.0, 0.0, 0.0]\nmass = 2.0\n"
    ))
}
