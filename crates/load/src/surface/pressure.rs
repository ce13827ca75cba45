//! A follower pressure: a force per deformed area against the outward normal of the deformed face.
//!
//! With the tangents x_ξ, x_η of a face, node a gets f_a = −p ∫ N_a (x_ξ × x_η) dξ dη, and
//!
//! −∂f_a/∂x_b = [k_ab]×, k_ab = p ∫ N_a (∂N_b/∂η x_ξ − ∂N_b/∂ξ x_η) dξ dη,
//!
//! where [k]× y = k × y [Bonet & Wood 2008, ch. 8]. Since [k]×ᵀ = −[k]×, its symmetric part has the blocks
//! ½ [k_ab − k_ba]× and its antisymmetric part ½ [k_ab + k_ba]×. The antisymmetric part is an integral over the boundary
//! edge of the faces: it vanishes if they form a closed surface, because the pressure then has the potential p V, and also
//! if all nodes of that edge are held [Bufler 1984].

use march::Curvature;
use mesh::element::MAX_FACE_NODES;
use mesh::vector::{add, scale, sub};

use super::projection::positive_part;
use super::{SurfaceFaces, Tangents};
use crate::{ForceSum, Load, LoadState, TimeCourse};
use sparse::blocks::{Block, BlockPattern, Slot, add_antisymmetric_block, add_block};

/// A pressure on faces that follows their deformation.
#[derive(Clone, Debug)]
pub struct FollowerPressure {
    faces: SurfaceFaces,
    /// Pressure, Pa; positive pushes into the body.
    pressure: f64,
    course: TimeCourse,
    /// Blocks of the pairs (a, b), b ≤ a, of the nodes of each face, one face after another.
    slots: Vec<Slot>,
}

/// The vectors k_ab of a face.
type PairVectors = [[[f64; 3]; MAX_FACE_NODES]; MAX_FACE_NODES];

impl FollowerPressure {
    /// Creates the load; `pressure` is in Pa, positive if it pushes into the body.
    pub fn new(faces: SurfaceFaces, pressure: f64, course: TimeCourse) -> FollowerPressure {
        FollowerPressure {
            faces,
            pressure,
            course,
            slots: Vec::new(),
        }
    }

    /// Calls `visit` with the force of a pressure at each node of each face, N.
    fn for_each_force(&self, p: f64, x: &[[f64; 3]], mut visit: impl FnMut(u32, [f64; 3])) {
        for face in 0..self.faces.len() {
            let mut force = [[0.0; 3]; MAX_FACE_NODES];
            for point in self.faces.points(face) {
                let Tangents { xi, eta } = self.faces.tangents(face, point, x);
                let area = mesh::vector::cross(xi, eta);
                for (force, n) in force.iter_mut().zip(&point.n) {
                    *force = add(*force, scale(-p * point.weight * n, area));
                }
            }
            for (&node, force) in self.faces.nodes(face).iter().zip(&force) {
                visit(node, *force);
            }
        }
    }

    /// Computes the vectors k_ab of a face under a pressure.
    fn pair_vectors(&self, face: usize, p: f64, x: &[[f64; 3]]) -> PairVectors {
        let mut k = [[[0.0; 3]; MAX_FACE_NODES]; MAX_FACE_NODES];
        let nodes = self.faces.nodes(face).len();
        for point in self.faces.points(face) {
            let Tangents { xi, eta } = self.faces.tangents(face, point, x);
            for b in 0..nodes {
                let [d_xi, d_eta] = point.dn[b];
                let slope = sub(scale(d_eta, xi), scale(d_xi, eta));
                for a in 0..nodes {
                    k[a][b] = add(k[a][b], scale(p * point.weight * point.n[a], slope));
                }
            }
        }
        k
    }

    /// Calls `visit` with the number of nodes of each face, its slots and its vectors k_ab, unless the pressure is zero.
    fn for_each_face(&self, at: &LoadState, mut visit: impl FnMut(usize, &[Slot], &PairVectors)) {
        let p = self.pressure * self.course.factor(at.t);
        if p == 0.0 {
            return;
        }
        let mut first = 0;
        for face in 0..self.faces.len() {
            let nodes = self.faces.nodes(face).len();
            let end = first + nodes * (nodes + 1) / 2;
            let k = self.pair_vectors(face, p, at.x);
            visit(nodes, &self.slots[first..end], &k);
            first = end;
        }
    }
}

/// Returns the matrix [k]× with [k]× y = k × y.
fn cross_matrix([x, y, z]: [f64; 3]) -> Block {
    [0.0, -z, y, z, 0.0, -x, -y, x, 0.0]
}

/// Pairs (a, b), b ≤ a, of the first `nodes` numbers, in the order of the slots.
fn pairs(nodes: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..nodes).flat_map(|a| (0..=a).map(move |b| (a, b)))
}

impl Load for FollowerPressure {
    fn is_active(&self) -> bool {
        !self.faces.is_empty() && self.pressure != 0.0
    }

    fn depends_on_state(&self) -> bool {
        true
    }

    fn add_force(&self, at: &LoadState, sum: &mut ForceSum) {
        let p = self.pressure * self.course.factor(at.t);
        if p != 0.0 {
            self.for_each_force(p, at.x, |node, force| sum.add(node, force));
        }
    }

    fn add_force_rate(&self, at: &LoadState, rate: &mut [[f64; 3]]) {
        let p = self.pressure * self.course.rate(at.t);
        if p != 0.0 {
            self.for_each_force(p, at.x, |node, force| {
                rate[node as usize] = add(rate[node as usize], force);
            });
        }
    }

    fn append_pairs(&self, out: &mut Vec<(u32, u32)>) {
        for face in 0..self.faces.len() {
            let nodes = self.faces.nodes(face);
            let different = pairs(nodes.len()).filter(|(a, b)| a != b);
            out.extend(different.map(|(a, b)| (nodes[a], nodes[b])));
        }
    }

    fn bind(&mut self, pattern: &BlockPattern) {
        self.slots.clear();
        for face in 0..self.faces.len() {
            let nodes = self.faces.nodes(face);
            let slots = pairs(nodes.len()).map(|(a, b)| pattern.slot(nodes[a], nodes[b]));
            self.slots.extend(slots);
        }
    }

    fn add_stiffness(&self, at: &LoadState, c: Curvature, k: &mut [Block]) {
        self.for_each_face(at, |nodes, slots, vectors| {
            let symmetric =
                |a: usize, b: usize| cross_matrix(scale(0.5, sub(vectors[a][b], vectors[b][a])));
            if c == Curvature::Definite {
                let projected = positive_part(nodes, symmetric);
                for (slot, (a, b)) in slots.iter().zip(pairs(nodes)) {
                    add_block(&mut k[slot.index()], *slot, &projected(a, b));
                }
                return;
            }
            for (slot, (a, b)) in slots.iter().zip(pairs(nodes)) {
                add_block(&mut k[slot.index()], *slot, &symmetric(a, b));
            }
        });
    }

    fn has_antisymmetric_stiffness(&self) -> bool {
        true
    }

    fn add_antisymmetric_stiffness(&self, at: &LoadState, k: &mut [Block]) {
        self.for_each_face(at, |nodes, slots, vectors| {
            for (slot, (a, b)) in slots.iter().zip(pairs(nodes)) {
                let sum = scale(0.5, add(vectors[a][b], vectors[b][a]));
                add_antisymmetric_block(&mut k[slot.index()], *slot, &cross_matrix(sum));
            }
        });
    }

    fn next_kink(&self, t: f64) -> f64 {
        self.course.next_kink(t)
    }
}
