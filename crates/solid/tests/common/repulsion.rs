//! Potentials with changing stencils: repulsion of finite range between nodes, and bonds.
//!
//! E = Σ k r²/8 (1 − d²/r²)⁴ over all pairs of two groups whose distance d is below the range r. It is three times
//! continuously differentiable at d = r and indefinite, with transverse stiffness −k at small distances.

use march::Curvature;
use solid::blocks::{Block, BlockPattern, Slot, add_block};
use solid::potential::{Configuration, Dissipation, Potential, Stencils, StiffnessDamping};

/// How the pairs are coupled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coupling {
    /// Only pairs within the range are announced.
    Changing,
    /// All pairs are coupled permanently, as in a static potential.
    Dense,
}

pub struct Repulsion {
    groups: [Vec<u32>; 2],
    pub range: f64,
    pub stiffness: f64,
    coupling: Coupling,
    damping: StiffnessDamping,
    /// The pairs announced last, and the slots of (a, a), (b, b), (a, b) of each.
    pairs: Vec<(u32, u32)>,
    slots: Vec<[Slot; 3]>,
}

impl Repulsion {
    pub fn new(groups: [Vec<u32>; 2], range: f64, stiffness: f64, coupling: Coupling) -> Repulsion {
        Repulsion {
            groups,
            range,
            stiffness,
            coupling,
            damping: StiffnessDamping::default(),
            pairs: Vec::new(),
            slots: Vec::new(),
        }
    }

    pub fn damped(self, damping: StiffnessDamping) -> Repulsion {
        Repulsion { damping, ..self }
    }

    fn all_pairs(&self) -> Vec<(u32, u32)> {
        let [one, other] = &self.groups;
        let pairs = one.iter().flat_map(|&a| other.iter().map(move |&b| (a, b)));
        // If both groups are the same, every pair is listed once.
        let same = one == other;
        pairs.filter(|(a, b)| a != b && (!same || a < b)).collect()
    }

    /// x_a − x_b and 1 − d²/r².
    fn arm(&self, x: &Configuration, (a, b): (u32, u32)) -> ([f64; 3], f64) {
        let (p, q) = (x.position(a as usize), x.position(b as usize));
        let e = [0, 1, 2].map(|k| p[k] - q[k]);
        let square: f64 = e.iter().map(|e| e * e).sum();
        (e, 1.0 - square / (self.range * self.range))
    }

    fn near(&self, x: &Configuration) -> Vec<((u32, u32), [f64; 3], f64)> {
        let with_arm = |pair| {
            let (e, rest) = self.arm(x, pair);
            (pair, e, rest)
        };
        let pairs = self.all_pairs().into_iter().map(with_arm);
        pairs.filter(|(_, _, rest)| *rest > 0.0).collect()
    }

    /// p I + q e eᵀ.
    fn curvature(&self, e: [f64; 3], rest: f64, c: Curvature) -> Block {
        let p = -self.stiffness * rest.powi(3);
        let q = 6.0 * self.stiffness / self.range.powi(2) * rest * rest;
        let mut block = [0.0; 9];
        if c == Curvature::Definite {
            let square: f64 = e.iter().map(|e| e * e).sum();
            let along = (p + q * square).max(0.0);
            for i in 0..3 {
                for j in 0..3 {
                    block[3 * i + j] = along * e[i] * e[j] / square.max(f64::MIN_POSITIVE);
                }
            }
        } else {
            for i in 0..3 {
                for j in 0..3 {
                    block[3 * i + j] = q * e[i] * e[j];
                }
                block[4 * i] += p;
            }
        }
        block
    }
}

impl Stencils for Repulsion {
    fn append_pairs(&self, pairs: &mut Vec<(u32, u32)>) {
        assert_eq!(self.coupling, Coupling::Dense);
        pairs.extend(self.all_pairs());
    }

    fn bind(&mut self, pattern: &BlockPattern) {
        if self.coupling == Coupling::Dense {
            self.pairs = self.all_pairs();
        }
        let slots =
            |&(a, b): &(u32, u32)| [(a, a), (b, b), (a, b)].map(|(i, j)| pattern.slot(i, j));
        self.slots = self.pairs.iter().map(slots).collect();
    }

    fn changes_stencils(&self) -> bool {
        self.coupling == Coupling::Changing
    }

    fn active_pairs(&mut self, x: &Configuration, pairs: &mut Vec<(u32, u32)>) {
        self.pairs = self.near(x).into_iter().map(|(p, ..)| p).collect();
        pairs.extend_from_slice(&self.pairs);
    }
}

impl Potential for Repulsion {
    fn energy(&mut self, x: &Configuration) -> f64 {
        let scale = self.stiffness * self.range.powi(2) / 8.0;
        let near = self.near(x);
        near.iter().map(|(.., rest)| scale * rest.powi(4)).sum()
    }

    fn add_force(&mut self, x: &Configuration, f: &mut [[f64; 3]]) -> f64 {
        let mut scale = 0.0;
        for ((a, b), e, rest) in self.near(x) {
            for k in 0..3 {
                let push = self.stiffness * rest.powi(3) * e[k];
                f[a as usize][k] += push;
                f[b as usize][k] -= push;
                scale += 2.0 * push * push;
            }
        }
        scale
    }

    fn add_stiffness(&mut self, x: &Configuration, factor: f64, c: Curvature, k: &mut [Block]) {
        for (pair, [aa, bb, ab]) in self.pairs.iter().zip(&self.slots) {
            let (e, rest) = self.arm(x, *pair);
            if rest <= 0.0 {
                continue;
            }
            let block = self.curvature(e, rest, c).map(|x| factor * x);
            add_block(&mut k[aa.index()], *aa, &block);
            add_block(&mut k[bb.index()], *bb, &block);
            add_block(&mut k[ab.index()], *ab, &block.map(|x| -x));
        }
    }
}

impl Dissipation for Repulsion {
    fn stiffness_damping(&self) -> StiffnessDamping {
        self.damping
    }
}

/// Bonds between nodes that are closer than the range at the start of a step: zero-length springs, E = Σ k/2 |x_a − x_b|².
pub struct Bonds {
    nodes: Vec<u32>,
    range: f64,
    stiffness: f64,
    pairs: Vec<(u32, u32)>,
    slots: Vec<[Slot; 3]>,
}

impl Bonds {
    pub fn new(nodes: Vec<u32>, range: f64, stiffness: f64) -> Bonds {
        Bonds {
            nodes,
            range,
            stiffness,
            pairs: Vec::new(),
            slots: Vec::new(),
        }
    }

    fn arm(x: &Configuration, (a, b): (u32, u32)) -> [f64; 3] {
        let (p, q) = (x.position(a as usize), x.position(b as usize));
        [0, 1, 2].map(|k| p[k] - q[k])
    }
}

impl Stencils for Bonds {
    fn append_pairs(&self, _pairs: &mut Vec<(u32, u32)>) {}

    fn bind(&mut self, pattern: &BlockPattern) {
        let slots =
            |&(a, b): &(u32, u32)| [(a, a), (b, b), (a, b)].map(|(i, j)| pattern.slot(i, j));
        self.slots = self.pairs.iter().map(slots).collect();
    }

    fn changes_stencils(&self) -> bool {
        true
    }

    fn active_pairs(&mut self, _x: &Configuration, pairs: &mut Vec<(u32, u32)>) {
        pairs.extend_from_slice(&self.pairs);
    }
}

impl Potential for Bonds {
    fn freeze(&mut self, x: &Configuration) -> bool {
        self.pairs.clear();
        for (k, &a) in self.nodes.iter().enumerate() {
            for &b in &self.nodes[..k] {
                let square: f64 = Bonds::arm(x, (a, b)).iter().map(|e| e * e).sum();
                if square < self.range * self.range {
                    self.pairs.push((a, b));
                }
            }
        }
        true
    }

    fn energy(&mut self, x: &Configuration) -> f64 {
        let squares = self.pairs.iter().flat_map(|&p| Bonds::arm(x, p));
        0.5 * self.stiffness * squares.map(|e| e * e).sum::<f64>()
    }

    fn add_force(&mut self, x: &Configuration, f: &mut [[f64; 3]]) -> f64 {
        let mut scale = 0.0;
        for &(a, b) in &self.pairs {
            let arm = Bonds::arm(x, (a, b));
            for k in 0..3 {
                let pull = self.stiffness * arm[k];
                f[a as usize][k] -= pull;
                f[b as usize][k] += pull;
                scale += 2.0 * pull * pull;
            }
        }
        scale
    }

    fn add_stiffness(&mut self, _x: &Configuration, factor: f64, _c: Curvature, k: &mut [Block]) {
        for [aa, bb, ab] in &self.slots {
            for d in [0, 4, 8] {
                k[aa.index()][d] += factor * self.stiffness;
                k[bb.index()][d] += factor * self.stiffness;
                k[ab.index()][d] -= factor * self.stiffness;
            }
        }
    }

    fn is_projective(&self) -> bool {
        true
    }

    fn add_laplacian(&self, stiffness: f64, _damping: f64, l: &mut [f64]) {
        for [aa, bb, ab] in &self.slots {
            l[aa.index()] += stiffness * self.stiffness;
            l[bb.index()] += stiffness * self.stiffness;
            l[ab.index()] -= stiffness * self.stiffness;
        }
    }
}

impl Dissipation for Bonds {}
