//! Predictor–corrector contact around any time integrator [Löschner et al. 2020, section 4].
//!
//! A method takes its step without contact and predicts the end (uᵖ, vᵖ). The corrector replaces it by the nearest state, in
//! the metric of C = M + h D + h² K(uᵖ), that respects the points of contact found at the start of the step:
//!
//! min ½ (v − vᵖ)ᵀC (v − vᵖ) subject to G v ≥ r, and u = uᵖ + h (v − vᵖ).
//!
//! - [`ContactCorrector`]: the stepper around a method;
//! - [`CorrectorContact`]: points of contact of surfaces and obstacles, and what acted there in the last step;
//! - [`ActiveSet`]: the quadratic program, solved exactly by a dual active-set method;
//! - [`FrictionProblem`]: Coulomb friction with given normal impulses.
//!
//! Two rows, of which the second is implied by the first:
//!
//! ```
//! use corrector::{ActiveSet, Delassus};
//!
//! /// Rows (1, 0) and (1, 0.1) with C = I, so A = G Gᵀ.
//! struct TwoRows;
//!
//! impl Delassus for TwoRows {
//!     type Error = std::convert::Infallible;
//!     fn column(&mut self, j: usize, out: &mut [f64]) -> Result<(), Self::Error> {
//!         out.copy_from_slice(&[[1.0, 1.0], [1.0, 1.01]][j]);
//!         Ok(())
//!     }
//! }
//!
//! let mut set = ActiveSet::default();
//! set.begin(2);
//! let counts = set.solve(&mut TwoRows, &[2.0, 1.0])?;
//! assert_eq!(set.multipliers(), [2.0, 0.0]);
//! assert_eq!(counts.pivots, 1);
//! # Ok::<(), std::convert::Infallible>(())
//! ```

mod active_set;
mod contact_factor;
mod detection;
mod friction;
mod levels;
mod record;
mod stepper;
mod surface_points;

pub use active_set::{ActiveSet, ActiveSetCounts, Delassus};
pub use detection::{CorrectorContact, CorrectorDescription};
pub use friction::FrictionProblem;
pub use stepper::{ContactCorrector, CorrectorSettings, Rows};
