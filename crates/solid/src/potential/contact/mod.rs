//! Barrier contact: bodies, obstacles and a body with itself are kept apart by a potential that is infinite at contact.
//!
//! The energy is Σ stiffness · area · B(d − offset) over the stencils of [`contact::collision`] and over vertices near smooth
//! obstacles, with a barrier function B of finite reach [Li et al. 2020; Ascher et al. 2021, eq. 28 with E21 of
//! docs/references.md]. No state with d ≤ offset is admissible: [`Potential::max_step`] finds the free part of every path by
//! continuous collision detection, so that a solver that follows free paths never lets surfaces pass through each other.
//!
//! Points are numbered like the nodes of the model; points of obstacles that are meshes follow them. Stencils do not depend on
//! which superset of candidates the broad phase returned, so results do not depend on earlier evaluations.

mod areas;
mod friction;
mod obstacles;
mod parts;
mod paths;
mod penalty;
mod report;
mod settle;
mod stencil;

pub use friction::{
    FrictionCoefficients, FrictionMode, FrictionPowers, FrictionSettings, SmoothedCoulomb,
};
pub use obstacles::{MovingObstacle, ObstacleShape, Obstacles};
pub use penalty::{ImpulseStep, PenaltyContact, inverse_mass};
pub use report::{ContactCounts, ContactReport, PairContact};

use contact::collision::{Collision, Incidence, NO_POINT, Range, SurfacesAt};
use contact::search::Search;
use contact::{Barrier, CollisionSurface, Point};
use march::Curvature;

use super::{Configuration, Dissipation, Potential, Stencils};
use crate::blocks::{Block, BlockPattern, Slot, add_block};
use friction::Friction;
use obstacles::SmoothContact;

/// Settings of the barrier.
#[derive(Clone, Copy, Debug)]
pub struct BarrierSettings {
    /// Barrier function with its reach.
    pub barrier: Barrier,
    /// Pressure at half the reach, Pa.
    pub stiffness: f64,
    /// Distance that is kept between surfaces, m.
    pub thickness: f64,
    /// Whether bodies touch themselves.
    pub self_contact: bool,
}

/// Input of [`BarrierContact::new`].
#[derive(Clone, Debug)]
pub struct ContactDescription {
    /// Surfaces of the bodies; points are nodes of the model.
    pub surfaces: CollisionSurface,
    /// Names of the bodies and obstacles, by group.
    pub names: Vec<String>,
    /// Obstacles; their groups follow those of the bodies.
    pub obstacles: Vec<MovingObstacle>,
    /// Pairs of groups that do not touch.
    pub ignored: Vec<[u32; 2]>,
    /// Settings of the barrier.
    pub settings: BarrierSettings,
    /// Settings of friction.
    pub friction: FrictionSettings,
}

/// Barrier potential of all contacts of a model.
pub struct BarrierContact {
    settings: BarrierSettings,
    /// Friction; `None` if no pair has any.
    friction: Option<Box<Friction>>,
    surfaces: CollisionSurface,
    incidence: Incidence,
    names: Vec<String>,
    obstacles: Obstacles,
    /// Number of nodes of the model.
    nodes: usize,
    search: Search,
    /// Time and positions of the last evaluation.
    t: f64,
    x: Vec<Point>,
    placed: bool,
    /// Stencils and smooth contacts at these positions.
    collisions: Vec<Collision>,
    smooth: Vec<SmoothContact>,
    /// Static diagonal block of each node.
    diagonal: Vec<Slot>,
    /// Blocks of the pairs of nodes of each collision, in the order of [`node_pairs`].
    slots: Vec<Slot>,
    paths: paths::PathBuffers,
    /// Velocities of the points of obstacles.
    velocities: Vec<Point>,
    /// Direction from each point to its nearest contact, and its distance.
    directions: Vec<Point>,
    nearest: Vec<f64>,
    /// Change of the energy when contact areas were updated last, J.
    area_change: f64,
}

impl BarrierContact {
    /// Creates the potential for a model with these rest positions.
    pub fn new(description: ContactDescription, rest: &[Point]) -> BarrierContact {
        let ContactDescription {
            mut surfaces,
            names,
            obstacles,
            ignored,
            settings,
            friction,
        } = description;
        let obstacles = Obstacles::new(obstacles, rest.len(), &mut surfaces);
        let p = &surfaces.primitives;
        let incidence = Incidence::new(p.groups.len(), &p.triangles, &p.edges);
        let search = Search::new(
            &surfaces,
            settings.barrier.reach(),
            settings.self_contact,
            ignored,
        );
        BarrierContact {
            x: vec![[0.0; 3]; surfaces.primitives.groups.len()],
            nodes: rest.len(),
            friction: (friction.coefficients.any())
                .then(|| Box::new(Friction::new(friction, rest.len()))),
            settings,
            surfaces,
            incidence,
            names,
            obstacles,
            search,
            t: f64::NAN,
            placed: false,
            collisions: Vec::new(),
            smooth: Vec::new(),
            diagonal: Vec::new(),
            slots: Vec::new(),
            paths: paths::PathBuffers::default(),
            velocities: Vec::new(),
            directions: Vec::new(),
            nearest: Vec::new(),
            area_change: 0.0,
        }
    }

    fn range(&self) -> Range {
        Range {
            reach: self.settings.barrier.reach(),
            thickness: self.settings.thickness,
        }
    }

    /// Finds the stencils at a configuration, unless they are those of the last one.
    fn find(&mut self, x: &Configuration) {
        let mut changed = !self.placed || self.t != x.t;
        for (i, place) in self.x[..self.nodes].iter_mut().enumerate() {
            let now = x.position(i);
            changed |= *place != now;
            *place = now;
        }
        if !changed {
            return;
        }
        self.obstacles.place(x.t, &mut self.x);
        (self.t, self.placed) = (x.t, true);
        let range = self.range();
        self.search.update(&self.surfaces, &self.x, range);
        let at = SurfacesAt {
            surfaces: &self.surfaces,
            incidence: &self.incidence,
            x: &self.x,
            range,
        };
        self.search.collect(&at, &mut self.collisions);
        let ignored = |a, b| self.search.ignores(a, b);
        self.obstacles
            .collect(&self.surfaces, &self.x, range, ignored, &mut self.smooth);
    }

    /// Adds the forces of all contacts to the nodes; returns the sum of their squares.
    fn add_forces(&self, f: &mut [[f64; 3]]) -> f64 {
        let (k, barrier) = (self.settings.stiffness, &self.settings.barrier);
        let mut squares = 0.0;
        for c in &self.collisions {
            let force = stencil::force(c, barrier, &stencil::gather(c, &self.x));
            for (p, &i) in c.points.iter().enumerate() {
                if (i as usize) < self.nodes {
                    for axis in 0..3 {
                        let part = k * force[3 * p + axis];
                        f[i as usize][axis] += part;
                        squares += part * part;
                    }
                }
            }
        }
        for c in &self.smooth {
            let push = -k * c.weight * barrier.derivatives(c.gap)[1];
            for axis in 0..3 {
                f[c.node as usize][axis] += push * c.normal[axis];
            }
            squares += push * push;
        }
        squares
    }
}

/// Pairs (p, q), p > q, of the points of a stencil that are nodes.
fn node_pairs(c: &Collision, nodes: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
    let is_node = move |p: &usize| (c.points[*p] as usize) < nodes;
    (1..4)
        .filter(is_node)
        .flat_map(move |p| (0..p).filter(is_node).map(move |q| (p, q)))
}

impl Stencils for BarrierContact {
    fn append_pairs(&self, _pairs: &mut Vec<(u32, u32)>) {}

    fn changes_stencils(&self) -> bool {
        true
    }

    fn bind_diagonal(&mut self, pattern: &BlockPattern) {
        let nodes = 0..self.nodes as u32;
        self.diagonal = nodes.map(|i| pattern.slot(i, i)).collect();
    }

    fn active_pairs(&mut self, x: &Configuration, pairs: &mut Vec<(u32, u32)>) {
        self.find(x);
        for c in &self.collisions {
            pairs.extend(node_pairs(c, self.nodes).map(|(p, q)| (c.points[p], c.points[q])));
        }
        if let Some(friction) = &self.friction {
            friction.append_pairs(pairs);
        }
    }

    fn bind(&mut self, pattern: &BlockPattern) {
        self.slots.clear();
        for c in &self.collisions {
            let slots =
                node_pairs(c, self.nodes).map(|(p, q)| pattern.slot(c.points[p], c.points[q]));
            self.slots.extend(slots);
        }
        if let Some(friction) = &mut self.friction {
            friction.bind(pattern);
        }
    }
}

impl Dissipation for BarrierContact {
    fn has_dampers(&self) -> bool {
        self.friction.is_some()
    }

    fn dampers_depend_on_positions(&self) -> bool {
        self.friction_is_implicit()
    }

    fn has_friction(&self) -> bool {
        self.friction.is_some()
    }

    fn lag_dampers(&mut self, x: &Configuration) {
        if self.friction_is_implicit() {
            self.lag_friction(x);
        }
    }

    fn relax_dampers(&mut self, factor: f64) {
        if let Some(friction) = &mut self.friction {
            friction.relax(factor);
        }
    }

    fn freeze_dampers(&mut self, x: &Configuration) -> bool {
        let freezes = self.friction.is_some() && !self.friction_is_implicit();
        if freezes {
            self.lag_friction(x);
        }
        freezes
    }

    fn dissipation(&mut self, x: &Configuration, v: &[Point]) -> f64 {
        let friction = self.friction_at(x.t);
        friction.map_or(0.0, |f| f.dissipation(v))
    }

    fn add_damping_force(&mut self, x: &Configuration, v: &[Point], f: &mut [Point]) -> f64 {
        let friction = self.friction_at(x.t);
        friction.map_or(0.0, |friction| friction.add_force(v, f))
    }

    fn add_damping(&mut self, x: &Configuration, v: &[Point], d: &mut [Block]) {
        self.friction_at(x.t);
        if let Some(friction) = &self.friction {
            friction.add_matrix(v, &self.diagonal, d);
        }
    }

    fn friction_powers(&mut self, x: &Configuration, v: &[Point]) -> FrictionPowers {
        let friction = self.friction_at(x.t);
        friction.map_or_else(FrictionPowers::default, |f| f.powers(v))
    }
}

impl Potential for BarrierContact {
    fn contact(&mut self) -> Option<&mut dyn ContactReport> {
        Some(self)
    }

    fn barrier(&mut self) -> Option<&mut BarrierContact> {
        Some(self)
    }

    fn frictionless_barrier_acts(&self) -> bool {
        self.friction.is_none() && !(self.collisions.is_empty() && self.smooth.is_empty())
    }

    fn energy(&mut self, x: &Configuration) -> f64 {
        self.find(x);
        let barrier = &self.settings.barrier;
        let mut sum = 0.0;
        for c in &self.collisions {
            sum += stencil::energy(c, barrier, &stencil::gather(c, &self.x));
        }
        for c in &self.smooth {
            sum += c.weight * barrier.value(c.gap);
        }
        // Corrections of infinite terms are infinite too.
        if sum.is_nan() {
            f64::INFINITY
        } else {
            self.settings.stiffness * sum
        }
    }

    fn forbids(&self) -> bool {
        true
    }

    fn max_step(&mut self, from: &Configuration, to: &Configuration) -> f64 {
        self.free_fraction(from, to).0
    }

    fn limit_parts(
        &mut self,
        from: &Configuration,
        to: &Configuration,
        fractions: &mut [f64],
    ) -> bool {
        self.limit_fractions(from, to, fractions)
    }

    fn settle_nodes(
        &mut self,
        from: &Configuration,
        end: &mut [Point],
        resistance: &[Point],
    ) -> bool {
        self.settle_at_obstacles(from, end, resistance)
    }

    fn free_radius(&mut self, x: &Configuration) -> f64 {
        self.least_free_radius(x)
    }

    fn add_force(&mut self, x: &Configuration, f: &mut [[f64; 3]]) -> f64 {
        self.find(x);
        self.add_forces(f)
    }

    fn add_stiffness(&mut self, x: &Configuration, factor: f64, c: Curvature, k: &mut [Block]) {
        self.find(x);
        let scale = factor * self.settings.stiffness;
        let barrier = self.settings.barrier;
        let mut hessian = [[0.0; 12]; 12];
        let mut slots = self.slots.iter();
        for collision in &self.collisions {
            let place = stencil::gather(collision, &self.x);
            stencil::stiffness(collision, &barrier, &place, c, &mut hessian);
            let block = |p: usize, q: usize| -> Block {
                std::array::from_fn(|e| scale * hessian[3 * p + e / 3][3 * q + e % 3])
            };
            for (p, &i) in collision.points.iter().enumerate() {
                if (i as usize) < self.nodes {
                    let slot = self.diagonal[i as usize];
                    add_block(&mut k[slot.index()], slot, &block(p, p));
                }
            }
            for ((p, q), &slot) in node_pairs(collision, self.nodes).zip(&mut slots) {
                add_block(&mut k[slot.index()], slot, &block(p, q));
            }
        }
        for contact in &self.smooth {
            let slot = self.diagonal[contact.node as usize];
            let block = contact
                .stiffness(barrier.derivatives(contact.gap), c)
                .map(|h| scale * h);
            add_block(&mut k[slot.index()], slot, &block);
        }
    }

    fn set_waiting(&mut self, group: u32, waits: bool) {
        self.search.set_waiting(group, waits);
        self.placed = false;
    }

    fn freeze(&mut self, x: &Configuration) -> bool {
        let before = self.energy(x);
        let changed = self.update_areas(x);
        self.area_change = if changed {
            self.energy(x) - before
        } else {
            0.0
        };
        changed
    }

    fn energy_change_of_freeze(&self) -> f64 {
        self.area_change
    }

    /// The centre of the candidates: a resumed run searches where the run would have searched.
    fn save(&self, out: &mut Vec<u8>) {
        // Writing plain numbers to memory cannot fail.
        out.extend(postcard::to_allocvec(&self.search.centre()).unwrap_or_default());
    }

    fn load(&mut self, saved: &mut &[u8]) -> bool {
        let Ok((centre, rest)) = postcard::take_from_bytes::<Option<Vec<Point>>>(saved) else {
            return false;
        };
        *saved = rest;
        self.placed = false;
        let range = self.range();
        self.search
            .restore(&self.surfaces, centre.as_deref(), range)
    }

    fn next_kink(&self, t: f64) -> f64 {
        self.obstacles.next_kink(t)
    }

    fn anchor_power(&mut self, x: &Configuration) -> f64 {
        if !self.obstacles.move_at_all() {
            return 0.0;
        }
        self.find(x);
        self.obstacle_power()
    }

    fn add_force_rate(&mut self, x: &Configuration, rate: &mut [[f64; 3]]) {
        if self.obstacles.move_at_all() {
            self.find(x);
            self.add_obstacle_force_rate(rate);
        }
    }
}

/// Whether a point of a stencil is used.
fn is_used(point: u32) -> bool {
    point != NO_POINT
}
