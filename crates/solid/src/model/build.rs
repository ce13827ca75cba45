//! Assembly of a model from its description: patterns, mass matrix, numbering of the unknowns, buffers.

use std::collections::BTreeMap;

use sparse::Pattern;

use super::damping::{PositionalDamping, depends_on_positions, has_positional_matrix};
use super::dynamic::Dynamic;
use super::paths::FreeRegion;
use super::unknowns::{gather_map, mean_length, placement, reduce_mass, unknown_numbers};
use super::{FreeBody, Held, Model, PlacedNodes, VelocityDamping, Work};
use crate::blocks::{BlockPattern, StaticPattern};
use crate::mass::MassEntries;
use crate::motion::Motion;
use crate::potential::{DampingRate, Foundation, Handles, Potential, Stencils};
use load::{Load, Loads, NodeForces};

/// Nodes whose displacement is prescribed along some axes (a Dirichlet boundary condition).
#[derive(Clone, Debug, PartialEq)]
pub struct PrescribedNodes {
    /// The nodes.
    pub nodes: Vec<u32>,
    /// Which of x, y, z are prescribed.
    pub axes: [bool; 3],
    /// Their motion.
    pub motion: Motion,
}

/// Input of [`Model::new`]: nodes, masses, potentials, boundary conditions, loads and damping.
#[derive(Default)]
pub struct ModelDescription {
    /// Rest positions, m.
    pub rest: Vec<[f64; 3]>,
    /// Entries of the mass matrix.
    pub masses: MassEntries,
    /// Coefficient of Rayleigh's mass damping of each node, 1/s; empty if there is none.
    pub mass_damping: Vec<f64>,
    /// Potentials: elements, springs, tethers.
    pub potentials: Vec<Box<dyn Potential>>,
    /// Boundary conditions. If two prescribe the same component of a node, the later one applies.
    pub prescribed: Vec<PrescribedNodes>,
    /// Acceleration of gravity, m/s².
    pub gravity: [f64; 3],
    /// External loads.
    pub loads: Vec<Box<dyn Load>>,
    /// Damping of velocities at the end of every step.
    pub velocity_damping: Vec<VelocityDamping>,
    /// Bodies whose angular momentum is conserved.
    pub free_bodies: Vec<FreeBody>,
    /// Bodies that appear while the motion runs.
    pub emitted: Vec<super::EmittedBody>,
}

/// Error in a model description.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum ModelError {
    /// A node with unknowns has no positive mass.
    #[error(
        "node {node} has mass {mass} kg, but every node that is not held needs a positive mass; give its body a density, \
         or hold the node"
    )]
    Massless {
        /// The node.
        node: usize,
        /// Its diagonal entry of the mass matrix, kg.
        mass: f64,
    },
    /// The model has no unknowns.
    #[error(
        "every node is held along all axes, so no unknowns are left to simulate; remove a fix or hold fewer axes"
    )]
    AllHeld,
}

impl Model {
    /// Builds the model. Returns an error if a node that can move has no mass, or if no unknowns are left.
    pub fn new(parts: ModelDescription) -> Result<Model, ModelError> {
        let ModelDescription {
            rest,
            masses,
            mass_damping,
            mut potentials,
            prescribed,
            gravity,
            loads,
            velocity_damping,
            free_bodies,
            emitted,
        } = parts;
        let n = rest.len();
        let mut pairs: Vec<(u32, u32)> = masses
            .iter()
            .filter(|(i, j, _)| i != j)
            .map(|&(i, j, _)| (i, j))
            .collect();
        for p in potentials.iter().filter(|p| !p.changes_stencils()) {
            p.append_pairs(&mut pairs);
        }
        let mut loads = Loads::new(loads);
        loads.iter().for_each(|load| load.append_pairs(&mut pairs));
        let pattern = BlockPattern::new(n, pairs.into_iter());
        for p in potentials.iter_mut().filter(|p| !p.changes_stencils()) {
            p.bind(&pattern);
        }
        for p in potentials.iter_mut().filter(|p| p.changes_stencils()) {
            p.bind_diagonal(&pattern);
        }
        let mut handles = Handles::default();
        handles.bind(&pattern);
        let mut foundation = Foundation::default();
        foundation.bind(&pattern);
        loads.bind(&pattern);

        let mut mass = vec![0.0; pattern.len()];
        for &(i, j, m) in &masses {
            mass[pattern.slot(i, j).index()] += m;
        }
        let node_mass = row_sums(&pattern, &mass);
        let lumped = masses.iter().all(|&(i, j, m)| i == j || m == 0.0);
        let (held, motions, is_held) = collect_held_nodes(n, prescribed);
        let free: Vec<(u32, u8)> = (0..n)
            .flat_map(|i| (0..3).map(move |k| (i, k)))
            .filter(|&(i, k)| !is_held[i][k])
            .map(|(i, k)| (i as u32, k as u8))
            .collect();
        if free.is_empty() {
            return Err(ModelError::AllHeld);
        }
        for &(i, _) in &free {
            // The diagonal entry: row sums of the consistent mass of quadratic elements can be negative.
            let (node, mass) = (i as usize, mass[pattern.slot(i, i).index()]);
            if mass.is_nan() || mass <= 0.0 {
                return Err(ModelError::Massless { node, mass });
            }
        }
        let (mut free_pattern, gather) = gather_map(&pattern, &free, n, &[]);
        if potentials.iter().any(|p| p.bonds().is_some()) {
            let bonds = potentials.iter().filter_map(|p| p.bonds());
            let placement = placement(&free, &rest, mean_length(bonds));
            free_pattern = Pattern::placed(free_pattern, placement);
        }
        let fixed = StaticPattern {
            blocks: pattern.clone(),
            free: free_pattern.clone(),
            numbers: unknown_numbers(&free, n),
        };
        let dynamic = Dynamic::of(&potentials, fixed);
        let free_mass = reduce_mass(&pattern, &mass, &free, n);
        let damped = mass_damping.iter().any(|a| *a != 0.0);
        let mass_damping = if damped {
            scale_by_node(&pattern, &mass, &mass_damping)
        } else {
            Vec::new()
        };
        let work = buffers(n, &pattern, &potentials, &loads);
        let positional = potentials.iter().any(|p| depends_on_positions(p.as_ref()));
        let shortest = shortest(&pattern, &rest);
        let moves = motions.iter().any(Motion::moves);
        let forbids = potentials.iter().any(|p| p.forbids());
        let mut model = Model {
            rest,
            potentials,
            handles,
            foundation,
            end_contact: None,
            forces: NodeForces::default(),
            loads,
            gravity,
            full_load_time: None,
            held,
            motions,
            moves,
            free,
            pattern,
            mass,
            node_mass,
            lumped,
            mass_damping,
            free_mass,
            free_pattern,
            gather,
            unknowns: std::sync::OnceLock::new(),
            dynamic,
            velocity_damping,
            damped_modes: Vec::new(),
            emission: super::emission::Emission::new(emitted),
            free_bodies,
            forbids,
            forces_selected: march::Forces::All,
            positional,
            shortest,
            edges: super::step_measures::Edges::default(),
            placed: PlacedNodes::resting(n),
            evaluated: super::reactions::Evaluated::default(),
            statics: super::statics::StaticBuffers::default(),
            work,
        };
        let zero = vec![0.0; model.free.len()];
        model.place(0.0, &zero, &zero);
        let at_start = model.emitted().iter().filter(|b| b.appears <= 0.0);
        model.set_appeared(at_start.count());
        Ok(model)
    }
}

fn buffers(
    n: usize,
    pattern: &BlockPattern,
    potentials: &[Box<dyn Potential>],
    loads: &Loads,
) -> Work {
    let nodes = || vec![[0.0; 3]; n];
    let positional = potentials.iter().any(|p| depends_on_positions(p.as_ref()));
    let forbids = potentials.iter().any(|p| p.forbids());
    let blocks = |wanted: bool| {
        if wanted {
            vec![[0.0; 9]; pattern.len()]
        } else {
            Vec::new()
        }
    };
    Work {
        path_start: if forbids { nodes() } else { Vec::new() },
        path_fractions: Vec::with_capacity(if forbids { n } else { 0 }),
        free_region: FreeRegion::with_nodes(if forbids { n } else { 0 }),
        x: nodes(),
        f: nodes(),
        state_loads: if loads.state_dependent.is_empty() {
            Vec::new()
        } else {
            nodes()
        },
        sum: nodes(),
        stiffness: blocks(true),
        antisymmetric: blocks(loads.iter().any(|load| load.has_antisymmetric_stiffness())),
        rayleigh: blocks(potentials.iter().any(|p| {
            let damping = p.stiffness_damping();
            damping.factor_of(DampingRate::Frozen).is_some()
        })),
        positional: PositionalDamping {
            blocks: blocks(potentials.iter().any(|p| has_positional_matrix(p.as_ref()))),
            u: if positional { nodes() } else { Vec::new() },
            t: None,
            current: false,
        },
        direction: if positional { nodes() } else { Vec::new() },
        before: if positional { nodes() } else { Vec::new() },
        one: if positional { nodes() } else { Vec::new() },
        friction_change: match positional && potentials.iter().any(|p| p.has_friction()) {
            true => nodes(),
            false => Vec::new(),
        },
        dampers: blocks(
            loads.iter().any(|load| load.has_damping())
                || potentials.iter().any(|p| p.has_dampers()),
        ),
        ..Work::default()
    }
}

/// Shortest distance between two coupled nodes, m; 1 if no two nodes are coupled.
fn shortest(pattern: &BlockPattern, rest: &[[f64; 3]]) -> f64 {
    let mut least = f64::INFINITY;
    for j in 0..pattern.nodes() {
        for k in pattern.column(j) {
            let (p, q) = (rest[pattern.rows[k] as usize], rest[j]);
            let square: f64 = (0..3).map(|k| (p[k] - q[k]).powi(2)).sum();
            if square > 0.0 {
                least = least.min(square);
            }
        }
    }
    if least.is_finite() { least.sqrt() } else { 1.0 }
}

fn row_sums(pattern: &BlockPattern, values: &[f64]) -> Vec<f64> {
    let mut sums = vec![0.0; pattern.nodes()];
    for j in 0..pattern.nodes() {
        for k in pattern.column(j) {
            let i = pattern.rows[k] as usize;
            sums[i] += values[k];
            if i != j {
                sums[j] += values[k];
            }
        }
    }
    sums
}

/// Multiplies the mass matrix with a factor per node. Bodies share no node, so both nodes of a block have the same factor.
fn scale_by_node(pattern: &BlockPattern, mass: &[f64], factor: &[f64]) -> Vec<f64> {
    let column = |j: usize| pattern.column(j).map(move |k| factor[j] * mass[k]);
    (0..pattern.nodes()).flat_map(column).collect()
}

/// Returns the prescribed nodes in ascending order, their motions, and which axes of each node are prescribed.
fn collect_held_nodes(
    n: usize,
    prescribed: Vec<PrescribedNodes>,
) -> (Vec<Held>, Vec<Motion>, Vec<[bool; 3]>) {
    // For each node and axis the last condition that prescribes it.
    let mut last: BTreeMap<(u32, u32), [bool; 3]> = BTreeMap::new();
    let mut owner: BTreeMap<(u32, u8), u32> = BTreeMap::new();
    let mut motions = Vec::with_capacity(prescribed.len());
    let mut is_held = vec![[false; 3]; n];
    for (number, fix) in prescribed.into_iter().enumerate() {
        for &node in &fix.nodes {
            for k in (0..3u8).filter(|&k| fix.axes[k as usize]) {
                is_held[node as usize][k as usize] = true;
                owner.insert((node, k), number as u32);
            }
        }
        motions.push(fix.motion);
    }
    for ((node, k), motion) in owner {
        last.entry((node, motion)).or_insert([false; 3])[k as usize] = true;
    }
    let held = last
        .into_iter()
        .map(|((node, motion), axes)| Held { node, axes, motion })
        .collect();
    (held, motions, is_held)
}
