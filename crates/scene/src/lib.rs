//! Words into things, things into frames.

pub mod fill;
pub mod record;
pub mod shapes;
