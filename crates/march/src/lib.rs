//! Time: any mechanical system **M a = f(t, u, v)** marched by any method of [`METHODS`].
//!
//! Every implicit method asks the same question, the [`Stage`]: find **a** with
//! M a = f(t, u₀ + c_u a, v₀ + c_v a). A method is numbers in a table ([`tables`]); control flow lives in a few
//! [`families`]; Newton's method lives in [`StageSolver`]. This crate has never heard of a mesh.

pub mod analysis;
mod blend;
pub mod families;
pub mod ledger;
pub mod methods;
pub mod problems;
mod stage;
mod stepper;
mod system;
pub mod tables;
pub mod vector;

pub use blend::{Blend, Project};
pub use methods::{METHODS, Method, MethodError, Parameters, Prefix, find};
pub use sparse::Backend;
pub use stage::{
    Accuracy, DampingTerm, Iteration, Life, Newton, Options, Projection, Stage, StageSolver,
    Tangent, Trace,
};
pub use stepper::{State, StepError, StepReport, Stepper};
pub use system::{At, Change, Curvature, DampingUpdate, Repeated, System, Weights};
