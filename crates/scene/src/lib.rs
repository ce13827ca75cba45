//! Scene files: reads a description, builds a simulation from it, runs it and writes the results.
//!
//! [`spec`] holds the keys of scene files, [`build`] turns them into a [`session::Session`], [`observe`]
//! writes tables and frames of a session, and [`run`] runs it to the end with checkpoints and a report. In memory:
//!
//! ```
//! use scene::session::Flow;
//!
//! let text = r#"
//!     [time]
//!     method = "sdirk2"
//!     step = 0.01
//!     until = 0.5
//!     [[body]]
//!     mesh = { box = { size = [1, 0.2, 0.2], cells = [5, 1, 1] } }
//!     material = { young = 1e5, poisson = 0.3, density = 1000 }
//!     [[body.fix]]
//!     where = { x = 0.0 }
//! "#;
//! let (scene, source) = scene::spec::parse("beam.toml", text)?;
//! let mut session = scene::build::build(scene, &source)?;
//! let start = session.positions();
//! session.run_until(0.5, &mut |_, _| Flow::On)?;
//! let lowest = |x: &[[f64; 3]]| x.iter().map(|x| x[1]).fold(f64::INFINITY, f64::min);
//! assert!(lowest(&session.positions()) < lowest(&start)); // the beam bends under its weight
//! assert_eq!(session.totals().steps, 50);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub use modal as modes;
pub use spec;
pub use spec::error;

pub mod binary_format;
pub mod build;
pub mod capsule;
pub mod check;
pub mod checkpoint;
pub mod distance;
pub mod drawn_mesh;
pub mod modal_analysis;
pub mod node_fields;
pub mod observe;
pub mod results;
pub mod run;
pub mod session;
pub mod table;
pub mod trial;
