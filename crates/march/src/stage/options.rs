//! What can be chosen about the iteration on a stage.

use sparse::Backend;

/// How a stage equation is iterated on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Newton {
    /// Descend Φ to convergence; falls back on [`Newton::Residual`] where the forces have no potential.
    Minimise,
    /// Descend the norm of the residual to convergence (000 §3.2.1).
    Residual,
    /// Descend ½‖B r‖² with B the inverse of the matrix that gives the direction (003 eq. 12, which lacks the square
    /// and scales by one matrix a step): the same whatever the units of the unknowns, for forces without potential.
    LeastSquares,
    /// One iteration from the nearby state and no questions asked: the semi-implicit methods (003 eq. 6).
    SingleIteration,
    /// So many local/global iterations from the inertial state (004 §4.2).
    LocalGlobal {
        /// Iterations of a stage.
        iterations: u64,
    },
    /// One local/global iteration from the nearby state.
    SingleLocalGlobal,
}

impl Newton {
    /// The same for a stage that starts near its answer: one local/global iteration is enough (004 §4.2).
    pub fn for_near_start(self) -> Newton {
        match self {
            Newton::LocalGlobal { .. } => Newton::SingleLocalGlobal,
            other => other,
        }
    }
}

/// Which second derivative gives the direction where Φ is descended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HessianProjection {
    /// The exact one; where Cholesky or the descent fails, a multiple of its diagonal is added and each stencil's
    /// positive semi-definite part is taken, by turns.
    #[default]
    OnDemand,
    /// Each stencil's positive semi-definite part in every iteration.
    Always,
    /// The exact one, with a multiple of its diagonal added where Cholesky fails.
    Never,
}

/// How long factors of Newton's matrix serve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FactorLifetime {
    /// Over steps, while the next step is expected to be cheaper with them than with new ones.
    #[default]
    WhileCheaper,
    /// No longer than the step they were made in, so that what a step costs is the method's own.
    WithinStep,
}

/// How small the error left in a stage must be against the error the step makes anyway.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Accuracy {
    /// Share of the step's own error.
    pub share: f64,
    /// Order of the method.
    pub order: u32,
}

/// Settings of the nonlinear and linear solvers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Merit of the full Newton iteration.
    pub newton: Newton,
    /// Residual force accepted, relative to the force scale of the stage.
    pub tolerance: f64,
    /// Stop earlier than the tolerance says where the step's own error allows it.
    pub accuracy: Option<Accuracy>,
    /// When second derivatives are projected.
    pub projection: HessianProjection,
    /// How long factors serve.
    pub factor_lifetime: FactorLifetime,
    /// Matrices of different weights whose factors are kept at a time: more than one if the step changes its length.
    pub factor_slots: usize,
    /// Correct what the tolerance accepts until only rounding is left; for systems of a few unknowns.
    pub to_roundoff: bool,
    /// Newton iterations without progress before giving up.
    pub max_iterations: u64,
    /// Linear solver.
    pub linear: Backend,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            newton: Newton::Minimise,
            tolerance: 1e-8,
            accuracy: None,
            projection: HessianProjection::OnDemand,
            factor_lifetime: FactorLifetime::WhileCheaper,
            factor_slots: 1,
            to_roundoff: false,
            max_iterations: 50,
            linear: Backend::Auto,
        }
    }
}
