//! Penalty contact: repulsion springs between vertices and surfaces [Dinev et al. 2018, eq. 38].
//!
//! The energy is Σ stiffness · area · R(g) with the [`Repulsion`] R of the gap g. It is finite for every state: surfaces may
//! overlap, no path is checked, and every method and local/global iterations can carry it. Friction and restitution are
//! impulses after the step ([`PenaltyContact::apply_impulses`]).
//!
//! Gaps from smooth obstacles are evaluated wherever the vertices are. Springs between vertices and triangles of bodies and mesh
//! obstacles are found once, at the start of the step, and keep their normals and closest points; what the energy changes when
//! they are found anew is booked as contact. The paper finds all springs once a step, for vertices inside an obstacle only.

mod impulses;
mod report;

pub use impulses::{ImpulseStep, inverse_mass};

use contact::collision::Range;
use contact::penalty::{Repulsion, SignedSurfaces, Spring, SpringRange, SpringSearch};
use contact::{CollisionSurface, Point};
use march::Curvature;
use mesh::vector::dot;

use super::obstacles::{Obstacles, SmoothContact};
use super::{BarrierSettings, ContactDescription, ContactReport, FrictionCoefficients};
use crate::blocks::{Block, BlockPattern, Slot, add_block};
use crate::potential::{Configuration, Dissipation, NodeRow, Potential, Stencils};
use impulses::Impulses;

/// Repulsion springs of all contacts of a model.
pub struct PenaltyContact {
    settings: BarrierSettings,
    law: Repulsion,
    restitution: f64,
    friction: FrictionCoefficients,
    surfaces: CollisionSurface,
    signed: SignedSurfaces,
    names: Vec<String>,
    obstacles: Obstacles,
    /// Number of nodes of the model.
    nodes: usize,
    search: SpringSearch,
    /// Whether vertices can touch triangles at all.
    has_springs: bool,
    /// Springs of the step, and a buffer for the next ones.
    springs: Vec<Spring>,
    found: Vec<Spring>,
    /// Time and positions of the last evaluation.
    t: f64,
    x: Vec<Point>,
    placed: bool,
    /// Vertices within reach of smooth obstacles at these positions.
    smooth: Vec<SmoothContact>,
    /// Springs that acted when pairs were announced last.
    active: Vec<u32>,
    /// Static diagonal block of each node, and the blocks of the pairs of the active springs.
    diagonal: Vec<Slot>,
    slots: Vec<Slot>,
    velocities: Vec<Point>,
    /// Time of the last search, s, and the change of the energy by it, J.
    frozen_at: f64,
    change: f64,
    impulses: Impulses,
}

impl PenaltyContact {
    /// Creates the potential for a model with these rest positions. Friction needs the coefficients of the description only;
    /// `restitution` is 1 for elastic contact.
    pub fn new(
        description: ContactDescription,
        restitution: f64,
        rest: &[Point],
    ) -> PenaltyContact {
        let ContactDescription {
            mut surfaces,
            names,
            mut obstacles,
            ignored,
            settings,
            friction,
        } = description;
        // Smooth shapes act on vertices by their distance. Their points, which keep the triangles of bodies away from barriers,
        // would be springs that are found once a step and would change the energy.
        for obstacle in obstacles.iter_mut().filter(|o| o.shape.is_some()) {
            obstacle.points.clear();
            obstacle.edges.clear();
            obstacle.triangles.clear();
        }
        let groups = &surfaces.primitives.groups;
        let bodies = groups.iter().map(|g| g + 1).max().unwrap_or(0);
        let obstacles = Obstacles::new(obstacles, rest.len(), &mut surfaces);
        let mut x = vec![[0.0; 3]; surfaces.primitives.groups.len()];
        x[..rest.len()].copy_from_slice(rest);
        obstacles.points_at(0.0, &mut x);
        let reach = settings.barrier.reach();
        let range = SpringRange {
            reach,
            thickness: settings.thickness,
        };
        let self_contact = settings.self_contact;
        let search = SpringSearch::new(&surfaces, &x, range, self_contact, bodies, ignored);
        let several = surfaces
            .primitives
            .groups
            .iter()
            .any(|g| *g != groups_first(&surfaces));
        PenaltyContact {
            law: Repulsion::new(reach),
            restitution,
            friction: friction.coefficients,
            signed: SignedSurfaces::new(&surfaces),
            has_springs: several || self_contact,
            search,
            settings,
            surfaces,
            names,
            obstacles,
            nodes: rest.len(),
            springs: Vec::new(),
            found: Vec::new(),
            t: f64::NAN,
            x,
            placed: false,
            smooth: Vec::new(),
            active: Vec::new(),
            diagonal: Vec::new(),
            slots: Vec::new(),
            velocities: Vec::new(),
            frozen_at: f64::NAN,
            change: 0.0,
            impulses: Impulses::default(),
        }
    }

    fn range(&self) -> Range {
        Range {
            reach: self.law.reach(),
            thickness: self.settings.thickness,
        }
    }

    /// Moves all points to a configuration and finds the vertices within reach of smooth obstacles, unless they are known.
    fn place(&mut self, x: &Configuration) {
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
        let search = &self.search;
        let ignored = |a, b| search.ignores(a, b) || search.is_waiting(a);
        self.obstacles
            .collect(&self.surfaces, &self.x, range, ignored, &mut self.smooth);
    }

    /// Calls `visit` with the number, the spring and its gap for all springs that act at the positions of the last
    /// [`PenaltyContact::place`].
    fn each_active(&self, mut visit: impl FnMut(usize, &Spring, f64)) {
        for (number, spring) in self.springs.iter().enumerate() {
            let gap = spring.gap(&self.x);
            if gap < self.law.reach() {
                visit(number, spring, gap);
            }
        }
    }

    /// Energy at the positions of the last [`PenaltyContact::place`], J.
    fn placed_energy(&self) -> f64 {
        let mut sum = 0.0;
        self.each_active(|_, s, gap| sum += s.area * self.law.derivatives(gap)[0]);
        for c in &self.smooth {
            sum += c.weight * self.law.derivatives(c.gap)[0];
        }
        self.settings.stiffness * sum
    }

    /// Adds the forces of all contacts to the nodes; returns the sum of their squares.
    fn add_forces(&self, f: &mut [[f64; 3]]) -> f64 {
        let k = self.settings.stiffness;
        let mut squares = 0.0;
        self.each_active(|_, spring, gap| {
            let push = -k * spring.area * self.law.derivatives(gap)[1];
            for (i, w) in spring.ends().filter(|(i, _)| *i < self.nodes) {
                for axis in 0..3 {
                    f[i][axis] += push * w * spring.normal[axis];
                }
                squares += (push * w).powi(2);
            }
        });
        for c in &self.smooth {
            let push = -k * c.weight * self.law.derivatives(c.gap)[1];
            for axis in 0..3 {
                f[c.node as usize][axis] += push * c.normal[axis];
            }
            squares += push * push;
        }
        squares
    }

    /// Velocities of all points: those of the nodes, and those of the obstacles at the time of the last evaluation.
    fn point_velocities(&mut self, v: Option<&[Point]>) {
        self.velocities.resize(self.x.len(), [0.0; 3]);
        match v {
            Some(v) => self.velocities[..self.nodes].copy_from_slice(v),
            None => self.velocities[..self.nodes].fill([0.0; 3]),
        }
        self.obstacles
            .point_velocities(self.t, &mut self.velocities);
    }
}

/// Group of the first point; 0 without points.
fn groups_first(surfaces: &CollisionSurface) -> u32 {
    surfaces.primitives.groups.first().copied().unwrap_or(0)
}

/// Pairs of the ends of a spring that are nodes.
fn node_pairs(s: &Spring, nodes: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
    let is_node = move |p: &usize| (s.points[*p] as usize) < nodes;
    (1..4)
        .filter(is_node)
        .flat_map(move |p| (0..p).filter(is_node).map(move |q| (p, q)))
}

/// n nᵀ times a factor.
fn dyad(factor: f64, n: Point) -> Block {
    std::array::from_fn(|e| factor * n[e / 3] * n[e % 3])
}

impl Stencils for PenaltyContact {
    fn append_pairs(&self, _pairs: &mut Vec<(u32, u32)>) {}

    fn changes_stencils(&self) -> bool {
        self.has_springs
    }

    fn bind_diagonal(&mut self, pattern: &BlockPattern) {
        let nodes = 0..self.nodes as u32;
        self.diagonal = nodes.map(|i| pattern.slot(i, i)).collect();
    }

    fn active_pairs(&mut self, x: &Configuration, pairs: &mut Vec<(u32, u32)>) {
        self.place(x);
        let mut active = std::mem::take(&mut self.active);
        active.clear();
        self.each_active(|number, spring, _| {
            active.push(number as u32);
            let both = node_pairs(spring, self.nodes);
            pairs.extend(both.map(|(p, q)| (spring.points[p], spring.points[q])));
        });
        self.active = active;
    }

    fn bind(&mut self, pattern: &BlockPattern) {
        if !self.has_springs {
            return self.bind_diagonal(pattern);
        }
        self.slots.clear();
        for &number in &self.active {
            let spring = &self.springs[number as usize];
            let both = node_pairs(spring, self.nodes);
            self.slots
                .extend(both.map(|(p, q)| pattern.slot(spring.points[p], spring.points[q])));
        }
    }
}

impl Dissipation for PenaltyContact {}

impl Potential for PenaltyContact {
    fn contact(&mut self) -> Option<&mut dyn ContactReport> {
        Some(self)
    }

    fn penalty(&mut self) -> Option<&mut PenaltyContact> {
        Some(self)
    }

    fn energy(&mut self, x: &Configuration) -> f64 {
        self.place(x);
        self.placed_energy()
    }

    fn add_force(&mut self, x: &Configuration, f: &mut [[f64; 3]]) -> f64 {
        self.place(x);
        self.add_forces(f)
    }

    fn add_stiffness(&mut self, x: &Configuration, factor: f64, c: Curvature, k: &mut [Block]) {
        self.place(x);
        let scale = factor * self.settings.stiffness;
        let mut slots = self.slots.iter();
        for &number in &self.active {
            let spring = &self.springs[number as usize];
            let second = scale * spring.area * self.law.derivatives(spring.gap(&self.x))[2];
            for (i, w) in spring.ends().filter(|(i, _)| *i < self.nodes) {
                let slot = self.diagonal[i];
                add_block(
                    &mut k[slot.index()],
                    slot,
                    &dyad(second * w * w, spring.normal),
                );
            }
            for ((p, q), &slot) in node_pairs(spring, self.nodes).zip(&mut slots) {
                let both = spring.weights[p] * spring.weights[q];
                add_block(
                    &mut k[slot.index()],
                    slot,
                    &dyad(second * both, spring.normal),
                );
            }
        }
        for contact in &self.smooth {
            let slot = self.diagonal[contact.node as usize];
            let block = contact.stiffness(self.law.derivatives(contact.gap), c);
            add_block(&mut k[slot.index()], slot, &block.map(|h| scale * h));
        }
    }

    fn is_projective(&self) -> bool {
        true
    }

    fn has_stiff_rows(&self) -> bool {
        true
    }

    fn stiff_rows(&mut self, x: &Configuration, out: &mut Vec<NodeRow>) {
        self.place(x);
        let k = self.settings.stiffness;
        self.each_active(|_, spring, gap| {
            let mut nodes = [(0, 0.0); 4];
            for ((i, w), to) in spring
                .ends()
                .filter(|(i, _)| *i < self.nodes)
                .zip(&mut nodes)
            {
                *to = (i as u32, w);
            }
            out.push(NodeRow {
                nodes,
                normal: spring.normal,
                stiffness: k * spring.area * self.law.derivatives(gap)[2],
            });
        });
        out.extend(self.smooth.iter().map(|c| NodeRow {
            nodes: [(c.node, 1.0), (0, 0.0), (0, 0.0), (0, 0.0)],
            normal: c.normal,
            stiffness: k * c.weight * self.law.derivatives(c.gap)[2],
        }));
    }

    fn freeze(&mut self, x: &Configuration) -> bool {
        if !self.has_springs {
            return false;
        }
        self.place(x);
        let mut found = std::mem::take(&mut self.found);
        self.search
            .find(&self.surfaces, &self.signed, &self.x, &mut found);
        // A second search at the same state finds the same springs and leaves the change of the first.
        if self.frozen_at != x.t {
            (self.frozen_at, self.change) = (x.t, 0.0);
        }
        if found != self.springs {
            let before = self.placed_energy();
            std::mem::swap(&mut found, &mut self.springs);
            self.active.clear();
            self.slots.clear();
            self.change = self.placed_energy() - before;
        }
        self.found = found;
        true
    }

    fn energy_change_of_freeze(&self) -> f64 {
        self.change
    }

    fn next_kink(&self, t: f64) -> f64 {
        self.obstacles.next_kink(t)
    }

    fn anchor_power(&mut self, x: &Configuration) -> f64 {
        if !self.obstacles.move_at_all() {
            return 0.0;
        }
        self.place(x);
        self.point_velocities(None);
        let k = self.settings.stiffness;
        let mut power = 0.0;
        self.each_active(|_, spring, gap| {
            let rate = dot(spring.normal, spring.separation(&self.velocities));
            power += k * spring.area * self.law.derivatives(gap)[1] * rate;
        });
        for c in &self.smooth {
            let place = self.x[c.node as usize];
            let [v, _] = self
                .obstacles
                .smooth_velocity(c.group, self.t, place, c.normal);
            power -= k * c.weight * self.law.derivatives(c.gap)[1] * dot(c.normal, v);
        }
        power
    }

    fn add_force_rate(&mut self, x: &Configuration, rate: &mut [[f64; 3]]) {
        if !self.obstacles.move_at_all() {
            return;
        }
        self.place(x);
        self.point_velocities(None);
        let k = self.settings.stiffness;
        self.each_active(|_, spring, gap| {
            let closing = dot(spring.normal, spring.separation(&self.velocities));
            let push = -k * spring.area * self.law.derivatives(gap)[2] * closing;
            for (i, w) in spring.ends().filter(|(i, _)| *i < self.nodes) {
                for axis in 0..3 {
                    rate[i][axis] += push * w * spring.normal[axis];
                }
            }
        });
        for c in &self.smooth {
            let b = self.law.derivatives(c.gap);
            let place = self.x[c.node as usize];
            let [v, turning] = self
                .obstacles
                .smooth_velocity(c.group, self.t, place, c.normal);
            let block = c.stiffness(b, Curvature::Exact);
            for axis in 0..3 {
                let along: f64 = (0..3).map(|j| block[3 * axis + j] * v[j]).sum();
                rate[c.node as usize][axis] += k * (along - c.weight * b[1] * turning[axis]);
            }
        }
    }

    fn set_waiting(&mut self, group: u32, waits: bool) {
        if self.search.is_waiting(group) != waits {
            self.search.set_waiting(group, waits);
            self.placed = false;
        }
    }

    fn save(&self, out: &mut Vec<u8>) {
        self.impulses.save(out);
    }

    fn load(&mut self, saved: &mut &[u8]) -> bool {
        self.impulses.load(saved, self.nodes)
    }
}
