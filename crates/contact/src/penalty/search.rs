//! Search for springs: every vertex gets one for each surface nearby, at the closest point.

use mesh::vector::{norm, sub};

use super::{SignedSurfaces, Spring};
use crate::broad::{BroadPhase, Candidates};
use crate::collision::NO_POINT;
use crate::{CollisionSurface, Point};

/// Depth up to which a vertex inside another surface is found, in mean lengths of the edges of that surface.
const DEPTH_IN_EDGES: f64 = 4.0;
/// The same as a part of the smallest extent of that surface: deeper vertices may be closer to its other side.
const DEPTH_IN_EXTENTS: f64 = 0.4;
/// Part of that depth from which a vertex outside gets a spring, before it touches.
const MARGIN_IN_DEPTHS: f64 = 0.5;

/// Distances within which springs are found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpringRange {
    /// Gap at which forces begin, m.
    pub reach: f64,
    /// Thickness of all surfaces together, m.
    pub thickness: f64,
}

/// Search for springs between vertices and triangulated surfaces, with its buffers.
pub struct SpringSearch {
    range: SpringRange,
    self_contact: bool,
    /// First group that is an obstacle.
    obstacles: u32,
    /// Pairs of groups that do not touch, ascending.
    ignored: Vec<[u32; 2]>,
    /// Groups that take no part.
    waiting: Vec<bool>,
    /// Depth up to which vertices inside each group are found, m.
    depths: Vec<f64>,
    broad: BroadPhase,
    near: Candidates,
    /// Group, closest triangle and distance of the surfaces near a vertex.
    closest: Vec<(u32, u32, f64)>,
    /// Searches so far, and the candidate pairs that they found.
    pub counts: crate::search::SearchCounts,
}

impl SpringSearch {
    /// Creates a search among surfaces; `x` are positions at rest, from which depths are chosen.
    pub fn new(
        surfaces: &CollisionSurface,
        x: &[Point],
        range: SpringRange,
        self_contact: bool,
        obstacles: u32,
        ignored: Vec<[u32; 2]>,
    ) -> SpringSearch {
        let p = &surfaces.primitives;
        let groups = p.groups.iter().map(|g| g + 1).max().unwrap_or(0) as usize;
        let mut boxes = vec![[[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]]; groups];
        for &i in &p.points {
            let [low, high] = &mut boxes[p.groups[i as usize] as usize];
            for k in 0..3 {
                low[k] = low[k].min(x[i as usize][k]);
                high[k] = high[k].max(x[i as usize][k]);
            }
        }
        let mut lengths = vec![(0.0, 0.0); groups];
        for [a, b] in &p.edges {
            let (sum, count) = &mut lengths[p.groups[*a as usize] as usize];
            *sum += norm(sub(x[*a as usize], x[*b as usize]));
            *count += 1.0;
        }
        let depth = |([low, high], (sum, count)): (&[Point; 2], &(f64, f64))| {
            let extent = (0..3)
                .map(|k| high[k] - low[k])
                .fold(f64::INFINITY, f64::min);
            let edge = sum / f64::max(*count, 1.0);
            let depth = (DEPTH_IN_EDGES * edge).min(DEPTH_IN_EXTENTS * extent.max(0.0));
            depth.max(range.reach)
        };
        SpringSearch {
            depths: boxes.iter().zip(&lengths).map(depth).collect(),
            range,
            self_contact,
            obstacles,
            ignored,
            waiting: vec![false; groups],
            broad: BroadPhase::new(),
            near: Candidates::default(),
            closest: Vec::new(),
            counts: crate::search::SearchCounts::default(),
        }
    }

    /// Excludes a group from contact, or includes it again.
    pub fn set_waiting(&mut self, group: u32, waiting: bool) {
        self.waiting[group as usize] = waiting;
    }

    /// Returns `true` if a group takes no part in contact.
    pub fn is_waiting(&self, group: u32) -> bool {
        self.waiting.get(group as usize).copied().unwrap_or(false)
    }

    /// Returns `true` if contact of two groups is switched off.
    pub fn ignores(&self, a: u32, b: u32) -> bool {
        self.ignored.binary_search(&[a.min(b), a.max(b)]).is_ok()
    }

    /// Finds the springs at positions of all points.
    pub fn find(
        &mut self,
        surfaces: &CollisionSurface,
        signed: &SignedSurfaces,
        x: &[Point],
        out: &mut Vec<Spring>,
    ) {
        out.clear();
        let p = &surfaces.primitives;
        let deepest = self.depths.iter().fold(0.0, |m: f64, d| m.max(*d));
        let inflation = 0.5 * (self.range.reach + self.range.thickness + deepest);
        let (waiting, ignored) = (&self.waiting, &self.ignored);
        let (self_contact, obstacles) = (self.self_contact, self.obstacles);
        let may_touch = |a: u32, b: u32| {
            let pair = match a == b {
                true => self_contact && a < obstacles,
                false => {
                    (a < obstacles || b < obstacles)
                        && ignored.binary_search(&[a.min(b), a.max(b)]).is_err()
                }
            };
            pair && !waiting[a as usize] && !waiting[b as usize]
        };
        self.broad
            .points_near_surfaces(p, x, inflation, may_touch, &mut self.near);
        self.counts.searches += 1;
        self.counts.candidates += self.near.len() as u64;
        // The closest triangle of each surface to each vertex. Candidates are sorted by vertex.
        let mut closest = std::mem::take(&mut self.closest);
        let group = |i: u32| p.groups[i as usize];
        for of in self.near.point_triangle.chunk_by(|a, b| a.point == b.point) {
            let vertex = of[0].point;
            closest.clear();
            for c in of {
                let other = group(p.triangles[c.triangle as usize][0]);
                let d = signed.distance(surfaces, x, x[vertex as usize], c.triangle);
                match closest.iter_mut().find(|(g, ..)| *g == other) {
                    Some((_, t, least)) if d < *least => (*t, *least) = (c.triangle, d),
                    Some(_) => {}
                    None => closest.push((other, c.triangle, d)),
                }
            }
            closest.sort_unstable_by_key(|(g, ..)| *g);
            for &(other, t, _) in &closest {
                out.extend(self.spring(surfaces, signed, x, vertex, other, t));
            }
        }
        self.closest = closest;
        for c in &self.near.point_point {
            out.extend(self.spring_of_points(surfaces, x, c.points));
        }
    }

    /// Spring of a vertex at its closest triangle of a surface, if it is close enough.
    fn spring(
        &self,
        surfaces: &CollisionSurface,
        signed: &SignedSurfaces,
        x: &[Point],
        vertex: u32,
        other: u32,
        triangle: u32,
    ) -> Option<Spring> {
        let p = &surfaces.primitives;
        let own = p.groups[vertex as usize] == other;
        let closest = signed.closest(surfaces, x, x[vertex as usize], triangle);
        let offset = self.range.thickness + p.radius([vertex]);
        let depth = match own {
            true => self.range.reach,
            false => self.depths[other as usize],
        };
        let gap = closest.distance - offset;
        if gap < -depth || gap > self.range.reach + MARGIN_IN_DEPTHS * depth {
            return None;
        }
        let [a, b, c] = p.triangles[triangle as usize];
        let [u, v, w] = closest.weights;
        let share = surfaces.vertex_share(vertex, triangle, &signed.incidence);
        Some(Spring {
            points: [vertex, a, b, c],
            weights: [1.0, -u, -v, -w],
            normal: closest.normal,
            offset,
            area: share * surfaces.vertex_areas[vertex as usize],
        })
    }

    /// Spring of two particles, if they are close enough.
    fn spring_of_points(
        &self,
        surfaces: &CollisionSurface,
        x: &[Point],
        [a, b]: [u32; 2],
    ) -> Option<Spring> {
        let p = &surfaces.primitives;
        let r = sub(x[a as usize], x[b as usize]);
        let distance = norm(r);
        let offset = self.range.thickness + p.radius([a]) + p.radius([b]);
        if distance - offset > 2.0 * self.range.reach || distance == 0.0 {
            return None;
        }
        let area = |i: u32| surfaces.vertex_areas[i as usize];
        Some(Spring {
            points: [a, b, NO_POINT, NO_POINT],
            weights: [1.0, -1.0, 0.0, 0.0],
            normal: r.map(|r| r / distance),
            offset,
            area: area(a).min(area(b)),
        })
    }
}
