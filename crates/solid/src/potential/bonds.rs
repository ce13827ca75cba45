//! Peridynamic bonds that break [Silling & Askari 2005]: Hooke's springs E = ½ k (L − r)² between particles, until their
//! stretch (L − r)/r exceeds a critical value.
//!
//! Which bonds are broken is history. It changes in [`Bonds::commit`] only, at states that were accepted: energies, forces and
//! stiffness of an attempt are those of the bonds at its start, so they have no kinks, and a rejected attempt breaks nothing.
//! A broken bond has no energy, and never heals; the energy it had is released.

use march::Curvature;
use mesh::vector::{norm, sub};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::chunks::DisjointSlice;
use super::spring_batches::SpringBatches;
use super::{
    Configuration, Dissipation, Potential, Spring, SpringEnd, SpringLaw, Stencils, StiffnessDamping,
};
use crate::blocks::{Block, BlockPattern};

/// Particles and bonds from which [`Bonds`] are made.
#[derive(Clone, Debug, Default)]
pub struct BondParticles {
    /// Nodes that are the particles.
    pub nodes: std::ops::Range<u32>,
    /// The bonds between these nodes, the smaller number first, sorted, each once.
    pub ends: Vec<[u32; 2]>,
    /// Lengths at rest, m.
    pub rest: Vec<f64>,
    /// Stiffness, N/m.
    pub stiffness: Vec<f64>,
    /// Stretch above which a bond breaks; infinite if it never does.
    pub critical: Vec<f64>,
    /// Whether the bond is broken from the start.
    pub cut: Vec<bool>,
}

/// The history of bonds, as saved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SavedBonds {
    /// One bit for each bond: set if it is broken.
    broken: Vec<u8>,
    last: LastCommit,
}

/// What the last commit did. Committing one state again adds to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct LastCommit {
    /// Time of the state, s; `None` before the first.
    t: Option<f64>,
    /// Number of bonds that broke.
    broke: u64,
    /// Energy that they had, J.
    released: f64,
}

/// Slots of the matrix blocks, and the bonds of each particle.
#[derive(Default)]
struct Assembly {
    /// Block of each bond's pair.
    pairs: Vec<u32>,
    /// Diagonal block of each particle.
    diagonals: Vec<u32>,
    /// The bonds of the k-th particle are `bonds[starts[k]..starts[k + 1]]`.
    starts: Vec<u32>,
    bonds: Vec<u32>,
}

/// Number of particles that one task assembles.
const PARTICLES_PER_TASK: usize = 256;

/// The potential of the bonds of a body.
pub struct Bonds {
    parts: BondParticles,
    /// Stiffness of each bond, N/m; 0 if it is broken.
    stiffness: Vec<f64>,
    batches: SpringBatches,
    assembly: Assembly,
    stiffness_damping: StiffnessDamping,
    last: LastCommit,
}

impl Bonds {
    /// Creates the bonds, with Rayleigh's stiffness damping.
    pub fn new(parts: BondParticles, stiffness_damping: StiffnessDamping) -> Bonds {
        let cut = parts.stiffness.iter().zip(&parts.cut);
        let stiffness = cut.map(|(k, cut)| if *cut { 0.0 } else { *k }).collect();
        Bonds {
            stiffness,
            batches: SpringBatches::default(),
            assembly: Assembly::default(),
            stiffness_damping,
            last: LastCommit::default(),
            parts,
        }
    }

    /// Nodes that are the particles.
    pub fn nodes(&self) -> std::ops::Range<u32> {
        self.parts.nodes.clone()
    }

    /// Number of bonds, broken ones included.
    pub fn len(&self) -> usize {
        self.parts.ends.len()
    }

    /// Returns `true` if there are no bonds.
    pub fn is_empty(&self) -> bool {
        self.parts.ends.is_empty()
    }

    /// Lengths of all bonds at rest, m.
    pub fn rest_lengths(&self) -> &[f64] {
        &self.parts.rest
    }

    /// Number of broken bonds, those cut from the start included.
    pub fn broken(&self) -> usize {
        self.stiffness.iter().filter(|k| **k == 0.0).count()
    }

    /// Returns the ends of all intact bonds.
    pub fn intact(&self) -> impl Iterator<Item = [u32; 2]> + '_ {
        let bonds = self.parts.ends.iter().zip(&self.stiffness);
        bonds.filter(|(_, k)| **k > 0.0).map(|(ends, _)| *ends)
    }

    /// Returns whether the bond between two nodes exists and is intact; the smaller number is first.
    pub fn is_intact(&self, ends: [u32; 2]) -> bool {
        let found = self.parts.ends.binary_search(&ends);
        found.is_ok_and(|b| self.stiffness[b] > 0.0)
    }

    /// Calls `visit` with all nodes to which a node has an intact bond.
    pub fn for_each_neighbour(&self, node: u32, visit: &mut dyn FnMut(u32)) {
        let (a, i) = (&self.assembly, (node - self.parts.nodes.start) as usize);
        for &b in &a.bonds[a.starts[i] as usize..a.starts[i + 1] as usize] {
            let [p, q] = self.parts.ends[b as usize];
            if self.stiffness[b as usize] > 0.0 {
                visit(if p == node { q } else { p });
            }
        }
    }

    /// Adds the share of broken bonds of each particle to a value per node.
    pub fn add_damage(&self, out: &mut [f64]) {
        let first = self.parts.nodes.start;
        let a = &self.assembly;
        for i in 0..self.parts.nodes.len() {
            let own = &a.bonds[a.starts[i] as usize..a.starts[i + 1] as usize];
            let broken = own.iter().filter(|b| self.stiffness[**b as usize] == 0.0);
            out[first as usize + i] += broken.count() as f64 / own.len().max(1) as f64;
        }
    }

    /// Returns the ends of all intact bonds and their energies, J.
    pub fn energies<'a>(
        &'a self,
        x: &'a Configuration,
    ) -> impl Iterator<Item = ([u32; 2], f64)> + 'a {
        let intact = (0..self.len()).filter(|b| self.stiffness[*b] > 0.0);
        intact.map(|b| {
            let change = self.length(b, x) - self.parts.rest[b];
            (
                self.parts.ends[b],
                0.5 * self.stiffness[b] * change * change,
            )
        })
    }

    /// Returns the ends of all intact bonds and the energies at which they break, J.
    pub fn critical_energies(&self) -> impl Iterator<Item = ([u32; 2], f64)> + '_ {
        let parts = &self.parts;
        let intact = (0..self.len()).filter(|b| self.stiffness[*b] > 0.0);
        intact.map(|b| {
            let change = parts.critical[b] * parts.rest[b];
            (parts.ends[b], 0.5 * self.stiffness[b] * change * change)
        })
    }

    /// Returns the number of intact bonds that are stretched beyond their critical value.
    pub fn overstretched(&self, x: &Configuration) -> u64 {
        let is = |b: usize| self.overstretch(b, x).is_some();
        (0..self.len()).into_par_iter().filter(|b| is(*b)).count() as u64
    }

    /// Returns the energy of an intact bond that is stretched beyond its critical value, J; `None` for other bonds.
    fn overstretch(&self, b: usize, x: &Configuration) -> Option<f64> {
        let (k, rest) = (self.stiffness[b], self.parts.rest[b]);
        if k == 0.0 {
            return None;
        }
        let change = self.length(b, x) - rest;
        (change > self.parts.critical[b] * rest).then_some(0.5 * k * change * change)
    }

    fn length(&self, b: usize, x: &Configuration) -> f64 {
        let [p, q] = self.parts.ends[b].map(|i| x.position(i as usize));
        norm(sub(p, q))
    }

    /// Breaks the bonds that are stretched beyond their critical value.
    pub fn commit(&mut self, x: &Configuration) {
        if self.last.t != Some(x.t) {
            self.last = LastCommit {
                t: Some(x.t),
                ..LastCommit::default()
            };
        }
        for b in 0..self.len() {
            if let Some(energy) = self.overstretch(b, x) {
                self.last.broke += 1;
                self.last.released += energy;
                self.stiffness[b] = 0.0;
                self.batches.set_stiffness(b, 0.0);
            }
        }
    }

    /// Returns the energy of the bonds that the last commit broke, J.
    pub fn last_released(&self) -> f64 {
        self.last.released
    }

    /// Returns the number of bonds that the last commit broke.
    pub fn last_broken(&self) -> u64 {
        self.last.broke
    }

    /// Returns the history.
    pub fn save(&self) -> SavedBonds {
        let eight = |bonds: &[f64]| {
            let bit = |(k, stiffness): (usize, &f64)| u8::from(*stiffness == 0.0) << k;
            bonds.iter().enumerate().map(bit).sum()
        };
        SavedBonds {
            broken: self.stiffness.chunks(8).map(eight).collect(),
            last: self.last,
        }
    }

    /// Restores a history; returns `false` if it belongs to other bonds.
    pub fn load(&mut self, saved: &SavedBonds) -> bool {
        if saved.broken.len() != self.len().div_ceil(8) {
            return false;
        }
        for b in 0..self.len() {
            let broken = saved.broken[b / 8] >> (b % 8) & 1 == 1;
            let k = if broken { 0.0 } else { self.parts.stiffness[b] };
            self.stiffness[b] = k;
            self.batches.set_stiffness(b, k);
        }
        self.last = saved.last;
        true
    }

    /// Second derivative of a bond's energy with respect to either end: k n nᵀ + k (1 − r/L) (I − n nᵀ).
    fn curvature(&self, b: usize, x: &Configuration, c: Curvature) -> Block {
        let [p, q] = self.parts.ends[b].map(|i| x.position(i as usize));
        let arm = sub(p, q);
        let (length, k) = (norm(arm), self.stiffness[b]);
        let (n, mut across) = match length > 0.0 {
            true => (
                arm.map(|x| x / length),
                k * (1.0 - self.parts.rest[b] / length),
            ),
            false => ([0.0; 3], 0.0),
        };
        if c == Curvature::Definite {
            across = across.max(0.0);
        }
        let mut block = [0.0; 9];
        for i in 0..3 {
            for j in 0..3 {
                block[3 * i + j] = (k - across) * n[i] * n[j];
            }
            block[4 * i] += across;
        }
        block
    }
}

impl Stencils for Bonds {
    fn append_pairs(&self, pairs: &mut Vec<(u32, u32)>) {
        pairs.extend(self.parts.ends.iter().map(|[a, b]| (*a, *b)));
    }

    fn bind(&mut self, pattern: &BlockPattern) {
        let parts = &self.parts;
        let spring = |b: usize| Spring {
            a: parts.ends[b][0],
            b: SpringEnd::Node(parts.ends[b][1]),
            law: SpringLaw::Hooke,
            stiffness: self.stiffness[b],
            rest: parts.rest[b],
            damping: 0.0,
        };
        let mut springs: Vec<Spring> = (0..parts.ends.len()).map(spring).collect();
        // The last batch is filled with bonds without stiffness.
        while !springs.len().is_multiple_of(4) {
            let last = springs[springs.len() - 1];
            springs.push(Spring {
                stiffness: 0.0,
                ..last
            });
        }
        self.batches = SpringBatches::of(&springs, pattern.nodes()).0;
        let slot = |a: u32, b: u32| pattern.slot(a, b).index() as u32;
        let first = parts.nodes.start;
        let mut starts = vec![0u32; parts.nodes.len() + 1];
        for &i in parts.ends.as_flattened() {
            starts[(i - first) as usize + 1] += 1;
        }
        for k in 1..starts.len() {
            starts[k] += starts[k - 1];
        }
        let mut next = starts.clone();
        let mut bonds = vec![0; 2 * parts.ends.len()];
        for (b, ends) in (0u32..).zip(&parts.ends) {
            for i in ends {
                let next = &mut next[(i - first) as usize];
                bonds[*next as usize] = b;
                *next += 1;
            }
        }
        self.assembly = Assembly {
            pairs: parts.ends.iter().map(|[a, b]| slot(*a, *b)).collect(),
            diagonals: parts.nodes.clone().map(|i| slot(i, i)).collect(),
            starts,
            bonds,
        };
    }

    fn edges(&self, out: &mut Vec<(u32, SpringEnd)>) {
        let edge = |[a, b]: &[u32; 2]| (*a, SpringEnd::Node(*b));
        out.extend(self.parts.ends.iter().map(edge));
    }
}

impl Potential for Bonds {
    fn energy(&mut self, x: &Configuration) -> f64 {
        self.batches.energy(x)
    }

    fn add_force(&mut self, x: &Configuration, f: &mut [[f64; 3]]) -> f64 {
        self.batches.add_force(x, f)
    }

    fn add_stiffness(&mut self, x: &Configuration, factor: f64, c: Curvature, k: &mut [Block]) {
        let out = DisjointSlice::new(k);
        let (bonds, a) = (&*self, &self.assembly);
        let one = |i: usize| {
            let node = bonds.parts.nodes.start + i as u32;
            let mut sum = [0.0; 9];
            for &b in &a.bonds[a.starts[i] as usize..a.starts[i + 1] as usize] {
                let block = bonds.curvature(b as usize, x, c);
                (0..9).for_each(|k| sum[k] += factor * block[k]);
                if bonds.parts.ends[b as usize][0] == node {
                    // SAFETY: a pair has one bond, which is visited here by its first particle only.
                    let pair = unsafe { out.at(a.pairs[b as usize] as usize) };
                    (0..9).for_each(|k| pair[k] -= factor * block[k]);
                }
            }
            // SAFETY: a particle has one diagonal block, and is visited once.
            let diagonal = unsafe { out.at(a.diagonals[i] as usize) };
            (0..9).for_each(|k| diagonal[k] += sum[k]);
        };
        let particles = self.parts.nodes.len();
        if rayon::current_num_threads() == 1 {
            return (0..particles).for_each(one);
        }
        let tasks = particles.div_ceil(PARTICLES_PER_TASK);
        (0..tasks).into_par_iter().for_each(|task| {
            let end = ((task + 1) * PARTICLES_PER_TASK).min(particles);
            (task * PARTICLES_PER_TASK..end).for_each(one);
        });
    }

    /// The law changes with every bond that breaks, from the commit on until the next.
    fn freeze(&mut self, _x: &Configuration) -> bool {
        self.last.broke > 0
    }

    fn bonds(&self) -> Option<&Bonds> {
        Some(self)
    }

    fn bonds_mut(&mut self) -> Option<&mut Bonds> {
        Some(self)
    }
}

impl Dissipation for Bonds {
    fn stiffness_damping(&self) -> StiffnessDamping {
        self.stiffness_damping
    }
}
