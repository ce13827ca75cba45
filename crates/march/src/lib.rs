//! Time integration of mechanical systems **M a = f(t, u, v)** by any method of [`METHODS`].
//!
//! Every implicit method solves the same equation, the [`Stage`]: find **a** with M a = f(t, u₀ + c_u a, v₀ + c_v a).
//! The coefficients of a method are a table ([`tables`]), its control flow is one of a few [`families`], and
//! [`StageSolver`] solves the stages by Newton's method. The crate knows no meshes.
//!
//! A pendulum of your own under two methods:
//!
//! ```
//! use march::{At, Curvature, Newton, Options, Parameters, State, System, TimeLoop, Weights, find};
//! use sparse::{Matrix, Pattern};
//!
//! /// θ″ = −(g/l) sin θ, for a mass of 1 kg at the end of a rod of 1 m.
//! struct Pendulum {
//!     mass: Matrix,
//!     stiffness: f64,
//!     scale: f64,
//! }
//!
//! const G: f64 = 9.81;
//!
//! impl System for Pendulum {
//!     fn dofs(&self) -> usize {
//!         1
//!     }
//!     fn mass(&self) -> &Matrix {
//!         &self.mass
//!     }
//!     fn force(&mut self, at: At, f: &mut [f64]) {
//!         f[0] = -G * at.u[0].sin();
//!         self.scale = f[0].abs();
//!     }
//!     fn force_scale(&self) -> f64 {
//!         self.scale
//!     }
//!     fn zero_matrix(&self) -> Matrix {
//!         Matrix::new(self.mass.pattern().clone())
//!     }
//!     fn tangent(&mut self, at: At, w: Weights, c: Curvature, out: &mut Matrix) {
//!         self.stiffness = G * at.u[0].cos();
//!         if c == Curvature::Definite {
//!             self.stiffness = self.stiffness.max(0.0);
//!         }
//!         out.values_mut()[0] = w.mass + w.stiffness * self.stiffness;
//!     }
//!     fn tangent_times(&mut self, du: &[f64], _dv: &[f64], y: &mut [f64]) {
//!         y[0] = self.stiffness * du[0];
//!     }
//!     fn potential(&mut self, _t: f64, u: &[f64]) -> Option<f64> {
//!         Some(-G * u[0].cos())
//!     }
//!     fn dissipation(&mut self, _t: f64, _v: &[f64]) -> Option<f64> {
//!         Some(0.0)
//!     }
//! }
//!
//! /// Energy that a method takes in ten seconds, J.
//! fn loss(method: &str) -> Result<f64, Box<dyn std::error::Error>> {
//!     let mass = Matrix::identity(Pattern::new(1, []));
//!     let mut pendulum = Pendulum { mass, stiffness: 0.0, scale: 0.0 };
//!     let start = State { t: 0.0, u: vec![1.0], v: vec![0.0] };
//!     let before = (&mut pendulum as &mut dyn System).energy_at(start.at()).total();
//!     let stepper = find(method)?.stepper(&Parameters::default(), Newton::Minimise)?;
//!     let mut time = TimeLoop::fixed(stepper, Options::default(), start, 0.01);
//!     time.run(&mut pendulum, 10.0, &mut |_, _| true)?;
//!     let end = time.state();
//!     Ok(before - (&mut pendulum as &mut dyn System).energy_at(end.at()).total())
//! }
//!
//! assert!(loss("backward-euler")? > 1.0); // of 4.5 J above the lowest point
//! assert!(loss("implicit-midpoint")?.abs() < 1e-3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

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
mod stage;
mod stepper;
mod system;
mod time_loop;

pub use budget::EnergyBudget;
pub use control::{
    BreakLimit, Controller, Criterion, ErrorControl, ErrorSettings, Estimate, FixedSteps,
    SpeedLimit, StepHalving, StepLimits, StepRule,
};
pub use correction::{
    Corrected, Correction, EnergyMomentumProjection, EnergyMultiplier, EnergyTracking,
    VelocityProjection,
};
pub use counts::Counts;
pub use error::{ModesFailure, StepError};
pub use estimate::{ErrorConstant, StepDoubling, VelocityDifferences};
pub use memory::MethodMemory;
pub use methods::{METHODS, Method, MethodError, Parameters, Prefix, find};
pub use sparse::{Backend, vector};
pub use stage::{
    Accuracy, DampingTerm, FactorLifetime, HessianProjection, Newton, NewtonIteration, NewtonTrace,
    Options, SavedFactor, SolverMemory, Stage, StageSolver, TangentKind,
};
pub use stepper::{
    ContactEnergy, Equilibrium, ErrorEstimate, EstimateRequest, ForceEstimate, State, StepContext,
    StepReport, Stepper,
};
pub use system::{
    AdmissiblePaths, At, Blocker, Change, ConstantMatrix, ContactImpulse, ContactImpulses,
    ContactPoint, ContactSearch, Curvature, DampingUpdate, Forces, ImpulseChanges, NO_UNKNOWN,
    PositionDamping, Positions, RepeatedMatrix, StateMeasures, StepContact, System, Weights,
};
pub use tables;
pub use time_loop::{
    AcceptedStep, Decision, StateMismatch, StepFailure, TimeLoop, TimeLoopState, Veto,
};
