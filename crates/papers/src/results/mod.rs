//! One file a result.

pub mod alpha;
pub mod beam_energy;
pub mod beam_orders;
pub mod beam_steps;
pub mod caching;
pub mod cactus;
pub mod cloth;
pub mod cloth_damping;
pub mod convex;
pub mod damping_curves;
pub mod example2;
pub mod extreme;
pub mod implicit_step;
pub mod jello;
pub mod long_runs;
pub mod minimise;
pub mod project;
pub mod ros3prl2;
pub mod squared_spring;
pub mod stiff_equation;
pub mod two_springs;
