//! One file a result.

pub mod bar_bounce;
pub mod beam_energy;
pub mod beam_orders;
pub mod beam_steps;
pub mod caching;
pub mod cloth;
pub mod cloth_damping;
pub mod damping_curves;
pub mod example2;
pub mod extreme;
pub mod horns;
pub mod implicit_step;
pub mod jello;
pub mod long_runs;
pub mod loose_tracking;
pub mod minimise;
pub mod nose;
pub mod ros3prl2;
pub mod shaken_cloth;
pub mod spinning_cube;
pub mod stiff_equation;
pub mod substeps;
pub mod swing;
pub mod tracking_cost;
