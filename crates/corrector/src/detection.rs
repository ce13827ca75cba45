//! Points of contact of a step: vertices against obstacles, against triangles of other bodies, and the other way round.
//!
//! Geometry is that of the start of the step [Löschner et al. 2020, eq. 19: G = G(tⁿ)]. Searches for points that could touch
//! within the step use boxes around the predicted paths, wider by the longest of them, because a correction can move a vertex
//! about as far as it was predicted to move.

use contact::broad::{BroadPhase, Candidates};
use contact::obstacle::{Frame, Obstacle};
use contact::{CollisionSurface, Point};
use march::{ContactImpulse, ContactPoint, ContactSearch, NO_UNKNOWN};
use mesh::vector::{add, cross, dot, norm, scale, sub};
use solid::model::{NodeContact, NodeStep};
use solid::potential::contact::{
    ContactCounts, FrictionCoefficients, MovingObstacle, Obstacles, PairContact,
};

use crate::record::{Record, Touch};
use crate::surface_points::SurfacePoints;

/// Input of [`CorrectorContact::new`].
#[derive(Clone, Debug)]
pub struct CorrectorDescription {
    /// Surfaces of the bodies; points are nodes of the model.
    pub surfaces: CollisionSurface,
    /// Names of the bodies and obstacles, by group.
    pub names: Vec<String>,
    /// Obstacles; their groups follow those of the bodies.
    pub obstacles: Vec<MovingObstacle>,
    /// Pairs of groups that do not touch, ascending.
    pub ignored: Vec<[u32; 2]>,
    /// Distance that is kept between surfaces, m.
    pub thickness: f64,
    /// Coefficients of friction.
    pub friction: FrictionCoefficients,
}

/// Contact of surfaces and obstacles for [`ContactCorrector`](crate::ContactCorrector).
pub struct CorrectorContact {
    surfaces: CollisionSurface,
    names: Vec<String>,
    obstacles: Obstacles,
    /// First group that is an obstacle.
    first_obstacle: u32,
    ignored: Vec<[u32; 2]>,
    /// Groups of bodies that wait to appear, ascending.
    waiting: Vec<u32>,
    thickness: f64,
    friction: FrictionCoefficients,
    nodes: usize,
    broad: BroadPhase,
    candidates: Candidates,
    surface_points: SurfacePoints,
    /// Positions of all points at the start and at the predicted end of the step, and velocities at its end.
    x: [Vec<Point>; 2],
    v: Vec<Point>,
    /// What is known of each point of contact, in their order.
    touches: Vec<Touch>,
    record: Record,
    counts: ContactCounts,
}

/// Positions and unknowns during a search.
pub(crate) struct SearchedStep<'a> {
    pub x: [&'a [Point]; 2],
    pub v: &'a [Point],
    pub unknowns: &'a [[u32; 3]],
}

impl SearchedStep<'_> {
    /// Makes the point of contact of some points with their weights. Points of obstacles are prescribed.
    pub fn contact_point(
        &self,
        points: [u32; 4],
        weights: [f64; 4],
        normal: Point,
        gap: f64,
    ) -> ContactPoint {
        let mut unknowns = [[NO_UNKNOWN; 3]; 4];
        let (mut displacement, mut velocity) = ([0.0; 3], [0.0; 3]);
        for (p, &i) in points.iter().enumerate() {
            if weights[p] == 0.0 {
                continue;
            }
            let i = i as usize;
            unknowns[p] = self.unknowns.get(i).copied().unwrap_or([NO_UNKNOWN; 3]);
            for k in (0..3).filter(|k| unknowns[p][*k] == NO_UNKNOWN) {
                displacement[k] += weights[p] * (self.x[1][i][k] - self.x[0][i][k]);
                velocity[k] += weights[p] * self.v[i][k];
            }
        }
        ContactPoint {
            unknowns,
            weights,
            axes: axes_along(normal),
            gap,
            carried_displacement: displacement,
            carried_velocity: velocity,
            friction: 0.0,
            was_active: false,
            key: 0,
        }
    }
}

/// Completes a unit normal to three orthogonal axes.
fn axes_along(normal: Point) -> [Point; 3] {
    let [x, y, z] = Frame::along([0.0; 3], normal).axes;
    [z, x, y]
}

impl CorrectorContact {
    /// Creates the contact of a model with this number of nodes.
    pub fn new(description: CorrectorDescription, nodes: usize) -> CorrectorContact {
        let CorrectorDescription {
            mut surfaces,
            names,
            obstacles,
            ignored,
            thickness,
            friction,
        } = description;
        let bodies = surfaces.primitives.groups.iter();
        let first_obstacle = bodies.map(|g| g + 1).max().unwrap_or(0);
        let obstacles = Obstacles::new(obstacles, nodes, &mut surfaces);
        let points = surfaces.primitives.groups.len();
        CorrectorContact {
            surface_points: SurfacePoints::new(&surfaces),
            record: Record::default(),
            surfaces,
            names,
            obstacles,
            first_obstacle,
            ignored,
            waiting: Vec::new(),
            thickness,
            friction,
            nodes,
            broad: BroadPhase::new(),
            candidates: Candidates::default(),
            x: [vec![[0.0; 3]; points], vec![[0.0; 3]; points]],
            v: vec![[0.0; 3]; points],
            touches: Vec::new(),
            counts: ContactCounts::default(),
        }
    }

    /// Places all points, those of obstacles included; returns the longest predicted path, m.
    fn place(&mut self, step: &NodeStep) -> f64 {
        for (own, given) in self.x.iter_mut().zip(step.x) {
            own[..self.nodes].copy_from_slice(given);
        }
        self.v[..self.nodes].copy_from_slice(step.v);
        for (x, t) in self.x.iter_mut().zip(step.t) {
            self.obstacles.points_at(t, x);
        }
        self.obstacles.point_velocities(step.t[1], &mut self.v);
        let [from, to] = &self.x;
        let points = self.surfaces.primitives.points.iter().map(|i| *i as usize);
        let paths = points.map(|i| norm(sub(to[i], from[i])));
        let longest = paths.fold(0.0, f64::max);
        // Obstacles without points of their own move vertices against them.
        let smooth = self.obstacles.smooth_between(step.t[0], step.t[1]);
        let moved = smooth.map(|(_, _, [a, b])| norm(sub(b.origin, a.origin)));
        longest + moved.fold(0.0, f64::max)
    }

    /// Finds vertices of bodies near smooth obstacles.
    fn find_smooth(&mut self, step: &NodeStep, reach: f64, out: &mut Vec<ContactPoint>) {
        let searched = SearchedStep {
            x: [&self.x[0], &self.x[1]],
            v: &self.v,
            unknowns: step.unknowns,
        };
        let p = &self.surfaces.primitives;
        for (group, shape, frames) in self.obstacles.smooth_between(step.t[0], step.t[1]) {
            for &node in &p.points {
                let i = node as usize;
                let own = p.groups[i];
                if self.surfaces.rigid[i] || !self.touches_group(own, group) {
                    continue;
                }
                let offset = self.thickness + p.radius([node]);
                let place = self.x[0][i];
                let (distance, normal) = shape.derivatives(&frames[0], place, None);
                if distance - offset > reach {
                    continue;
                }
                let points = [node, 0, 0, 0];
                let weights = [1.0, 0.0, 0.0, 0.0];
                let mut point = searched.contact_point(points, weights, normal, distance - offset);
                let [displacement, velocity] =
                    self.carried(group, step.t[1], place, shape, &frames);
                point.carried_displacement = sub(point.carried_displacement, displacement);
                point.carried_velocity = sub(point.carried_velocity, velocity);
                point.friction = self.friction.of(own, group);
                self.touches
                    .push(Touch::new([own, group], points, weights, node));
                out.push(point);
            }
        }
    }

    /// Returns displacement in the step and velocity at its end of the material point of an obstacle at a place.
    fn carried(
        &self,
        group: u32,
        t: f64,
        place: Point,
        _shape: Obstacle,
        [from, to]: &[Frame; 2],
    ) -> [Point; 2] {
        if !self.obstacles.move_at_all() {
            return [[0.0; 3]; 2];
        }
        let moved = to.to_world(from.to_local(place));
        let [velocity, _] = self.obstacles.smooth_velocity(group, t, moved, [0.0; 3]);
        [sub(moved, place), velocity]
    }

    fn touches_group(&self, a: u32, b: u32) -> bool {
        let waits = |g: &u32| self.waiting.binary_search(g).is_ok();
        may_touch(self.first_obstacle, &self.ignored, a, b) && !waits(&a) && !waits(&b)
    }

    /// Finds vertices near triangles of other groups, and spheres near each other.
    fn find_on_surfaces(&mut self, step: &NodeStep, reach: f64, out: &mut Vec<ContactPoint>) {
        let p = &self.surfaces.primitives;
        if p.triangles.is_empty() && p.particles.is_empty() {
            return;
        }
        let (first, ignored, waiting) = (self.first_obstacle, &self.ignored, &self.waiting);
        let waits = |g: &u32| waiting.binary_search(g).is_ok();
        let touch = |a: u32, b: u32| may_touch(first, ignored, a, b) && !waits(&a) && !waits(&b);
        let inflation = 0.5 * (reach + self.thickness);
        let [from, to] = &self.x;
        self.broad
            .swept_candidates(p, from, to, inflation, touch, &mut self.candidates);
        self.counts.searches += 1;
        self.counts.candidates += self.candidates.len() as u64;
        let searched = SearchedStep {
            x: [from, to],
            v: &self.v,
            unknowns: step.unknowns,
        };
        let begin = out.len();
        self.surface_points.collect(
            &self.surfaces,
            &self.candidates,
            &searched,
            [reach, self.thickness],
            (out, &mut self.touches),
        );
        for (point, touch) in out[begin..].iter_mut().zip(&self.touches[begin..]) {
            let [a, b] = touch.groups;
            point.friction = self.friction.of(a, b);
        }
    }
}

/// Whether two groups touch each other: different ones, unless both are obstacles or their contact is switched off.
fn may_touch(first_obstacle: u32, ignored: &[[u32; 2]], a: u32, b: u32) -> bool {
    a != b
        && (a < first_obstacle || b < first_obstacle)
        && ignored.binary_search(&[a.min(b), a.max(b)]).is_err()
}

/// Signed distance of a point from the plane through a corner of a triangle with a unit normal.
pub(crate) fn height(p: Point, corner: Point, normal: Point) -> f64 {
    dot(sub(p, corner), normal)
}

/// Unit normal of a triangle; zero for a triangle without area.
pub(crate) fn unit_normal([a, b, c]: [Point; 3]) -> Point {
    let n = cross(sub(b, a), sub(c, a));
    let length = norm(n);
    match length > 0.0 {
        true => scale(1.0 / length, n),
        false => [0.0; 3],
    }
}

/// Sum of unit normals, normalised; zero if they cancel.
pub(crate) fn mean_normal(normals: impl Iterator<Item = Point>) -> Point {
    let sum = normals.fold([0.0; 3], add);
    let length = norm(sum);
    match length > 1e-9 {
        true => scale(1.0 / length, sum),
        false => [0.0; 3],
    }
}

impl NodeContact for CorrectorContact {
    fn find(&mut self, step: &NodeStep, search: ContactSearch, out: &mut Vec<ContactPoint>) {
        out.clear();
        self.touches.clear();
        let longest = self.place(step);
        // Surfaces that overlap are found as deep as they were in the last step.
        let depth = self.record.depth() + longest;
        let (smooth, surfaces) = match search {
            ContactSearch::Touching => (0.0, depth),
            ContactSearch::Reachable => (2.0 * longest, 2.0 * longest + self.record.depth()),
        };
        self.find_smooth(step, smooth, out);
        self.find_on_surfaces(step, surfaces, out);
        if search == ContactSearch::Touching {
            let mut kept = self
                .touches
                .iter()
                .zip(out.iter())
                .map(|(_, p)| p.gap <= 0.0);
            let kept: Vec<bool> = kept.by_ref().collect();
            let mut at = kept.iter();
            out.retain(|_| at.next().copied().unwrap_or(false));
            let mut at = kept.iter();
            self.touches.retain(|_| at.next().copied().unwrap_or(false));
        }
        for (point, touch) in out.iter_mut().zip(&self.touches) {
            point.key = touch.key;
            point.was_active = self.record.was_active(touch);
        }
    }

    fn set_waiting(&mut self, group: u32, waits: bool) {
        match (self.waiting.binary_search(&group), waits) {
            (Err(at), true) => self.waiting.insert(at, group),
            (Ok(at), false) => drop(self.waiting.remove(at)),
            _ => {}
        }
    }

    fn record(&mut self, t: f64, h: f64, points: &[ContactPoint], impulses: &[ContactImpulse]) {
        let areas = &self.surfaces.vertex_areas;
        self.record
            .note([t, h], (points, impulses), &self.touches, areas);
    }

    fn commit(&mut self, t: f64) {
        self.record.commit(t);
    }

    fn save(&self, out: &mut Vec<u8>) {
        self.record.save(out);
    }

    fn load<'a>(&mut self, saved: &'a [u8]) -> Option<&'a [u8]> {
        self.record.load(saved)
    }

    fn pairs(&self) -> Vec<PairContact> {
        self.record.pairs()
    }

    fn normal_forces(&self, nodes: usize, out: &mut Vec<[f64; 3]>) {
        self.record.write_forces(nodes, out, |force| force[0]);
    }

    fn friction_forces(&self, nodes: usize, out: &mut Vec<[f64; 3]>) {
        self.record.write_forces(nodes, out, |force| force[1]);
    }

    fn counts(&self) -> (&[String], ContactCounts) {
        (&self.names, self.counts)
    }

    fn next_kink(&self, t: f64) -> f64 {
        self.obstacles.next_kink(t)
    }
}
