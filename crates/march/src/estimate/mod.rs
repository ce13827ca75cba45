//! Error estimates around any method, for those whose table has no embedded pair.

mod doubling;
mod velocity_differences;

pub use doubling::StepDoubling;
pub use velocity_differences::{ErrorConstant, VelocityDifferences};
