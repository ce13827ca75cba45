//! Comparison of methods and steps on one scene: planned runs, errors against a reference, costs, observed orders and
//! Pareto fronts.
//!
//! ```
//! use comparison::{observed_orders, pareto_front};
//!
//! let steps_and_errors = [(0.02, Some(4e-4)), (0.01, Some(1e-4)), (0.005, Some(2.5e-5))];
//! assert!(observed_orders(&steps_and_errors).iter().all(|order| (order.unwrap() - 2.0).abs() < 1e-9));
//!
//! // Cost and error of three runs: the third is dominated by the first.
//! assert_eq!(pareto_front(&[(1.0, 1e-2), (4.0, 1e-3), (2.0, 2e-2)]), [0, 1]);
//! ```

mod comparison;
mod pareto;
mod plan;
mod reference;

pub use comparison::{ComparedRun, Comparison, ComparisonInfo, Cost, Order};
pub use pareto::{observed_orders, pareto_front};
pub use plan::{DEFAULT_METHODS, PlannedRun, split_method_list};
pub use reference::{ReferenceRun, no_frame_to_compare, reference_candidates};
