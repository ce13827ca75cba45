//! One step of a method in two phases: an attempt, which changes nothing that lasts, and its commit.

use serde::{Deserialize, Serialize};

use crate::ledger::PowerSample;
use crate::{At, Counts, MethodMemory, StageSolver, StepError, System};

/// The state of a system at a time.
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
    /// The state as forces are evaluated at it.
    pub fn at(&self) -> At<'_> {
        At {
            t: self.t,
            u: &self.u,
            v: &self.v,
        }
    }

    /// Copies another state into the memory of this one.
    pub fn copy_from(&mut self, other: &State) {
        self.t = other.t;
        self.u.clone_from(&other.u);
        self.v.clone_from(&other.v);
    }

    /// Makes room for `n` unknowns.
    pub fn resize(&mut self, n: usize) {
        self.u.resize(n, 0.0);
        self.v.resize(n, 0.0);
    }
}

/// What an attempt works with: the system, the solver of its stages, and what the controller asks for.
///
/// Only [`TimeLoop`](crate::TimeLoop) makes one, so steps are attempted nowhere else; a stepper that wraps another
/// passes it on.
///
/// ```compile_fail
/// # fn attempt(system: &mut dyn march::System, solver: &mut march::StageSolver) {
/// let cx = march::StepContext { system, solver, estimates: Default::default() };
/// # }
/// ```
pub struct StepContext<'a> {
    /// What moves.
    pub system: &'a mut dyn System,
    /// Solves the stages.
    pub solver: &'a mut StageSolver,
    /// The estimates that the controller needs of this step.
    pub(crate) estimates: EstimateRequest,
}

/// Estimates of the error of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EstimateRequest {
    /// The difference from the embedded method, [`StepReport::error`].
    pub embedded: bool,
    /// The error of the linearised force, [`StepReport::force_error`].
    pub force: ForceEstimate,
    /// The greatest change of an edge's length, [`StepReport::stretch`].
    pub stretch: bool,
    /// The speed at the end, [`StepReport::speed`].
    pub speed: bool,
}

/// How the error of the linearised force is measured.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum ForceEstimate {
    /// Not at all.
    #[default]
    None,
    /// By a solve with the mass matrix in every stage.
    Exact,
    /// By the diagonal of the mass matrix, and one solve for the stage in which that gives the most, unless even its bound
    /// is no more than this error, m.
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
        }
    }

    /// The estimates that the controller needs of this step.
    pub fn estimates(&self) -> EstimateRequest {
        self.estimates
    }
}

/// What an attempt found out about itself.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepReport {
    /// Work of the attempt.
    pub counts: Counts,
    /// Estimated error of the step, if the controller asked for it and the method has an estimate.
    pub error: Option<ErrorEstimate>,
    /// Error of the linearised force, m, if the controller asked for it and the method has implicit stages.
    pub force_error: Option<f64>,
    /// Error of the step against one of twice the length, m, if the method takes its steps in halves.
    pub doubling: Option<f64>,
    /// Greatest change of an edge's length in the step, m, if the controller asked for it.
    pub stretch: Option<f64>,
    /// Largest speed at the end of the step, m/s, if the controller asked for it.
    pub speed: Option<f64>,
    /// Share of another method blended in to hold the energy: positive for backward Euler, negative for forward Euler.
    pub blend: f64,
    /// Whether the energy should have been brought within tolerance and could not be.
    pub tolerance_missed: bool,
    /// Largest residual before the last local/global iteration of a stage, relative to the forces.
    pub local_global_residual: f64,
}

/// The difference between the result of a step and that of the embedded method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ErrorEstimate {
    /// Largest difference of a displacement, m.
    pub displacement: f64,
    /// Largest difference of a velocity, m/s.
    pub velocity: f64,
}

/// One method with the history it needs from step to step.
pub trait Stepper: Send {
    /// Computes the state a step of length `h` after `from`. Changes neither `from` nor the history.
    fn attempt(
        &mut self,
        cx: &mut StepContext,
        from: &State,
        h: f64,
        to: &mut State,
    ) -> Result<StepReport, StepError>;

    /// Makes the last attempt history. To be called after a successful attempt only.
    fn commit(&mut self);

    /// Visits the points of the last attempt, `from` to `to`, at which the energy budget sums powers.
    fn samples(&mut self, from: &State, to: &State, visit: &mut dyn FnMut(PowerSample));

    /// Writes the history, everything that the next step depends on beyond the state, into `memory`, whose vectors are
    /// used again if they are of the same form.
    fn save_into(&self, memory: &mut MethodMemory);

    /// The history, in memory of its own.
    fn memory(&self) -> MethodMemory {
        let mut memory = MethodMemory::None;
        self.save_into(&mut memory);
        memory
    }

    /// Replaces the history; returns whether it is of the form that this method keeps.
    fn restore(&mut self, memory: &MethodMemory) -> bool;

    /// Drops the history, as after a change of the state from outside.
    fn restart(&mut self);
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

    fn save_into(&self, memory: &mut MethodMemory) {
        (**self).save_into(memory);
    }

    fn restore(&mut self, memory: &MethodMemory) -> bool {
        (**self).restore(memory)
    }

    fn restart(&mut self) {
        (**self).restart();
    }
}
