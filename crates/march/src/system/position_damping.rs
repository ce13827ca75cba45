//! Damping that depends on positions.

use crate::At;

/// How damping that depends on positions is updated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DampingUpdate {
    /// The matrix becomes that of the state.
    Whole,
    /// The matrix moves a fraction of the way, chosen from the last two changes of its force (Aitken relaxation, [Irons
    /// & Tuck 1969]).
    Relaxed,
}

/// System with a damping force −D(u) v whose matrix depends on positions.
///
/// The matrix is lagged: force, tangent and dissipation function use D of the last update, so they stay consistent
/// derivatives inside an iteration. Powers evaluate it at their own state, and the next evaluation begins with an
/// update or with [`crate::System::prepare`].
pub trait PositionDamping {
    /// Evaluates D at this state; returns the norm of the change of the damping force there that a whole update makes,
    /// N.
    fn update_damping(&mut self, at: At, update: DampingUpdate) -> f64;

    /// Returns the norm of the part of that change that is due to friction, N.
    fn friction_change(&self) -> f64 {
        0.0
    }

    /// Computes y = ∂(D(u) v)/∂u du at this state, at fixed velocities: the part of −∂f/∂u that
    /// [`crate::System::tangent`] omits because it is not symmetric.
    fn damping_derivative(&mut self, at: At, du: &[f64], y: &mut [f64]);
}
