//! The corrector of a scene: its settings, what it finds points of contact on, and what it cannot be combined with.

use corrector::{
    ContactCorrector, CorrectorContact, CorrectorDescription, CorrectorSettings, Rows,
};
use march::Stepper;
use march::methods::MethodChoice;
use solid::model::NodeContact;

use super::ContactSetup;
use crate::build::method::KeyedMessage;
use crate::spec::{ContactKind, CorrectorDamping, CorrectorRows, Scene};

impl ContactSetup {
    /// Creates the contact of the corrector for a model with this number of nodes.
    pub(crate) fn corrector(&self, nodes: usize) -> Box<dyn NodeContact> {
        let d = &self.description;
        let description = CorrectorDescription {
            surfaces: d.surfaces.clone(),
            names: d.names.clone(),
            obstacles: d.obstacles.clone(),
            ignored: d.ignored.clone(),
            thickness: d.settings.thickness,
            friction: d.friction.coefficients.clone(),
        };
        Box::new(CorrectorContact::new(description, nodes))
    }
}

/// Returns the settings of the corrector of a scene; `None` if it has none.
pub(crate) fn settings(scene: &Scene) -> Option<CorrectorSettings> {
    let contact = scene.contact.as_ref()?;
    (contact.kind == ContactKind::Corrector).then(|| CorrectorSettings {
        rows: match contact.rows.unwrap_or_default() {
            CorrectorRows::Position => Rows::Position,
            CorrectorRows::Velocity => Rows::Velocity,
        },
        iterations: contact.iterations.unwrap_or(1),
        damped: contact.damping.unwrap_or_default() == CorrectorDamping::Include,
    })
}

/// Wraps a method in the corrector if the scene has one.
pub(crate) fn wrap(scene: &Scene, stepper: Box<dyn Stepper>) -> Box<dyn Stepper> {
    match settings(scene) {
        Some(settings) => Box::new(ContactCorrector::new(stepper, settings)),
        None => stepper,
    }
}

/// Returns the key and the error message if the corrector cannot be combined with a method or a key of the scene.
pub(super) fn refuse(scene: &Scene, choice: &MethodChoice) -> Option<KeyedMessage> {
    if choice.is_static() {
        let sentence = "the corrector changes the end of a time step, and statics has none; use kind = \"barrier\"";
        return Some(("contact.kind", sentence.into()));
    }
    if scene.time.stabilise.is_some() {
        let sentence = "moves the end of a step without regard to the corrector's points of contact; leave it out, or use kind = \"barrier\"";
        return Some(("time.stabilise", sentence.into()));
    }
    let iterated = settings(scene).is_some_and(|s| s.iterations > 1 && s.rows == Rows::Velocity);
    iterated.then(|| {
        let sentence = "velocity rows do not converge when they are iterated; use rows = \"position\", or leave iterations out";
        ("contact.iterations", sentence.into())
    })
}

/// Describes the corrector for messages.
pub(super) fn notice(scene: &Scene) -> String {
    let Some(settings) = settings(scene) else {
        return String::new();
    };
    let rows = match settings.rows {
        Rows::Position => "position",
        Rows::Velocity => "velocity",
    };
    match settings.iterations {
        1 => format!("contact by a corrector with {rows} rows"),
        n => format!("contact by a corrector with {rows} rows and up to {n} iterations a step"),
    }
}
