//! Words into things, things into frames.

pub mod build;
pub mod error;
pub mod fill;
pub mod import;
pub mod record;
pub mod shapes;
pub mod spec;
