//! Time integration of mechanical systems **M a = f(t, u, v)** by any method of [`METHODS`].
//!
//! Every implicit method solves the same equation, the [`Stage`]: find **a** with M a = f(t, u₀ + c_u a, v₀ + c_v a).
//! The coefficients of a method are a table ([`tables`]), its control flow is one of a few [`families`], and
//! [`StageSolver`] solves the stages by Newton's method. The crate knows no meshes.

pub mod analysis;
mod budget;
pub mod control;
pub mod correction;
mod counts;
pub mod dense;
mod error;
pub mod estimate;
pub mod families;
pub mod ledger;
mod memory;
pub mod methods;
pub mod problems;
mod stage;
mod stepper;
mod system;
pub mod tables;
mod time_loop;
pub mod vector;

pub use budget::EnergyBudget;
pub use control::{
    Controller, Criterion, ErrorControl, ErrorSettings, Estimate, FixedSteps, SpeedLimit,
    StepHalving, StepLimits, StepRule,
};
pub use correction::{Corrected, Correction, EnergyTracking, VelocityProjection};
pub use counts::Counts;
pub use error::StepError;
pub use estimate::{ErrorConstant, StepDoubling, VelocityDifferences};
pub use memory::MethodMemory;
pub use methods::{METHODS, Method, MethodError, Parameters, Prefix, find};
pub use sparse::Backend;
pub use stage::{
    Accuracy, DampingTerm, FactorLifetime, HessianProjection, Newton, NewtonIteration, NewtonTrace,
    Options, SavedFactor, SolverMemory, Stage, StageSolver, TangentKind,
};
pub use stepper::{
    ErrorEstimate, EstimateRequest, ForceEstimate, State, StepContext, StepReport, Stepper,
};
pub use system::{
    AdmissiblePaths, At, Change, ConstantMatrix, Curvature, DampingUpdate, PositionDamping,
    Positions, RepeatedMatrix, StateMeasures, System, Weights,
};
pub use time_loop::{
    AcceptedStep, Decision, StateMismatch, StepFailure, TimeLoop, TimeLoopState, Veto,
};
