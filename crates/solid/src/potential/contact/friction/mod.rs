//! Smoothed Coulomb friction of barrier contacts as a dissipation potential.
//!
//! Every contact has a normal force N, a normal n and weights w of its points, evaluated at some positions, the lag. With
//! the sliding velocity v_t = (I − n nᵀ) Σ w v of the two surfaces at their closest points, obstacles in motion included,
//! the dissipation function is R(v) = Σ μ N S(|v_t|) [Ascher et al. 2021, eqs. 29–34; Li et al. 2020, §5.5] with the law of
//! [`SmoothedCoulomb`]. For a fixed lag R is convex and depends on velocities only, so it is part of the potential that a
//! stage minimises.
//!
//! What we changed: R depends on the velocity v₀ + c_v a of the stage, not on the displacement over a step, so friction has
//! the order of the method. Normal forces, normals and weights are evaluated again at the solution of the stage until the
//! friction force stands still ([`FrictionMode::Implicit`]); with [`FrictionMode::Lagged`] they are those of the start of
//! the step.
//!
//! Stencils that correct a double count have a negative weight. They have no friction of their own; the positive stencils of
//! the same vertex and surface share the normal force that is left, so that no contact adds energy.

mod contacts;
mod law;
mod settings;

pub use law::SmoothedCoulomb;
pub use settings::{FrictionCoefficients, FrictionMode, FrictionSettings};

use contact::Point;
use contact::collision::NO_POINT;
use mesh::vector::{add, dot, norm, scale, sub};

use crate::blocks::{Block, BlockPattern, Slot, add_block};
pub(super) use contacts::FrictionContact;

/// Powers of friction, W.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FrictionPowers {
    /// Power at the sliding velocities; never positive.
    pub dissipated: f64,
    /// Power of the friction forces that moving obstacles exert, at the velocities of the obstacles.
    pub obstacles: f64,
}

/// Friction of all contacts at its lag.
pub(super) struct Friction {
    pub settings: FrictionSettings,
    /// Contacts at the lag, ascending by their points.
    contacts: Vec<FrictionContact>,
    /// Contacts at the lag before.
    before: Vec<FrictionContact>,
    /// Time of the velocities of obstacles.
    t: f64,
    /// Blocks of the pairs of nodes of each contact, in the order of [`FrictionContact::node_pairs`].
    slots: Vec<Slot>,
    nodes: usize,
}

impl Friction {
    /// Creates friction without contacts for a model with this number of nodes.
    pub fn new(settings: FrictionSettings, nodes: usize) -> Friction {
        Friction {
            settings,
            contacts: Vec::new(),
            before: Vec::new(),
            t: f64::NAN,
            slots: Vec::new(),
            nodes,
        }
    }

    /// Sliding velocity of a contact at these velocities of the nodes, m/s.
    fn sliding(&self, c: &FrictionContact, v: &[Point]) -> Point {
        let mut relative = c.drift;
        for (&i, &w) in c.points.iter().zip(&c.weights) {
            if (i as usize) < self.nodes {
                relative = add(relative, scale(w, v[i as usize]));
            }
        }
        sub(relative, scale(dot(c.normal, relative), c.normal))
    }

    /// Dissipation function R, W.
    pub fn dissipation(&self, v: &[Point]) -> f64 {
        let law = self.settings.law;
        let one = |c: &FrictionContact| c.bound * law.dissipation(norm(self.sliding(c, v)));
        self.contacts.iter().map(one).sum()
    }

    /// Adds the friction forces −∂R/∂v on the nodes; returns the sum of their squares.
    pub fn add_force(&self, v: &[Point], f: &mut [Point]) -> f64 {
        let contacts = self.contacts.iter();
        contacts.map(|c| self.add_one(c, v, f)).sum()
    }

    fn add_one(&self, c: &FrictionContact, v: &[Point], f: &mut [Point]) -> f64 {
        let sliding = self.sliding(c, v);
        let ratio = c.bound * self.settings.law.force_over_speed(norm(sliding));
        let mut squares = 0.0;
        for (&i, &w) in c.points.iter().zip(&c.weights) {
            if (i as usize) < self.nodes {
                let part = scale(-w * ratio, sliding);
                f[i as usize] = add(f[i as usize], part);
                squares += dot(part, part);
            }
        }
        squares
    }

    /// Adds −∂f/∂v = ∂²R/∂v² to the blocks; `diagonal` has the static diagonal block of each node.
    pub fn add_matrix(&self, v: &[Point], diagonal: &[Slot], d: &mut [Block]) {
        let mut slots = self.slots.iter();
        for c in &self.contacts {
            let second = self.second_derivative(c, v);
            let block = |p: usize, q: usize| second.map(|x| c.weights[p] * c.weights[q] * x);
            for (p, &i) in c.points.iter().enumerate() {
                if (i as usize) < self.nodes {
                    let slot = diagonal[i as usize];
                    add_block(&mut d[slot.index()], slot, &block(p, p));
                }
            }
            for ((p, q), &slot) in c.node_pairs(self.nodes).zip(&mut slots) {
                add_block(&mut d[slot.index()], slot, &block(p, q));
            }
        }
    }

    /// Second derivative of μ N S(|v_t|) with respect to the relative velocity: across the sliding direction t the ratio
    /// s/y, along it the slope s′.
    fn second_derivative(&self, c: &FrictionContact, v: &[Point]) -> Block {
        let sliding = self.sliding(c, v);
        let speed = norm(sliding);
        let law = self.settings.law;
        let across = c.bound * law.force_over_speed(speed);
        let along = c.bound * law.slope(speed);
        let t = match speed > 0.0 {
            true => scale(1.0 / speed, sliding),
            false => [0.0; 3],
        };
        let n = c.normal;
        std::array::from_fn(|e| {
            let (i, j) = (e / 3, e % 3);
            let identity = f64::from(u8::from(i == j));
            across * (identity - n[i] * n[j]) + (along - across) * t[i] * t[j]
        })
    }

    /// Powers of the friction forces on the nodes: at the sliding velocities, and of the obstacles.
    pub fn powers(&self, v: &[Point]) -> FrictionPowers {
        let mut powers = FrictionPowers::default();
        for c in &self.contacts {
            let sliding = self.sliding(c, v);
            let speed = norm(sliding);
            powers.dissipated -= c.bound * self.settings.law.force(speed) * speed;
            let ratio = c.bound * self.settings.law.force_over_speed(speed);
            powers.obstacles += ratio * dot(sliding, c.drift);
        }
        powers
    }

    /// Calls `visit` with every contact, its sliding speed and the friction force on its first side.
    pub fn each_force(&self, v: &[Point], mut visit: impl FnMut(&FrictionContact, f64, Point)) {
        for c in &self.contacts {
            let sliding = self.sliding(c, v);
            let speed = norm(sliding);
            let ratio = c.bound * self.settings.law.force_over_speed(speed);
            visit(c, speed, scale(-ratio, sliding));
        }
    }

    /// Appends the pairs of nodes that friction couples.
    pub fn append_pairs(&self, pairs: &mut Vec<(u32, u32)>) {
        for c in &self.contacts {
            pairs.extend(
                c.node_pairs(self.nodes)
                    .map(|(p, q)| (c.points[p], c.points[q])),
            );
        }
    }

    /// Looks up the blocks of these pairs.
    pub fn bind(&mut self, pattern: &BlockPattern) {
        self.slots.clear();
        for c in &self.contacts {
            let pairs = c.node_pairs(self.nodes);
            self.slots
                .extend(pairs.map(|(p, q)| pattern.slot(c.points[p], c.points[q])));
        }
    }

    /// Moves the lag only a fraction of the way from the one before: bounds of contacts that both have are mixed, those of
    /// the others reduced.
    pub fn relax(&mut self, factor: f64) {
        for c in &mut self.contacts {
            let key = FrictionContact::key;
            let found = self.before.binary_search_by_key(&key(c), key);
            let before = found.map_or(0.0, |at| self.before[at].bound);
            c.bound = before + factor * (c.bound - before);
        }
        let new = self.contacts.len();
        for c in &self.before {
            let known = self.contacts[..new].binary_search_by_key(&c.key(), FrictionContact::key);
            if known.is_err() && c.bound > 0.0 {
                self.contacts.push(FrictionContact {
                    bound: (1.0 - factor) * c.bound,
                    ..*c
                });
            }
        }
        self.contacts.sort_unstable_by_key(FrictionContact::key);
    }
}

/// Whether a point of a contact is used.
fn is_used(point: u32) -> bool {
    point != NO_POINT
}
