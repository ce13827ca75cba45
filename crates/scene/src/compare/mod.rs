//! The same scene under many methods and steps: what is asked for, how far each run is from a fine one, what it cost,
//! and which runs nothing beats.

mod comparison;
mod distance;
mod pareto;
mod plan;
mod reference;

pub use comparison::{ComparedRun, Comparison, ComparisonInfo, Cost, Order};
pub use distance::{Distance, Motion, MotionError};
pub use pareto::{observed_orders, pareto_front};
pub use plan::{DEFAULT_METHODS, PlannedRun, split_method_list};
pub use reference::{ReferenceRun, reference_candidates};
