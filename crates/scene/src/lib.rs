//! Words into things, things into frames.

pub mod record;
pub mod spec;
