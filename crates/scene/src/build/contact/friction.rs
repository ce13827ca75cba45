//! Friction of a scene: coefficients of pairs, obstacles and bodies, and the law.

use solid::potential::contact::{
    FrictionCoefficients, FrictionMode, FrictionSettings, SmoothedCoulomb,
};

use crate::spec::{self, Scene};

/// Collects the settings of friction; `names` are those of bodies, particles and obstacles by group.
pub fn settings(scene: &Scene, contact: &spec::Contact, names: &[String]) -> FrictionSettings {
    let group = |name: &str| names.iter().position(|n| n == name).unwrap_or(0) as u32;
    let pair = |p: &spec::ContactPair| {
        let [a, b] = [group(&p.a), group(&p.b)];
        Some(([a.min(b), a.max(b)], p.friction?))
    };
    let bodies = scene.body.iter().map(|b| b.friction);
    let particles = scene.particle.iter().map(|_| None);
    let obstacles = scene.obstacle.iter().map(|o| o.friction);
    FrictionSettings {
        coefficients: FrictionCoefficients {
            default: contact.friction.unwrap_or(0.0),
            groups: bodies.chain(particles).chain(obstacles).collect(),
            obstacles: (scene.body.len() + scene.particle.len()) as u32,
            pairs: contact.pair.iter().filter_map(pair).collect(),
        },
        mode: match contact.friction_mode {
            spec::FrictionMode::Implicit => FrictionMode::Implicit,
            spec::FrictionMode::Lagged => FrictionMode::Lagged,
        },
        law: SmoothedCoulomb {
            slip_speed: contact.slip_speed,
        },
    }
}

/// Describes friction for messages; empty if no pair has any.
pub fn notice(friction: &FrictionSettings, kind: spec::ContactKind) -> String {
    if !friction.coefficients.any() {
        return String::new();
    }
    if kind == spec::ContactKind::Penalty {
        return ", friction as impulses after each step".into();
    }
    let slip = friction.law.slip_speed;
    match friction.mode {
        FrictionMode::Implicit => format!(", friction with slip speed {slip:.1e} m/s"),
        FrictionMode::Lagged => format!(
            ", friction with slip speed {slip:.1e} m/s and the normal forces of the start of each step: it is first-order accurate with every method (friction-mode = \"lagged\")"
        ),
    }
}
