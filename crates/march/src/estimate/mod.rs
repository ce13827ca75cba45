//! Error estimates for any method, in particular for tableaux without an embedded pair.

mod doubling;
mod velocity_differences;

pub use doubling::StepDoubling;
pub use velocity_differences::{ErrorConstant, VelocityDifferences};
