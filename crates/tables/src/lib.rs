//! Coefficients of the methods as published: `const` data and the types that hold it.
//!
//! ```
//! use tables::runge_kutta::SDIRK2;
//!
//! // Alexander's method ends on its last stage: the weights are the last row of A.
//! assert_eq!(SDIRK2.a[1], SDIRK2.b);
//! ```

pub mod alpha;
pub mod error_constant;
pub mod rosenbrock;
pub mod runge_kutta;
