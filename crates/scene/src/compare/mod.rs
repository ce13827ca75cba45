//! The same scene under many methods and steps: what is asked for, how far each run is from a fine one, what it cost,
//! and which runs nothing beats.

mod distance;
mod front;
mod reference;
mod row;
mod words;

pub use distance::{Distance, Motion, MotionError};
pub use front::{front, orders};
pub use reference::{Fine, candidates};
pub use row::{Comparison, Cost, Known, Order, Row};
pub use words::{DEFAULT_METHODS, Plan, split};
