//! Springs between two nodes, or between a node and a fixed point, with dampers.
//!
//! With length L, rest length r and s = L − r: hooke E = k/2 s²; squared E = k/2 (L² − r²)² [Dinev et al. 2018, eq. 7];
//! cubic E = k (s²/2 + s⁴/4) with the force k (s + s³) [Linearized Force Error, §5.1]. Dampers act on the relative velocity
//! w of the ends: −c w, and −c (w + |w|² w) for the cubic law.

use march::Curvature;
use mesh::vector::norm;

use super::spring_batches::SpringBatches;
use super::{Configuration, Dissipation, Potential, Stencils, StiffnessDamping};
use crate::blocks::{Block, BlockPattern, Slot, add_block};

/// Energy of a spring as a function of its length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpringLaw {
    /// Force linear in the elongation.
    Hooke,
    /// Energy quadratic in the change of the squared length.
    Squared,
    /// Force linear plus cubic in the elongation; the damper is linear plus cubic in the relative velocity.
    Cubic,
}

/// Second end of a spring or edge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SpringEnd {
    /// A node.
    Node(u32),
    /// A point in space, m.
    Point([f64; 3]),
}

/// A spring with a damper.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spring {
    /// Node of the first end.
    pub a: u32,
    /// Second end.
    pub b: SpringEnd,
    /// Energy law.
    pub law: SpringLaw,
    /// Stiffness: N/m for hooke and cubic, N/m³ for squared.
    pub stiffness: f64,
    /// Rest length, m.
    pub rest: f64,
    /// Damping, N s/m.
    pub damping: f64,
}

impl Spring {
    /// Energy E(L), E′(L)/L and E″(L).
    fn derivatives(&self, length: f64) -> (f64, f64, f64) {
        let (k, r) = (self.stiffness, self.rest);
        let over = |pull: f64| if length > 0.0 { pull / length } else { 0.0 };
        match self.law {
            SpringLaw::Hooke => {
                let s = length - r;
                let ratio = if r == 0.0 { k } else { over(k * s) };
                (0.5 * k * s * s, ratio, k)
            }
            SpringLaw::Squared => {
                let q = length * length - r * r;
                (
                    0.5 * k * q * q,
                    2.0 * k * q,
                    2.0 * k * (q + 2.0 * length * length),
                )
            }
            SpringLaw::Cubic => {
                let s = length - r;
                let ratio = if r == 0.0 {
                    k * (1.0 + s * s)
                } else {
                    over(k * (s + s * s * s))
                };
                (
                    k * s * s * (0.5 + 0.25 * s * s),
                    ratio,
                    k * (1.0 + 3.0 * s * s),
                )
            }
        }
    }

    /// Vector from the second end to the first.
    fn arm(&self, x: &Configuration) -> [f64; 3] {
        let a = x.position(self.a as usize);
        let b = match self.b {
            SpringEnd::Node(b) => x.position(b as usize),
            SpringEnd::Point(p) => p,
        };
        [0, 1, 2].map(|k| a[k] - b[k])
    }

    fn relative_velocity(&self, v: &[[f64; 3]]) -> [f64; 3] {
        let a = v[self.a as usize];
        let b = match self.b {
            SpringEnd::Node(b) => v[b as usize],
            SpringEnd::Point(_) => [0.0; 3],
        };
        [0, 1, 2].map(|k| a[k] - b[k])
    }

    /// Second derivative of the energy: E″ n nᵀ + E′/L (I − n nᵀ).
    fn curvature(&self, arm: [f64; 3], c: Curvature) -> Block {
        let length = norm(arm);
        let (_, mut across, mut along) = self.derivatives(length);
        if c == Curvature::Definite {
            across = across.max(0.0);
            along = along.max(0.0);
        }
        let n = if length > 0.0 {
            arm.map(|x| x / length)
        } else {
            [0.0; 3]
        };
        block(across, along - across, n)
    }

    fn cubic_damping(&self) -> f64 {
        if self.law == SpringLaw::Cubic {
            self.damping
        } else {
            0.0
        }
    }
}

/// p I + q n nᵀ.
fn block(p: f64, q: f64, n: [f64; 3]) -> Block {
    let mut out = [0.0; 9];
    for i in 0..3 {
        for j in 0..3 {
            out[3 * i + j] = q * n[i] * n[j];
        }
        out[4 * i] += p;
    }
    out
}

/// The potential of a set of springs.
#[derive(Default)]
pub struct Springs {
    springs: Vec<Spring>,
    /// Hooke's springs between nodes in batches of four, for energies and forces.
    batches: SpringBatches,
    /// The springs that are not in batches.
    single: Vec<Spring>,
    slots: Vec<[Slot; 3]>,
    stiffness_damping: StiffnessDamping,
    damped: bool,
}

impl Springs {
    /// Creates the potential of these springs, with Rayleigh's stiffness damping.
    pub fn new(springs: Vec<Spring>, stiffness_damping: StiffnessDamping) -> Springs {
        Springs {
            batches: SpringBatches::default(),
            single: Vec::new(),
            slots: Vec::new(),
            stiffness_damping,
            damped: springs.iter().any(|s| s.damping > 0.0),
            springs,
        }
    }

    /// Adds the force p to the first end and −p to the second. Returns the sum of their squares.
    fn apply(spring: &Spring, p: [f64; 3], f: &mut [[f64; 3]]) -> f64 {
        for k in 0..3 {
            f[spring.a as usize][k] += p[k];
        }
        if let SpringEnd::Node(b) = spring.b {
            for k in 0..3 {
                f[b as usize][k] -= p[k];
            }
        }
        2.0 * p.iter().map(|p| p * p).sum::<f64>()
    }

    fn scatter(slots: &[Slot; 3], spring: &Spring, block: &Block, out: &mut [Block]) {
        let [aa, bb, ab] = slots;
        add_block(&mut out[aa.index()], *aa, block);
        if let SpringEnd::Node(_) = spring.b {
            add_block(&mut out[bb.index()], *bb, block);
            add_block(&mut out[ab.index()], *ab, &block.map(|x| -x));
        }
    }
}

impl Stencils for Springs {
    fn append_pairs(&self, pairs: &mut Vec<(u32, u32)>) {
        for spring in &self.springs {
            if let SpringEnd::Node(b) = spring.b {
                pairs.push((spring.a, b));
            }
        }
    }

    fn bind(&mut self, pattern: &BlockPattern) {
        let slots = |s: &Spring| {
            let b = if let SpringEnd::Node(b) = s.b { b } else { s.a };
            [
                pattern.slot(s.a, s.a),
                pattern.slot(b, b),
                pattern.slot(s.a, b),
            ]
        };
        self.slots = self.springs.iter().map(slots).collect();
        (self.batches, self.single) = SpringBatches::of(&self.springs, pattern.nodes());
    }

    fn edges(&self, out: &mut Vec<(u32, SpringEnd)>) {
        out.extend(self.springs.iter().map(|s| (s.a, s.b)));
    }
}

impl Potential for Springs {
    fn energy(&mut self, x: &Configuration) -> f64 {
        let one = |s: &Spring| s.derivatives(norm(s.arm(x))).0;
        self.batches.energy(x) + self.single.iter().map(one).sum::<f64>()
    }

    fn add_force(&mut self, x: &Configuration, f: &mut [[f64; 3]]) -> f64 {
        let mut scale = self.batches.add_force(x, f);
        for spring in &self.single {
            let arm = spring.arm(x);
            let ratio = spring.derivatives(norm(arm)).1;
            scale += Springs::apply(spring, arm.map(|x| -ratio * x), f);
        }
        scale
    }

    fn add_stiffness(&mut self, x: &Configuration, factor: f64, c: Curvature, k: &mut [Block]) {
        for (spring, slots) in self.springs.iter().zip(&self.slots) {
            let block = spring.curvature(spring.arm(x), c).map(|b| factor * b);
            Springs::scatter(slots, spring, &block, k);
        }
    }

    fn is_projective(&self) -> bool {
        self.springs.iter().all(|s| s.law == SpringLaw::Hooke)
    }

    fn add_laplacian(&self, stiffness: f64, damping: f64, l: &mut [f64]) {
        for (spring, [aa, bb, ab]) in self.springs.iter().zip(&self.slots) {
            let w = (stiffness + damping * self.stiffness_damping.factor) * spring.stiffness
                + damping * spring.damping;
            l[aa.index()] += w;
            if let SpringEnd::Node(_) = spring.b {
                l[bb.index()] += w;
                l[ab.index()] -= w;
            }
        }
    }
}

impl Dissipation for Springs {
    fn stiffness_damping(&self) -> StiffnessDamping {
        self.stiffness_damping
    }

    fn has_dampers(&self) -> bool {
        self.damped
    }

    fn dissipation(&mut self, _x: &Configuration, v: &[[f64; 3]]) -> f64 {
        if !self.damped {
            return 0.0;
        }
        let one = |s: &Spring| {
            let w2 = norm(s.relative_velocity(v)).powi(2);
            0.5 * s.damping * w2 + 0.25 * s.cubic_damping() * w2 * w2
        };
        self.springs.iter().map(one).sum()
    }

    fn add_damping_force(&mut self, _x: &Configuration, v: &[[f64; 3]], f: &mut [[f64; 3]]) -> f64 {
        let mut scale = 0.0;
        if !self.damped {
            return scale;
        }
        for spring in self.springs.iter().filter(|s| s.damping > 0.0) {
            let w = spring.relative_velocity(v);
            let rate = spring.damping + spring.cubic_damping() * norm(w).powi(2);
            scale += Springs::apply(spring, w.map(|w| -rate * w), f);
        }
        scale
    }

    fn add_damping(&mut self, _x: &Configuration, v: &[[f64; 3]], d: &mut [Block]) {
        for (spring, slots) in self
            .springs
            .iter()
            .zip(&self.slots)
            .filter(|(s, _)| s.damping > 0.0)
        {
            let w = spring.relative_velocity(v);
            let cubic = spring.cubic_damping();
            let block = block(spring.damping + cubic * norm(w).powi(2), 2.0 * cubic, w);
            Springs::scatter(slots, spring, &block, d);
        }
    }
}
