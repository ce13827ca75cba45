//! Measured properties of methods: order, stability, damping, cost. They are found by stepping, not from formulas.
//!
//! | module | measures |
//! |---|---|
//! | [`order`] | the order of convergence on any system with a known or finely computed solution |
//! | [`modes`] | the one-step map of q̈ + 2ζq̇ + q = 0: spectral radius, numerical damping, frequency error [Ascher et al. 2021, Fig. 3] |
//! | [`stability`] | A- and L-stability, R(∞), stiff accuracy, the largest stable hω |
//! | [`cost`] | factorizations and solves per step, energy drift |
//! | [`claims`] | whether the declared properties hold |
//! | [`certificate`] | all of these for one method |
//!
//! Every function takes a [`Stepper`](march::Stepper) and drops its history first, so tableaux of users are measured
//! like those of the registry.
//!
//! The spectral radius of one step of the trapezoidal rule is 1 at any hω, that of backward Euler is below 1:
//!
//! ```
//! use certify::modes::spectral_radius;
//! use march::{Newton, Parameters, find};
//!
//! let mut trapezoid = find("trapezoid")?.stepper(&Parameters::default(), Newton::Minimise)?;
//! let mut euler = find("backward-euler")?.stepper(&Parameters::default(), Newton::Minimise)?;
//! assert!((spectral_radius(trapezoid.as_mut(), 2.0, 0.0)? - 1.0).abs() < 1e-6);
//! assert!(spectral_radius(euler.as_mut(), 2.0, 0.0)? < 0.5);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod certificate;
pub mod claims;
pub mod cost;
pub mod modes;
pub mod order;
mod roots;
pub mod stability;

pub use certificate::{Certificate, CertificateError, Orders};
pub use claims::{BrokenClaim, Claims};
pub use cost::{EnergyDrift, StepCost};
pub use modes::ModeResponse;
pub use order::{Convergence, ConvergenceProblem, measure_order};
pub use stability::MeasuredStability;
