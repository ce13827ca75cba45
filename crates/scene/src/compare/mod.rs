//! Comparison of methods and steps on one scene: planned runs, errors against a reference, costs, observed orders and
//! Pareto fronts.

mod comparison;
mod distance;
mod pareto;
mod plan;
mod reference;

pub use comparison::{ComparedRun, Comparison, ComparisonInfo, Cost, Order};
pub use distance::{Distance, Motion, MotionError};
pub use pareto::{observed_orders, pareto_front};
pub use plan::{DEFAULT_METHODS, PlannedRun, split_method_list};
pub use reference::{ReferenceRun, no_frame_to_compare, reference_candidates};
