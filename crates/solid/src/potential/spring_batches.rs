//! Hooke's springs between nodes in batches of four, evaluated in parallel.

use std::ops::Range;

use crate::lanes::{Lanes, Vec3};
use crate::potential::Configuration;
use crate::potential::chunks::Chunks;
use crate::potential::force_accumulator::{ForceAccumulator, ScatterTarget};
use crate::potential::simd::on_this_machine;
use crate::potential::springs::{Spring, SpringEnd, SpringLaw};
use crate::small3::{dot, vec3};

/// Hooke's springs in batches of four, and their distribution over threads.
#[derive(Default)]
pub(super) struct SpringBatches {
    data: BatchData,
    chunks: Chunks,
    forces: ForceAccumulator,
}

impl SpringBatches {
    /// Collects Hooke's springs between nodes, sorted by node number. Returns the batches and the remaining springs.
    pub fn of(springs: &[Spring], nodes: usize) -> (SpringBatches, Vec<Spring>) {
        let ends = |s: &Spring| match (s.law, s.b) {
            (SpringLaw::Hooke, SpringEnd::Node(b)) => Some([s.a, b]),
            _ => None,
        };
        let (mut fit, mut others): (Vec<Spring>, Vec<Spring>) =
            springs.iter().partition(|s| ends(s).is_some());
        fit.sort_by_key(|s| ends(s).map(|[a, b]| a.min(b)));
        let whole = fit.len() / 4 * 4;
        others.extend(fit.drain(whole..));
        let mut data = BatchData::default();
        for four in fit.chunks_exact(4) {
            let end = |k: usize| [0, 1, 2, 3].map(|l| ends(&four[l]).map_or(0, |e| e[k]));
            data.ends.push([end(0), end(1)]);
            let all = |of: fn(&Spring) -> f64| Lanes([0, 1, 2, 3].map(|l| of(&four[l])));
            data.stiffness.push(all(|s| s.stiffness));
            data.rest.push(all(|s| s.rest));
        }
        let chunks = Chunks::new(data.ends.len(), nodes, |b| &data.ends[b]);
        let forces = ForceAccumulator::new(&chunks, 2, data.ends.as_flattened(), nodes);
        let batches = SpringBatches {
            data,
            chunks,
            forces,
        };
        (batches, others)
    }

    /// Sets the stiffness of the spring with this number in the order of the batches, N/m.
    pub fn set_stiffness(&mut self, spring: usize, stiffness: f64) {
        self.data.stiffness[spring / 4].0[spring % 4] = stiffness;
    }

    /// Energy Σ k/2 (L − r)².
    pub fn energy(&mut self, x: &Configuration) -> f64 {
        let data = &self.data;
        self.chunks.run_sum(|_, range| data.energy(range, x))
    }

    /// Adds the spring forces to the nodes. Returns the sum of their squares.
    pub fn add_force(&mut self, x: &Configuration, f: &mut [[f64; 3]]) -> f64 {
        let data = &self.data;
        self.forces.add(&mut self.chunks, f, |range, target| {
            data.force(range, x, target)
        })
    }
}

/// Nodes and coefficients of the springs.
#[derive(Default)]
struct BatchData {
    /// Nodes of the first and second ends.
    ends: Vec<[[u32; 4]; 2]>,
    stiffness: Vec<Lanes>,
    rest: Vec<Lanes>,
}

impl BatchData {
    /// Vectors from the second ends to the first.
    #[inline(always)]
    fn arm(&self, b: usize, x: &Configuration) -> Vec3 {
        let [first, second] = &self.ends[b];
        let place = |ids: &[u32; 4], k: usize| {
            let one = |i: u32| x.rest[i as usize][k] + x.u[i as usize][k];
            // Written out: `map` would be compiled as a separate function without AVX2.
            Lanes([one(ids[0]), one(ids[1]), one(ids[2]), one(ids[3])])
        };
        vec3(|k| place(first, k) - place(second, k))
    }

    fn energy(&self, range: Range<usize>, x: &Configuration) -> f64 {
        on_this_machine!(_H => self.energy_on(range, x))
    }

    #[inline(always)]
    fn energy_on(&self, range: Range<usize>, x: &Configuration) -> f64 {
        let mut sum = Lanes::ZERO;
        for b in range {
            let arm = self.arm(b, x);
            let s = dot(&arm, &arm).sqrt() - self.rest[b];
            sum += self.stiffness[b] * (s * s);
        }
        0.5 * ((sum.0[0] + sum.0[1]) + (sum.0[2] + sum.0[3]))
    }

    fn force(&self, range: Range<usize>, x: &Configuration, target: &ScatterTarget) -> f64 {
        on_this_machine!(_H => self.force_on(range, x, target))
    }

    #[inline(always)]
    fn force_on(&self, range: Range<usize>, x: &Configuration, target: &ScatterTarget) -> f64 {
        let mut squares = Lanes::ZERO;
        for b in range {
            let arm = self.arm(b, x);
            let (k, rest) = (self.stiffness[b], self.rest[b]);
            let length = dot(&arm, &arm).sqrt();
            // A spring of length zero has no direction and no force; one of rest length zero is linear everywhere.
            let ratio =
                (length.above(Lanes::ZERO)).select(k * (length - rest) / length, Lanes::ZERO);
            let ratio = rest.above(Lanes::ZERO).select(ratio, k);
            let p = vec3(|i| -(ratio * arm[i]));
            squares += dot(&p, &p);
            let places = target.places(b);
            for lane in 0..4 {
                let q = [p[0].0[lane], p[1].0[lane], p[2].0[lane]];
                // SAFETY: the copies of this batch belong to the chunk.
                unsafe {
                    target.add(places[0][lane], q);
                    target.add(places[1][lane], [-q[0], -q[1], -q[2]]);
                }
            }
        }
        2.0 * ((squares.0[0] + squares.0[1]) + (squares.0[2] + squares.0[3]))
    }
}
