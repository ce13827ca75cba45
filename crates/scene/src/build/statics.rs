//! Prepares a model for statics: growing loads, and a foundation under bodies that are not held.

use march::State;
use solid::model::{Model, UnheldBody};

use crate::spec::Scene;

/// Turns the model of a static scene into one of statics. Returns the bodies that are not held, with their names, or the
/// key and the message of an error.
pub fn prepare(
    scene: &Scene,
    first: &[u32],
    model: &mut Model,
    state: &State,
) -> Result<Vec<(String, UnheldBody)>, (String, String)> {
    model.set_static(scene.time.until);
    let particles = (model.nodes() - scene.particle.len()) as u32;
    // Name and key of what a node belongs to.
    let owner = |node: u32| match node.checked_sub(particles) {
        Some(number) => (format!("particle {number}"), format!("particle[{number}]")),
        None => {
            let number = first.partition_point(|&first| first <= node) - 1;
            let name = scene.body[number].name_or_number(number);
            (name, format!("body[{number}]"))
        }
    };
    let unheld = model
        .hold_unheld_bodies(state.at())
        .map_err(|e| (owner(e.node).1, e.to_string()))?;
    let named = |body: UnheldBody| (owner(body.nodes[0]).0, body);
    Ok(unheld.into_iter().map(named).collect())
}

/// Returns the warning about a body that is not held.
pub fn notice((name, body): &(String, UnheldBody)) -> String {
    let motions = match body.free_motions {
        1 => "1 rigid motion".to_string(),
        n => format!("{n} rigid motions"),
    };
    format!(
        "{name}: its supports allow {motions}, so statics holds it by a foundation of {:.3e} N/m (regularised): a net force of 1 N moves it by {:.3e} m. Fix it to avoid this",
        body.stiffness * body.mass,
        1.0 / (body.stiffness * body.mass)
    )
}
