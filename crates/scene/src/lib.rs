//! Words into things, things into frames.

pub mod import;
pub mod record;
