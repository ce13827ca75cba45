//! Elastic energy of the elements of one kind under one law: E = Σ w Ψ(F).

use std::ops::Range;

use march::Curvature;

use super::chunks::{Chunks, Shared};
use super::kernels::{Batch, scatter_blocks, scatter_force};
use super::wide::{Machine, on_this_machine};
use super::{Measures, Placed, Potential, Search};
use crate::blocks::{Block, BlockPattern, Slot};
use crate::element::Element;
use crate::lanes::{Lanes, Mat3};
use crate::material::Law;
use crate::mesh::{Kind, morton_order};
use crate::small3::IDENTITY;

mod trouble;

/// Elements of one kind under one law, in batches of four that are neighbours in space.
struct Elastic<const N: usize> {
    law: Law,
    stiffness_damping: f64,
    elements: usize,
    /// Which of the given elements each lane holds.
    order: Vec<u32>,
    dn: Vec<[[f64; 3]; N]>,
    nodes: Vec<[u32; 4]>,
    inverse: Vec<Mat3>,
    weight: Vec<Lanes>,
    frozen: Vec<Mat3>,
    slots: Vec<[Slot; 4]>,
    chunks: Chunks,
}

/// What elements are made of.
#[derive(Clone, Copy, Debug)]
pub struct Substance {
    /// The law of the material.
    pub law: Law,
    /// Rayleigh's stiffness damping, s.
    pub stiffness_damping: f64,
}

/// Why elements cannot carry stress.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum ElementError {
    /// Its volume is not positive at an integration point.
    #[error("element {element} is flat or inverted at rest: its Jacobian is {jacobian:.3e} m³")]
    Flat {
        /// Index among the given elements.
        element: usize,
        /// Determinant of ∂X/∂ξ, m³.
        jacobian: f64,
    },
    /// Solids are not made of these.
    #[error("{} cells cannot carry stress; solids are made of tet4, hex8, tet10, hex20 or hex27", .kind.name())]
    Kind {
        /// The kind of cell.
        kind: Kind,
    },
}

/// The elastic energy of elements of this kind; `nodes` lists their nodes one element after another.
pub fn elastic(
    substance: Substance,
    kind: Kind,
    nodes: &[u32],
    rest: &[[f64; 3]],
) -> Result<Box<dyn Potential>, ElementError> {
    let element = Element::of(kind).ok_or(ElementError::Kind { kind })?;
    Ok(match kind.node_count() {
        4 => Box::new(Elastic::<4>::new(substance, &element, nodes, rest)?),
        8 => Box::new(Elastic::<8>::new(substance, &element, nodes, rest)?),
        10 => Box::new(Elastic::<10>::new(substance, &element, nodes, rest)?),
        20 => Box::new(Elastic::<20>::new(substance, &element, nodes, rest)?),
        _ => Box::new(Elastic::<27>::new(substance, &element, nodes, rest)?),
    })
}

impl<const N: usize> Elastic<N> {
    fn new(
        substance: Substance,
        element: &Element,
        nodes: &[u32],
        rest: &[[f64; 3]],
    ) -> Result<Elastic<N>, ElementError> {
        let elements = nodes.len() / N;
        let (batches, points) = (elements.div_ceil(4), element.points.len());
        let mut out = Elastic {
            law: substance.law,
            stiffness_damping: substance.stiffness_damping,
            elements,
            order: near_order(nodes, N, rest),
            dn: element
                .points
                .iter()
                .map(|p| std::array::from_fn(|a| p.dn[a]))
                .collect(),
            nodes: vec![[0; 4]; batches * N],
            inverse: vec![IDENTITY; batches * points],
            weight: vec![Lanes::ZERO; batches * points],
            frozen: Vec::new(),
            slots: Vec::new(),
            chunks: Chunks::default(),
        };
        for place in 0..4 * batches {
            let (batch, lane) = (place / 4, place % 4);
            let id = out.order[place.min(elements - 1)] as usize;
            let mut own: [u32; N] = std::array::from_fn(|a| nodes[id * N + a]);
            if N == 4 {
                ascend(&mut own);
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
        out.chunks = Chunks::new(batches, rest.len(), |b| &out.nodes[b * N..(b + 1) * N]);
        if out.law.freezes() {
            out.frozen = vec![IDENTITY; batches * points];
        }
        Ok(out)
    }

    fn view(&self) -> View<'_, N> {
        View { own: self }
    }

    /// Runs a job on every chunk of batches.
    fn chunked(&mut self, work: impl Fn(&View<N>, Range<usize>) -> f64 + Sync) -> f64 {
        let mut chunks = std::mem::take(&mut self.chunks);
        let view = self.view();
        let sum = chunks.run(|range| work(&view, range));
        self.chunks = chunks;
        sum
    }
}

/// The elements as chunks of them see themselves.
struct View<'a, const N: usize> {
    own: &'a Elastic<N>,
}

impl<const N: usize> View<'_, N> {
    /// Blocks of one element's matrix on and below the diagonal.
    const PAIRS: usize = N * (N + 1) / 2;

    #[inline(always)]
    fn batch(&self, b: usize) -> Batch<'_, N> {
        let (own, points) = (self.own, self.own.dn.len());
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

    /// Real elements of a batch.
    #[inline(always)]
    fn lanes(&self, b: usize) -> usize {
        (self.own.elements - 4 * b).min(4)
    }

    fn energy(&self, range: Range<usize>, u: &[[f64; 3]]) -> f64 {
        on_this_machine!(H => self.energy_on::<H>(range, u))
    }

    #[inline(always)]
    fn energy_on<H: Machine>(&self, range: Range<usize>, u: &[[f64; 3]]) -> f64 {
        let mut sum = 0.0;
        for b in range {
            let e = self.batch(b).energy::<H>(&self.own.law, u);
            sum += (e.0[0] + e.0[1]) + (e.0[2] + e.0[3]);
        }
        sum
    }

    fn force(&self, range: Range<usize>, u: &[[f64; 3]], f: &Shared<[f64; 3]>) -> f64 {
        on_this_machine!(H => self.force_on::<H>(range, u, f))
    }

    #[inline(always)]
    fn force_on<H: Machine>(
        &self,
        range: Range<usize>,
        u: &[[f64; 3]],
        f: &Shared<[f64; 3]>,
    ) -> f64 {
        let mut squares = 0.0;
        for b in range {
            let batch = self.batch(b);
            let forces = batch.force::<H>(&self.own.law, u);
            // SAFETY: chunks that run at the same time have no common node.
            squares += unsafe { scatter_force(batch.nodes, self.lanes(b), &forces, f) };
        }
        squares
    }

    fn stiffness(
        &self,
        range: Range<usize>,
        u: &[[f64; 3]],
        factor: f64,
        c: Curvature,
        k: &Shared<Block>,
    ) {
        on_this_machine!(H => self.stiffness_on::<H>(range, u, factor, c, k))
    }

    #[inline(always)]
    fn stiffness_on<H: Machine>(
        &self,
        range: Range<usize>,
        u: &[[f64; 3]],
        factor: f64,
        c: Curvature,
        k: &Shared<Block>,
    ) {
        // Room for the largest element; const expressions may not depend on N yet.
        let mut blocks = [[Lanes::ZERO; 9]; 378];
        let blocks = &mut blocks[..Self::PAIRS];
        for b in range {
            self.batch(b).stiffness::<H>(&self.own.law, c, u, blocks);
            let slots = &self.own.slots[b * Self::PAIRS..(b + 1) * Self::PAIRS];
            // SAFETY: chunks that run at the same time have no common node, so no common block.
            unsafe { scatter_blocks(slots, self.lanes(b), factor, blocks, k) };
        }
    }

    fn rotations(&self, range: Range<usize>, u: &[[f64; 3]], out: &Shared<Mat3>) -> f64 {
        let points = self.own.dn.len();
        for b in range {
            let batch = self.batch(b);
            for p in 0..points {
                // SAFETY: every batch has its own points.
                unsafe { *out.at(b * points + p) = batch.rotation(u, p) };
            }
        }
        0.0
    }

    fn measures(&self, b: usize, u: &[[f64; 3]]) -> [Lanes; 2] {
        on_this_machine!(H => self.batch(b).measures::<H>(&self.own.law, u))
    }
}

impl<const N: usize> Potential for Elastic<N> {
    fn couple(&self, pairs: &mut Vec<(u32, u32)>) {
        for b in 0..self.elements.div_ceil(4) {
            let nodes = &self.nodes[b * N..(b + 1) * N];
            for lane in 0..self.view().lanes(b) {
                for i in 0..N {
                    pairs.extend((0..i).map(|j| (nodes[i][lane], nodes[j][lane])));
                }
            }
        }
    }

    fn bind(&mut self, pattern: &BlockPattern) {
        self.slots.clear();
        for nodes in self.nodes.chunks_exact(N) {
            for i in 0..N {
                for j in 0..=i {
                    self.slots.push(
                        [0, 1, 2, 3].map(|lane| pattern.slot(nodes[i][lane], nodes[j][lane])),
                    );
                }
            }
        }
    }

    fn energy(&mut self, x: &Placed) -> f64 {
        self.chunked(|view, range| view.energy(range, x.u))
    }

    fn add_force(&mut self, x: &Placed, f: &mut [[f64; 3]]) -> f64 {
        let f = Shared::new(f);
        self.chunked(|view, range| view.force(range, x.u, &f))
    }

    fn add_stiffness(&mut self, x: &Placed, factor: f64, c: Curvature, k: &mut [Block]) {
        let k = Shared::new(k);
        self.chunked(|view, range| {
            view.stiffness(range, x.u, factor, c, &k);
            0.0
        });
    }

    fn projective(&self) -> bool {
        self.law.projective().is_some()
    }

    fn add_laplacian(&self, stiffness: f64, damping: f64, l: &mut [f64]) {
        let w = self.law.projective().unwrap_or(0.0);
        let factor = (stiffness + damping * self.stiffness_damping) * w;
        for b in 0..self.elements.div_ceil(4) {
            let slots = &self.slots[b * View::<N>::PAIRS..(b + 1) * View::<N>::PAIRS];
            let pairs = (0..N).flat_map(|i| (0..=i).map(move |j| (i, j)));
            for ((i, j), slot) in pairs.zip(slots) {
                let entry = self.view().batch(b).laplacian(i, j);
                for lane in 0..self.view().lanes(b) {
                    l[slot[lane].index()] += factor * entry.0[lane];
                }
            }
        }
    }

    fn freeze(&mut self, x: &Placed) -> bool {
        if self.frozen.is_empty() {
            return false;
        }
        let mut frozen = std::mem::take(&mut self.frozen);
        let out = Shared::new(&mut frozen);
        self.chunked(|view, range| view.rotations(range, x.u, &out));
        self.frozen = frozen;
        true
    }

    fn stiffness_damping(&self) -> f64 {
        self.stiffness_damping
    }

    fn worst(&self, x: &Placed, search: &mut Search) {
        self.view().worst(x, search);
    }

    fn measures(&self, x: &Placed, out: &mut Measures) {
        let start = out.energy.len();
        out.energy.resize(start + self.elements, 0.0);
        out.mises.resize(start + self.elements, 0.0);
        for b in 0..self.elements.div_ceil(4) {
            let [energy, mises] = self.view().measures(b, x.u);
            for lane in 0..self.view().lanes(b) {
                let id = start + self.order[4 * b + lane] as usize;
                out.energy[id] = energy.0[lane];
                out.mises[id] = mises.0[lane];
            }
        }
    }
}

/// Puts the nodes of a linear tetrahedron in ascending order as far as its orientation allows: then blocks below the
/// diagonal are stored as they come, all but one.
fn ascend(own: &mut [u32]) {
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

/// An order of the elements in which neighbours in space are neighbours in memory.
fn near_order(nodes: &[u32], n: usize, rest: &[[f64; 3]]) -> Vec<u32> {
    let centre = |own: &[u32]| {
        [0, 1, 2].map(|k| own.iter().map(|&i| rest[i as usize][k]).sum::<f64>() / n as f64)
    };
    morton_order(&nodes.chunks_exact(n).map(centre).collect::<Vec<_>>())
}

/// ∂ξ/∂X and det ∂X/∂ξ.
pub fn inverse_jacobian(own: &[u32], rest: &[[f64; 3]], dn: &[[f64; 3]]) -> ([[f64; 3]; 3], f64) {
    let mut j = [[0.0; 3]; 3];
    for (&node, dn) in own.iter().zip(dn) {
        for i in 0..3 {
            for k in 0..3 {
                j[i][k] += rest[node as usize][i] * dn[k];
            }
        }
    }
    let minor = |r: usize, c: usize| {
        let (r1, r2, c1, c2) = ((r + 1) % 3, (r + 2) % 3, (c + 1) % 3, (c + 2) % 3);
        j[r1][c1] * j[r2][c2] - j[r1][c2] * j[r2][c1]
    };
    let determinant = (0..3).map(|c| j[0][c] * minor(0, c)).sum::<f64>();
    let inverse = [0, 1, 2].map(|r| [0, 1, 2].map(|c| minor(c, r) / determinant));
    (inverse, determinant)
}
