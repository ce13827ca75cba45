//! Words into things, things into frames.

pub mod error;
pub mod fill;
pub mod record;
pub mod shapes;
pub mod spec;
