//! Everything that can move, as one [`System`](march::System): M a = f(t, u, v) over the free unknowns.
//!
//! Prescribed nodes are not unknowns. Their displacement, velocity and acceleration are exact functions of time and
//! act on the others through stiffness, damping and mass: f = f_in(u, u_c(t)) − D v − M_fc a_c(t) + loads.

mod angular_momentum;
mod build;
mod constant_matrix;
mod damping;
mod dynamic;
mod interaction;
mod loads;
mod measure;
mod paths;
mod powers;
mod state_measures;
mod step_measures;
mod system;
mod velocity_damping;

pub use angular_momentum::FreeBody;
pub use build::{ModelDescription, ModelError, PrescribedNodes};
pub use dynamic::PatternStats;
pub use march::ledger::Energy;
pub use measure::Momentum;
pub use velocity_damping::VelocityDamping;

use std::ops::Range;
use std::sync::Arc;

use sparse::{Matrix, Pattern};

use crate::blocks::{Block, BlockPattern};
use crate::load::{Loads, NodeForces};
use crate::motion::Motion;
use crate::potential::{Configuration, Handles, Potential};

/// A node that follows a motion along some axes.
#[derive(Clone, Debug)]
struct Held {
    node: u32,
    axes: [bool; 3],
    motion: u32,
}

/// Matter, held and loaded, ready to be marched.
pub struct Model {
    rest: Vec<[f64; 3]>,
    potentials: Vec<Box<dyn Potential>>,
    handles: Handles,
    /// Forces on nodes that were set between steps.
    forces: NodeForces,
    loads: Loads,
    gravity: [f64; 3],
    held: Vec<Held>,
    motions: Vec<Motion>,
    moves: bool,
    /// (node, axis) of each unknown.
    free: Vec<(u32, u8)>,
    pattern: Arc<BlockPattern>,
    /// One mass a block.
    mass: Vec<f64>,
    /// Row sums of the mass matrix.
    node_mass: Vec<f64>,
    /// Whether these are all of it.
    lumped: bool,
    /// Rayleigh's mass damping times the mass, one number a block; empty without.
    mass_damping: Vec<f64>,
    free_mass: Matrix,
    free_pattern: Arc<Pattern>,
    /// For each entry of the free matrix, 9 · block + place in it.
    gather: Vec<u32>,
    /// Pairs that come and go; `None` if no potential changes its stencils, and the patterns above are all.
    dynamic: Option<Box<dynamic::Dynamic>>,
    velocity_damping: Vec<VelocityDamping>,
    free_bodies: Vec<FreeBody>,
    /// Whether some states are forbidden.
    forbids: bool,
    /// Whether some damping depends on positions.
    positional: bool,
    /// Shortest distance between nodes that depend on each other, m.
    shortest: f64,
    /// Edges whose change of length step control may ask for.
    edges: step_measures::Edges,
    placed: PlacedNodes,
    work: Work,
}

/// Where all nodes are and how they move, held ones included.
#[derive(Default)]
struct PlacedNodes {
    /// Time at which held nodes were placed, s.
    t: Option<f64>,
    /// Displacements, m.
    u: Vec<[f64; 3]>,
    /// Velocities, m/s.
    v: Vec<[f64; 3]>,
    /// Accelerations of held nodes, m/s²; zero elsewhere.
    a: Vec<[f64; 3]>,
    /// Rates of these accelerations, m/s³.
    jerk: Vec<[f64; 3]>,
}

impl PlacedNodes {
    /// This number of nodes at rest.
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

/// Buffers and what was assembled last.
#[derive(Default)]
struct Work {
    /// Displacements at the start of a path; empty if nothing is forbidden.
    path_start: Vec<[f64; 3]>,
    ball: paths::FreeBall,
    x: Vec<[f64; 3]>,
    f: Vec<[f64; 3]>,
    /// Sum of the loads that depend on the state, as of their last evaluation; empty without.
    state_loads: Vec<[f64; 3]>,
    sum: Vec<[f64; 3]>,
    stiffness: Vec<Block>,
    /// Rayleigh's stiffness damping, frozen for a step; empty without.
    rayleigh: Vec<Block>,
    /// Damping that depends on positions, and room for its differences.
    positional: damping::PositionalDamping,
    trial: damping::PositionalDamping,
    relaxation: damping::AitkenRelaxation,
    /// Nodal buffers of those differences; empty without.
    direction: Vec<[f64; 3]>,
    before: Vec<[f64; 3]>,
    one: Vec<[f64; 3]>,
    /// Dampers and loads at the state of the last tangent; empty without.
    dampers: Vec<Block>,
    scale: f64,
    /// Ranges of nodes, and the rigid motion of each.
    ranges: Vec<Range<u32>>,
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

    /// Number of free unknowns.
    pub fn unknowns(&self) -> usize {
        self.free.len()
    }

    /// Mass of each node, kg.
    pub fn node_mass(&self) -> &[f64] {
        &self.node_mass
    }

    /// The entries of a field over nodes that are unknowns.
    pub fn restrict(&self, full: &[[f64; 3]]) -> Vec<f64> {
        self.free
            .iter()
            .map(|&(i, k)| full[i as usize][k as usize])
            .collect()
    }

    /// Displacements and velocities of all nodes at time t.
    pub fn expand(&mut self, t: f64, u: &[f64], v: &[f64]) -> (&[[f64; 3]], &[[f64; 3]]) {
        self.place(t, u, v);
        (&self.placed.u, &self.placed.v)
    }

    /// Position of a node at the state of the last [`Model::expand`], m.
    pub fn position(&self, node: usize) -> [f64; 3] {
        [0, 1, 2].map(|k| self.rest[node][k] + self.placed.u[node][k])
    }

    /// Takes frozen rotations at a state, as the next step will.
    fn freeze(&mut self, t: f64, u: &[f64], v: &[f64]) {
        self.place(t, u, v);
        self.freeze_potentials();
    }

    /// Takes over what potentials freeze at the placed positions; returns whether any does.
    fn freeze_potentials(&mut self) -> bool {
        let mut frozen = false;
        self.for_each_potential(|p, x, _| frozen |= p.freeze(x));
        // The stiffness, and damping by it, is that of another law now.
        self.work.positional.current &= !frozen;
        frozen
    }

    /// Puts all nodes where the unknowns and the prescribed motion say.
    fn place(&mut self, t: f64, u: &[f64], v: &[f64]) {
        for (&(i, k), (u, v)) in self.free.iter().zip(u.iter().zip(v)) {
            self.placed.u[i as usize][k as usize] = *u;
            self.placed.v[i as usize][k as usize] = *v;
        }
        self.place_held(t);
    }

    /// Puts the held nodes where their motion says.
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
                self.placed.v[i][k] = v[k];
                self.placed.a[i][k] = a[k];
                self.placed.jerk[i][k] = jerk[k];
            }
        }
    }

    /// Current positions into the buffer.
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

    /// Runs a job on every potential at the placed state.
    fn for_each_potential<R>(
        &mut self,
        mut job: impl FnMut(&mut dyn Potential, &Configuration, &mut Work) -> R,
    ) {
        let placed = Configuration {
            t: self.placed.t.unwrap_or(0.0),
            rest: &self.rest,
            u: &self.placed.u,
        };
        for potential in &mut self.potentials {
            job(potential.as_mut(), &placed, &mut self.work);
        }
        if !self.handles.list.is_empty() {
            job(&mut self.handles, &placed, &mut self.work);
        }
    }
}
