//! Words into things, things into frames.

pub mod build;
pub mod capsule;
pub mod check;
pub mod checkpoint;
pub mod compare;
pub mod error;
pub mod export;
pub mod fill;
pub mod format;
pub mod import;
pub mod observe;
pub mod page;
pub mod record;
pub mod results;
pub mod run;
pub mod session;
pub mod shapes;
pub mod spec;
pub mod table;
pub mod trial;
