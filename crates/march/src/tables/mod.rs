//! The numbers of the methods, as on the pages they come from. Only `const` data lives here.

pub mod alpha;
pub mod rosenbrock;
pub mod runge_kutta;
