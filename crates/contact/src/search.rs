//! Candidates of contact: found once, and reused while no pair of points can have come closer than they allow for.
//!
//! Candidates are all pairs within reach plus twice a margin at some positions, the centre. A body that moves as a whole does
//! not use up the margin of its own pairs: a pair of points comes closer by at most the motion of each relative to the mean
//! of its body, plus the relative motion of the two means.

use crate::broad::{BroadPhase, Candidates};
use crate::collision::{
    Collision, Range, SurfacesAt, VertexSurface, add_edge_edge, add_point_edge, add_point_point,
};
use crate::{CollisionSurface, Point};

/// Share of the mean length of edges that is the least margin of candidates.
const MARGIN_PER_EDGE: f64 = 0.1;

/// Groups beyond those of the points that a waiting body ignores: smooth obstacles have no points.
const MAX_SMOOTH_OBSTACLES: u32 = 1024;

/// Numbers of candidate searches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SearchCounts {
    /// Broad phases.
    pub searches: u64,
    /// Pairs that they found.
    pub candidates: u64,
}

/// Which groups touch, and the candidates near some positions.
pub struct Search {
    self_contact: bool,
    /// First group that is an obstacle.
    obstacles: u32,
    /// Pairs that do not touch now, and those that never do.
    ignored: Vec<[u32; 2]>,
    always_ignored: Vec<[u32; 2]>,
    /// Groups that wait to appear, and the number of all groups.
    waiting: Vec<u32>,
    motion_groups: u32,
    /// Whether any pair of groups with points may touch.
    any_touch: bool,
    broad: BroadPhase,
    /// Candidates around the centre.
    pub near: Candidates,
    /// Candidates of the last path that those around the centre did not cover.
    pub swept: Candidates,
    centre: Vec<Point>,
    centred: bool,
    /// Half of how much closer than at the centre a pair may have come, m.
    pub margin: f64,
    motion: GroupMotion,
    vertex_surface: VertexSurface,
    /// Work so far.
    pub counts: SearchCounts,
}

/// Boxes and mean motion of each group.
#[derive(Default)]
struct GroupMotion {
    least: Vec<Point>,
    most: Vec<Point>,
    mean: Vec<Point>,
    count: Vec<f64>,
}

impl Search {
    /// Creates a search among surfaces for a barrier of this reach, m. Pairs of groups in `ignored`, ascending, do not touch.
    pub fn new(
        surfaces: &CollisionSurface,
        reach: f64,
        self_contact: bool,
        ignored: Vec<[u32; 2]>,
    ) -> Search {
        let groups = &surfaces.primitives.groups;
        let rigid = (groups.iter().zip(&surfaces.rigid)).filter(|(_, rigid)| **rigid);
        let all = groups.iter().map(|g| g + 1).max().unwrap_or(0);
        let n = surfaces.squared_lengths.len().max(1) as f64;
        let lengths = surfaces.squared_lengths.iter().map(|square| square.sqrt());
        let mean = lengths.sum::<f64>() / n;
        let mut search = Search {
            self_contact,
            any_touch: false,
            obstacles: rigid.map(|(g, _)| *g).min().unwrap_or(all),
            always_ignored: ignored.clone(),
            ignored,
            waiting: Vec::new(),
            motion_groups: all + MAX_SMOOTH_OBSTACLES,
            broad: BroadPhase::new(),
            near: Candidates::default(),
            swept: Candidates::default(),
            centre: vec![[0.0; 3]; groups.len()],
            centred: false,
            margin: reach.max(MARGIN_PER_EDGE * mean),
            motion: GroupMotion::default(),
            vertex_surface: VertexSurface::default(),
            counts: SearchCounts::default(),
        };
        search.motion.resize(all as usize);
        search.find_whether_any_touch();
        search
    }

    fn find_whether_any_touch(&mut self) {
        let groups = self.motion.least.len() as u32;
        let (own, first, ignored) = (self.self_contact, self.obstacles, &self.ignored);
        self.any_touch = (0..groups).any(|b| (0..=b).any(|a| may_touch(own, first, ignored, a, b)));
    }

    /// Excludes a group from contact while it waits to appear, or includes it.
    pub fn set_waiting(&mut self, group: u32, waits: bool) {
        let known = self.waiting.binary_search(&group);
        match (known, waits) {
            (Err(at), true) => self.waiting.insert(at, group),
            (Ok(at), false) => _ = self.waiting.remove(at),
            _ => return,
        }
        let others = 0..self.motion_groups;
        self.ignored.clone_from(&self.always_ignored);
        for &g in &self.waiting {
            let pairs = others.clone().map(|h| [g.min(h), g.max(h)]);
            self.ignored.extend(pairs);
        }
        self.ignored.sort_unstable();
        self.ignored.dedup();
        self.find_whether_any_touch();
        self.centred = false;
        self.near.clear();
    }

    /// Returns `true` if contact of two groups is switched off.
    pub fn ignores(&self, a: u32, b: u32) -> bool {
        let pair = [a.min(b), a.max(b)];
        self.ignored.binary_search(&pair).is_ok()
    }

    /// Finds candidates for these positions, unless the known ones cover them.
    pub fn update(&mut self, surfaces: &CollisionSurface, x: &[Point], range: Range) {
        if !self.covers(surfaces, x, x, range) {
            self.recentre(surfaces, x, range);
        }
    }

    /// Finds the candidates around these positions.
    pub fn recentre(&mut self, surfaces: &CollisionSurface, x: &[Point], range: Range) {
        let inflation = 0.5 * (range.reach + range.thickness) + self.margin;
        let (self_contact, obstacles, ignored) = (self.self_contact, self.obstacles, &self.ignored);
        let touch = |a, b| may_touch(self_contact, obstacles, ignored, a, b);
        let p = &surfaces.primitives;
        self.broad
            .static_candidates(p, x, inflation, touch, &mut self.near);
        self.centre.copy_from_slice(x);
        self.centred = true;
        self.counts.searches += 1;
        self.counts.candidates += self.near.len() as u64;
    }

    /// Returns the positions around which candidates are known, if they are.
    pub fn centre(&self) -> Option<&[Point]> {
        self.centred.then_some(&self.centre)
    }

    /// Makes the candidates those of a search that had this centre. It does not count as a search. Returns `false` if the
    /// centre has another number of points.
    pub fn restore(
        &mut self,
        surfaces: &CollisionSurface,
        centre: Option<&[Point]>,
        range: Range,
    ) -> bool {
        let counts = self.counts;
        match centre {
            Some(x) if x.len() != self.centre.len() => return false,
            Some(x) => self.recentre(surfaces, x, range),
            None => {
                self.centred = false;
                self.near.clear();
            }
        }
        self.counts = counts;
        true
    }

    /// Finds the pairs that come near each other on straight paths. Returns `true` if they are among those around the centre.
    pub fn sweep(
        &mut self,
        surfaces: &CollisionSurface,
        start: &[Point],
        end: &[Point],
        range: Range,
    ) -> bool {
        if self.covers(surfaces, start, end, range) {
            return true;
        }
        let inflation = 0.5 * (range.reach + range.thickness);
        let (self_contact, obstacles, ignored) = (self.self_contact, self.obstacles, &self.ignored);
        let touch = |a, b| may_touch(self_contact, obstacles, ignored, a, b);
        let p = &surfaces.primitives;
        self.broad
            .swept_candidates(p, start, end, inflation, touch, &mut self.swept);
        self.counts.searches += 1;
        self.counts.candidates += self.swept.len() as u64;
        false
    }

    /// Returns `true` if all pairs that come within reach on these paths are among the candidates around the centre.
    fn covers(
        &mut self,
        surfaces: &CollisionSurface,
        start: &[Point],
        end: &[Point],
        range: Range,
    ) -> bool {
        if !self.any_touch {
            return true;
        }
        let inflation = 0.5 * (range.reach + range.thickness);
        self.motion.measure_boxes(surfaces, start, end, inflation);
        if !self.centred {
            // Without any candidates the centre covers paths on which no two groups meet.
            return !self.self_contact && self.meeting(|_, _| 1.0) == 0.0;
        }
        [start, end].into_iter().all(|x| {
            let alone = self.motion.measure_motion(surfaces, &self.centre, x);
            let together = self.meeting(|motion, [a, b]| motion.relative(a, b));
            2.0 * alone + together <= 2.0 * self.margin
        })
    }

    /// Returns a distance (m) below which all pairs at these positions are among the candidates around the centre, which have
    /// to cover them.
    pub fn complete_within(
        &mut self,
        surfaces: &CollisionSurface,
        x: &[Point],
        range: Range,
    ) -> f64 {
        if !self.any_touch {
            return f64::INFINITY;
        }
        let inflation = 0.5 * (range.reach + range.thickness);
        self.motion.measure_boxes(surfaces, x, x, inflation);
        // Groups whose boxes do not overlap are farther apart than the inflation of both.
        let mut complete = f64::INFINITY;
        for b in 0..self.motion.least.len() {
            for a in 0..b {
                let (i, j) = (a as u32, b as u32);
                if may_touch(self.self_contact, self.obstacles, &self.ignored, i, j)
                    && !self.motion.boxes_overlap(a, b)
                {
                    complete = complete.min(2.0 * inflation + self.motion.box_distance(a, b));
                }
            }
        }
        if self.centred {
            let alone = self.motion.measure_motion(surfaces, &self.centre, x);
            let together = self.meeting(|motion, [a, b]| motion.relative(a, b));
            let used = 2.0 * alone + together;
            complete = complete.min(2.0 * (inflation + self.margin) - used);
        }
        complete - range.thickness
    }

    /// Largest value of a function over the pairs of groups that may touch and whose boxes overlap; 0 if there are none.
    fn meeting(&self, value: impl Fn(&GroupMotion, [usize; 2]) -> f64) -> f64 {
        let motion = &self.motion;
        let mut most = 0.0f64;
        for b in 0..motion.least.len() {
            for a in 0..b {
                let (i, j) = (a as u32, b as u32);
                let touch = may_touch(self.self_contact, self.obstacles, &self.ignored, i, j);
                if touch && motion.boxes_overlap(a, b) {
                    most = most.max(value(motion, [a, b]));
                }
            }
        }
        most
    }

    /// Finds the stencils within reach.
    pub fn collect(&mut self, at: &SurfacesAt, out: &mut Vec<Collision>) {
        let surfaces = at.surfaces;
        out.clear();
        if !self.centred {
            return;
        }
        let near = &self.near;
        let group = |t: u32| {
            let corner = surfaces.primitives.triangles[t as usize][0];
            surfaces.primitives.groups[corner as usize]
        };
        // A run has one vertex and the triangles of one body.
        for run in near
            .point_triangle
            .chunk_by(|a, b| a.point == b.point && group(a.triangle) == group(b.triangle))
        {
            let triangles = run.iter().map(|c| c.triangle);
            let vertex = run[0].point;
            self.vertex_surface.add(at, vertex, triangles, out);
        }
        for c in &near.edge_edge {
            add_edge_edge(at, c.edges, out);
        }
        for c in &near.point_edge {
            add_point_edge(at, [c.point, c.edge], out);
        }
        for c in &near.point_point {
            add_point_point(at, c.points, out);
        }
    }
}

/// Whether two groups touch each other: different ones unless both are obstacles or their contact is switched off, and a
/// body itself if self-contact is on.
fn may_touch(self_contact: bool, obstacles: u32, ignored: &[[u32; 2]], a: u32, b: u32) -> bool {
    if a == b {
        return self_contact && a < obstacles;
    }
    (a < obstacles || b < obstacles) && ignored.binary_search(&[a.min(b), a.max(b)]).is_err()
}

impl GroupMotion {
    fn resize(&mut self, groups: usize) {
        for points in [&mut self.least, &mut self.most, &mut self.mean] {
            points.resize(groups, [0.0; 3]);
        }
        self.count.resize(groups, 0.0);
    }

    /// Measures the box of each group over straight paths, inflated by a distance and the radius of its points.
    fn measure_boxes(
        &mut self,
        surfaces: &CollisionSurface,
        start: &[Point],
        end: &[Point],
        inflation: f64,
    ) {
        let groups = &surfaces.primitives.groups;
        self.resize(groups.iter().map(|g| *g as usize + 1).max().unwrap_or(0));
        self.least.fill([f64::INFINITY; 3]);
        self.most.fill([f64::NEG_INFINITY; 3]);
        for &i in &surfaces.primitives.points {
            let (i, g) = (i as usize, groups[i as usize] as usize);
            let wide = inflation + surfaces.primitives.radius([i as u32]);
            for k in 0..3 {
                let (a, b) = (start[i][k], end[i][k]);
                self.least[g][k] = self.least[g][k].min(a.min(b) - wide);
                self.most[g][k] = self.most[g][k].max(a.max(b) + wide);
            }
        }
    }

    fn boxes_overlap(&self, a: usize, b: usize) -> bool {
        (0..3).all(|k| self.least[a][k] <= self.most[b][k] && self.least[b][k] <= self.most[a][k])
    }

    /// Distance of two boxes along the axis along which they are farthest apart, m.
    fn box_distance(&self, a: usize, b: usize) -> f64 {
        (0..3).fold(0.0, |most, k| {
            let beyond =
                (self.least[a][k] - self.most[b][k]).max(self.least[b][k] - self.most[a][k]);
            most.max(beyond)
        })
    }

    /// Measures the mean motion of each group from the centre; returns the largest motion of a point relative to it, m.
    fn measure_motion(
        &mut self,
        surfaces: &CollisionSurface,
        centre: &[Point],
        x: &[Point],
    ) -> f64 {
        let groups = &surfaces.primitives.groups;
        self.mean.fill([0.0; 3]);
        self.count.fill(0.0);
        for &i in &surfaces.primitives.points {
            let (i, g) = (i as usize, groups[i as usize] as usize);
            (0..3).for_each(|k| self.mean[g][k] += x[i][k] - centre[i][k]);
            self.count[g] += 1.0;
        }
        for (mean, count) in self.mean.iter_mut().zip(&self.count) {
            *mean = mean.map(|sum| sum / count.max(1.0));
        }
        let mut most = 0.0f64;
        for &i in &surfaces.primitives.points {
            let (i, g) = (i as usize, groups[i as usize] as usize);
            let square = (0..3).map(|k| (x[i][k] - centre[i][k] - self.mean[g][k]).powi(2));
            most = most.max(square.sum());
        }
        most.sqrt()
    }

    /// Relative mean motion of two groups, m.
    fn relative(&self, a: usize, b: usize) -> f64 {
        let square = (0..3).map(|k| (self.mean[a][k] - self.mean[b][k]).powi(2));
        square.sum::<f64>().sqrt()
    }
}
