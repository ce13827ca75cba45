//! Words into things, things into frames.

pub mod binary_format;
pub mod build;
pub mod capsule;
pub mod check;
pub mod checkpoint;
pub mod compare;
pub mod error;
pub mod observe;
pub mod record;
pub mod results;
pub mod run;
pub mod session;
pub mod spec;
pub mod table;
pub mod trial;
