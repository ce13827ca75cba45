//! What a person or a program does to a session between steps.
//!
//! Every change of energy that comes with it is booked as work of the next step.

use march::methods::{self, MethodError};
use solid::potential::Handle;

use super::Session;
use crate::build::{self, Integrator, StartContext};

/// A handle on a node of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HandleId(u64);

/// Why something cannot be done to a session.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum InteractionError {
    /// There is no such node.
    #[error("node {node}: the scene has nodes 0 to {last}")]
    Node {
        /// The node asked for.
        node: usize,
        /// The last there is.
        last: usize,
    },
    /// The handle was released.
    #[error("the handle was released before")]
    Released,
    /// A number that cannot be used.
    #[error("{what} = {value}: it must be {wanted}")]
    Number {
        /// Which quantity.
        what: &'static str,
        /// Its value.
        value: f64,
        /// What it must be.
        wanted: &'static str,
    },
    /// A method that cannot be had.
    #[error(transparent)]
    Method(#[from] MethodError),
    /// A method that does not go with the rest of the scene.
    #[error("{0}")]
    Unsuitable(String),
}

impl Session {
    /// Takes a node by a handle, a spring of this stiffness (N/m) whose other end stays where the node is now until
    /// [`Session::move_handle`] moves it.
    pub fn grab(&mut self, node: usize, stiffness: f64) -> Result<HandleId, InteractionError> {
        self.check_node(node)?;
        positive("stiffness", stiffness)?;
        let target = self.positions()[node];
        let id = self.model.grab(Handle {
            node: node as u32,
            stiffness,
            target,
        });
        self.apply_matrix_change();
        Ok(HandleId(id))
    }

    /// Takes the node nearest to a point by a handle.
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

    /// Lets a handle go.
    pub fn release(&mut self, handle: HandleId) -> Result<(), InteractionError> {
        if !self.model.release(handle.0) {
            return Err(InteractionError::Released);
        }
        self.apply_matrix_change();
        Ok(())
    }

    /// Pushes a node with a force (N) from here on; zero ends it. Its work is booked as it is done.
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

    /// Takes steps of another length, s, from here on.
    pub fn set_step(&mut self, h: f64) -> Result<(), InteractionError> {
        positive("step", h)?;
        self.time.set_step(h);
        Ok(())
    }

    /// Goes on with another method of the registry, with its default parameters.
    pub fn set_method(&mut self, name: &str) -> Result<(), InteractionError> {
        self.switch_method(methods::find(name)?, &Default::default())?;
        self.replaced_method = Some(name.into());
        Ok(())
    }

    /// Goes on with the method of the scene.
    pub fn restore_scene_method(&mut self) -> Result<(), InteractionError> {
        let own = methods::find(&self.scene.time.method.name)?;
        let parameters = build::method_parameters(&self.scene);
        self.switch_method(own, &parameters)?;
        self.replaced_method = None;
        Ok(())
    }

    fn switch_method(
        &mut self,
        method: methods::Choice,
        parameters: &march::Parameters,
    ) -> Result<(), InteractionError> {
        let unsuitable = |(_, sentence)| InteractionError::Unsuitable(sentence);
        let Integrator {
            stepper, options, ..
        } = build::integrator(&self.scene, &method, parameters, StartContext::MethodSwitch)
            .map_err(unsuitable)?;
        // Error control is tuned to the order of the method; it goes on with the step it had.
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

    /// Drops the history of the method: its next step is a first step.
    pub fn restart_method(&mut self) {
        self.time.restart();
    }

    fn apply_disturbance(&mut self) {
        self.time.disturbed(&mut self.model);
        self.measure();
    }

    /// The model has other matrices from here on.
    fn apply_matrix_change(&mut self) {
        self.time.matrix_changed();
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
