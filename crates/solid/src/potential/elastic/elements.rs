//! Data of elements of one kind under one law, in batches of four that are close in space.

use std::ops::Range;

use march::Curvature;

use super::{ElementError, SolidProperties, Viscosity, inverse_jacobian};
use crate::blocks::{Block, Slot};
use crate::lanes::{Lanes, Mat3};
use crate::material::Law;
use crate::potential::StiffnessDamping;
use crate::potential::chunks::DisjointSlice;
use crate::potential::force_accumulator::ScatterTarget;
use crate::potential::kernels::{Batch, scatter_blocks, scatter_force};
use crate::potential::simd::{SimdTarget, on_this_machine};
use crate::small3::IDENTITY;
use mesh::element::Element;
use mesh::morton_order;

/// Elements with N nodes in batches of four: nodes, inverse Jacobians and weights of the integration points.
pub struct Elements<const N: usize> {
    /// Hyperelastic law.
    pub law: Law,
    /// Rayleigh's stiffness damping.
    pub stiffness_damping: StiffnessDamping,
    /// Kelvin–Voigt viscosity.
    pub viscosity: Viscosity,
    /// Number of elements.
    pub count: usize,
    /// Original index of the element in each lane.
    pub order: Vec<u32>,
    dn: Vec<[[f64; 3]; N]>,
    /// Nodes, N entries per batch.
    pub nodes: Vec<[u32; 4]>,
    inverse: Vec<Mat3>,
    weight: Vec<Lanes>,
    /// Rotations of the integration points, frozen during a step; empty if the law does not need them.
    pub frozen: Vec<Mat3>,
    /// Σ |∂N_a/∂X| at the integration points; empty if the law forbids no states.
    pub gradient_bounds: Vec<Lanes>,
}

/// Destination of the matrix blocks of elements.
pub struct BlockTarget<'a> {
    /// Slots of the blocks of each batch.
    pub slots: &'a [[Slot; 4]],
    /// Factor of the blocks.
    pub factor: f64,
    /// Blocks of the assembled matrix.
    pub blocks: DisjointSlice<'a, Block>,
}

impl<const N: usize> Elements<N> {
    /// Builds the batches; `nodes` lists the nodes element by element.
    pub fn new(
        properties: SolidProperties,
        element: &Element,
        nodes: &[u32],
        rest: &[[f64; 3]],
    ) -> Result<Elements<N>, ElementError> {
        let elements = nodes.len() / N;
        let (batches, points) = (elements.div_ceil(4), element.points.len());
        let mut out = Elements {
            law: properties.law,
            stiffness_damping: properties.stiffness_damping,
            viscosity: properties.viscosity,
            count: elements,
            order: spatial_order(nodes, N, rest),
            dn: element
                .points
                .iter()
                .map(|p| std::array::from_fn(|a| p.dn[a]))
                .collect(),
            nodes: vec![[0; 4]; batches * N],
            inverse: vec![IDENTITY; batches * points],
            weight: vec![Lanes::ZERO; batches * points],
            frozen: Vec::new(),
            gradient_bounds: Vec::new(),
        };
        for place in 0..4 * batches {
            let (batch, lane) = (place / 4, place % 4);
            let id = out.order[place.min(elements - 1)] as usize;
            let mut own: [u32; N] = std::array::from_fn(|a| nodes[id * N + a]);
            if N == 4 {
                sort_tetrahedron_nodes(&mut own);
            }
            for a in 0..N {
                out.nodes[batch * N + a][lane] = own[a];
            }
            for (p, point) in element.points.iter().enumerate() {
                let (inverse, jacobian) = inverse_jacobian(&own, rest, &point.dn);
                if jacobian.is_nan() || jacobian <= 0.0 {
                    return Err(ElementError::Flat {
                        element: id,
                        jacobian,
                    });
                }
                for i in 0..3 {
                    for j in 0..3 {
                        out.inverse[batch * points + p][i][j].0[lane] = inverse[i][j];
                    }
                }
                let real = place < elements;
                out.weight[batch * points + p].0[lane] =
                    if real { point.weight * jacobian } else { 0.0 };
            }
        }
        if out.law.freezes_rotation() {
            out.frozen = vec![IDENTITY; batches * points];
        }
        if out.law.forbids_inversion() {
            let of_batch = |b| (0..points).map(move |p| (b, p));
            let bounds = (0..batches).flat_map(of_batch);
            out.gradient_bounds = bounds
                .map(|(b, p)| out.batch(b).gradient_bound(p))
                .collect();
        }
        Ok(out)
    }

    /// Number of batches.
    pub fn batches(&self) -> usize {
        self.count.div_ceil(4)
    }

    /// Number of integration points of an element.
    pub fn points(&self) -> usize {
        self.dn.len()
    }

    /// Number of blocks of an element matrix on and below the diagonal.
    pub const PAIRS: usize = N * (N + 1) / 2;

    /// Returns nodes, reference gradients and weights of batch `b`, four elements that are evaluated together in SIMD lanes.
    #[inline(always)]
    pub fn batch(&self, b: usize) -> Batch<'_, N> {
        let (own, points) = (self, self.dn.len());
        let at = b * points..(b + 1) * points;
        Batch {
            nodes: &own.nodes[b * N..(b + 1) * N],
            inverse: &own.inverse[at.clone()],
            weight: &own.weight[at.clone()],
            frozen: if own.frozen.is_empty() {
                &[]
            } else {
                &own.frozen[at]
            },
            dn: &own.dn,
        }
    }

    /// Number of elements in batch `b`; the other lanes are padding.
    #[inline(always)]
    pub fn lanes(&self, b: usize) -> usize {
        (self.count - 4 * b).min(4)
    }

    /// Energy of a chunk of batches.
    pub fn energy(&self, range: Range<usize>, u: &[[f64; 3]]) -> f64 {
        on_this_machine!(H => self.energy_on::<H>(range, u))
    }

    #[inline(always)]
    fn energy_on<H: SimdTarget>(&self, range: Range<usize>, u: &[[f64; 3]]) -> f64 {
        let mut sum = 0.0;
        for b in range {
            let e = self.batch(b).energy::<H>(&self.law, u);
            sum += (e.0[0] + e.0[1]) + (e.0[2] + e.0[3]);
        }
        sum
    }

    /// Adds the elastic forces −∂E/∂u, N, of the batches of a chunk to the chunk's own copies of the nodal forces. Returns the sum of their squares.
    pub fn force(&self, range: Range<usize>, u: &[[f64; 3]], target: &ScatterTarget) -> f64 {
        on_this_machine!(H => self.force_on::<H>(range, u, target))
    }

    #[inline(always)]
    fn force_on<H: SimdTarget>(
        &self,
        range: Range<usize>,
        u: &[[f64; 3]],
        target: &ScatterTarget,
    ) -> f64 {
        let mut squares = 0.0;
        for b in range {
            let forces = self.batch(b).force::<H>(&self.law, u);
            // SAFETY: the copies of this batch belong to the chunk.
            squares += unsafe { scatter_force(target.places(b), self.lanes(b), &forces, target) };
        }
        squares
    }

    /// Adds the stiffness blocks of a chunk's batches to `out`.
    pub fn stiffness(&self, range: Range<usize>, u: &[[f64; 3]], c: Curvature, out: &BlockTarget) {
        on_this_machine!(H => self.stiffness_on::<H>(range, u, c, out))
    }

    #[inline(always)]
    fn stiffness_on<H: SimdTarget>(
        &self,
        range: Range<usize>,
        u: &[[f64; 3]],
        c: Curvature,
        out: &BlockTarget,
    ) {
        // Large enough for the largest element; array lengths cannot depend on N yet.
        let mut blocks = [[Lanes::ZERO; 9]; 378];
        let blocks = &mut blocks[..Self::PAIRS];
        for b in range {
            self.batch(b).stiffness::<H>(&self.law, c, u, blocks);
            let slots = &out.slots[b * Self::PAIRS..(b + 1) * Self::PAIRS];
            // SAFETY: chunks that run at the same time have no common node, so no common block.
            unsafe { scatter_blocks(slots, self.lanes(b), out.factor, blocks, &out.blocks) };
        }
    }

    /// Computes the rotations of F at all integration points of a chunk.
    pub fn rotations(&self, range: Range<usize>, u: &[[f64; 3]], out: &DisjointSlice<Mat3>) {
        let points = self.dn.len();
        for b in range {
            let batch = self.batch(b);
            for p in 0..points {
                // SAFETY: every batch has its own integration points.
                unsafe { *out.at(b * points + p) = batch.rotation(u, p) };
            }
        }
    }

    /// Energy density and von Mises stress of the elements of a batch.
    pub fn element_measures(&self, b: usize, u: &[[f64; 3]]) -> [Lanes; 2] {
        on_this_machine!(H => self.batch(b).measures::<H>(&self.law, u))
    }
}

/// Sorts the nodes of a linear tetrahedron in ascending order as far as its orientation allows: at most one of its blocks
/// below the diagonal is then stored transposed.
fn sort_tetrahedron_nodes(own: &mut [u32]) {
    let mut swaps = 0;
    for i in 0..4 {
        for j in i + 1..4 {
            if own[j] < own[i] {
                own.swap(i, j);
                swaps += 1;
            }
        }
    }
    if swaps % 2 == 1 {
        own.swap(2, 3);
    }
}

/// Morton order of the elements: elements close in space are close in memory.
fn spatial_order(nodes: &[u32], n: usize, rest: &[[f64; 3]]) -> Vec<u32> {
    let centre = |own: &[u32]| {
        [0, 1, 2].map(|k| own.iter().map(|&i| rest[i as usize][k]).sum::<f64>() / n as f64)
    };
    morton_order(&nodes.chunks_exact(n).map(centre).collect::<Vec<_>>())
}
