//! A step and what it reports.

use sparse::{FactorError, SolveError};

use crate::ledger::Sample;
use crate::{StageSolver, System};

/// Where the system is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// Time, s.
    pub t: f64,
    /// Displacements, m.
    pub u: Vec<f64>,
    /// Velocities, m/s.
    pub v: Vec<f64>,
}

/// Work done by a step, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StepReport {
    /// Stage equations solved.
    pub stages: u64,
    /// Newton iterations over all stages.
    pub newton: u64,
    /// Force evaluations.
    pub forces: u64,
    /// Tangent matrices assembled.
    pub assemblies: u64,
    /// Numeric factorizations.
    pub factorizations: u64,
    /// Linear solves.
    pub solves: u64,
    /// Tangents that had to be projected to be positive definite.
    pub projections: u64,
    /// Trial points rejected by the line search.
    pub backtracks: u64,
}

impl StepReport {
    /// Adds another report's counts.
    pub fn add(&mut self, other: &StepReport) {
        let (mine, theirs) = (self.as_array(), other.as_array());
        *self = StepReport::from_array(std::array::from_fn(|i| mine[i] + theirs[i]));
    }

    /// All counts, in the order of the fields.
    pub fn as_array(&self) -> [u64; 8] {
        let StepReport {
            stages,
            newton,
            forces,
            assemblies,
            factorizations,
            solves,
            projections,
            backtracks,
        } = *self;
        [
            stages,
            newton,
            forces,
            assemblies,
            factorizations,
            solves,
            projections,
            backtracks,
        ]
    }

    /// Back from [`StepReport::as_array`].
    pub fn from_array(counts: [u64; 8]) -> StepReport {
        let [
            stages,
            newton,
            forces,
            assemblies,
            factorizations,
            solves,
            projections,
            backtracks,
        ] = counts;
        StepReport {
            stages,
            newton,
            forces,
            assemblies,
            factorizations,
            solves,
            projections,
            backtracks,
        }
    }
}

/// Why a step could not be taken. The state is as it was before the step.
#[derive(Clone, Debug, thiserror::Error)]
pub enum StepError {
    /// Newton's method ran out of iterations or could not descend.
    #[error(
        "Newton stalled at t = {t:.6} s after {iterations} iterations: residual {residual:.2e} N, wanted {wanted:.2e} N; try a smaller step"
    )]
    Newton {
        /// Time of the stage, s.
        t: f64,
        /// Iterations taken.
        iterations: u64,
        /// Euclidean norm of the residual force reached, N.
        residual: f64,
        /// Norm that would have been accepted, N.
        wanted: f64,
    },
    /// The iteration on the derivative of damping by positions in a linearised stage did not converge.
    #[error(
        "a linearised stage at t = {t:.6} s did not converge in {iterations} iterations on damping that depends on positions: its answer still changes by {change:.1e} of its size; try a smaller step, a method that iterates such as sdirk2, or damping.rate = \"frozen\""
    )]
    Damping {
        /// Time of the stage, s.
        t: f64,
        /// Fixed-point iterations.
        iterations: u32,
        /// Relative change in the last of them.
        change: f64,
    },
    /// The system matrix could not be factored.
    #[error("the system matrix at t = {t:.6} s could not be factored: {why}; try a smaller step")]
    Factor {
        /// Time of the stage, s.
        t: f64,
        /// What the factorization said.
        why: FactorError,
    },
    /// A linear solve failed.
    #[error("a linear solve at t = {t:.6} s failed: {why}")]
    Solve {
        /// Time of the stage, s.
        t: f64,
        /// What the solver said.
        why: SolveError,
    },
    /// No start of the iteration is admissible: the boundary's motion alone inverts an element, say.
    #[error(
        "the stage at t = {t:.6} s has no admissible start: every candidate has infinite energy; try a smaller step"
    )]
    Inadmissible {
        /// Time of the stage, s.
        t: f64,
    },
    /// The step ends in a state that the system does not admit, although its stages do not.
    #[error(
        "the step ends at t = {t:.6} s in a state of infinite energy that its stages do not show; try a smaller step or a method that ends on its last stage such as sdirk2"
    )]
    Forbidden {
        /// Time of the end, s.
        t: f64,
    },
    /// Local/global iterations on a system without a constant matrix.
    #[error(
        "the stage at t = {t:.6} s has no constant matrix for local/global iterations: only arap, corotated, hooke springs and tethers have; use newton = \"minimise\""
    )]
    NoConstant {
        /// Time of the stage, s.
        t: f64,
    },
    /// A force or a result is infinite or not a number.
    #[error(
        "the {what} of unknown {dof} at t = {t:.6} s is {value}: the motion has blown up; try a smaller step or an L-stable method such as sdirk2"
    )]
    NotFinite {
        /// Time, s.
        t: f64,
        /// Which quantity.
        what: &'static str,
        /// First offending unknown.
        dof: usize,
        /// Its value.
        value: f64,
    },
}

impl StepError {
    /// Whether numbers grew beyond all bounds, as unstable methods make them.
    pub fn blew_up(&self) -> bool {
        matches!(
            self,
            StepError::NotFinite { .. }
                | StepError::Solve {
                    why: SolveError::NotFinite { .. },
                    ..
                }
        )
    }
}

/// One method with the memory it needs from step to step.
pub trait Stepper: Send {
    /// Advances the state by `h`. On failure state and memory are as before.
    fn step(
        &mut self,
        sys: &mut dyn System,
        solver: &mut StageSolver,
        s: &mut State,
        h: f64,
    ) -> Result<(), StepError>;

    /// Appends everything the next step depends on beyond the state.
    fn save(&self, out: &mut Vec<f64>);

    /// Takes back what [`Stepper::save`] wrote; whether it had the right form.
    fn load(&mut self, memory: &[f64]) -> bool;

    /// Visits the points of the step just taken to `now` at which its powers are to be summed.
    fn samples(&mut self, now: &State, visit: &mut dyn FnMut(Sample));

    /// Forgets the past, as after a change of state from outside.
    fn restart(&mut self);

    /// How much of another method was blended into the last step to keep its energy: positive for backward, negative
    /// for forward Euler.
    fn blend(&self) -> f64 {
        0.0
    }

    /// Whether the energy of the last step should have been brought within tolerance and could not be.
    fn missed(&self) -> bool {
        false
    }
}
