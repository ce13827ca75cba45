//! Checks the methods of events and the nodes of handles before a scene starts.

use march::methods;

use super::{StartContext, integrator, refuse_method};
use crate::error::SceneError;
use crate::spec::{Scene, Source, suggestion};

/// Returns the errors of events and handles that the keys alone do not show; `nodes` is the number of nodes.
pub fn check(scene: &Scene, source: &Source, nodes: usize) -> Vec<SceneError> {
    let mut errors = Vec::new();
    for (i, event) in scene.event.iter().enumerate() {
        let Some(method) = &event.set.method else {
            continue;
        };
        let refused = match methods::find(&method.name) {
            Err(methods::MethodError::Unknown { name }) => {
                let all = methods::names();
                let hint = suggestion(&name, all.iter().map(String::as_str));
                Some(format!("unknown method \"{name}\"; {hint}"))
            }
            Err(other) => Some(other.to_string()),
            Ok(choice) => refuse_method(scene, &choice)
                .map(|(_, sentence)| sentence)
                .or_else(|| {
                    let made =
                        integrator(scene, &choice, &method.params, StartContext::MethodSwitch);
                    made.err().map(|(_, sentence)| sentence)
                }),
        };
        errors.extend(
            refused.map(|sentence| source.error(&format!("event[{i}].set.method"), sentence)),
        );
    }
    for (i, handle) in scene.handle.iter().enumerate() {
        if handle.node as usize >= nodes {
            let sentence = format!(
                "node {} does not exist; the scene has nodes 0 to {}",
                handle.node,
                nodes - 1
            );
            errors.push(source.error(&format!("handle[{i}].node"), sentence));
        }
    }
    errors
}
