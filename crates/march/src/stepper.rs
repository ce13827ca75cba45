//! One step of a method in two phases: an attempt, which changes no history, and its commit.

use serde::{Deserialize, Serialize};

use crate::ledger::PowerSample;
use crate::{At, Counts, MethodMemory, StageSolver, StepError, System};

/// State of a system at a time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// Time, s.
    pub t: f64,
    /// Displacements, m.
    pub u: Vec<f64>,
    /// Velocities, m/s.
    pub v: Vec<f64>,
}

impl State {
    /// Borrows the state as an [`At`], at which forces are evaluated.
    pub fn at(&self) -> At<'_> {
        At {
            t: self.t,
            u: &self.u,
            v: &self.v,
        }
    }

    /// Copies another state, reusing the buffers of this one.
    pub fn copy_from(&mut self, other: &State) {
        self.t = other.t;
        self.u.clone_from(&other.u);
        self.v.clone_from(&other.v);
    }

    /// Resizes the vectors to `n` unknowns.
    pub fn resize(&mut self, n: usize) {
        self.u.resize(n, 0.0);
        self.v.resize(n, 0.0);
    }
}

/// System, stage solver and requested estimates of an attempt.
///
/// Only [`TimeLoop`](crate::TimeLoop) creates one, so steps are attempted nowhere else; a stepper that wraps another
/// passes it on.
///
/// ```compile_fail
/// # fn attempt(system: &mut dyn march::System, solver: &mut march::StageSolver) {
/// let cx = march::StepContext { system, solver, estimates: Default::default() };
/// # }
/// ```
pub struct StepContext<'a> {
    /// System to step.
    pub system: &'a mut dyn System,
    /// Solver of the stages.
    pub solver: &'a mut StageSolver,
    /// Estimates that the controller needs of this step.
    pub(crate) estimates: EstimateRequest,
    /// Whether an extrapolated end beyond a barrier is moved out of contact instead of refused.
    pub(crate) closes_end: bool,
}

/// Error estimates that a controller requests of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EstimateRequest {
    /// Whether the difference from the embedded method is needed, [`StepReport::error`].
    pub embedded: bool,
    /// How the error of the linearised force is measured, [`StepReport::force_error`].
    pub force: ForceEstimate,
    /// Whether the largest change of an edge length is needed, [`StepReport::stretch`].
    pub stretch: bool,
    /// Whether the largest speed at the end is needed, [`StepReport::speed`].
    pub speed: bool,
    /// Whether the number of bonds that break is needed, [`StepReport::breaking`].
    pub breaking: bool,
}

/// How the error of the linearised force is measured.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum ForceEstimate {
    /// The error is not measured.
    #[default]
    None,
    /// Solves with the mass matrix in every stage.
    Exact,
    /// Screens stages by the diagonal of the mass matrix, and solves once for the largest, unless even its bound is at
    /// most this error, m.
    Screened(f64),
}

impl<'a> StepContext<'a> {
    pub(crate) fn new(
        system: &'a mut dyn System,
        solver: &'a mut StageSolver,
        estimates: EstimateRequest,
    ) -> StepContext<'a> {
        StepContext {
            system,
            solver,
            estimates,
            closes_end: false,
        }
    }

    /// Returns the estimates that the controller needs of this step.
    pub fn estimates(&self) -> EstimateRequest {
        self.estimates
    }
}

/// Result of an attempt: work, error estimates, corrections.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepReport {
    /// Work of the attempt.
    pub counts: Counts,
    /// Estimated error of the step, if the controller requested it and the method has an estimate.
    pub error: Option<ErrorEstimate>,
    /// Error of the linearised force, m, if the controller requested it and the method has implicit stages.
    pub force_error: Option<f64>,
    /// Error estimate by step doubling, m, if the method takes two half steps.
    pub doubling: Option<f64>,
    /// Largest change of an edge length in the step, m, if the controller requested it.
    pub stretch: Option<f64>,
    /// Largest speed at the end of the step, m/s, if the controller requested it.
    pub speed: Option<f64>,
    /// Number of bonds that would break at the end of the step, if the controller requested it.
    pub breaking: Option<u64>,
    /// Blend factor of energy tracking: positive for backward Euler, negative for forward Euler.
    pub blend: f64,
    /// Whether the energy error exceeds the tolerance after a correction.
    pub tolerance_missed: bool,
    /// Whether the end was moved out of contact by a closing minimisation.
    pub closed: bool,
    /// Energy that a contact correction of the end of the step has changed, J.
    pub contact: ContactEnergy,
    /// Largest residual before the last local/global iteration of a stage, relative to the forces.
    pub local_global_residual: f64,
    /// Residual and stability of the equilibrium, if the step is a load step of statics.
    pub equilibrium: Option<Equilibrium>,
}

/// Change of the energy by a contact correction of the end of a step, J.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactEnergy {
    /// Change by the normal impulses and the linearisation of the correction.
    pub contact: f64,
    /// Change by friction; never positive.
    pub friction: f64,
    /// Work of moving obstacles and prescribed nodes on what touches them.
    pub work: f64,
    /// Residual of the stages that is the power of contact forces which acted in them, with the sign that removes it.
    pub residual: f64,
}

impl ContactEnergy {
    /// Adds the changes of another part of the step.
    pub fn add(&mut self, other: &ContactEnergy) {
        self.contact += other.contact;
        self.friction += other.friction;
        self.work += other.work;
        self.residual += other.residual;
    }
}

/// Quality of a static equilibrium.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Equilibrium {
    /// Norm of the forces that do not balance, relative to those that do.
    pub residual: f64,
    /// Number of negative pivots of the tangent stiffness: 0 at a stable equilibrium. `None` if the tangent is singular
    /// up to rounding.
    pub negative_pivots: Option<u64>,
}

/// Difference between the results of a step and of its embedded method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ErrorEstimate {
    /// Largest difference of a displacement, m.
    pub displacement: f64,
    /// Largest difference of a velocity, m/s.
    pub velocity: f64,
}

/// Time integration method with the history that it keeps from step to step.
pub trait Stepper: Send {
    /// Computes the state a step of length `h` after `from`. Changes neither `from` nor the history.
    fn attempt(
        &mut self,
        cx: &mut StepContext,
        from: &State,
        h: f64,
        to: &mut State,
    ) -> Result<StepReport, StepError>;

    /// Makes the last attempt history. Call it after a successful attempt only.
    fn commit(&mut self);

    /// Visits the states of the last attempt, `from` to `to`, at which the energy ledger sums powers.
    fn samples(&mut self, from: &State, to: &State, visit: &mut dyn FnMut(PowerSample));

    /// Returns `true` if a step leads from one static equilibrium to the next. Its work is then that of the forces at its
    /// two ends, [`StateMeasures::quasi_static_work`](crate::StateMeasures::quasi_static_work), and not a sum of powers.
    fn is_quasi_static(&self) -> bool {
        false
    }

    /// Writes the history, everything that the next step depends on beyond the state, into `memory`, reusing its
    /// vectors if they are of the same form.
    fn save_into(&self, memory: &mut MethodMemory);

    /// Returns a copy of the history.
    fn memory(&self) -> MethodMemory {
        let mut memory = MethodMemory::None;
        self.save_into(&mut memory);
        memory
    }

    /// Replaces the history; returns `false` if it belongs to another kind of method.
    fn restore(&mut self, memory: &MethodMemory) -> bool;

    /// Drops the history, as after an external change of the state.
    fn restart(&mut self);

    /// Drops the history of the motion after the end of a step was changed, by damping, tracking or contact. What belongs
    /// to the body, such as its modes, stays.
    fn restart_motion(&mut self) {
        self.restart();
    }
}

impl<S: Stepper + ?Sized> Stepper for &mut S {
    fn attempt(
        &mut self,
        cx: &mut StepContext,
        from: &State,
        h: f64,
        to: &mut State,
    ) -> Result<StepReport, StepError> {
        (**self).attempt(cx, from, h, to)
    }

    fn commit(&mut self) {
        (**self).commit();
    }

    fn samples(&mut self, from: &State, to: &State, visit: &mut dyn FnMut(PowerSample)) {
        (**self).samples(from, to, visit);
    }

    fn is_quasi_static(&self) -> bool {
        (**self).is_quasi_static()
    }

    fn save_into(&self, memory: &mut MethodMemory) {
        (**self).save_into(memory);
    }

    fn restore(&mut self, memory: &MethodMemory) -> bool {
        (**self).restore(memory)
    }

    fn restart(&mut self) {
        (**self).restart();
    }

    fn restart_motion(&mut self) {
        (**self).restart_motion();
    }
}
