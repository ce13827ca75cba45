//! Damping of velocities after each integration step [Dinev et al. 2018, §4.3, eqs. 31–36].
//!
//! Ether drag damps all velocities at a rate d: v ← e^(−d h) v. Rigid-free damping damps only the deviation from rigid
//! motion, at a rate k: with v_cm and ω of the nearest rigid motion, Δvᵢ = vᵢ − v_cm − ω × rᵢ and
//! vᵢ ← vᵢ − (1 − e^(−k h)) Δvᵢ. The decay is exact in time and does not depend on the step length; the paper multiplies
//! with a fixed factor in every step.
//!
//! The sign of ω × rᵢ in eq. 32 is corrected (docs/references.md, E13): with the other sign a pure rotation is damped. The
//! nearest rigid motion is that in the norm of the mass matrix, consistent or lumped. Linear and angular momentum are then
//! conserved up to rounding.

use std::ops::Range;

use march::vector::dot;
use march::{At, State};
use mesh::vector::cross;

use super::Model;
use crate::blocks::add_scalar_product;

/// Damping of the velocities of one body, applied at the end of every step.
#[derive(Clone, Debug, PartialEq)]
pub struct VelocityDamping {
    /// The nodes.
    pub nodes: Range<u32>,
    /// Rate at which all velocities decay, 1/s.
    pub drag: f64,
    /// Rate at which velocities other than rigid motion decay, 1/s.
    pub rigid_free: f64,
}

/// Rigid motion about a centre of mass.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RigidMotion {
    centre: [f64; 3],
    velocity: [f64; 3],
    spin: [f64; 3],
    /// Angular momentum about the centre and inertia tensor, which determine the spin.
    angular: [f64; 3],
    inertia: [[f64; 3]; 3],
}

impl RigidMotion {
    fn at(&self, x: [f64; 3]) -> [f64; 3] {
        let turn = cross(self.spin, [0, 1, 2].map(|k| x[k] - self.centre[k]));
        [0, 1, 2].map(|k| self.velocity[k] + turn[k])
    }
}

impl Model {
    /// Returns `true` if [`Model::damp_velocities`] changes velocities.
    pub fn has_velocity_damping(&self) -> bool {
        !self.velocity_damping.is_empty() || !self.damped_modes.is_empty()
    }

    /// Damps the velocities at the end of a step of length h. Returns the change of energy, J, which is not positive.
    pub fn damp_velocities(&mut self, h: f64, s: &mut State) -> f64 {
        if !self.has_velocity_damping() {
            return 0.0;
        }
        self.place(s.t, &s.u, &s.v);
        self.update_positions();
        let before = self.kinetic();
        let ranges = self.velocity_damping.iter().map(|r| r.nodes.clone());
        self.work.ranges.clear();
        self.work.ranges.extend(ranges);
        self.rigid_motions();
        let work = &mut self.work;
        work.sum.copy_from_slice(&self.placed.v);
        for (damping, rigid) in self.velocity_damping.iter().zip(&work.rigid) {
            let keep = (-damping.drag * h).exp();
            let bend = keep * (-damping.rigid_free * h).exp();
            for i in damping.nodes.clone().map(|i| i as usize) {
                let (v, whole) = (self.placed.v[i], rigid.at(work.x[i]));
                work.sum[i] = [0, 1, 2].map(|k| keep * whole[k] + bend * (v[k] - whole[k]));
            }
        }
        // Prescribed components keep their velocities.
        for (v, &(i, k)) in s.v.iter_mut().zip(&self.free) {
            *v = work.sum[i as usize][k as usize];
        }
        self.damp_modes(h, s);
        self.place(s.t, &s.u, &s.v);
        self.kinetic() - before
    }

    /// Velocities of the nearest rigid motion of every free body without pivot; zero for all other unknowns.
    pub(super) fn rigid_velocities(&mut self, at: At, out: &mut [f64]) {
        self.place(at.t, at.u, at.v);
        self.update_positions();
        self.kinetic();
        // A body with a handle is not free.
        let unheld = self.handles.list.is_empty();
        let free = self
            .free_bodies
            .iter()
            .filter(|part| unheld && part.pivot.is_none());
        self.work.ranges.clear();
        self.work.ranges.extend(free.map(|part| part.nodes.clone()));
        self.rigid_motions();
        let work = &mut self.work;
        work.sum.fill([0.0; 3]);
        for (nodes, rigid) in work.ranges.iter().zip(&work.rigid) {
            for i in nodes.clone().map(|i| i as usize) {
                work.sum[i] = rigid.at(work.x[i]);
            }
        }
        for (v, &(i, k)) in out.iter_mut().zip(&self.free) {
            *v = work.sum[i as usize][k as usize];
        }
    }

    /// Returns ½ vᵀM v and leaves M v in the force buffer.
    fn kinetic(&mut self) -> f64 {
        self.momenta_into_buffer();
        0.5 * dot(self.placed.v.as_flattened(), self.work.f.as_flattened())
    }

    /// Computes the rigid motion of each range of nodes from M v in the force buffer.
    fn rigid_motions(&mut self) {
        let work = &mut self.work;
        work.rigid.resize(work.ranges.len(), RigidMotion::default());
        for (range, rigid) in work.ranges.iter().zip(&mut work.rigid) {
            let nodes = || range.clone().map(|i| i as usize);
            let mass: f64 = nodes().map(|i| self.node_mass[i]).sum();
            let mean = |f: &dyn Fn(usize, usize) -> f64| {
                [0, 1, 2].map(|k| nodes().map(|i| f(i, k)).sum::<f64>() / mass)
            };
            *rigid = RigidMotion {
                centre: mean(&|i, k| self.node_mass[i] * work.x[i][k]),
                velocity: mean(&|i, k| work.f[i][k]),
                ..RigidMotion::default()
            };
            for i in nodes() {
                let r = [0, 1, 2].map(|k| work.x[i][k] - rigid.centre[k]);
                let turn = cross(r, work.f[i]);
                (0..3).for_each(|k| rigid.angular[k] += turn[k]);
            }
        }
        for axis in 0..3 {
            self.moments(axis);
        }
        for rigid in &mut self.work.rigid {
            rigid.spin = solve_semidefinite(rigid.inertia, rigid.angular);
        }
    }

    /// Adds a column of the inertia tensors: r × M (e × r) for rotation about one axis e.
    fn moments(&mut self, axis: usize) {
        let work = &mut self.work;
        let unit = [0, 1, 2].map(|k| if k == axis { 1.0 } else { 0.0 });
        work.sum.fill([0.0; 3]);
        for (nodes, rigid) in work.ranges.iter().zip(&work.rigid) {
            for i in nodes.clone().map(|i| i as usize) {
                let r = [0, 1, 2].map(|k| work.x[i][k] - rigid.centre[k]);
                work.sum[i] = cross(unit, r);
            }
        }
        work.f.fill([0.0; 3]);
        add_scalar_product(&self.pattern, &self.mass, 1.0, &work.sum, &mut work.f);
        for (nodes, rigid) in work.ranges.iter().zip(&mut work.rigid) {
            for i in nodes.clone().map(|i| i as usize) {
                let r = [0, 1, 2].map(|k| work.x[i][k] - rigid.centre[k]);
                let turn = cross(r, work.f[i]);
                (0..3).for_each(|k| rigid.inertia[k][axis] += turn[k]);
            }
        }
    }
}

/// Solves a symmetric positive semi-definite system by elimination with diagonal pivoting. Components in the null space
/// (rotation about an axis that contains all nodes) are zero.
pub(super) fn solve_semidefinite(mut a: [[f64; 3]; 3], mut b: [f64; 3]) -> [f64; 3] {
    let nothing = 1e-12 * (a[0][0] + a[1][1] + a[2][2]);
    let mut done = [false; 3];
    let mut order = [3; 3];
    for place in &mut order {
        let next = (0..3)
            .filter(|&i| !done[i] && a[i][i] > nothing)
            .max_by(|&i, &j| a[i][i].total_cmp(&a[j][j]));
        let Some(p) = next else { break };
        done[p] = true;
        *place = p;
        for i in (0..3).filter(|&i| !done[i]) {
            let factor = a[i][p] / a[p][p];
            (0..3).for_each(|j| a[i][j] -= factor * a[p][j]);
            b[i] -= factor * b[p];
        }
    }
    let mut x = [0.0; 3];
    for &p in order.iter().rev().filter(|&&p| p < 3) {
        let others: f64 = (0..3).filter(|&j| j != p).map(|j| a[p][j] * x[j]).sum();
        x[p] = (b[p] - others) / a[p][p];
    }
    x
}
