//! Changes of the scene while a session runs: gravity, method, step, friction, damping, stiffness.
//!
//! A change of bodies or contact builds the model again from the changed scene. Positions, velocities, handles and internal
//! variables are kept, and the change of energy is booked as external work of the next step, as for handles.

use march::System;
use march::methods;

use super::{InteractionError, Session};
use crate::build::{self, Integrator, StartContext};
use crate::spec::{self, Event, Moduli, Scene, Source};

impl Session {
    /// Applies an event now; its time is not used. Nothing is changed if an error is returned.
    pub fn apply(&mut self, event: &Event) -> Result<(), InteractionError> {
        let unsuitable = |sentence: String| Err(InteractionError::Unsuitable(sentence));
        if self.method.is_static() {
            return unsuitable("a static session has no time at which it could change".into());
        }
        if let Some((key, sentence)) = spec::refused_keys(&self.scene, event).first() {
            return unsuitable(format!("{key}: {sentence}"));
        }
        let set = &event.set;
        if set.changes_model() {
            let mut changes = self.changes.clone();
            changes.push(event.clone());
            self.rebuild(&changes)?;
        }
        if let Some(method) = &set.method {
            self.switch_method(methods::find(&method.name)?, &method.params)?;
        }
        if let Some(gravity) = set.gravity {
            self.set_gravity(gravity)?;
        }
        if let Some(step) = set.step {
            self.set_step(step)?;
        }
        self.changes.push(event.clone());
        Ok(())
    }

    /// Returns the events that were applied so far, in their order.
    pub fn changes(&self) -> &[Event] {
        &self.changes
    }

    /// Returns the scene with the changes that were applied so far, without events and handles.
    pub fn changed_scene(&self) -> Scene {
        let mut scene = changed_bodies(&self.scene, &self.changes);
        let sets = || self.changes.iter().rev().map(|e| &e.set);
        if let Some(method) = sets().find_map(|s| s.method.clone()) {
            scene.time.method = method;
        }
        if let Some(step) = sets().find_map(|s| s.step) {
            scene.time.step = Some(step);
        }
        if let Some(gravity) = sets().find_map(|s| s.gravity) {
            scene.gravity = gravity;
        }
        scene
    }

    /// Replaces the changes that were applied so far, without booking any energy.
    pub(super) fn replace_changes(&mut self, changes: Vec<Event>) -> Result<(), InteractionError> {
        if changes == self.changes {
            return Ok(());
        }
        let model = |list: &[Event]| list.iter().any(|e| e.set.changes_model());
        if model(&changes) || model(&self.changes) {
            self.rebuild(&changes)?;
        }
        match changes.iter().rev().find_map(|e| e.set.method.as_ref()) {
            Some(method) => self.switch_method(methods::find(&method.name)?, &method.params)?,
            None => self.restore_scene_method()?,
        }
        self.changes = changes;
        Ok(())
    }

    /// Builds the model again with the bodies and the contact of the changed scene.
    fn rebuild(&mut self, changes: &[Event]) -> Result<(), InteractionError> {
        let unsuitable = |sentence: &str| InteractionError::Unsuitable(sentence.into());
        let first = |errors: crate::error::SceneErrors| {
            let sentence = errors
                .iter()
                .next()
                .map(|e| format!("{}: {}", e.key, e.sentence));
            unsuitable(&sentence.unwrap_or_default())
        };
        let scene = changed_bodies(&self.scene, changes);
        let source = Source::new(&self.file, "").map_err(first)?;
        let mut fresh = build::build(scene, &source).map_err(first)?;
        let mut internal = Vec::new();
        self.model.save(&mut internal);
        if fresh.model.nodes() != self.model.nodes() || !fresh.model.load(&internal) {
            return Err(unsuitable(
                "the changed scene does not fit the current state",
            ));
        }
        let Integrator {
            stepper, options, ..
        } = build::integrator(
            &fresh.scene,
            &self.method,
            &self.parameters,
            StartContext::MethodSwitch,
        )
        .map_err(|(_, sentence)| unsuitable(&sentence))?;
        self.model = fresh.model;
        self.contact = fresh.contact;
        self.reaction_solver = Default::default();
        self.time.replace_solver(stepper, options);
        self.options = options;
        self.apply_disturbance();
        self.measure_contact();
        self.contact_counts = self.model.contact_counts().map(|c| c.1).unwrap_or_default();
        Ok(())
    }
}

/// Returns a scene with changed bodies and friction, without events and handles.
fn changed_bodies(scene: &Scene, changes: &[Event]) -> Scene {
    let mut out = scene.clone();
    out.event.clear();
    out.handle.clear();
    for Event { body, set, .. } in changes {
        if let (Some(friction), Some(contact)) = (set.friction, &mut out.contact) {
            contact.friction = Some(friction);
        }
        for (i, changed) in out.body.iter_mut().enumerate() {
            let name = changed.name_or_number(i);
            if body.as_ref().is_some_and(|b| *b != name) {
                continue;
            }
            if let Some(damping) = &set.damping {
                changed.damping = damping.clone();
            }
            if let Some(factor) = set.stiffness {
                scale_stiffness(changed, &scene.body[i], factor);
            }
        }
    }
    out
}

/// Gives a body the stiffness of another one times a factor.
fn scale_stiffness(body: &mut spec::Body, original: &spec::Body, factor: f64) {
    if let (Some(material), Some(original)) = (&mut body.material, &original.material) {
        material.moduli = match original.moduli {
            Moduli::Young { young, poisson } => Moduli::Young {
                young: factor * young,
                poisson,
            },
            Moduli::Rivlin { c10, c01, kappa } => Moduli::Rivlin {
                c10: factor * c10,
                c01: factor * c01,
                kappa: factor * kappa,
            },
        };
    }
    if let (Some(springs), Some(original)) = (&mut body.springs, &original.springs) {
        springs.stiffness = factor * original.stiffness;
        springs.bend = factor * original.bend;
    }
}
