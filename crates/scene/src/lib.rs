//! Scene files: reads a description, builds a simulation from it, runs it and writes the results.
//!
//! [`spec`] holds the keys of scene files, [`build`] turns them into a [`session::Session`], [`observe`] and [`record`]
//! write tables and frames of a session, and [`run`] runs it to the end with checkpoints and a report.

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
