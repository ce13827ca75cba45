//! How the iteration on a stage went, row by row: what a person wants to see when it failed.

use serde::{Deserialize, Serialize};

/// The matrix that gave a direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TangentKind {
    /// Factors of an earlier state of the same step.
    Reused,
    /// The true second derivative.
    Exact,
    /// Each stencil's nearest positive semi-definite second derivative.
    Projected,
    /// The true one, or the projected one, with a multiple of its diagonal added.
    Regularised,
    /// The true one, indefinite, by LU.
    Indefinite,
}

impl TangentKind {
    /// The word used in tables.
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

/// One Newton iteration.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct NewtonIteration {
    /// Norm of the residual force before it, N.
    pub residual: f64,
    /// Norm that would have been accepted, N.
    pub wanted: f64,
    /// Merit before it: Φ, or the norm descended where there is no Φ.
    pub merit: f64,
    /// Where its direction came from.
    pub tangent: TangentKind,
    /// Largest entry of the full displacement increment, m.
    pub increment: f64,
    /// Fraction of the increment taken; 0 where none descends.
    pub fraction: f64,
    /// Trial points rejected.
    pub backtracks: u64,
}

/// The iteration on the stage solved last.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NewtonTrace {
    /// Time of the stage, s.
    pub t: f64,
    /// ∂u/∂a, s².
    pub c_u: f64,
    /// ∂v/∂a, s.
    pub c_v: f64,
    /// Its iterations.
    pub iterations: Vec<NewtonIteration>,
}
