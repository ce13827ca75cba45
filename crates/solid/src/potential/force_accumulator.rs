//! Parallel summation of nodal forces with an order of summation that does not depend on the number of threads.
//!
//! Every chunk adds its forces to private copies of its nodes. Then the copies of each node are summed in the order of the
//! chunks. Both phases run in parallel.

use std::ops::Range;

use rayon::prelude::*;

use super::chunks::{Chunks, DisjointSlice};
use crate::lanes::Lanes;

/// Private copies of the nodal forces of each chunk, and the map by which they are summed.
#[derive(Debug, Default)]
pub struct ForceAccumulator {
    /// Indices of the copies of a batch's nodes, `width` entries per batch.
    places: Vec<[u32; 4]>,
    /// Number of nodes of an element of a batch.
    width: usize,
    /// The forces: x, y, z and an unused lane, since four numbers are added as fast as one.
    copies: Vec<Lanes>,
    /// Range of the copies of each chunk.
    own: Vec<Range<usize>>,
    /// Nodes with copies.
    nodes: Vec<u32>,
    /// The copies of the k-th node are `terms[starts[k]..starts[k + 1]]`.
    starts: Vec<usize>,
    terms: Vec<u32>,
}

/// Number of nodes that one task sums.
const NODES_PER_TASK: usize = 512;

impl ForceAccumulator {
    /// Creates the copies for elements with `width` nodes; `nodes` lists the nodes batch by batch.
    pub fn new(
        chunks: &Chunks,
        width: usize,
        nodes: &[[u32; 4]],
        node_count: usize,
    ) -> ForceAccumulator {
        const NONE: u32 = u32::MAX;
        let mut out = ForceAccumulator {
            width,
            places: Vec::with_capacity(nodes.len()),
            ..ForceAccumulator::default()
        };
        let mut place = vec![NONE; node_count];
        let mut of = Vec::new();
        for range in chunks.ranges() {
            let first = of.len();
            for four in &nodes[range.start * width..range.end * width] {
                out.places.push(four.map(|node| {
                    let place = &mut place[node as usize];
                    if *place == NONE {
                        *place = of.len() as u32;
                        of.push(node);
                    }
                    *place
                }));
            }
            of[first..].iter().for_each(|&n| place[n as usize] = NONE);
            out.own.push(first..of.len());
        }
        out.copies = vec![Lanes::ZERO; of.len()];
        // Indices ascend with their chunk, so a stable sort leaves the terms of a node in the order of the chunks.
        out.terms = (0..of.len() as u32).collect();
        out.terms.sort_by_key(|&p| of[p as usize]);
        for (k, &p) in out.terms.iter().enumerate() {
            let node = of[p as usize];
            if out.nodes.last() != Some(&node) {
                out.nodes.push(node);
                out.starts.push(k);
            }
        }
        out.starts.push(out.terms.len());
        out
    }

    /// Runs `work` for every chunk, which scatters its forces to the target, and adds all forces to `f`. Returns the sum of
    /// the results of `work`, in the order of the chunks.
    pub fn add(
        &mut self,
        chunks: &mut Chunks,
        f: &mut [[f64; 3]],
        work: impl Fn(Range<usize>, &ScatterTarget) -> f64 + Sync,
    ) -> f64 {
        let target = ScatterTarget {
            places: &self.places,
            width: self.width,
            copies: DisjointSlice::new(&mut self.copies),
        };
        let own = &self.own;
        let sum = chunks.run_sum(|chunk, range| {
            for place in own[chunk].clone() {
                // SAFETY: each copy belongs to one chunk, and every chunk runs once.
                unsafe { *target.copies.at(place) = Lanes::ZERO };
            }
            work(range, &target)
        });
        let f = DisjointSlice::new(f);
        let sum_nodes = |s: usize| {
            for k in s * NODES_PER_TASK..((s + 1) * NODES_PER_TASK).min(self.nodes.len()) {
                let mut sum = Lanes::ZERO;
                for &p in &self.terms[self.starts[k]..self.starts[k + 1]] {
                    sum += self.copies[p as usize];
                }
                // SAFETY: each node is listed once.
                let total = unsafe { f.at(self.nodes[k] as usize) };
                (0..3).for_each(|i| total[i] += sum.0[i]);
            }
        };
        let tasks = self.nodes.len().div_ceil(NODES_PER_TASK);
        if tasks == 1 || rayon::current_num_threads() == 1 {
            (0..tasks).for_each(sum_nodes);
        } else {
            (0..tasks).into_par_iter().for_each(sum_nodes);
        }
        sum
    }
}

/// Destination of the forces of a chunk's batches.
pub struct ScatterTarget<'a> {
    places: &'a [[u32; 4]],
    width: usize,
    copies: DisjointSlice<'a, Lanes>,
}

impl ScatterTarget<'_> {
    /// Indices of the copies of the nodes of batch b.
    #[inline(always)]
    pub fn places(&self, b: usize) -> &[[u32; 4]] {
        &self.places[b * self.width..(b + 1) * self.width]
    }

    /// Adds a force to the copy with this index.
    ///
    /// # Safety
    /// The copy must belong to the chunk that is being processed.
    #[inline(always)]
    pub unsafe fn add(&self, place: u32, [x, y, z]: [f64; 3]) {
        // SAFETY: guaranteed by the caller.
        unsafe { *self.copies.at(place as usize) += Lanes([x, y, z, 0.0]) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Batches on a ring, each adding 1 to its first node and its own number to the next.
    #[test]
    fn every_contribution_is_added_once_to_the_existing_forces() {
        let n = 1000_u32;
        let nodes: Vec<[u32; 4]> = (0..n).flat_map(|b| [[b; 4], [(b + 1) % n; 4]]).collect();
        let mut chunks = Chunks::new(n as usize, n as usize, |b| &nodes[2 * b..2 * b + 2]);
        let mut forces = ForceAccumulator::new(&chunks, 2, &nodes, n as usize);
        let mut f = vec![[0.5, 0.0, -1.0]; n as usize];
        for _ in 0..2 {
            let sum = forces.add(&mut chunks, &mut f, |range, target| {
                for b in range.clone() {
                    // SAFETY: places of this batch.
                    unsafe {
                        target.add(target.places(b)[0][2], [1.0, 0.0, 0.0]);
                        target.add(target.places(b)[1][3], [0.0, b as f64, 0.0]);
                    }
                }
                range.len() as f64
            });
            assert_eq!(sum, f64::from(n));
        }
        for (node, f) in f.iter().enumerate() {
            let before = (node + n as usize - 1) % n as usize;
            assert_eq!(*f, [2.5, 2.0 * before as f64, -1.0], "node {node}");
        }
    }
}
