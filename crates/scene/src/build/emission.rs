//! Emitted bodies: copies of templates, which wait in the model until they appear.

use solid::model::EmittedBody;

use super::Assembly;
use crate::spec::Scene;

/// Number of the emitter and of the copy of a body of a scene with all emitted bodies; `None` for its own bodies.
fn emission(scene: &Scene, number: usize) -> Option<(usize, u32)> {
    let copies: usize = scene.emit.iter().map(|e| e.count as usize).sum();
    let own = scene.body.len() - copies;
    number
        .checked_sub(own)
        .and_then(|n| scene.emissions().nth(n))
}

/// Key of a body in the scene file, such as `body[1]` or `emit[0].body`.
pub fn path(scene: &Scene, number: usize) -> String {
    match emission(scene, number) {
        Some((emitter, _)) => format!("emit[{emitter}].body"),
        None => format!("body[{number}]"),
    }
}

/// Notes an emitted body that was added to the assembly, whose potentials begin with this number. Its velocities are those with
/// which it appears.
pub fn note(scene: &Scene, number: usize, potentials: usize, all: &mut Assembly) {
    let Some((emitter, copy)) = emission(scene, number) else {
        return;
    };
    let first = all.first[number];
    let appears = scene.emit[emitter].appears(copy);
    let own = first as usize..all.parts.rest.len();
    let velocities = all.v[own.clone()].to_vec();
    if appears > 0.0 {
        all.v[own.clone()].fill([0.0; 3]);
    }
    all.parts.emitted.push(EmittedBody {
        name: scene.body[number].name_or_number(number),
        nodes: first..own.end as u32,
        potentials: potentials..all.parts.potentials.len(),
        group: number as u32,
        appears,
        velocities,
    });
}
