//! What a method really does, found by stepping it and never by formula.
//!
//! | module | measures |
//! |---|---|
//! | [`order`] | the order of convergence on any system with a known or finely computed motion |
//! | [`modes`] | the one-step map of q̈ + 2ζq̇ + q = 0: spectral radius, numerical damping, frequency error (003 Fig. 3) |
//! | [`stability`] | A- and L-stability, R(∞), stiff accuracy, the largest stable hω |
//! | [`cost`] | factorizations and solves a step |
//! | [`claims`] | whether what is measured is what is claimed |
//! | [`certificate`] | all of it for one method |
//!
//! Everything takes a [`Stepper`](crate::Stepper) and makes it forget its past first, so a user's own table is measured
//! as the registry's are.

pub mod certificate;
pub mod claims;
pub mod cost;
pub mod modes;
pub mod order;
mod roots;
pub mod stability;

pub use certificate::{Certificate, CertificateError, Orders, embedded_stepper};
pub use claims::{BrokenClaim, Claims};
pub use cost::{EnergyDrift, StepCost};
pub use modes::ModeResponse;
pub use order::{Convergence, ConvergenceProblem, measure_order};
pub use stability::MeasuredStability;
