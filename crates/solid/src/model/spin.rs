//! Angular momentum of parts that nothing holds: read, and given back.
//!
//! About a centre, with rᵢ from it and sᵢ = Σⱼ mᵢⱼ rⱼ, a part has L = Σ rᵢ × (M v)ᵢ and, whether its mass is lumped or
//! consistent, the moments of inertia Σ (rᵢ·sᵢ) I − sᵢ rᵢᵀ. The velocities ω × r that change L by a given amount at the
//! least cost of kinetic energy are those of a rigid body.

use std::ops::Range;

use march::At;

use super::Model;
use super::relax::{cross, solve};
use crate::load::Push;

/// Nodes of a part that nothing holds, but for ties to one point at most.
#[derive(Clone, Debug, PartialEq)]
pub struct Loose {
    /// The nodes.
    pub nodes: Range<u32>,
    /// The point all its ties lead to; nothing where it is free.
    pub pivot: Option<[f64; 3]>,
}

/// How a part turns about its centre.
struct Turning {
    centre: [f64; 3],
    angular: [f64; 3],
    inertia: [[f64; 3]; 3],
}

/// Buffers: positions of the unknowns, M x and M v.
#[derive(Default)]
pub(super) struct Buffers {
    x: Vec<f64>,
    mx: Vec<f64>,
    mv: Vec<f64>,
}

impl Model {
    /// Angular momentum of every loose part, three numbers each: of `before` where nothing turns it, else of `after`.
    pub(super) fn angular_momenta(&mut self, before: At, after: At, out: &mut Vec<f64>) {
        out.clear();
        for free in [true, false] {
            let at = if free { before } else { after };
            self.weigh(at.u, at.v);
            out.resize(3 * self.loose.len(), 0.0);
            for (out, part) in out.chunks_exact_mut(3).zip(&self.loose) {
                if self.untouched(part) == free {
                    out.copy_from_slice(&self.turning(part).angular);
                }
            }
        }
    }

    /// Whether no load has a torque about the centre of a part; weight has none about the centre of mass.
    fn untouched(&self, part: &Loose) -> bool {
        let pushed = |push: &Push| push.nodes.iter().any(|i| part.nodes.contains(i));
        let weighed = part.pivot.is_some() && self.gravity != [0.0; 3];
        let braked = !self.mass_damping.is_empty();
        !(weighed || braked || self.weather.blows() || self.pushes.iter().any(pushed))
    }

    /// Turns the velocities of every loose part as a rigid body would, until its angular momentum is the wanted one.
    pub(super) fn give_momenta(&mut self, u: &[f64], wanted: &[f64], v: &mut [f64]) {
        self.weigh(u, v);
        for (part, wanted) in self.loose.iter().zip(wanted.chunks_exact(3)) {
            let now = self.turning(part);
            let missing = [0, 1, 2].map(|k| wanted[k] - now.angular[k]);
            let spin = solve(now.inertia, missing);
            let place = self.unknowns_of(part);
            let positions = self.work.spin.x[place.clone()].chunks_exact(3);
            for (v, x) in v[place].chunks_exact_mut(3).zip(positions) {
                let turn = cross(spin, [0, 1, 2].map(|k| x[k] - now.centre[k]));
                (0..3).for_each(|k| v[k] += turn[k]);
            }
        }
    }

    /// Where the unknowns of a part are: none of its nodes is held, so they are neighbours.
    fn unknowns_of(&self, part: &Loose) -> Range<usize> {
        let first = self.free.partition_point(|&(i, _)| i < part.nodes.start);
        first..first + 3 * part.nodes.len()
    }

    fn weigh(&mut self, u: &[f64], v: &[f64]) {
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

    fn turning(&self, part: &Loose) -> Turning {
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
        Turning {
            centre,
            angular,
            inertia,
        }
    }
}
