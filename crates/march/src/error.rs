//! Errors of a step.

use sparse::{EigenError, FactorError, SolveError};

use crate::Blocker;

/// Error of a step that could not be taken. The state is the one before the step.
#[derive(Clone, Debug, thiserror::Error)]
pub enum StepError {
    /// Newton's method ran out of iterations or could not descend.
    #[error(
        "Newton stalled at t = {t:.6} s after {iterations} iterations: residual {residual:.2e} N, tolerance {wanted:.2e} N; try a smaller step"
    )]
    Newton {
        /// Time of the stage, s.
        t: f64,
        /// Iterations taken.
        iterations: u64,
        /// Euclidean norm of the residual force reached, N.
        residual: f64,
        /// Norm of the residual force that the tolerance accepts, N.
        wanted: f64,
    },
    /// The fixed-point iteration on position-dependent damping in a linearised stage did not converge.
    #[error(
        "a linearised stage at t = {t:.6} s did not converge in {iterations} iterations on damping that depends on positions: its solution still changes by {change:.1e} of its size; try a smaller step, a method that iterates such as sdirk2, or damping.rate = \"frozen\""
    )]
    DampingIteration {
        /// Time of the stage, s.
        t: f64,
        /// Fixed-point iterations.
        iterations: u32,
        /// Relative change in the last iteration.
        change: f64,
    },
    /// The system matrix could not be factored.
    #[error("the system matrix at t = {t:.6} s could not be factored: {why}; try a smaller step")]
    Factor {
        /// Time of the stage, s.
        t: f64,
        /// Error of the factorization.
        why: FactorError,
    },
    /// A linear solve failed.
    #[error("a linear solve at t = {t:.6} s failed: {why}; try a smaller step")]
    Solve {
        /// Time of the stage, s.
        t: f64,
        /// Error of the linear solver.
        why: SolveError,
    },
    /// The modes of an exponential method could not be computed or used.
    #[error("the modes at t = {t:.6} s fail: {why}")]
    Modes {
        /// Time of the step, s.
        t: f64,
        /// Reason.
        why: ModesFailure,
    },
    /// The exponential of a step needs too many products.
    #[error(
        "the exponential of the step at t = {t:.6} s did not converge in {products} products with the Jacobian: the system is too stiff for it; try a smaller step, or siere, which treats stiff modes implicitly"
    )]
    Krylov {
        /// Time of the step, s.
        t: f64,
        /// Products taken.
        products: u64,
    },
    /// The start of the iteration is a forbidden state.
    #[error(
        "the stage at t = {t:.6} s has no admissible start: the state that it starts from has infinite energy; start from a shape without inverted elements, or try a smaller step"
    )]
    InadmissibleStart {
        /// Time of the stage, s.
        t: f64,
    },
    /// The motion of the boundary to the stage passes a forbidden state, and the unknowns could not be moved out of its
    /// way.
    #[error(
        "the boundary cannot move to its position at t = {t:.6} s: after {moves} partial moves and {:.1} % of the motion {}; try a smaller step, or move the boundary less",
        (1000.0 * .done).floor() / 10.0,
        describe(.blocker)
    )]
    BlockedBoundary {
        /// Time of the stage, s.
        t: f64,
        /// Number of partial moves made.
        moves: u32,
        /// Fraction of the motion completed.
        done: f64,
        /// What blocks the motion, if it is known.
        blocker: Option<Blocker>,
    },
    /// A stage cannot be reached without passing a forbidden state.
    #[error(
        "the stage at t = {t:.6} s lies beyond a state of infinite energy: {} on the way; try a smaller step, or a method that iterates such as sdirk2",
        describe(.blocker)
    )]
    ForbiddenStage {
        /// Time of the stage, s.
        t: f64,
        /// What becomes forbidden first, if it is known.
        blocker: Option<Blocker>,
    },
    /// The end of the step cannot be reached without passing a forbidden state, although its stages can.
    #[error(
        "the step ends at t = {t:.6} s beyond a state of infinite energy that its stages do not show: {} on the way; try a smaller step or a method that ends on its last stage such as sdirk2",
        describe(.blocker)
    )]
    ForbiddenEnd {
        /// Time of the end, s.
        t: f64,
        /// What becomes forbidden first, if it is known.
        blocker: Option<Blocker>,
    },
    /// Local/global iterations were requested for a system without a constant matrix.
    #[error(
        "the stage at t = {t:.6} s has no constant matrix for local/global iterations: only arap, corotated, hooke springs and tethers have one; use newton = \"minimise\""
    )]
    NoConstantMatrix {
        /// Time of the stage, s.
        t: f64,
    },
    /// The controller accepted no step, not even the shortest.
    #[error("no step was accepted: the last one tried, of {h:.3e} s, is the shortest allowed")]
    NoAcceptedStep {
        /// Length of the last step tried, s.
        h: f64,
    },
    /// A body cannot appear because its place is occupied.
    #[error(
        "\"{body}\" cannot appear at t = {t:.6} s: \"{other}\" occupies its place; give the bodies of [[emit]] a velocity that clears it, a longer time between them (every), or another place"
    )]
    Occupied {
        /// Time, s.
        t: f64,
        /// Name of the body.
        body: Box<str>,
        /// Name of the body or obstacle in its place.
        other: Box<str>,
    },
    /// A force or a result is infinite or NaN.
    #[error(
        "the {what} of unknown {dof} at t = {t:.6} s is {value}: the motion has blown up; try a smaller step or an L-stable method such as sdirk2"
    )]
    NotFinite {
        /// Time, s.
        t: f64,
        /// Name of the quantity.
        what: &'static str,
        /// Index of the first affected unknown.
        dof: usize,
        /// Value of the quantity.
        value: f64,
    },
}

/// Reason why the modes of an exponential method fail.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ModesFailure {
    /// The eigenpairs could not be computed.
    #[error("{0}; ask for fewer modes")]
    Eigen(#[from] EigenError),
    /// The matrix without the modes is singular.
    #[error(
        "the system matrix without them is singular; compute them more often (refresh = \"angle\" or 1) or use fewer of them"
    )]
    Singular,
}

fn describe(blocker: &Option<Blocker>) -> String {
    let unknown = || "an element would be inverted".into();
    blocker.as_ref().map_or_else(unknown, Blocker::to_string)
}

impl StepError {
    /// Returns `true` if a value was infinite or NaN, as from unstable methods.
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
