//! What an additive step needs of a mechanical system and its solver.

use crate::SecondOrder;

/// Time, displacements and velocities.
#[derive(Clone, Copy, Debug)]
pub struct At<'a> {
    /// Time, s.
    pub t: f64,
    /// Displacements.
    pub u: &'a [f64],
    /// Velocities.
    pub v: &'a [f64],
}

/// Reason why a stage has no solution, which [`Mechanics::failure`] turns into an error of the caller.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Failure {
    /// Newton's method stalled.
    Stalled {
        /// Iterations taken.
        iterations: u32,
        /// Norm of the residual force, N.
        residual: f64,
        /// Norm that the tolerance accepts, N.
        wanted: f64,
    },
    /// The fixed-point iteration on damping that depends on positions did not converge.
    Damping {
        /// Iterations taken.
        iterations: u32,
        /// Relative change in the last one.
        change: f64,
    },
    /// The matrix without the modes is singular.
    SingularWithoutModes,
}

/// Mechanical system M a = f(t, u, v) with a solver for M + c D + c² K. Its products ([`SecondOrder`]) are those of the
/// state of the last [`Mechanics::factor`].
pub trait Mechanics: SecondOrder {
    /// Returns the number of unknowns.
    fn dofs(&self) -> usize;

    /// Evaluates the force, with damping at these positions.
    fn force(&mut self, at: At, f: &mut [f64]) -> Result<(), Self::Error>;

    /// Returns the norm of the forces that balanced in the last [`Mechanics::force`], N.
    fn force_scale(&self) -> f64;

    /// Evaluates ∂f/∂t at the state of the last [`Mechanics::factor`].
    fn force_rate(&mut self, at: At, rate: &mut [f64]);

    /// Assembles and factors M + c D + c² K at a state.
    fn factor(&mut self, at: At, c: f64) -> Result<(), Self::Error>;

    /// Solves with the factored matrix: x ← A⁻¹ x.
    fn solve(&mut self, t: f64, x: &mut [f64]) -> Result<(), Self::Error>;

    /// Returns xᵀM x.
    fn squared_norm(&self, x: &[f64]) -> f64;

    /// Returns `true` if damping depends on positions.
    fn has_position_damping(&mut self) -> bool;

    /// Computes the lowest modes at a state, M-orthonormal.
    fn lowest_modes(&mut self, at: At, count: usize) -> Result<Vec<Vec<f64>>, Self::Error>;

    /// Returns the largest free fraction of a straight path between positions with their times; 1 if no state is
    /// forbidden.
    fn max_step(&mut self, from: (f64, &[f64]), to: (f64, &[f64])) -> f64;

    /// Checks that a stage between the ends of a step is reached by a free path.
    fn check_stage(&mut self, from: (f64, &[f64]), to: (f64, &[f64])) -> Result<(), Self::Error>;

    /// Returns the relative tolerance of residuals and the largest number of iterations without progress.
    fn newton_limits(&self) -> (f64, u32);

    /// Counts a stage (`iteration` false) or a Newton iteration (`iteration` true).
    fn count(&mut self, iteration: bool);

    /// Turns a failure of the stage at time `t` into an error.
    fn failure(&self, t: f64, failure: Failure) -> Self::Error;
}
