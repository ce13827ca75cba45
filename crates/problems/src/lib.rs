//! Small mechanical systems with exact motions, on which time integrators are measured.
//!
//! A [`Chain`] of masses on hardening springs and nonlinear dampers gets the load that makes a given motion exact. Certificates,
//! results of papers and the tests of this crate take their errors from it:
//!
//! ```
//! use march::{Newton, Options, Parameters, TimeLoop, find};
//! use problems::Chain;
//!
//! /// Largest error of the positions of a forced, damped chain at 1 s.
//! fn error(method: &str, step: f64) -> Result<f64, Box<dyn std::error::Error>> {
//!     let mut chain = Chain::forced();
//!     let stepper = find(method)?.stepper(&Parameters::default(), Newton::Minimise)?;
//!     let mut time = TimeLoop::fixed(stepper, Options::default(), chain.exact(0.0), step);
//!     time.run(&mut chain, 1.0, &mut |_, _| true)?;
//!     Ok(march::vector::max_abs_difference(&time.state().u, &chain.exact(1.0).u))
//! }
//!
//! let ratio = error("sdirk2", 0.02)? / error("sdirk2", 0.01)?;
//! assert!((ratio.log2() - 2.0).abs() < 0.1); // second order
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod chain;

pub use chain::Chain;
