//! Elastic potential of finite elements of one kind under one material law: E = Σ w Ψ(F) over integration points.

mod elements;
mod inversion;
mod most_compressed;
mod viscosity;

use march::Curvature;

use crate::lanes::Mat3;

use super::chunks::{Chunks, DisjointSlice};
use super::force_accumulator::ForceAccumulator;
use super::{
    Configuration, Dissipation, ElementMeasures, InversionSearch, MostCompressedSearch, PathSearch,
    Potential, SpringEnd, Stencils, StiffnessDamping,
};
use crate::blocks::{Block, BlockPattern, Slot};
use crate::material::Law;
use elements::{BlockTarget, Elements};
use mesh::CellKind;
use mesh::element::{Element, element_names};
pub use viscosity::Viscosity;

/// Elements with N nodes, and their distribution over threads.
struct Elastic<const N: usize> {
    elements: Elements<N>,
    /// Buffer for the rotations of the next [`Potential::freeze`]; empty if the law has no frozen rotations.
    next_frozen: Vec<Mat3>,
    slots: Vec<[Slot; 4]>,
    chunks: Chunks,
    forces: ForceAccumulator,
    /// Local node numbers of the ends of each edge of an element.
    edges: &'static [[u8; 2]],
}

/// Material properties of elements: elastic law, stiffness damping and viscosity.
#[derive(Clone, Copy, Debug)]
pub struct SolidProperties {
    /// Hyperelastic law.
    pub law: Law,
    /// Rayleigh's stiffness damping.
    pub stiffness_damping: StiffnessDamping,
    /// Kelvin–Voigt viscosity.
    pub viscosity: Viscosity,
}

/// Error in the cells of a solid.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum ElementError {
    /// The Jacobian of an element is not positive at an integration point.
    #[error(
        "element {element} is flat or inverted at rest: its Jacobian is {jacobian:.3e} m³, but it must be positive; repair \
         the mesh or reverse the order of the element's nodes"
    )]
    Flat {
        /// Index among the given elements.
        element: usize,
        /// Determinant of ∂X/∂ξ, m³.
        jacobian: f64,
    },
    /// Cells of this kind are not elements of solids.
    #[error("{} cells cannot carry stress; solids are made of {}", .kind.name(), element_names())]
    CellKind {
        /// The kind of cell.
        kind: CellKind,
    },
}

/// Creates the elastic potential of elements of one kind; `nodes` lists the nodes element by element.
pub fn elastic(
    properties: SolidProperties,
    kind: CellKind,
    nodes: &[u32],
    rest: &[[f64; 3]],
) -> Result<Box<dyn Potential>, ElementError> {
    let element = Element::of(kind).ok_or(ElementError::CellKind { kind })?;
    Ok(match kind.node_count() {
        4 => Box::new(Elastic::<4>::new(properties, &element, nodes, rest)?),
        8 => Box::new(Elastic::<8>::new(properties, &element, nodes, rest)?),
        10 => Box::new(Elastic::<10>::new(properties, &element, nodes, rest)?),
        20 => Box::new(Elastic::<20>::new(properties, &element, nodes, rest)?),
        27 => Box::new(Elastic::<27>::new(properties, &element, nodes, rest)?),
        _ => return Err(ElementError::CellKind { kind }),
    })
}

impl<const N: usize> Elastic<N> {
    fn new(
        properties: SolidProperties,
        element: &Element,
        nodes: &[u32],
        rest: &[[f64; 3]],
    ) -> Result<Elastic<N>, ElementError> {
        let elements = Elements::new(properties, element, nodes, rest)?;
        let own = &elements.nodes;
        let chunks = Chunks::new(elements.batches(), rest.len(), |b| &own[b * N..(b + 1) * N]);
        Ok(Elastic {
            forces: ForceAccumulator::new(&chunks, N, own, rest.len()),
            chunks,
            slots: Vec::new(),
            edges: element.kind.edges(),
            next_frozen: elements.frozen.clone(),
            elements,
        })
    }
}

impl<const N: usize> Stencils for Elastic<N> {
    fn append_pairs(&self, pairs: &mut Vec<(u32, u32)>) {
        for b in 0..self.elements.batches() {
            let nodes = &self.elements.nodes[b * N..(b + 1) * N];
            for lane in 0..self.elements.lanes(b) {
                for i in 0..N {
                    pairs.extend((0..i).map(|j| (nodes[i][lane], nodes[j][lane])));
                }
            }
        }
    }

    fn bind(&mut self, pattern: &BlockPattern) {
        self.slots.clear();
        for nodes in self.elements.nodes.chunks_exact(N) {
            for i in 0..N {
                for j in 0..=i {
                    self.slots.push(
                        [0, 1, 2, 3].map(|lane| pattern.slot(nodes[i][lane], nodes[j][lane])),
                    );
                }
            }
        }
    }

    fn edges(&self, out: &mut Vec<(u32, SpringEnd)>) {
        for b in 0..self.elements.batches() {
            let nodes = &self.elements.nodes[b * N..(b + 1) * N];
            for lane in 0..self.elements.lanes(b) {
                let node = |i: u8| nodes[usize::from(i)][lane];
                out.extend(
                    self.edges
                        .iter()
                        .map(|&[i, j]| (node(i), SpringEnd::Node(node(j)))),
                );
            }
        }
    }
}

impl<const N: usize> Potential for Elastic<N> {
    fn energy(&mut self, x: &Configuration) -> f64 {
        let all = &self.elements;
        self.chunks.run_sum(|_, range| all.energy(range, x.u))
    }

    fn add_force(&mut self, x: &Configuration, f: &mut [[f64; 3]]) -> f64 {
        let all = &self.elements;
        self.forces.add(&mut self.chunks, f, |range, target| {
            all.force(range, x.u, target)
        })
    }

    fn add_stiffness(&mut self, x: &Configuration, factor: f64, c: Curvature, k: &mut [Block]) {
        let out = BlockTarget {
            slots: &self.slots,
            factor,
            blocks: DisjointSlice::new(k),
        };
        let all = &self.elements;
        self.chunks
            .run_coloured(|range| all.stiffness(range, x.u, c, &out));
    }

    fn forbids(&self) -> bool {
        self.elements.law.forbids_inversion()
    }

    fn max_step(&mut self, from: &Configuration, to: &Configuration) -> f64 {
        if !self.forbids() {
            return 1.0;
        }
        let all = &self.elements;
        self.chunks
            .run_min(1.0, |_, range| all.max_step(range, from.u, to.u))
    }

    fn free_radius(&mut self, x: &Configuration) -> f64 {
        if !self.forbids() {
            return f64::INFINITY;
        }
        let all = &self.elements;
        self.chunks
            .run_min(f64::INFINITY, |_, range| all.free_radius(range, x.u))
    }

    fn find_first_inverted(
        &self,
        from: &Configuration,
        to: &Configuration,
        search: &mut PathSearch,
    ) {
        if self.forbids() {
            self.elements.first_inverted(from, to, search);
        } else {
            search.seen += self.elements.count;
        }
    }

    fn is_projective(&self) -> bool {
        self.elements.law.projective_weight().is_some() && !self.has_viscosity()
    }

    fn add_laplacian(&self, stiffness: f64, damping: f64, l: &mut [f64]) {
        let w = self.elements.law.projective_weight().unwrap_or(0.0);
        let factor = (stiffness + damping * self.elements.stiffness_damping.factor) * w;
        for b in 0..self.elements.batches() {
            let slots = &self.slots[b * Elements::<N>::PAIRS..(b + 1) * Elements::<N>::PAIRS];
            let pairs = (0..N).flat_map(|i| (0..=i).map(move |j| (i, j)));
            for ((i, j), slot) in pairs.zip(slots) {
                let entry = self.elements.batch(b).laplacian(i, j);
                for lane in 0..self.elements.lanes(b) {
                    l[slot[lane].index()] += factor * entry.0[lane];
                }
            }
        }
    }

    fn freeze(&mut self, x: &Configuration) -> bool {
        if self.elements.frozen.is_empty() {
            return false;
        }
        let out = DisjointSlice::new(&mut self.next_frozen);
        let all = &self.elements;
        self.chunks
            .run_coloured(|range| all.rotations(range, x.u, &out));
        std::mem::swap(&mut self.elements.frozen, &mut self.next_frozen);
        true
    }

    fn find_most_compressed(&self, x: &Configuration, search: &mut MostCompressedSearch) {
        self.elements.find_most_compressed(x, search);
    }

    fn find_most_inverted(&mut self, x: &Configuration, search: &mut InversionSearch) {
        let all = &self.elements;
        // Every accepted state of a law that forbids inversion was checked along its path.
        if !all.law.forbids_inversion() {
            let smallest = self.chunks.run_min(f64::INFINITY, |_, range| {
                all.smallest_volume_ratio(range, x.u)
            });
            if search.is_worse(smallest) {
                search.det_f = smallest;
                let place = all.element_with_volume_ratio(smallest, x.u);
                search.element = place.map(|element| search.seen + element);
            }
        }
        search.seen += self.elements.count;
    }

    fn element_measures(&self, x: &Configuration, out: &mut ElementMeasures) {
        let start = out.energy_density.len();
        out.energy_density.resize(start + self.elements.count, 0.0);
        out.von_mises.resize(start + self.elements.count, 0.0);
        for b in 0..self.elements.batches() {
            let [energy, mises] = self.elements.element_measures(b, x.u);
            for lane in 0..self.elements.lanes(b) {
                let id = start + self.elements.order[4 * b + lane] as usize;
                out.energy_density[id] = energy.0[lane];
                out.von_mises[id] = mises.0[lane];
            }
        }
    }
}

impl<const N: usize> Dissipation for Elastic<N> {
    fn stiffness_damping(&self) -> StiffnessDamping {
        self.elements.stiffness_damping
    }

    fn has_viscosity(&self) -> bool {
        !self.elements.viscosity.is_zero()
    }

    fn add_viscosity(&mut self, x: &Configuration, d: &mut [Block]) {
        let out = BlockTarget {
            slots: &self.slots,
            factor: 1.0,
            blocks: DisjointSlice::new(d),
        };
        let all = &self.elements;
        self.chunks
            .run_coloured(|range| all.viscosity_matrix(range, x.u, &out));
    }
}

/// Returns the inverse Jacobian ∂ξ/∂X and the Jacobian determinant det ∂X/∂ξ of an element at a point with shape
/// derivatives `dn`.
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
