//! Mechanical systems that methods integrate in time.
//!
//! [`System`] is the mechanics: mass, force and tangent. Everything else is optional and has its own trait, which a
//! system offers by returning itself: [`StateMeasures`] (energies and momenta), [`ConstantMatrix`] (local/global
//! iterations), [`AdmissiblePaths`] (forbidden states), [`PositionDamping`] (damping that depends on positions) and
//! [`StepContact`] (contact that is enforced at the end of a step), [`ContactImpulses`] (friction and restitution after a
//! step).

mod constant_matrix;
mod contact_impulses;
mod measures;
mod optional;
mod paths;
mod position_damping;
mod step_contact;

pub use constant_matrix::{ConstantMatrix, RepeatedMatrix};
pub(crate) use contact_impulses::sum_impulses;
pub use contact_impulses::{ContactImpulses, ImpulseChanges};
pub use measures::StateMeasures;
pub use paths::{AdmissiblePaths, Blocker, Forces, Positions};
pub use position_damping::{DampingUpdate, PositionDamping};
pub use step_contact::{ContactImpulse, ContactPoint, ContactSearch, NO_UNKNOWN, StepContact};

use serde::{Deserialize, Serialize};
use sparse::Matrix;

use crate::State;

/// Borrowed state at which forces are evaluated: time, displacements, velocities.
#[derive(Clone, Copy, Debug)]
pub struct At<'a> {
    /// Time, s.
    pub t: f64,
    /// Displacements of the unknowns, m.
    pub u: &'a [f64],
    /// Velocities of the unknowns, m/s.
    pub v: &'a [f64],
}

impl<'a> At<'a> {
    /// Returns time and displacements without the velocities.
    pub fn positions(self) -> Positions<'a> {
        Positions::new(self.t, self.u)
    }
}

/// Changes that [`System::prepare`] has made at the state it was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// No change.
    Nothing,
    /// The force: cached accelerations are outdated.
    Force,
    /// The force and the law behind it, such as frozen rotations: matrices made so far belong to another law.
    Law,
}

/// Weights of the matrices in a tangent: `mass` M + `damping` D + `stiffness` K.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Weights {
    /// Factor of the mass matrix M.
    pub mass: f64,
    /// Factor of the damping matrix D = −∂f/∂v.
    pub damping: f64,
    /// Factor of the stiffness matrix K = −∂f/∂u.
    pub stiffness: f64,
}

/// Choice between the exact Hessian and its projection to positive semi-definite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Curvature {
    /// Exact Hessian, possibly indefinite.
    Exact,
    /// Hessian whose negative eigenvalues are set to zero in each stencil.
    Definite,
    /// Exact −∂f/∂u with its antisymmetric part ([`Matrix::antisymmetric_mut`]), if the forces have no potential. A
    /// system may return the symmetric part alone, as for [`Curvature::Exact`].
    Unsymmetric,
}

impl Curvature {
    /// Returns the kind of the symmetric part.
    pub fn symmetric(self) -> Curvature {
        match self {
            Curvature::Unsymmetric => Curvature::Exact,
            other => other,
        }
    }
}

/// Mechanical system M a = f(t, u, v) with constant, symmetric, positive definite M.
///
/// Evaluations take `&mut self` because a system owns its buffers. None of them may change the result of a later
/// evaluation, except [`System::prepare`], which begins an attempt, [`System::commit`], which ends a step, and, for
/// damping that depends on positions, [`PositionDamping::update_damping`].
pub trait System {
    /// Returns the number of unknowns.
    fn dofs(&self) -> usize;

    /// Returns the mass matrix M.
    fn mass(&self) -> &Matrix;

    /// Evaluates the force f(t, u, v), N.
    fn force(&mut self, at: At, f: &mut [f64]);

    /// Assembles w.mass M + w.damping D + w.stiffness K at this state, on the pattern of [`System::zero_matrix`]. If
    /// the pattern depends on the state, the system compares its stamp with that of `out` and first gives `out` the
    /// pattern of this state ([`Matrix::ensure_pattern`]); a few entries may lie outside it ([`Matrix::off_pattern`]).
    fn tangent(&mut self, at: At, w: Weights, c: Curvature, out: &mut Matrix);

    /// Returns a zero matrix on the pattern that [`System::tangent`] filled last.
    fn zero_matrix(&self) -> Matrix;

    /// Returns the stamp of the pattern of [`System::zero_matrix`], or `None` if it never changes. Matrices and factors
    /// are reused from step to step and saved in checkpoints only while it stays the same.
    fn pattern_stamp(&self) -> Option<u64> {
        None
    }

    /// Computes y = K du + D dv with the matrices of the last [`System::tangent`].
    fn tangent_times(&mut self, du: &[f64], dv: &[f64], y: &mut [f64]);

    /// Evaluates ∂f/∂t at the state of the last [`System::tangent`]; zero unless forces depend on time. The effect of
    /// prescribed motion on damping that depends on positions is part of it.
    fn force_rate(&mut self, _at: At, ft: &mut [f64]) {
        ft.fill(0.0);
    }

    /// Computes the change of the force between the time of a state and `t` at fixed unknowns: that of loads, and that of
    /// prescribed motion to first order, with the stiffness of the last [`System::tangent`], which was at this state.
    /// Returns `false` if the system does not offer it.
    fn force_increment(&mut self, _at: At, _t: f64, _df: &mut [f64]) -> bool {
        false
    }

    /// Evaluates the potential Π(t, u) with ∂Π/∂u = −(the part of f that does not depend on v). Returns `None` if that
    /// part has no potential, and +∞ if the state is forbidden. Forces without a potential may count as dead loads as
    /// of the last [`System::force`] or [`System::prepare`]; then [`System::has_lagged_potential`] returns `true`.
    fn potential(&mut self, t: f64, u: &[f64]) -> Option<f64>;

    /// Evaluates Rayleigh's dissipation function R(t, v) with ∂R/∂v = −(the part of f that depends on v). Returns
    /// `None` if that part has none. Damping that depends on positions uses those of the last
    /// [`PositionDamping::update_damping`].
    fn dissipation(&mut self, t: f64, v: &[f64]) -> Option<f64>;

    /// Returns `true` if [`System::potential`] changes with every [`System::force`].
    fn has_lagged_potential(&self) -> bool {
        false
    }

    /// Returns the norm of the forces that balanced in the last [`System::force`], N: the scale of residuals.
    fn force_scale(&self) -> f64;

    /// Prepares an attempt from this state: stencils and quantities frozen for a step are evaluated there, and damping
    /// that depends on positions is updated. A second call with the same state has the same effect, so a rejected
    /// attempt leaves no trace.
    fn prepare(&mut self, _at: At) -> Change {
        Change::Nothing
    }

    /// Returns the first time after `t` at which forces or prescribed motion jump or have a kink, s; infinity if there
    /// is none. Steps chosen by an error estimate end there. Forces at the kink are those after it.
    fn next_kink(&self, _t: f64) -> f64 {
        f64::INFINITY
    }

    /// Damps velocities after a step of length `h`, separately from the forces; returns the change of energy, J, or
    /// `None` if the system has no such damping and the state is unchanged.
    fn apply_velocity_damping(&mut self, _h: f64, _s: &mut State) -> Option<f64> {
        None
    }

    /// Commits the state from which the next step starts: internal variables become history, and energies are measured
    /// with the quantities that the next step will freeze. It is called for the start, after every accepted step and
    /// after a restored state; calling it twice at one state has the effect of calling it once.
    fn commit(&mut self, _at: At) {}

    /// Returns the change of the energy, J, by what the last [`System::commit`] froze for contact, such as contact areas.
    fn contact_change_at_commit(&self) -> f64 {
        0.0
    }

    /// Returns the change of the energy, J, by what broke at the last [`System::commit`]; never positive.
    fn fracture_change_at_commit(&self) -> f64 {
        0.0
    }

    /// Appends the internal variables as of the last [`System::commit`], and external changes.
    fn save(&self, _out: &mut Vec<u8>) {}

    /// Restores what [`System::save`] wrote; returns `false` if it does not fit this system.
    fn load(&mut self, saved: &[u8]) -> bool {
        saved.is_empty()
    }

    /// Returns the measures of energy and momentum. A system that returns `None` is measured as a conservative one, by
    /// its mass and its potential.
    fn state_measures(&mut self) -> Option<&mut dyn StateMeasures> {
        None
    }

    /// Returns the constant matrix of local/global iterations, or `None` if the forces have no projective form.
    fn constant_matrix(&mut self) -> Option<&mut dyn ConstantMatrix> {
        None
    }

    /// Returns the check of admissible paths, or `None` if no state is forbidden.
    fn admissible_paths(&mut self) -> Option<&mut dyn AdmissiblePaths> {
        None
    }

    /// Returns the contacts that act by impulses after a step, or `None` if the system has none.
    fn contact_impulses(&mut self) -> Option<&mut dyn ContactImpulses> {
        None
    }

    /// Returns the damping whose matrix depends on positions, or `None` if the system has none.
    fn position_damping(&mut self) -> Option<&mut dyn PositionDamping> {
        None
    }

    /// Returns the contact that is enforced at the end of a step, or `None` if the system has none.
    fn step_contact(&mut self) -> Option<&mut dyn StepContact> {
        None
    }
}
