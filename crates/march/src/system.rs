//! Mechanical systems that methods advance in time.
//!
//! [`System`] is the mechanics: mass, force and tangent. Everything else is optional and has a trait of its own, which a
//! system offers by returning itself: [`StateMeasures`] (energies and momenta), [`ConstantMatrix`] (local/global
//! iterations), [`AdmissiblePaths`] (forbidden states) and [`PositionDamping`] (damping that depends on positions).

mod constant_matrix;
mod measures;
mod optional;
mod paths;
mod position_damping;

pub use constant_matrix::{ConstantMatrix, RepeatedMatrix};
pub use measures::StateMeasures;
pub use paths::{AdmissiblePaths, Positions};
pub use position_damping::{DampingUpdate, PositionDamping};

use serde::{Deserialize, Serialize};
use sparse::Matrix;

use crate::State;

/// A state at which forces are asked for.
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
    /// Where the system is.
    pub fn positions(self) -> Positions<'a> {
        Positions::new(self.t, self.u)
    }
}

/// What announcing a step has changed at the very state announced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Nothing.
    Nothing,
    /// The force: cached accelerations are stale.
    Force,
    /// The force and what it is derived from, such as frozen rotations: the matrix is that of another law.
    Law,
}

/// How much of each matrix goes into a tangent: `mass` M + `damping` D + `stiffness` K.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Weights {
    /// Factor of the mass matrix M.
    pub mass: f64,
    /// Factor of the damping matrix D = −∂f/∂v.
    pub damping: f64,
    /// Factor of the stiffness matrix K = −∂f/∂u.
    pub stiffness: f64,
}

/// Whether a second derivative is the true one or its nearest positive semi-definite neighbour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Curvature {
    /// The true second derivative, possibly indefinite.
    Exact,
    /// Negative eigenvalues of each stencil's second derivative raised to zero.
    Definite,
}

/// A mechanical system M a = f(t, u, v) with constant, symmetric, positive definite M.
///
/// Evaluations take `&mut self` because a system owns the buffers it works in; none of them may change what a later
/// evaluation returns, except [`System::prepare`], which begins an attempt, [`System::commit`], which ends a step, and,
/// for damping that depends on positions, [`PositionDamping::update_damping`].
pub trait System {
    /// Number of unknowns.
    fn dofs(&self) -> usize;

    /// The mass matrix M.
    fn mass(&self) -> &Matrix;

    /// f(t, u, v), N.
    fn force(&mut self, at: At, f: &mut [f64]);

    /// w.mass M + w.damping D + w.stiffness K at this state, on the pattern that [`System::zero_matrix`] has. If the pattern
    /// depends on the state, the system compares its stamp with that of `out` and gives `out` the pattern of this state
    /// first ([`Matrix::fit`]); a few entries may lie beside it ([`Matrix::off_pattern`]).
    fn tangent(&mut self, at: At, w: Weights, c: Curvature, out: &mut Matrix);

    /// A zero matrix on the pattern that [`System::tangent`] filled last.
    fn zero_matrix(&self) -> Matrix;

    /// Stamp of the pattern that [`System::zero_matrix`] has, or `None` if it never changes. Matrices and factors are carried
    /// from step to step, and checkpoints hold them, only as long as it stays.
    fn pattern_stamp(&self) -> Option<u64> {
        None
    }

    /// y = K du + D dv with the matrices of the last [`System::tangent`].
    fn tangent_times(&mut self, du: &[f64], dv: &[f64], y: &mut [f64]);

    /// ∂f/∂t at this state, at which [`System::tangent`] was called last; zero unless forces know the time. What
    /// prescribed motion changes of damping that depends on positions is part of it.
    fn force_rate(&mut self, _at: At, ft: &mut [f64]) {
        ft.fill(0.0);
    }

    /// Potential Π(t, u) with ∂Π/∂u = −(the part of f that does not depend on v). Returns `None` if that part has no
    /// potential, and +∞ where the state is forbidden. Forces without a potential may count as dead loads as of the last
    /// [`System::force`] or [`System::prepare`]; then [`System::has_lagged_potential`].
    fn potential(&mut self, t: f64, u: &[f64]) -> Option<f64>;

    /// Rayleigh's dissipation function R(t, v) with ∂R/∂v = −(the part of f that depends on v). Returns `None` if that
    /// part has none. Damping that depends on positions counts with those of the last
    /// [`PositionDamping::update_damping`].
    fn dissipation(&mut self, t: f64, v: &[f64]) -> Option<f64>;

    /// Whether [`System::potential`] changes with every [`System::force`].
    fn has_lagged_potential(&self) -> bool {
        false
    }

    /// Size of the forces that balanced in the last [`System::force`], N: what a residual is measured against.
    fn force_scale(&self) -> f64;

    /// Announces an attempt from this state: stencils and quantities frozen for a step are taken there, and damping that
    /// depends on positions is updated. Announcing the same state again has the same effect, so a rejected attempt
    /// leaves no trace.
    fn prepare(&mut self, _at: At) -> Change {
        Change::Nothing
    }

    /// The first time after `t` at which forces or prescribed motion jump or have a kink, s; infinity if there is none.
    /// Steps that are chosen by an error estimate end there. At the kink itself forces are those after it.
    fn next_kink(&self, _t: f64) -> f64 {
        f64::INFINITY
    }

    /// Damps velocities after a step of length `h`, in a step of its own; returns the change of energy, J, or `None` if
    /// the system has no such damping and the state stays as it is.
    fn apply_velocity_damping(&mut self, _h: f64, _s: &mut State) -> Option<f64> {
        None
    }

    /// The next step starts from this state: internal variables become history, and energies are measured with what the
    /// next step will freeze here. It is called for the start, after every accepted step and after a restored state;
    /// calling it twice at one state has the effect of calling it once.
    fn commit(&mut self, _at: At) {}

    /// Appends the internal variables as of the last [`System::commit`], and what was changed from outside.
    fn save(&self, _out: &mut Vec<u8>) {}

    /// Takes back what [`System::save`] wrote; returns whether it fits this system.
    fn load(&mut self, saved: &[u8]) -> bool {
        saved.is_empty()
    }

    /// Energies and momenta. A system that returns `None` is measured as a conservative one: by its mass and its
    /// potential.
    fn state_measures(&mut self) -> Option<&mut dyn StateMeasures> {
        None
    }

    /// The constant matrix of local/global iterations, or `None` if the forces have no projective form.
    fn constant_matrix(&mut self) -> Option<&mut dyn ConstantMatrix> {
        None
    }

    /// Which paths are free, or `None` if no state is forbidden.
    fn admissible_paths(&mut self) -> Option<&mut dyn AdmissiblePaths> {
        None
    }

    /// Damping whose matrix depends on positions, or `None` if the system has none.
    fn position_damping(&mut self) -> Option<&mut dyn PositionDamping> {
        None
    }
}
