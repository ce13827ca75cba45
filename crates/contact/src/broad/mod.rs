//! Broad phase: pairs of primitives whose inflated bounding boxes overlap.
//!
//! Boxes are put in hierarchies along Morton's curve with eight children a node. The set of pairs depends on the boxes only, not on the
//! hierarchy, its history or the number of threads, and is sorted.

mod boxes;
mod candidates;
mod distances;
mod pairs;
mod tree;

pub use candidates::{Candidates, EdgeEdge, PointEdge, PointPoint, PointTriangle, Primitives};
pub use distances::each_distance;

use boxes::{BoxBuilder, Boxes};
use pairs::PairFinder;
use tree::Tree;

use crate::Point;

/// Finds candidates for contact among the primitives of a collision surface. It keeps its hierarchies and buffers: after the
/// first call, calls with the same primitives do not allocate unless there are more candidates than ever before or the
/// hierarchy is built anew, because the shape has changed too much.
#[derive(Debug, Default)]
pub struct BroadPhase {
    points: Tree,
    edges: Tree,
    triangles: Tree,
    wire_edges: Tree,
    particles: Tree,
    boxes: Boxes,
    pairs: PairFinder,
}

impl BroadPhase {
    /// Creates a broad phase without hierarchies.
    pub fn new() -> BroadPhase {
        BroadPhase::default()
    }

    /// Finds all pairs of primitives whose bounding boxes, inflated by `inflation` on every side, overlap: all pairs within
    /// twice this distance are among them.
    ///
    /// Leaves out pairs that share a vertex, and pairs of groups that may not touch. `out` is overwritten.
    pub fn static_candidates(
        &mut self,
        primitives: &Primitives,
        positions: &[Point],
        inflation: f64,
        may_touch: impl Fn(u32, u32) -> bool + Sync,
        out: &mut Candidates,
    ) {
        let builder = BoxBuilder::new(positions, positions, inflation);
        self.candidates(primitives, &builder, &may_touch, out);
    }

    /// Finds all pairs of primitives whose bounding boxes over the straight paths from `start` to `end`, inflated by
    /// `inflation` on every side, overlap: all pairs that come within twice this distance on the way are among them.
    ///
    /// Leaves out pairs that share a vertex, and pairs of groups that may not touch. `out` is overwritten.
    pub fn swept_candidates(
        &mut self,
        primitives: &Primitives,
        start: &[Point],
        end: &[Point],
        inflation: f64,
        may_touch: impl Fn(u32, u32) -> bool + Sync,
        out: &mut Candidates,
    ) {
        let builder = BoxBuilder::new(start, end, inflation);
        self.candidates(primitives, &builder, &may_touch, out);
    }

    /// Finds the pairs of a vertex and a triangle, and of two particles, whose bounding boxes, inflated by `inflation` on every
    /// side, overlap. The other lists of `out` are left empty.
    ///
    /// Leaves out pairs that share a vertex, and pairs of groups that may not touch.
    pub fn points_near_surfaces(
        &mut self,
        p: &Primitives,
        positions: &[Point],
        inflation: f64,
        may_touch: impl Fn(u32, u32) -> bool + Sync,
        out: &mut Candidates,
    ) {
        let builder = BoxBuilder::new(positions, positions, inflation);
        let group = |v: u32| p.groups.get(v as usize).copied().unwrap_or(0);
        let touch = |a: u32, b: u32| may_touch(group(a), group(b));
        let boxes = &mut self.boxes;
        builder.fill(p.points.len(), |i| [p.points[i]], |v| p.radius(v), boxes);
        self.points.update(boxes);
        let corners = |i: usize| p.triangles[i];
        builder.fill(p.triangles.len(), corners, |v| p.radius(v), boxes);
        self.triangles.update(boxes);
        let particle = |i: usize| [p.particles[i]];
        builder.fill(p.particles.len(), particle, |v| p.radius(v), boxes);
        self.particles.update(boxes);
        out.clear();
        self.find_points_near_triangles(p, &touch, out);
        self.find_near_particles(p, &touch, out);
    }

    /// Finds the pairs of an edge and a triangle whose bounding boxes overlap, sorted, for tests of intersection.
    ///
    /// Leaves out pairs that share a vertex, and pairs of groups that may not touch. `out` is overwritten.
    pub fn edge_triangle_pairs(
        &mut self,
        p: &Primitives,
        positions: &[Point],
        may_touch: impl Fn(u32, u32) -> bool + Sync,
        out: &mut Vec<[u32; 2]>,
    ) {
        let builder = BoxBuilder::new(positions, positions, 0.0);
        builder.fill(
            p.triangles.len(),
            |i| p.triangles[i],
            |v| p.radius(v),
            &mut self.boxes,
        );
        self.triangles.update(&self.boxes);
        builder.fill(
            p.edges.len(),
            |i| p.edges[i],
            |v| p.radius(v),
            &mut self.boxes,
        );
        self.edges.update(&self.boxes);
        let group = |v: u32| p.groups.get(v as usize).copied().unwrap_or(0);
        self.pairs.between(
            &self.edges,
            &self.triangles,
            |i, j| {
                let (e, t) = (p.edges[i as usize], p.triangles[j as usize]);
                !t.contains(&e[0]) && !t.contains(&e[1]) && may_touch(group(e[0]), group(t[0]))
            },
            |edge, triangle| [edge, triangle],
            out,
        );
    }

    fn candidates(
        &mut self,
        p: &Primitives,
        builder: &BoxBuilder,
        may_touch: &(impl Fn(u32, u32) -> bool + Sync),
        out: &mut Candidates,
    ) {
        let group = |v: u32| p.groups.get(v as usize).copied().unwrap_or(0);
        let touch = |a: u32, b: u32| may_touch(group(a), group(b));
        self.fit(p, builder);
        self.find_on_surfaces(p, &touch, out);
        self.find_on_wires(p, &touch, out);
    }

    /// Fits the hierarchies to the boxes of all primitives.
    fn fit(&mut self, p: &Primitives, builder: &BoxBuilder) {
        let boxes = &mut self.boxes;
        builder.fill(p.points.len(), |i| [p.points[i]], |v| p.radius(v), boxes);
        self.points.update(boxes);
        builder.fill(
            p.triangles.len(),
            |i| p.triangles[i],
            |v| p.radius(v),
            boxes,
        );
        self.triangles.update(boxes);
        builder.fill(p.edges.len(), |i| p.edges[i], |v| p.radius(v), boxes);
        self.edges.update(boxes);
        let wire = |i: usize| p.edges[p.wire_edges[i] as usize];
        builder.fill(p.wire_edges.len(), wire, |v| p.radius(v), boxes);
        self.wire_edges.update(boxes);
        builder.fill(
            p.particles.len(),
            |i| [p.particles[i]],
            |v| p.radius(v),
            boxes,
        );
        self.particles.update(boxes);
    }

    /// Finds vertices near triangles and pairs of edges.
    fn find_on_surfaces(
        &mut self,
        p: &Primitives,
        touch: &(impl Fn(u32, u32) -> bool + Sync),
        out: &mut Candidates,
    ) {
        self.find_points_near_triangles(p, touch, out);
        self.pairs.within(
            &self.edges,
            |i, j| {
                let ([a, b], [c, d]) = (p.edges[i as usize], p.edges[j as usize]);
                a != c && a != d && b != c && b != d && touch(a, c)
            },
            |first, second| EdgeEdge {
                edges: [first, second],
            },
            &mut out.edge_edge,
        );
    }

    /// Finds vertices near triangles.
    fn find_points_near_triangles(
        &mut self,
        p: &Primitives,
        touch: &(impl Fn(u32, u32) -> bool + Sync),
        out: &mut Candidates,
    ) {
        self.pairs.between(
            &self.points,
            &self.triangles,
            |i, j| {
                let (v, [a, b, c]) = (p.points[i as usize], p.triangles[j as usize]);
                v != a && v != b && v != c && touch(v, a)
            },
            |i, triangle| PointTriangle {
                point: p.points[i as usize],
                triangle,
            },
            &mut out.point_triangle,
        );
    }

    /// Finds particles near edges without triangles and pairs of particles.
    fn find_on_wires(
        &mut self,
        p: &Primitives,
        touch: &(impl Fn(u32, u32) -> bool + Sync),
        out: &mut Candidates,
    ) {
        self.pairs.between(
            &self.particles,
            &self.wire_edges,
            |i, j| {
                let (v, [a, b]) = (
                    p.particles[i as usize],
                    p.edges[p.wire_edges[j as usize] as usize],
                );
                v != a && v != b && touch(v, a)
            },
            |i, j| PointEdge {
                point: p.particles[i as usize],
                edge: p.wire_edges[j as usize],
            },
            &mut out.point_edge,
        );
        self.find_near_particles(p, touch, out);
    }

    /// Finds pairs of particles.
    fn find_near_particles(
        &mut self,
        p: &Primitives,
        touch: &(impl Fn(u32, u32) -> bool + Sync),
        out: &mut Candidates,
    ) {
        self.pairs.within(
            &self.particles,
            |i, j| touch(p.particles[i as usize], p.particles[j as usize]),
            |i, j| PointPoint {
                points: [p.particles[i as usize], p.particles[j as usize]],
            },
            &mut out.point_point,
        );
    }
}
