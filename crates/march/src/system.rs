//! What can be marched.

use serde::{Deserialize, Serialize};
use sparse::Matrix;

use crate::State;
use crate::ledger::{Energy, Powers};
use crate::vector::{max_abs, max_abs_difference};

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

/// Where a system is at a time: one end of a path.
#[derive(Clone, Copy, Debug)]
pub struct Positions<'a> {
    /// Time, s.
    pub t: f64,
    /// Displacements of the unknowns, m.
    pub u: &'a [f64],
}

impl<'a> Positions<'a> {
    /// These displacements at this time.
    pub fn new(t: f64, u: &'a [f64]) -> Positions<'a> {
        Positions { t, u }
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

/// How damping that depends on positions is brought up to date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DampingUpdate {
    /// Its matrix is that of the state from now on.
    Whole,
    /// Its matrix moves a share of the way, by what the last two changes of its force tell of the next.
    Relaxed,
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

/// A matrix that stands for each of `copies` interleaved families of unknowns alike: A ⊗ I.
#[derive(Clone, Debug)]
pub struct Repeated {
    /// A.
    pub matrix: Matrix,
    /// Unknowns that share a row of A.
    pub copies: usize,
}

/// A mechanical system M a = f(t, u, v) with constant, symmetric, positive definite M.
///
/// Evaluations take `&mut self` because a system owns the buffers it works in; none of them may change what a later
/// evaluation returns, except [`System::prepare`], which begins an attempt, [`System::commit`], which ends a step, and,
/// for damping that depends on positions, [`System::update_damping`].
///
/// Such damping is a force −D(u) v whose matrix is lagged: force, tangent and dissipation function take D of the
/// positions it was last updated at, so that inside an iteration they stay derivatives of each other. Powers evaluate
/// it at their own state, and the next evaluation begins with an update or with [`System::prepare`].
pub trait System {
    /// Number of unknowns.
    fn dofs(&self) -> usize;

    /// The mass matrix M.
    fn mass(&self) -> &Matrix;

    /// f(t, u, v), N.
    fn force(&mut self, at: At, f: &mut [f64]);

    /// w.mass M + w.damping D + w.stiffness K at this state, on the pattern that [`System::blank`] has. If the pattern
    /// depends on the state, the system compares its stamp with that of `out` and gives `out` the pattern of this state
    /// first ([`Matrix::fit`]); a few entries may lie beside it ([`Matrix::off_pattern`]).
    fn tangent(&mut self, at: At, w: Weights, c: Curvature, out: &mut Matrix);

    /// A zero matrix on the pattern that [`System::tangent`] filled last.
    fn blank(&self) -> Matrix;

    /// Stamp of the pattern that [`System::blank`] has, or `None` if it never changes. Matrices and factors are carried
    /// from step to step, and checkpoints hold them, only as long as it stays.
    fn pattern_stamp(&self) -> Option<u64> {
        None
    }

    /// y = K du + D dv with the matrices of the last [`System::tangent`].
    fn tangent_times(&mut self, du: &[f64], dv: &[f64], y: &mut [f64]);

    /// A zero matrix on the pattern that [`System::constant_tangent`] fills, or nothing where the forces have no
    /// projective form.
    fn blank_constant(&self) -> Option<Repeated> {
        None
    }

    /// w.mass M + w.damping D + w.stiffness L, where L = Σ w GᵀG bounds every K from above and never changes
    /// (004 §4.2); for laws that fit only up to some deformation, up to there.
    fn constant_tangent(&mut self, _w: Weights, _out: &mut Repeated) {}

    /// A number that changes whenever the constant matrix does, its pattern or its values, otherwise than by the weights;
    /// `None` if it never does. It may change in [`System::prepare`] only.
    fn constant_stamp(&self) -> Option<u64> {
        None
    }

    /// ∂f/∂t at this state, at which [`System::tangent`] was called last; zero unless forces know the time. What
    /// prescribed motion changes of damping that depends on positions is part of it.
    fn force_rate(&mut self, _at: At, ft: &mut [f64]) {
        ft.fill(0.0);
    }

    /// Potential Π(t, u) with ∂Π/∂u = −(the part of f that does not depend on v), or nothing where f has none.
    /// +∞ where the state is forbidden. Forces without a potential may count as dead loads as of the last
    /// [`System::force`] or [`System::prepare`]; then [`System::lags`].
    fn potential(&mut self, t: f64, u: &[f64]) -> Option<f64>;

    /// Rayleigh's dissipation function R(t, v) with ∂R/∂v = −(the part of f that depends on v), or nothing where
    /// that part has none. Damping that depends on positions counts with those of the last [`System::update_damping`].
    fn dissipation(&mut self, t: f64, v: &[f64]) -> Option<f64>;

    /// Evaluates damping that depends on positions at this state. Returns the norm of the change of the damping force
    /// there, N, that a whole update makes, or `None` if no damping depends on positions.
    fn update_damping(&mut self, _at: At, _update: DampingUpdate) -> Option<f64> {
        None
    }

    /// y = ∂(D(u) v)/∂u du at this state, at fixed velocities, the part of −∂f/∂u that [`System::tangent`] leaves out
    /// because it is not symmetric. Returns false and leaves y alone if no damping depends on positions.
    fn damping_derivative(&mut self, _at: At, _du: &[f64], _y: &mut [f64]) -> bool {
        false
    }

    /// Whether [`System::potential`] changes with every [`System::force`].
    fn lags(&self) -> bool {
        false
    }

    /// Whether some states are forbidden: whether [`System::potential`] is +∞ there. Paths of systems that forbid nothing
    /// are never asked about.
    fn forbids(&self) -> bool {
        false
    }

    /// Largest fraction, at most 1, of the straight path from one place to another on which no state is forbidden, its
    /// end included: exactly 1 if all of it is free, 0 if it starts at a forbidden state. What moves with time by
    /// prescription goes from where it is at the one time to where it is at the other on a straight line, too.
    fn max_step(&mut self, _from: Positions, _to: Positions) -> f64 {
        1.0
    }

    /// The element that is the first to reach a forbidden state on this path, for messages; `None` if the path is free or
    /// the system has no elements.
    fn blocking_element(&mut self, _from: Positions, _to: Positions) -> Option<usize> {
        None
    }

    /// Size of the forces that balanced in the last [`System::force`], N: what a residual is measured against.
    fn force_scale(&self) -> f64;

    /// The energy of a state: what [`System::powers`] are the rates of.
    fn energy_at(&mut self, at: At) -> Energy;

    /// Rates of change of the total energy at a state with this acceleration.
    fn powers(&mut self, at: At, a: &[f64]) -> Powers;

    /// Damping and work of [`System::powers`] together.
    fn exchange(&mut self, at: At, a: &[f64]) -> f64 {
        let powers = self.powers(at, a);
        powers.damping + powers.work
    }

    /// Velocities of the rigid motion nearest to that of each part that nothing holds, zero elsewhere: without them a
    /// change of velocities changes no momentum that should stay.
    fn rigid(&mut self, _at: At, out: &mut [f64]) {
        out.fill(0.0);
    }

    /// Angular momentum of every part that nothing holds, three numbers each; none where there is no such part.
    fn spins(&mut self, _at: At, out: &mut Vec<f64>) {
        out.clear();
    }

    /// Turns the velocities of those parts at the positions `u`, each as a rigid body would, until their angular momenta
    /// are the wanted ones.
    fn respin(&mut self, _u: &[f64], _wanted: &[f64], _v: &mut [f64]) {}

    /// Announces an attempt from this state: stencils and quantities frozen for a step are taken there, and damping that
    /// depends on positions is updated. Announcing the same state again has the same effect, so a rejected attempt
    /// leaves no trace.
    fn prepare(&mut self, at: At) -> Change;

    /// The first time after `t` at which forces or prescribed motion jump or have a kink, s; infinity if there is none.
    /// Steps that are chosen by an error estimate end there. At the kink itself forces are those after it.
    fn next_kink(&self, _t: f64) -> f64 {
        f64::INFINITY
    }

    /// Largest speed of a node at a state, m/s.
    fn max_speed(&mut self, at: At) -> f64 {
        max_abs(at.v)
    }

    /// Greatest change of the length of an edge between two states, m.
    fn max_stretch(&mut self, from: At, to: At) -> f64 {
        max_abs_difference(from.u, to.u)
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
}
