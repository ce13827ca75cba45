//! Why a step could not be taken.

use sparse::{FactorError, SolveError};

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
    DampingIteration {
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
    /// The iteration has no admissible start: the state it would start from is forbidden itself.
    #[error(
        "the stage at t = {t:.6} s has no admissible start: the state that it starts from has infinite energy; begin with an intact shape, or try a smaller step"
    )]
    InadmissibleStart {
        /// Time of the stage, s.
        t: f64,
    },
    /// The boundary's motion to a stage passes a forbidden state, and the unknowns could not be brought out of the way.
    #[error(
        "the boundary cannot move to its place at t = {t:.6} s: after {moves} partial moves and {:.1} % of the way {} would be turned inside out; try a smaller step, or move the boundary less",
        (1000.0 * .done).floor() / 10.0,
        name_of(*.element)
    )]
    BlockedBoundary {
        /// Time of the stage, s.
        t: f64,
        /// Partial moves made.
        moves: u32,
        /// Share of the way that was done.
        done: f64,
        /// The element in the way, if it is known.
        element: Option<usize>,
    },
    /// A stage lies beyond a forbidden state.
    #[error(
        "the stage at t = {t:.6} s lies beyond a state of infinite energy: {} would be turned inside out on the way; try a smaller step, or a method that iterates such as sdirk2",
        name_of(*.element)
    )]
    ForbiddenStage {
        /// Time of the stage, s.
        t: f64,
        /// The first element to get there, if it is known.
        element: Option<usize>,
    },
    /// The step ends beyond a forbidden state, although its stages do not.
    #[error(
        "the step ends at t = {t:.6} s beyond a state of infinite energy that its stages do not show: {} would be turned inside out on the way; try a smaller step or a method that ends on its last stage such as sdirk2",
        name_of(*.element)
    )]
    ForbiddenEnd {
        /// Time of the end, s.
        t: f64,
        /// The first element to get there, if it is known.
        element: Option<usize>,
    },
    /// Local/global iterations on a system without a constant matrix.
    #[error(
        "the stage at t = {t:.6} s has no constant matrix for local/global iterations: only arap, corotated, hooke springs and tethers have; use newton = \"minimise\""
    )]
    NoConstantMatrix {
        /// Time of the stage, s.
        t: f64,
    },
    /// No step that the controller would accept is left.
    #[error("no step was accepted: the last one tried, of {h:.3e} s, is the shortest allowed")]
    NoAcceptedStep {
        /// Its length, s.
        h: f64,
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

fn name_of(element: Option<usize>) -> String {
    element.map_or("an element".into(), |i| format!("element {i}"))
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
