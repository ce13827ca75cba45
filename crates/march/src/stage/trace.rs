//! Trace of the iterations on a stage, for diagnosis after a failure.

use serde::{Deserialize, Serialize};

/// Kind of matrix that gave a direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TangentKind {
    /// Factors of an earlier state.
    Reused,
    /// Exact Hessian.
    Exact,
    /// Hessian whose stencils are projected to positive semi-definite.
    Projected,
    /// Exact or projected Hessian with a multiple of its diagonal added.
    Regularised,
    /// Indefinite exact Hessian, factored by LU.
    Indefinite,
}

impl TangentKind {
    /// Returns the name used in tables.
    pub const fn name(self) -> &'static str {
        match self {
            TangentKind::Reused => "kept",
            TangentKind::Exact => "exact",
            TangentKind::Projected => "projected",
            TangentKind::Regularised => "regularised",
            TangentKind::Indefinite => "indefinite",
        }
    }
}

/// Record of one Newton iteration.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct NewtonIteration {
    /// Norm of the residual force before the iteration, N.
    pub residual: f64,
    /// Norm that the tolerance accepts, N.
    pub wanted: f64,
    /// Merit before the iteration: Φ, or the norm that is decreased if there is no Φ.
    pub merit: f64,
    /// Kind of matrix that gave the direction.
    pub tangent: TangentKind,
    /// Largest entry of the full displacement increment, m.
    pub increment: f64,
    /// Fraction of the increment taken; 0 if none lowers the merit.
    pub fraction: f64,
    /// Trial points rejected by the line search.
    pub backtracks: u64,
}

/// Trace of the iteration on the stage solved last.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NewtonTrace {
    /// Time of the stage, s.
    pub t: f64,
    /// ∂u/∂a, s².
    pub c_u: f64,
    /// ∂v/∂a, s.
    pub c_v: f64,
    /// Iterations in order.
    pub iterations: Vec<NewtonIteration>,
}
