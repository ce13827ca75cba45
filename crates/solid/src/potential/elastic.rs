//! Elastic energy of the elements of one kind under one law: E = Σ w Ψ(F).

mod elements;
mod inversion;
mod trouble;
mod viscosity;

use march::Curvature;

use super::chunks::{Chunks, Shared};
use super::forces::Forces;
use super::{End, Measures, PathSearch, Placed, Potential, Search, StiffnessDamping};
use crate::blocks::{Block, BlockPattern, Slot};
use crate::material::Law;
use elements::{Elements, Matrix};
use mesh::CellKind;
use mesh::element::{Element, element_names};
pub use viscosity::Viscosity;

/// Elements, and how threads share them.
struct Elastic<const N: usize> {
    elements: Elements<N>,
    slots: Vec<[Slot; 4]>,
    chunks: Chunks,
    forces: Forces,
    /// Ends of an element's edges.
    edges: &'static [[u8; 2]],
}

/// What elements are made of.
#[derive(Clone, Copy, Debug)]
pub struct Substance {
    /// The law of the material.
    pub law: Law,
    /// Rayleigh's stiffness damping.
    pub stiffness_damping: StiffnessDamping,
    /// Viscosity of Kelvin and Voigt.
    pub viscosity: Viscosity,
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
    #[error("{} cells cannot carry stress; solids are made of {}", .kind.name(), element_names())]
    CellKind {
        /// The kind of cell.
        kind: CellKind,
    },
}

/// The elastic energy of elements of this kind; `nodes` lists their nodes one element after another.
pub fn elastic(
    substance: Substance,
    kind: CellKind,
    nodes: &[u32],
    rest: &[[f64; 3]],
) -> Result<Box<dyn Potential>, ElementError> {
    let element = Element::of(kind).ok_or(ElementError::CellKind { kind })?;
    Ok(match kind.node_count() {
        4 => Box::new(Elastic::<4>::new(substance, &element, nodes, rest)?),
        8 => Box::new(Elastic::<8>::new(substance, &element, nodes, rest)?),
        10 => Box::new(Elastic::<10>::new(substance, &element, nodes, rest)?),
        20 => Box::new(Elastic::<20>::new(substance, &element, nodes, rest)?),
        27 => Box::new(Elastic::<27>::new(substance, &element, nodes, rest)?),
        _ => return Err(ElementError::CellKind { kind }),
    })
}

impl<const N: usize> Elastic<N> {
    fn new(
        substance: Substance,
        element: &Element,
        nodes: &[u32],
        rest: &[[f64; 3]],
    ) -> Result<Elastic<N>, ElementError> {
        let elements = Elements::new(substance, element, nodes, rest)?;
        let own = &elements.nodes;
        let chunks = Chunks::new(elements.batches(), rest.len(), |b| &own[b * N..(b + 1) * N]);
        Ok(Elastic {
            forces: Forces::new(&chunks, N, own, rest.len()),
            chunks,
            slots: Vec::new(),
            edges: element.kind.edges(),
            elements,
        })
    }
}

impl<const N: usize> Potential for Elastic<N> {
    fn couple(&self, pairs: &mut Vec<(u32, u32)>) {
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

    fn edges(&self, out: &mut Vec<(u32, End)>) {
        for b in 0..self.elements.batches() {
            let nodes = &self.elements.nodes[b * N..(b + 1) * N];
            for lane in 0..self.elements.lanes(b) {
                let node = |i: u8| nodes[usize::from(i)][lane];
                out.extend(
                    self.edges
                        .iter()
                        .map(|&[i, j]| (node(i), End::Node(node(j)))),
                );
            }
        }
    }

    fn energy(&mut self, x: &Placed) -> f64 {
        let all = &self.elements;
        self.chunks.run(|_, range| all.energy(range, x.u))
    }

    fn add_force(&mut self, x: &Placed, f: &mut [[f64; 3]]) -> f64 {
        let all = &self.elements;
        self.forces.add(&mut self.chunks, f, |range, room| {
            all.force(range, x.u, room)
        })
    }

    fn add_stiffness(&mut self, x: &Placed, factor: f64, c: Curvature, k: &mut [Block]) {
        let out = Matrix {
            slots: &self.slots,
            factor,
            blocks: Shared::new(k),
        };
        let all = &self.elements;
        self.chunks
            .run_apart(|range| all.stiffness(range, x.u, c, &out));
    }

    fn forbids(&self) -> bool {
        self.elements.law.forbids_inversion()
    }

    fn max_step(&mut self, from: &Placed, to: &Placed) -> f64 {
        if !self.forbids() {
            return 1.0;
        }
        let all = &self.elements;
        self.chunks
            .least(1.0, |_, range| all.max_step(range, from.u, to.u))
    }

    fn free_radius(&mut self, x: &Placed) -> f64 {
        if !self.forbids() {
            return f64::INFINITY;
        }
        let all = &self.elements;
        self.chunks
            .least(f64::INFINITY, |_, range| all.free_radius(range, x.u))
    }

    fn find_first_inverted(&self, from: &Placed, to: &Placed, search: &mut PathSearch) {
        if self.forbids() {
            self.elements.first_inverted(from, to, search);
        } else {
            search.seen += self.elements.count;
        }
    }

    fn projective(&self) -> bool {
        self.elements.law.projective().is_some() && !self.viscous()
    }

    fn add_laplacian(&self, stiffness: f64, damping: f64, l: &mut [f64]) {
        let w = self.elements.law.projective().unwrap_or(0.0);
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

    fn freeze(&mut self, x: &Placed) -> bool {
        if self.elements.frozen.is_empty() {
            return false;
        }
        let mut frozen = std::mem::take(&mut self.elements.frozen);
        let out = Shared::new(&mut frozen);
        let all = &self.elements;
        self.chunks
            .run_apart(|range| all.rotations(range, x.u, &out));
        self.elements.frozen = frozen;
        true
    }

    fn stiffness_damping(&self) -> StiffnessDamping {
        self.elements.stiffness_damping
    }

    fn viscous(&self) -> bool {
        !self.elements.viscosity.is_zero()
    }

    fn add_viscosity(&mut self, x: &Placed, d: &mut [Block]) {
        let out = Matrix {
            slots: &self.slots,
            factor: 1.0,
            blocks: Shared::new(d),
        };
        let all = &self.elements;
        self.chunks
            .run_apart(|range| all.viscosity_matrix(range, x.u, &out));
    }

    fn worst(&self, x: &Placed, search: &mut Search) {
        self.elements.worst(x, search);
    }

    fn measures(&self, x: &Placed, out: &mut Measures) {
        let start = out.energy.len();
        out.energy.resize(start + self.elements.count, 0.0);
        out.mises.resize(start + self.elements.count, 0.0);
        for b in 0..self.elements.batches() {
            let [energy, mises] = self.elements.measures(b, x.u);
            for lane in 0..self.elements.lanes(b) {
                let id = start + self.elements.order[4 * b + lane] as usize;
                out.energy[id] = energy.0[lane];
                out.mises[id] = mises.0[lane];
            }
        }
    }
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
