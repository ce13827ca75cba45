//! Words into things, things into frames.

pub mod build;
pub mod check;
pub mod checkpoint;
pub mod error;
pub mod fill;
pub mod import;
pub mod record;
pub mod run;
pub mod shapes;
pub mod spec;
