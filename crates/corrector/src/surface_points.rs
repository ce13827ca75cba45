//! Points of contact of vertices and triangles.
//!
//! Closed surfaces have an inside. The distance of a vertex from a closed surface is signed by the outward normals of the
//! nearest triangles. An open surface is a shell that touches on both sides: the side is the one on which the vertex is at the
//! start of the step.
//!
//! A vertex has a point of contact with the nearest feature of each body. Where it is outside and above the inner part of other
//! triangles too, as in a valley, it has one with each.

use contact::broad::{Candidates, PointTriangle};
use contact::distance::{self, Feature};
use contact::{CollisionSurface, Point};
use march::ContactPoint;
use mesh::vector::{dot, norm, scale, sub};

use crate::detection::{SearchedStep, height, mean_normal, unit_normal};
use crate::record::Touch;

/// Relative difference of distances that count as the same.
const SAME_DISTANCE: f64 = 1e-9;

/// A vertex and a triangle near it.
#[derive(Clone, Copy)]
struct Near {
    triangle: u32,
    feature: Feature,
    /// Vector from the closest point of the triangle to the vertex, and its length.
    r: Point,
    distance: f64,
    normal: Point,
}

/// Finder of points of contact with its buffers.
pub(crate) struct SurfacePoints {
    /// Whether the surface of each group is closed.
    closed: Vec<bool>,
    near: Vec<Near>,
}

impl SurfacePoints {
    pub fn new(surfaces: &CollisionSurface) -> SurfacePoints {
        SurfacePoints {
            closed: closed_groups(surfaces),
            near: Vec::new(),
        }
    }

    /// Adds the points of contact of all candidates whose gap is at most the reach; `out` is sorted by vertex.
    pub fn collect(
        &mut self,
        surfaces: &CollisionSurface,
        candidates: &Candidates,
        step: &SearchedStep,
        [reach, thickness]: [f64; 2],
        (out, touches): (&mut Vec<ContactPoint>, &mut Vec<Touch>),
    ) {
        let p = &surfaces.primitives;
        let group = |v: u32| p.groups[v as usize];
        let other = |c: &PointTriangle| group(p.triangles[c.triangle as usize][0]);
        let mut add = |step: &SearchedStep, points: [u32; 4], weights, normal, gap, feature| {
            if gap <= reach {
                let groups = [group(points[0]), group(points[1])];
                touches.push(Touch::new(groups, points, weights, feature));
                out.push(step.contact_point(points, weights, normal, gap));
            }
        };
        let runs = candidates
            .point_triangle
            .chunk_by(|a, b| a.point == b.point && other(a) == other(b));
        for run in runs {
            let vertex = run[0].point;
            let closed = self.closed[other(&run[0]) as usize];
            self.measure(surfaces, step.x[0], run);
            let nearest = self.nearest();
            for k in 0..self.near.len() {
                let near = self.near[k];
                let inner = near.feature == Feature::PointTriangle;
                let above = !closed || dot(near.r, near.normal) > 0.0;
                if k != nearest && !(inner && above) {
                    continue;
                }
                let [a, b, c] = p.triangles[near.triangle as usize];
                let points = [vertex, a, b, c];
                let Some((normal, height)) = self.signed(k, closed, step.x[0], &points) else {
                    continue;
                };
                let places = points.map(|i| step.x[0][i as usize]);
                let weights = distance::combination(near.feature, &places).weights;
                let offset = thickness + p.radius([vertex]) + p.radius([a, b, c]);
                add(
                    step,
                    points,
                    weights,
                    normal,
                    height - offset,
                    near.triangle,
                );
            }
        }
        for c in &candidates.point_point {
            let [a, b] = c.points;
            let r = sub(step.x[0][a as usize], step.x[0][b as usize]);
            let length = norm(r);
            let offset = thickness + p.radius([a]) + p.radius([b]);
            if length > 0.0 {
                let points = [a, b, b, b];
                let (weights, normal) = ([1.0, -1.0, 0.0, 0.0], scale(1.0 / length, r));
                add(step, points, weights, normal, length - offset, b);
            }
        }
    }

    /// Measures the triangles near a vertex.
    fn measure(&mut self, surfaces: &CollisionSurface, x: &[Point], run: &[PointTriangle]) {
        self.near.clear();
        for c in run {
            let places = c.vertices(&surfaces.primitives).map(|i| x[i as usize]);
            let (feature, r) = distance::point_triangle_separation(&places);
            self.near.push(Near {
                triangle: c.triangle,
                feature,
                r,
                distance: norm(r),
                normal: unit_normal([places[1], places[2], places[3]]),
            });
        }
    }

    fn nearest(&self) -> usize {
        (0..self.near.len()).fold(0, |best, k| {
            match self.near[k].distance < self.near[best].distance {
                true => k,
                false => best,
            }
        })
    }

    /// Returns the normal and the signed distance of the vertex; `None` if it has no side.
    fn signed(
        &self,
        k: usize,
        closed: bool,
        x: &[Point],
        points: &[u32; 4],
    ) -> Option<(Point, f64)> {
        let near = self.near[k];
        let [vertex, corner] = [points[0], points[1]].map(|i| x[i as usize]);
        if near.feature == Feature::PointTriangle && near.normal != [0.0; 3] {
            let above = height(vertex, corner, near.normal);
            return Some(match closed || above >= 0.0 {
                true => (near.normal, above),
                false => (scale(-1.0, near.normal), -above),
            });
        }
        let limit = near.distance * (1.0 + SAME_DISTANCE);
        let tied = self.near.iter().filter(|n| n.distance <= limit);
        let mean = mean_normal(tied.map(|n| n.normal));
        if near.distance == 0.0 {
            return (mean != [0.0; 3]).then_some((mean, 0.0));
        }
        let direction = scale(1.0 / near.distance, near.r);
        let inside = closed && dot(direction, mean) < 0.0;
        Some(match inside {
            true => (scale(-1.0, direction), -near.distance),
            false => (direction, near.distance),
        })
    }
}

/// Returns for each group whether every edge of its triangles belongs to two of them, in opposite directions.
fn closed_groups(surfaces: &CollisionSurface) -> Vec<bool> {
    let p = &surfaces.primitives;
    let groups = p.groups.iter().map(|g| *g as usize + 1).max().unwrap_or(0);
    let mut closed = vec![true; groups];
    let mut edges: Vec<[u32; 2]> = Vec::with_capacity(3 * p.triangles.len());
    for [a, b, c] in &p.triangles {
        edges.extend([[*a, *b], [*b, *c], [*c, *a]]);
    }
    edges.sort_unstable();
    for edge in &edges {
        let reversed = [edge[1], edge[0]];
        let count = |e: &[u32; 2]| {
            edges.partition_point(|other| other <= e) - edges.partition_point(|other| other < e)
        };
        if count(edge) != 1 || count(&reversed) != 1 {
            closed[p.groups[edge[0] as usize] as usize] = false;
        }
    }
    closed
}
