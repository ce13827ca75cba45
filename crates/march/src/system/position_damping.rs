//! Damping that depends on positions.

use crate::At;

/// How damping that depends on positions is brought up to date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DampingUpdate {
    /// Its matrix is that of the state from now on.
    Whole,
    /// Its matrix moves a share of the way, by what the last two changes of its force tell of the next.
    Relaxed,
}

/// A system with a damping force −D(u) v whose matrix depends on positions.
///
/// The matrix is lagged: force, tangent and dissipation function take D of the positions it was last updated at, so that
/// inside an iteration they stay derivatives of each other. Powers evaluate it at their own state, and the next evaluation
/// begins with an update or with [`crate::System::prepare`].
pub trait PositionDamping {
    /// Evaluates D at this state; returns the norm of the change of the damping force there, N, that a whole update makes.
    fn update_damping(&mut self, at: At, update: DampingUpdate) -> f64;

    /// y = ∂(D(u) v)/∂u du at this state, at fixed velocities: the part of −∂f/∂u that [`crate::System::tangent`] leaves
    /// out because it is not symmetric.
    fn damping_derivative(&mut self, at: At, du: &[f64], y: &mut [f64]);
}
