//! The semi-discrete model: nodes, masses, potentials, loads and boundary conditions as one
//! [`System`](march::System), M a = f(t, u, v) over the free unknowns.
//!
//! Components with prescribed motion are not unknowns. Their displacement, velocity and acceleration are exact functions
//! of time and act on the unknowns through stiffness, damping and mass:
//! f = f_in(u, u_c(t)) − D v − M_fc a_c(t) + loads.

mod angular_momentum;
mod bonds;
mod build;
mod constant_matrix;
mod contact;
mod damping;
mod dynamic;
mod emission;
mod friction;
mod impulses;
mod interaction;
mod loads;
mod measure;
mod modal_damping;
mod paths;
mod powers;
mod reactions;
mod state_measures;
mod statics;
mod step_contact;
mod step_measures;
mod system;
mod unknowns;
mod velocity_damping;

pub use angular_momentum::FreeBody;
pub use bonds::Fragment;
pub use build::{ModelDescription, ModelError, PrescribedNodes};
pub use dynamic::PatternStats;
pub use emission::EmittedBody;
pub use march::ledger::Energy;
pub use measure::Momentum;
pub use modal_damping::DampedMode;
pub use reactions::Reaction;
pub use statics::{NoStiffness, UnheldBody};
pub use step_contact::{NodeContact, NodeStep};
pub use velocity_damping::VelocityDamping;

use std::ops::Range;
use std::sync::Arc;

use sparse::{Matrix, Pattern};

use crate::blocks::{Block, BlockPattern};
use crate::motion::Motion;
use crate::potential::{Configuration, Foundation, Handles, Potential};
use load::{Loads, NodeForces};

/// A node whose displacement is prescribed along some axes.
#[derive(Clone, Debug)]
struct Held {
    node: u32,
    axes: [bool; 3],
    motion: u32,
}

/// A spatially discretised mechanical model: implements [`march::System`] over the unknowns that are not prescribed.
pub struct Model {
    rest: Vec<[f64; 3]>,
    potentials: Vec<Box<dyn Potential>>,
    handles: Handles,
    /// Springs that hold bodies without supports in statics.
    foundation: Foundation,
    /// Contact that is enforced at the end of steps; `None` if there is none.
    end_contact: Option<Box<step_contact::EndContact>>,
    /// Forces on single nodes that were set between steps.
    forces: NodeForces,
    loads: Loads,
    gravity: [f64; 3],
    /// Pseudo-time at which statics reach the full loads, s; `None` in motion.
    full_load_time: Option<f64>,
    held: Vec<Held>,
    motions: Vec<Motion>,
    /// Whether some prescribed component moves.
    moves: bool,
    /// Node and axis of each unknown.
    free: Vec<(u32, u8)>,
    pattern: Arc<BlockPattern>,
    /// Mass matrix, one number per block.
    mass: Vec<f64>,
    /// Row sums of the mass matrix, kg.
    node_mass: Vec<f64>,
    /// Whether the mass matrix is diagonal.
    lumped: bool,
    /// Matrix of Rayleigh's mass damping, one number per block; empty if there is none.
    mass_damping: Vec<f64>,
    free_mass: Matrix,
    free_pattern: Arc<Pattern>,
    /// For each entry of the matrix over the unknowns, 9 · block + position in the block.
    gather: Vec<u32>,
    /// Number of the unknown of each node and axis, once local/global iterations need it.
    unknowns: std::sync::OnceLock<Vec<[u32; 3]>>,
    /// Dynamic pairs; `None` if no potential changes its stencils.
    dynamic: Option<Box<dynamic::Dynamic>>,
    velocity_damping: Vec<VelocityDamping>,
    /// Modes that decay after each step.
    damped_modes: Vec<DampedMode>,
    emission: emission::Emission,
    free_bodies: Vec<FreeBody>,
    /// Whether a potential forbids some states.
    forbids: bool,
    /// Forces that are evaluated: all of them, or those of contact.
    forces_selected: march::Forces,
    /// Whether the damping of a potential depends on positions.
    positional: bool,
    /// Shortest distance between coupled nodes, m.
    shortest: f64,
    /// Edges whose change of length step control can limit.
    edges: step_measures::Edges,
    placed: PlacedNodes,
    /// Forces on prescribed components at the state of the last power.
    evaluated: reactions::Evaluated,
    statics: statics::StaticBuffers,
    work: Work,
}

/// Displacements, velocities and prescribed accelerations of all nodes.
#[derive(Default)]
struct PlacedNodes {
    /// Time of the prescribed components, s; `None` before the first evaluation.
    t: Option<f64>,
    /// Displacements, m.
    u: Vec<[f64; 3]>,
    /// Velocities, m/s.
    v: Vec<[f64; 3]>,
    /// Accelerations of prescribed components, m/s²; zero for unknowns.
    a: Vec<[f64; 3]>,
    /// Rates of change of these accelerations, m/s³.
    jerk: Vec<[f64; 3]>,
}

impl PlacedNodes {
    /// State of `n` nodes at rest.
    fn resting(n: usize) -> PlacedNodes {
        let nodes = || vec![[0.0; 3]; n];
        PlacedNodes {
            t: None,
            u: nodes(),
            v: nodes(),
            a: nodes(),
            jerk: nodes(),
        }
    }
}

/// Buffers, and the matrices that were assembled last.
#[derive(Default)]
struct Work {
    /// Displacements at the start of a path; empty if no state is forbidden.
    path_start: Vec<[f64; 3]>,
    /// Fraction of its path that each node takes.
    path_fractions: Vec<f64>,
    free_region: paths::FreeRegion,
    x: Vec<[f64; 3]>,
    f: Vec<[f64; 3]>,
    /// Sum of the state-dependent loads at their last evaluation; empty if there are none.
    state_loads: Vec<[f64; 3]>,
    sum: Vec<[f64; 3]>,
    stiffness: Vec<Block>,
    /// Antisymmetric part of the stiffness, on the static pattern; empty if no load has one.
    antisymmetric: Vec<Block>,
    /// Whether that part belongs to the last tangent.
    antisymmetric_current: bool,
    /// Matrix of Rayleigh's stiffness damping of rate `frozen`; empty if there is none.
    rayleigh: Vec<Block>,
    /// Damping that depends on positions, and a second copy for updates and differences.
    positional: damping::PositionalDamping,
    trial: damping::PositionalDamping,
    relaxation: damping::AitkenRelaxation,
    /// Nodal buffers of those differences; empty if no damping depends on positions.
    direction: Vec<[f64; 3]>,
    before: Vec<[f64; 3]>,
    one: Vec<[f64; 3]>,
    /// Change of friction by an update; empty if no friction depends on positions.
    friction_change: Vec<[f64; 3]>,
    /// Damping matrix of dampers and loads at the state of the last tangent; empty if there are none.
    dampers: Vec<Block>,
    scale: f64,
    /// Ranges of nodes whose rigid motion is computed, and that motion.
    ranges: Vec<Range<u32>>,
    /// Inverse masses of all nodes along each axis; empty until an impulse acts.
    inverse_mass: Vec<[f64; 3]>,
    /// Stiff rows of local/global iterations.
    rows: Vec<crate::potential::NodeRow>,
    rigid: Vec<velocity_damping::RigidMotion>,
    spin: angular_momentum::Buffers,
}

impl Model {
    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.rest.len()
    }

    /// Rest positions, m.
    pub fn rest(&self) -> &[[f64; 3]] {
        &self.rest
    }

    /// Number of unknowns.
    pub fn unknowns(&self) -> usize {
        self.free.len()
    }

    /// Returns for each node whether a component of its motion is prescribed.
    pub fn held_nodes(&self) -> Vec<bool> {
        let mut held = vec![false; self.rest.len()];
        self.held.iter().for_each(|h| held[h.node as usize] = true);
        held
    }

    /// Mass of each node, kg: the row sums of the mass matrix.
    pub fn node_mass(&self) -> &[f64] {
        &self.node_mass
    }

    /// Restricts a nodal field to the unknowns.
    pub fn restrict(&self, full: &[[f64; 3]]) -> Vec<f64> {
        self.free
            .iter()
            .map(|&(i, k)| full[i as usize][k as usize])
            .collect()
    }

    /// Returns displacements and velocities of all nodes at time `t`, prescribed components included.
    pub fn expand(&mut self, t: f64, u: &[f64], v: &[f64]) -> (&[[f64; 3]], &[[f64; 3]]) {
        self.place(t, u, v);
        (&self.placed.u, &self.placed.v)
    }

    /// Current position of a node at the state of the last [`Model::expand`], m.
    pub fn position(&self, node: usize) -> [f64; 3] {
        [0, 1, 2].map(|k| self.rest[node][k] + self.placed.u[node][k])
    }

    /// Lets the potentials freeze their step constants at the current configuration. Returns `true` if one has any.
    fn freeze_potentials(&mut self) -> bool {
        let mut frozen = false;
        self.for_each_potential(|p, x, _| frozen |= p.freeze(x));
        // The law has changed, and with it the stiffness and damping by the stiffness.
        self.work.positional.current &= !frozen;
        frozen
    }

    /// Sets displacements and velocities of all nodes from the unknowns and the prescribed motion.
    fn place(&mut self, t: f64, u: &[f64], v: &[f64]) {
        for (&(i, k), (u, v)) in self.free.iter().zip(u.iter().zip(v)) {
            self.placed.u[i as usize][k as usize] = *u;
            self.placed.v[i as usize][k as usize] = *v;
        }
        self.place_held(t);
    }

    /// Sets the prescribed components at time `t`.
    fn place_held(&mut self, t: f64) {
        if self.placed.t == Some(t) {
            return;
        }
        self.placed.t = Some(t);
        if !self.moves {
            return;
        }
        for held in &self.held {
            let i = held.node as usize;
            let [u, v, a, jerk] = self.motions[held.motion as usize].at(t, self.rest[i]);
            for k in (0..3).filter(|&k| held.axes[k]) {
                self.placed.u[i][k] = u[k];
                if self.full_load_time.is_some() {
                    continue;
                }
                self.placed.v[i][k] = v[k];
                self.placed.a[i][k] = a[k];
                self.placed.jerk[i][k] = jerk[k];
            }
        }
    }

    /// Writes the current positions into their buffer.
    fn update_positions(&mut self) {
        for (x, (rest, u)) in self
            .work
            .x
            .iter_mut()
            .zip(self.rest.iter().zip(&self.placed.u))
        {
            *x = [0, 1, 2].map(|k| rest[k] + u[k]);
        }
    }

    /// Calls `job` with every potential and the current configuration.
    fn for_each_potential<R>(
        &mut self,
        mut job: impl FnMut(&mut dyn Potential, &Configuration, &mut Work) -> R,
    ) {
        let placed = Configuration {
            t: self.placed.t.unwrap_or(0.0),
            rest: &self.rest,
            u: &self.placed.u,
        };
        for (number, potential) in self.potentials.iter_mut().enumerate() {
            if !self.emission.waits(number) {
                job(potential.as_mut(), &placed, &mut self.work);
            }
        }
        if !self.handles.list.is_empty() {
            job(&mut self.handles, &placed, &mut self.work);
        }
        if !self.foundation.is_empty() {
            job(&mut self.foundation, &placed, &mut self.work);
        }
    }
}
