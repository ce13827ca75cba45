//! φ-functions of mechanical systems, for exponential integrators.
//!
//! φ₀(z) = eᶻ and φ_(k+1)(z) = (φ_k(z) − 1/k!)/z are entire functions (Hochbruck & Ostermann 2010, sec. 2.1). The
//! solution of y′ = J y + b + t c, y(0) = 0 is y(h) = h φ₁(hJ) b + h² φ₂(hJ) c, for singular J too.
//!
//! - [`phi`]: φ of complex numbers.
//! - [`mode`]: φ of the 2×2 block of a vibration mode, in closed form.
//! - [`subspace`]: modes of a system, their linearised motion, and the split of a state into modes and rest.
//! - [`low_rank`]: solves with a matrix from which the linear motion of the modes is taken out.
//! - [`complement`]: solves on the complement of the modes, from which their whole force is taken out.
//! - [`krylov`]: φ of the whole second-order block form times vectors, with error control and bounded memory.
//! - [`additive`]: steps that are exact on the modes and implicit on the rest.
//! - [`dense`]: LU factorization and exponential of small matrices.
//!
//! ```
//! use exponential::mode::ModeBlock;
//!
//! // An undamped oscillator with ω = 3 turns by hω in the phase plane, at any step.
//! let h = 5.0;
//! let block = ModeBlock { stiffness: 9.0, damping: 0.0 };
//! let [du, dv] = block.increment(h, [0.0, -9.0], 0.0); // rates (v, a) at u = 1, v = 0
//! assert!((1.0 + du - (3.0 * h).cos()).abs() < 1e-14);
//! assert!((dv + 3.0 * (3.0 * h).sin()).abs() < 1e-14);
//! ```

pub mod additive;
pub mod complement;
pub mod dense;
pub mod krylov;
pub mod low_rank;
mod mechanics;
pub mod mode;
pub mod phi;
mod split_state;
mod stage;
pub mod subspace;
mod tracker;

pub use mechanics::{At, Failure, Mechanics};
pub use tracker::{ModeHistory, Refresh};

/// Mechanical system M a = f linearised at a state: K = −∂f/∂u and D = −∂f/∂v times vectors, M times vectors and its
/// inverse.
pub trait SecondOrder {
    /// Error of a solve with the mass matrix.
    type Error;

    /// Computes y = K x.
    fn stiffness_times(&mut self, x: &[f64], y: &mut [f64]);

    /// Computes y = D x.
    fn damping_times(&mut self, x: &[f64], y: &mut [f64]);

    /// Computes y ← y + ∂(D(u) v)/∂u x for damping that depends on positions; `scratch` has the length of `y`.
    fn add_position_damping(&mut self, _x: &[f64], _scratch: &mut [f64], _y: &mut [f64]) {}

    /// Computes y = M x.
    fn mass_times(&mut self, x: &[f64], y: &mut [f64]);

    /// Solves with the mass matrix: x ← M⁻¹ x.
    fn solve_mass(&mut self, x: &mut [f64]) -> Result<(), Self::Error>;
}

/// Returns x · y, summed in a fixed order.
fn dot(x: &[f64], y: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let (xs, ys) = (x.chunks_exact(4), y.chunks_exact(4));
    let tail = xs.remainder().iter().zip(ys.remainder());
    let tail: f64 = tail.map(|(x, y)| x * y).sum();
    for (x, y) in xs.zip(ys) {
        for k in 0..4 {
            sums[k] += x[k] * y[k];
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + tail
}

/// Computes y ← y + c x.
fn add(y: &mut [f64], c: f64, x: &[f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += c * x;
    }
}
