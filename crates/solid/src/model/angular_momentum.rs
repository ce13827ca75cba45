//! Angular momentum of free bodies: measured, and set to given values.
//!
//! With rᵢ measured from a centre and sᵢ = Σⱼ mᵢⱼ rⱼ, a body has the angular momentum L = Σ rᵢ × (M v)ᵢ and the inertia
//! tensor Σ (rᵢ·sᵢ) I − sᵢ rᵢᵀ, for a lumped or consistent mass matrix. Of all changes of velocity that change L by a given
//! amount, ω × r is the smallest in the norm of the mass matrix.

use std::ops::Range;

use march::At;
use mesh::vector::cross;

use super::Model;
use super::velocity_damping::solve_semidefinite;

/// A body whose angular momentum is conserved: no node is prescribed, and all springs to fixed points end at one pivot.
#[derive(Clone, Debug, PartialEq)]
pub struct FreeBody {
    /// The nodes.
    pub nodes: Range<u32>,
    /// Fixed end of all its springs to points in space, m; `None` if there are no such springs.
    pub pivot: Option<[f64; 3]>,
}

/// Angular momentum and inertia tensor of a body about a centre.
struct RotationalState {
    centre: [f64; 3],
    angular: [f64; 3],
    inertia: [[f64; 3]; 3],
}

/// Buffers over the unknowns: positions x, M x and M v.
#[derive(Default)]
pub(super) struct Buffers {
    x: Vec<f64>,
    mx: Vec<f64>,
    mv: Vec<f64>,
}

impl Model {
    /// Computes the angular momentum of every free body, three numbers each.
    pub(super) fn free_angular_momenta(&mut self, at: At, out: &mut Vec<f64>) {
        out.clear();
        // A body with a handle is not free.
        if self.free_bodies.is_empty() || !self.handles.list.is_empty() {
            return;
        }
        self.multiply_by_mass(at.u, at.v);
        out.extend(
            self.free_bodies
                .iter()
                .flat_map(|part| self.rotational_state(part).angular),
        );
    }

    /// Computes the torque Σ rᵢ × fᵢ of all forces on every free body, about the centre of its angular momentum.
    pub(super) fn free_torques(&mut self, at: At, out: &mut Vec<f64>) {
        out.clear();
        if self.free_bodies.is_empty() || !self.handles.list.is_empty() {
            return;
        }
        self.multiply_by_mass(at.u, at.v);
        self.evaluate_forces(at);
        for part in &self.free_bodies {
            let centre = self.rotational_state(part).centre;
            let mut torque = [0.0; 3];
            for i in part.nodes.clone() {
                let i = i as usize;
                let r = [0, 1, 2].map(|k| self.rest[i][k] + self.placed.u[i][k] - centre[k]);
                let turn = cross(r, self.work.f[i]);
                (0..3).for_each(|k| torque[k] += turn[k]);
            }
            out.extend(torque);
        }
    }

    /// Adds a rigid rotation ω × r to the velocities of every free body such that its angular momentum is `wanted`.
    pub(super) fn set_free_angular_momenta(&mut self, u: &[f64], wanted: &[f64], v: &mut [f64]) {
        self.multiply_by_mass(u, v);
        for (part, wanted) in self.free_bodies.iter().zip(wanted.chunks_exact(3)) {
            let now = self.rotational_state(part);
            let missing = [0, 1, 2].map(|k| wanted[k] - now.angular[k]);
            let spin = solve_semidefinite(now.inertia, missing);
            let place = self.unknowns_of(part);
            let positions = self.work.spin.x[place.clone()].chunks_exact(3);
            for (v, x) in v[place].chunks_exact_mut(3).zip(positions) {
                let turn = cross(spin, [0, 1, 2].map(|k| x[k] - now.centre[k]));
                (0..3).for_each(|k| v[k] += turn[k]);
            }
        }
    }

    /// Range of the unknowns of a body, which are contiguous because none of its nodes is prescribed.
    fn unknowns_of(&self, part: &FreeBody) -> Range<usize> {
        let first = self.free.partition_point(|&(i, _)| i < part.nodes.start);
        first..first + 3 * part.nodes.len()
    }

    fn multiply_by_mass(&mut self, u: &[f64], v: &[f64]) {
        let n = u.len();
        let Buffers { x, mx, mv } = &mut self.work.spin;
        for buffer in [&mut *x, &mut *mx, &mut *mv] {
            buffer.resize(n, 0.0);
        }
        for (x, (u, &(i, k))) in x.iter_mut().zip(u.iter().zip(&self.free)) {
            *x = self.rest[i as usize][k as usize] + u;
        }
        self.free_mass.times(x, mx);
        self.free_mass.times(v, mv);
    }

    fn rotational_state(&self, part: &FreeBody) -> RotationalState {
        let place = self.unknowns_of(part);
        let Buffers { x, mx, mv } = &self.work.spin;
        let [x, mx, mv] = [x, mx, mv].map(|b| &b[place.clone()]);
        let masses = || part.nodes.clone().map(|i| self.node_mass[i as usize]);
        let centre = part.pivot.unwrap_or_else(|| {
            let mass: f64 = masses().sum();
            [0, 1, 2].map(|k| mx.iter().skip(k).step_by(3).sum::<f64>() / mass)
        });
        let mut angular = [0.0; 3];
        let mut inertia = [[0.0; 3]; 3];
        let nodes = x.chunks_exact(3).zip(mx.chunks_exact(3));
        for ((x, mx), (mv, m)) in nodes.zip(mv.chunks_exact(3).zip(masses())) {
            let r = [0, 1, 2].map(|k| x[k] - centre[k]);
            let s = [0, 1, 2].map(|k| mx[k] - m * centre[k]);
            let turn = cross(r, [mv[0], mv[1], mv[2]]);
            let along = r[0] * s[0] + r[1] * s[1] + r[2] * s[2];
            for a in 0..3 {
                angular[a] += turn[a];
                inertia[a][a] += along;
                (0..3).for_each(|b| inertia[a][b] -= s[a] * r[b]);
            }
        }
        RotationalState {
            centre,
            angular,
            inertia,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mass::MassEntries;
    use crate::model::ModelDescription;
    use march::StateMeasures;

    /// Four nodes with a mass matrix that has off-diagonal entries, like a consistent one.
    fn model(bodies: Vec<FreeBody>) -> Model {
        let corner = |k: usize| [k as f64, (k * k) as f64 * 0.5, 0.3 * (k % 2) as f64];
        let mut masses = MassEntries::default();
        for i in 0..4 {
            masses.push((i, i, 2.0 + f64::from(i)));
            if i > 0 {
                masses.push((i, i - 1, 0.4));
            }
        }
        Model::new(ModelDescription {
            rest: (0..4).map(corner).collect(),
            masses,
            free_bodies: bodies,
            ..ModelDescription::default()
        })
        .unwrap()
    }

    fn moving() -> (Vec<f64>, Vec<f64>) {
        let wave = |k: usize, w: f64| (w * (k as f64 + 0.7)).sin();
        let u = (0..12).map(|k| 0.2 * wave(k, 1.3)).collect();
        (u, (0..12).map(|k| wave(k, 2.1)).collect())
    }

    /// Compares with [`Model::momentum`] and [`Model::energies`], which sum in another way.
    #[test]
    fn setting_the_angular_momentum_changes_no_other_momentum() {
        for pivot in [None, Some([0.5, -1.0, 2.0])] {
            let nodes = 0..4;
            let mut model = model(vec![FreeBody { nodes, pivot }]);
            let (u, mut v) = moving();
            let before = model.momentum(0.0, &u, &v);
            let kinetic = model.energies(0.0, &u, &v).kinetic;
            let wanted = [3.0, -2.0, 5.0];
            model.set_angular_momenta(&u, &wanted, &mut v);
            let after = model.momentum(0.0, &u, &v);
            let mut found = Vec::new();
            let at = At {
                t: 0.0,
                u: &u,
                v: &v,
            };
            model.angular_momenta(at, &mut found);
            for k in 0..3 {
                assert!((found[k] - wanted[k]).abs() < 1e-12, "{found:?}");
            }
            // The momentum of the report, about the same centre.
            let mass: f64 = model.node_mass().iter().sum();
            let weighted = |k: usize| -> f64 {
                let places = model.rest().iter().zip(u.chunks_exact(3));
                let moments = places.zip(model.node_mass());
                moments.map(|((x, u), m)| m * (x[k] + u[k])).sum()
            };
            let centre = pivot.unwrap_or([0, 1, 2].map(|k| weighted(k) / mass));
            let moved = cross(centre, after.linear);
            for k in 0..3 {
                assert!((after.angular[k] - moved[k] - wanted[k]).abs() < 1e-12);
                // A rotation about the centre of mass has no linear momentum.
                let same = (after.linear[k] - before.linear[k]).abs() < 1e-12;
                assert!(same || pivot.is_some());
            }
            // The added rotation is the smallest change in the norm of the mass, so it is orthogonal to all velocities
            // without angular momentum: removing all angular momentum leaves the least kinetic energy.
            let turned = v.clone();
            model.set_angular_momenta(&u, &[0.0; 3], &mut v);
            let still = model.energies(0.0, &u, &v).kinetic;
            let most = model.energies(0.0, &u, &turned).kinetic;
            assert!(still < most && still <= kinetic, "{still} {most} {kinetic}");
        }
    }
}
