//! Changes of a session between steps: handles, forces, gravity, method and step.
//!
//! Every change of energy that they cause is booked as external work of the next step.

use march::methods::{self, MethodError};
use solid::potential::Handle;

use super::Session;
use crate::build::{self, Integrator, StartContext};

/// Identifier of a handle, a spring that pulls a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HandleId(pub(super) u64);

/// Error of a change to a session.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum InteractionError {
    /// The node does not exist.
    #[error("node {node} does not exist; the scene has nodes 0 to {last}")]
    Node {
        /// Number of the requested node.
        node: usize,
        /// Number of the last node.
        last: usize,
    },
    /// The handle was released before.
    #[error("the handle was already released; grab the node again")]
    Released,
    /// A number is outside its valid range.
    #[error("{what} = {value}: it must be {wanted}")]
    Number {
        /// Name of the quantity.
        what: &'static str,
        /// Given value.
        value: f64,
        /// Valid range, in words.
        wanted: &'static str,
    },
    /// The method is unknown or its parameters are invalid.
    #[error(transparent)]
    Method(#[from] MethodError),
    /// The method cannot be used with this scene.
    #[error("{0}")]
    Unsuitable(String),
}

impl Session {
    /// Attaches a handle to a node: a spring of this stiffness (N/m) whose other end stays at the current position of the
    /// node until [`Session::move_handle`] moves it.
    pub fn grab(&mut self, node: usize, stiffness: f64) -> Result<HandleId, InteractionError> {
        self.check_node(node)?;
        let target = self.positions()[node];
        self.grab_at(node, stiffness, target)
    }

    /// Attaches a handle to a node whose other end is at a point.
    pub fn grab_at(
        &mut self,
        node: usize,
        stiffness: f64,
        target: [f64; 3],
    ) -> Result<HandleId, InteractionError> {
        self.check_node(node)?;
        positive("stiffness", stiffness)?;
        finite("target", target)?;
        let id = self.model.grab(Handle {
            node: node as u32,
            stiffness,
            target,
        });
        self.apply_matrix_change();
        Ok(HandleId(id))
    }

    /// Attaches a handle to the node nearest to a point.
    pub fn grab_near(
        &mut self,
        point: [f64; 3],
        stiffness: f64,
    ) -> Result<HandleId, InteractionError> {
        let distance = |x: &[f64; 3]| (0..3).map(|k| (x[k] - point[k]).powi(2)).sum::<f64>();
        let positions = self.positions();
        let nodes = positions.iter().enumerate();
        let nearest = nodes.min_by(|a, b| distance(a.1).total_cmp(&distance(b.1)));
        self.grab(nearest.map_or(0, |(node, _)| node), stiffness)
    }

    /// Moves the far end of a handle to a point.
    pub fn move_handle(
        &mut self,
        handle: HandleId,
        target: [f64; 3],
    ) -> Result<(), InteractionError> {
        finite("target", target)?;
        let held = self.model.handle_mut(handle.0);
        held.ok_or(InteractionError::Released)?.target = target;
        self.apply_disturbance();
        Ok(())
    }

    /// Removes a handle.
    pub fn release(&mut self, handle: HandleId) -> Result<(), InteractionError> {
        if !self.model.release(handle.0) {
            return Err(InteractionError::Released);
        }
        self.apply_matrix_change();
        Ok(())
    }

    /// Applies a constant force (N) to a node from now on; zero removes it. Its work is booked step by step.
    pub fn push(&mut self, node: usize, force: [f64; 3]) -> Result<(), InteractionError> {
        self.check_node(node)?;
        finite("force", force)?;
        self.model.set_force(node as u32, force);
        self.apply_disturbance();
        Ok(())
    }

    /// Sets the acceleration of gravity, m/s²; the change of potential energy is booked as work.
    pub fn set_gravity(&mut self, gravity: [f64; 3]) -> Result<(), InteractionError> {
        finite("gravity", gravity)?;
        self.model.set_gravity(gravity);
        self.apply_disturbance();
        Ok(())
    }

    /// Sets the step length, s.
    pub fn set_step(&mut self, h: f64) -> Result<(), InteractionError> {
        positive("step", h)?;
        self.time.set_step(h);
        Ok(())
    }

    /// Switches to another method of the registry, with its default parameters.
    pub fn set_method(&mut self, name: &str) -> Result<(), InteractionError> {
        self.switch_method(methods::find(name)?, &Default::default())?;
        self.replaced_method = Some(name.into());
        Ok(())
    }

    /// Switches back to the method of the scene.
    pub fn restore_scene_method(&mut self) -> Result<(), InteractionError> {
        let own = methods::find(&self.scene.time.method.name)?;
        let parameters = build::method_parameters(&self.scene);
        self.switch_method(own, &parameters)?;
        self.replaced_method = None;
        Ok(())
    }

    pub(super) fn switch_method(
        &mut self,
        method: methods::MethodChoice,
        parameters: &march::Parameters,
    ) -> Result<(), InteractionError> {
        let unsuitable = |(_, sentence)| InteractionError::Unsuitable(sentence);
        if self.method.is_static() {
            let sentence = "a static session has no time integrator; open the scene with the method that it should have";
            return Err(InteractionError::Unsuitable(sentence.into()));
        }
        if let Some((_, sentence)) = build::refuse_method(&self.scene, &method) {
            return Err(InteractionError::Unsuitable(sentence));
        }
        let Integrator {
            stepper, options, ..
        } = build::integrator(&self.scene, &method, parameters, StartContext::MethodSwitch)
            .map_err(unsuitable)?;
        let options = build::with_solver_of_bonds(options, &self.model);
        // Error control depends on the order of the method; the new one starts with the current step.
        if build::measures_errors(&self.scene) {
            let controller =
                build::controller(&self.scene, &method, parameters).map_err(unsuitable)?;
            self.time.set_controller(controller);
            let h = self.row().h;
            if h > 0.0 {
                self.time.set_step(h);
            }
        }
        self.time.set_method(stepper, options);
        self.method = method;
        self.parameters = parameters.clone();
        self.options = options;
        Ok(())
    }

    /// Drops the history of the method: the next step is a first step.
    pub fn restart_method(&mut self) {
        self.time.restart();
    }

    pub(super) fn apply_disturbance(&mut self) {
        self.time.book_disturbance(&mut self.model);
        self.measure();
    }

    /// Discards cached tangents after a change of the model.
    fn apply_matrix_change(&mut self) {
        self.time.discard_factors();
        self.apply_disturbance();
    }

    fn check_node(&self, node: usize) -> Result<(), InteractionError> {
        match self.model.nodes() {
            n if node < n => Ok(()),
            n => Err(InteractionError::Node { node, last: n - 1 }),
        }
    }
}

fn positive(what: &'static str, value: f64) -> Result<(), InteractionError> {
    match value > 0.0 && value.is_finite() {
        true => Ok(()),
        false => Err(InteractionError::Number {
            what,
            value,
            wanted: "positive and finite",
        }),
    }
}

fn finite(what: &'static str, x: [f64; 3]) -> Result<(), InteractionError> {
    match x.iter().find(|x| !x.is_finite()) {
        None => Ok(()),
        Some(&value) => Err(InteractionError::Number {
            what,
            value,
            wanted: "finite",
        }),
    }
}
