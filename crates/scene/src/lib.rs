//! Words into things, things into frames.

pub mod export;
pub mod import;
pub mod record;
