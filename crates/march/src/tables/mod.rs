//! Coefficients of the methods as published. This folder holds `const` data only.

pub mod alpha;
pub mod rosenbrock;
pub mod runge_kutta;
