//! Statics: loads that grow with pseudo-time, work between equilibria, and a foundation for bodies without supports.
//!
//! The load factor λ = t / (time of the full loads) multiplies gravity and every load. Prescribed nodes are at the
//! positions of their motion at t; their velocities and accelerations have no meaning and are zero. The weight is a load:
//! it has no potential energy of its own.
//!
//! A body whose supports allow a rigid motion has a singular stiffness matrix. It is regularised by a multiple of its
//! lumped mass matrix, s·diag(m): a foundation of weak springs to the rest positions. The multiple is
//! [`FOUNDATION_PER_STIFFNESS`] of the stiffness per mass of the body against uniform expansion, a Rayleigh quotient that
//! does not depend on the mesh. The body then follows a net force F by F/(s m), and a load without net force and moment
//! deforms it as if the foundation were not there, up to that fraction.

use march::{At, Curvature, System, Weights};
use mesh::vector::cross;
use sparse::{Matrix, lowest_eigenpairs};

use super::Model;
use super::dynamic::Patterns;
use crate::potential::Configuration;

/// Stiffness of the foundation per mass, relative to that of the body.
pub const FOUNDATION_PER_STIFFNESS: f64 = 1e-9;
/// Rigid motions with less stiffness than this fraction of that of the body are free.
const FREE_MOTION_PER_STIFFNESS: f64 = 1e-9;
/// A rigid motion whose part that is independent of the others is smaller than this fraction is none of its own.
const MIN_INDEPENDENT_PART: f64 = 1e-6;

/// Buffers of the work between two equilibria.
#[derive(Default)]
pub(super) struct StaticBuffers {
    force: Vec<[f64; 3]>,
    u: Vec<[f64; 3]>,
}

/// A connected set of nodes whose supports allow rigid motions, and the foundation that holds it in statics.
#[derive(Clone, Debug, PartialEq)]
pub struct UnheldBody {
    /// The nodes, ascending.
    pub nodes: Vec<u32>,
    /// Mass of the nodes, kg.
    pub mass: f64,
    /// Number of rigid motions that the supports allow.
    pub free_motions: usize,
    /// Stiffness of the foundation per mass, 1/s²: a net force F moves the body by F/(stiffness · mass).
    pub stiffness: f64,
}

impl UnheldBody {
    /// Mean displacement of the nodes, m.
    pub fn mean_displacement(&self, u: &[[f64; 3]]) -> [f64; 3] {
        let mean = |k: usize| self.nodes.iter().map(|&i| u[i as usize][k]).sum::<f64>();
        [0, 1, 2].map(|k| mean(k) / self.nodes.len() as f64)
    }
}

/// Error of a set of nodes without supports and without stiffness, which has no equilibrium.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "node {node} is neither held nor connected by anything stiff, so it has no equilibrium; hold it or connect it"
)]
pub struct NoStiffness {
    /// The first of the nodes.
    pub node: u32,
}

impl Model {
    /// Turns the model into one of statics, whose loads grow in proportion to time and are complete at this one, s.
    pub fn set_static(&mut self, full_load_time: f64) {
        self.full_load_time = Some(full_load_time);
        for x in [
            &mut self.placed.v,
            &mut self.placed.a,
            &mut self.placed.jerk,
        ] {
            x.fill([0.0; 3]);
        }
        self.placed.t = None;
    }

    /// Factor of gravity and loads at a time: 1 in motion.
    pub fn load_factor(&self, t: f64) -> f64 {
        self.full_load_time.map_or(1.0, |full| t / full)
    }

    /// Work of loads, prescribed motion and anchors between two equilibria, J: the trapezoidal rule over the forces at
    /// both, which is exact where these are linear in the displacement. The force of a support balances the forces on its
    /// nodes.
    pub(super) fn work_between_equilibria(&mut self, from: At, to: At) -> f64 {
        let mut before = std::mem::take(&mut self.statics);
        self.outer_forces(from);
        before.force.clone_from(&self.work.f);
        before.u.clone_from(&self.placed.u);
        self.outer_forces(to);
        let start = Configuration {
            t: from.t,
            rest: &self.rest,
            u: &before.u,
        };
        let end = self.configuration();
        let anchors: f64 = self
            .potentials
            .iter()
            .map(|p| p.anchor_work(&start, &end))
            .sum();
        let forces = self
            .work
            .f
            .as_flattened()
            .iter()
            .zip(before.force.as_flattened());
        let moves = self
            .placed
            .u
            .as_flattened()
            .iter()
            .zip(before.u.as_flattened());
        let work: f64 = forces
            .zip(moves)
            .map(|((f1, f0), (u1, u0))| 0.5 * (f0 + f1) * (u1 - u0))
            .sum();
        self.statics = before;
        work + anchors
    }

    /// Fills the force buffer with the change of forces between the time of a state and `t` at fixed unknowns: loads,
    /// tethers with moving anchors and, with the stiffness of the last tangent, prescribed motion.
    pub(super) fn add_force_increment(&mut self, at: At, t: f64) {
        let mut before = std::mem::take(&mut self.statics);
        self.time_dependent_forces(at);
        before.force.clone_from(&self.work.f);
        before.u.clone_from(&self.placed.u);
        self.time_dependent_forces(At { t, ..at });
        let work = &mut self.work;
        for (f, before) in work
            .f
            .as_flattened_mut()
            .iter_mut()
            .zip(before.force.as_flattened())
        {
            *f -= before;
        }
        // The unknowns are the same at both times.
        for ((x, now), before) in work.x.iter_mut().zip(&self.placed.u).zip(&before.u) {
            *x = [0, 1, 2].map(|k| before[k] - now[k]);
        }
        let patterns = Patterns::of(&self.pattern, &self.dynamic);
        patterns.add_product(&work.stiffness, 1.0, &work.x, &mut work.f);
        self.statics = before;
    }

    /// Fills the force buffer with weight, loads and the forces of potentials with anchors.
    fn time_dependent_forces(&mut self, at: At) {
        self.place(at.t, at.u, at.v);
        self.work.f.fill([0.0; 3]);
        self.add_weight(at.t);
        self.add_all_loads(at.t);
        self.for_each_potential(|p, x, work| {
            if p.anchor_reaction(x).is_some() {
                p.add_force(x, &mut work.f);
            }
        });
    }

    /// Fills the force buffer with the loads on unknowns and, on prescribed components, the sum of load and reaction.
    fn outer_forces(&mut self, at: At) {
        self.place(at.t, at.u, at.v);
        self.work.f.fill([0.0; 3]);
        self.for_each_potential(|p, x, work| {
            p.add_force(x, &mut work.f);
        });
        self.work.sum.copy_from_slice(&self.work.f);
        self.work.f.fill([0.0; 3]);
        self.add_weight(at.t);
        self.add_all_loads(at.t);
        for held in &self.held {
            let i = held.node as usize;
            for k in (0..3).filter(|&k| held.axes[k]) {
                self.work.f[i][k] = -self.work.sum[i][k];
            }
        }
    }

    /// Finds the connected sets of nodes whose supports allow rigid motions at this state, and holds them by a foundation.
    pub fn hold_unheld_bodies(&mut self, at: At) -> Result<Vec<UnheldBody>, NoStiffness> {
        let mut k = self.zero_matrix();
        let stiffness = Weights {
            mass: 0.0,
            damping: 0.0,
            stiffness: 1.0,
        };
        self.tangent(at, stiffness, Curvature::Exact, &mut k);
        let masses = self.lumped_masses();
        let mut found = Vec::new();
        for nodes in self.connected_nodes() {
            let unheld = self.free_rigid_motions(&k, &masses, nodes)?;
            found.extend(unheld.filter(|body| body.free_motions > 0));
        }
        for body in &found {
            for &i in &body.nodes {
                self.foundation.hold(i, body.stiffness * masses[i as usize]);
            }
        }
        Ok(found)
    }

    /// Positive mass of each node, kg: the diagonal of the mass matrix, scaled to the whole mass [Hinton, Rock &
    /// Zienkiewicz 1976].
    fn lumped_masses(&self) -> Vec<f64> {
        let diagonal = |i: usize| self.mass[self.pattern.slot(i as u32, i as u32).index()];
        let diagonal: Vec<f64> = (0..self.nodes()).map(diagonal).collect();
        let scale = self.node_mass.iter().sum::<f64>() / diagonal.iter().sum::<f64>();
        diagonal.iter().map(|m| m * scale).collect()
    }

    /// Sets of nodes that blocks of the matrix connect, each ascending, in the order of their first nodes.
    fn connected_nodes(&self) -> Vec<Vec<u32>> {
        let n = self.nodes();
        let mut root: Vec<usize> = (0..n).collect();
        fn top(root: &mut [usize], mut i: usize) -> usize {
            while root[i] != i {
                root[i] = root[root[i]];
                i = root[i];
            }
            i
        }
        for j in 0..n {
            for block in self.pattern.column(j) {
                let (a, b) = (
                    top(&mut root, j),
                    top(&mut root, self.pattern.rows[block] as usize),
                );
                root[a.max(b)] = a.min(b);
            }
        }
        let mut sets: Vec<Vec<u32>> = vec![Vec::new(); n];
        for i in 0..n {
            sets[top(&mut root, i)].push(i as u32);
        }
        sets.retain(|set| !set.is_empty());
        sets
    }

    /// Returns the number of free rigid motions of connected nodes and the foundation that they need; `None` if all of
    /// the nodes are held.
    fn free_rigid_motions(
        &self,
        k: &Matrix,
        masses: &[f64],
        nodes: Vec<u32>,
    ) -> Result<Option<UnheldBody>, NoStiffness> {
        let part = ConnectedPart::new(self, masses, &nodes);
        if part.unknowns.is_empty() {
            return Ok(None);
        }
        let scale = part.stiffness_per_mass(k);
        if scale.is_nan() || scale <= 0.0 {
            return Err(NoStiffness { node: nodes[0] });
        }
        let motions = part.rigid_motions();
        let n = motions.len();
        let pairs = motions
            .iter()
            .flat_map(|x| motions.iter().map(move |y| (x, y)));
        let dense: Vec<f64> = pairs.map(|(x, y)| k.bilinear_form(x, y)).collect();
        let small = Matrix::from_dense(n, &dense);
        let values = lowest_eigenpairs(&small, &Matrix::from_diagonal(&vec![1.0; n]), n, 1e-6);
        // Without eigenvalues of the small matrix the body counts as unheld.
        let free = values.map_or(n, |pairs| {
            let limit = FREE_MOTION_PER_STIFFNESS * scale;
            pairs.iter().filter(|(value, _)| *value < limit).count()
        });
        Ok(Some(UnheldBody {
            mass: part.mass,
            free_motions: free,
            stiffness: FOUNDATION_PER_STIFFNESS * scale,
            nodes,
        }))
    }
}

/// A connected set of nodes while its rigid motions are examined.
struct ConnectedPart<'a> {
    model: &'a Model,
    /// Lumped mass of each node of the model, kg.
    masses: &'a [f64],
    /// Unknowns of the nodes of the set.
    unknowns: Vec<usize>,
    /// Mass and centre of mass of the set.
    mass: f64,
    centre: [f64; 3],
}

impl<'a> ConnectedPart<'a> {
    fn new(model: &'a Model, masses: &'a [f64], nodes: &[u32]) -> ConnectedPart<'a> {
        let inside = |d: &usize| nodes.binary_search(&model.free[*d].0).is_ok();
        let mass: f64 = nodes.iter().map(|&i| masses[i as usize]).sum();
        let moment = |c: usize| {
            let one = |&i: &u32| masses[i as usize] * model.rest[i as usize][c];
            nodes.iter().map(one).sum::<f64>()
        };
        ConnectedPart {
            model,
            masses,
            unknowns: (0..model.free.len()).filter(inside).collect(),
            mass,
            centre: [0, 1, 2].map(|c| moment(c) / mass),
        }
    }

    /// Values of a field of displacements, given by the position relative to the centre, at the unknowns of the model.
    fn field(&self, f: impl Fn([f64; 3]) -> [f64; 3]) -> Vec<f64> {
        let mut out = vec![0.0; self.model.free.len()];
        for &d in &self.unknowns {
            let (i, c) = self.model.free[d];
            let x = self.model.rest[i as usize];
            out[d] = f([0, 1, 2].map(|c| x[c] - self.centre[c]))[c as usize];
        }
        out
    }

    /// Product of two fields, weighted with the masses.
    fn product(&self, x: &[f64], y: &[f64]) -> f64 {
        let one = |&d: &usize| self.mass_of(d) * x[d] * y[d];
        self.unknowns.iter().map(one).sum()
    }

    fn mass_of(&self, unknown: usize) -> f64 {
        self.masses[self.model.free[unknown].0 as usize]
    }

    /// Stiffness per mass against uniform expansion, 1/s²; that of the stiffest unknown if the set is a point.
    fn stiffness_per_mass(&self, k: &Matrix) -> f64 {
        let expansion = self.field(|r| r);
        let size = self.product(&expansion, &expansion);
        if size > 0.0 {
            return k.bilinear_form(&expansion, &expansion) / size;
        }
        let diagonal: Vec<f64> = k.diagonal().collect();
        let one = |&d: &usize| diagonal[d] / self.mass_of(d);
        self.unknowns.iter().map(one).fold(0.0, f64::max)
    }

    /// Independent rigid motions, orthonormal in the product weighted with the masses: six for a solid, fewer for points
    /// on a line.
    fn rigid_motions(&self) -> Vec<Vec<f64>> {
        let unit = |c: usize| [0, 1, 2].map(|k| if k == c { 1.0 } else { 0.0 });
        let mut motions: Vec<Vec<f64>> = Vec::new();
        for c in 0..6 {
            let mut motion = match c < 3 {
                true => self.field(|_| unit(c)),
                false => self.field(|r| cross(unit(c - 3), r)),
            };
            let whole = self.product(&motion, &motion);
            for other in &motions {
                let along = self.product(&motion, other);
                (0..motion.len()).for_each(|d| motion[d] -= along * other[d]);
            }
            let left = self.product(&motion, &motion);
            if left > MIN_INDEPENDENT_PART.powi(2) * whole {
                motion.iter_mut().for_each(|x| *x /= left.sqrt());
                motions.push(motion);
            }
        }
        motions
    }
}
