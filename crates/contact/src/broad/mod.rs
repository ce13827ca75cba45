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
use pairs::{Key, PairFinder};
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
        self.find_points_near_triangles(p, &may_touch, out);
        self.find_near_particles(p, &may_touch, out);
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
        self.pairs.between(
            &self.edges,
            &self.triangles,
            (
                |i| edge_key(p, p.edges[i as usize]),
                |j| triangle_key(p, j),
            ),
            |[a, b, _, g], [c, d, e, h]| {
                [c, d, e].iter().all(|v| **v != *a && **v != *b) && may_touch(*g, *h)
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
        self.fit(p, builder);
        self.find_on_surfaces(p, may_touch, out);
        self.find_on_wires(p, may_touch, out);
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
            |i| edge_key(p, p.edges[i as usize]),
            |[a, b, _, g], [c, d, _, h]| {
                let shared = (a == c) | (a == d) | (b == c) | (b == d);
                !shared && touch(*g, *h)
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
            (
                |i| point_key(p, p.points[i as usize]),
                |j| triangle_key(p, j),
            ),
            |[v, _, _, g], [a, b, c, h]| {
                let shared = (v == a) | (v == b) | (v == c);
                !shared && touch(*g, *h)
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
            (
                |i| point_key(p, p.particles[i as usize]),
                |j| edge_key(p, p.edges[p.wire_edges[j as usize] as usize]),
            ),
            |[v, _, _, g], [a, b, _, h]| v != a && v != b && touch(*g, *h),
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
            |i| point_key(p, p.particles[i as usize]),
            |[.., g], [.., h]| touch(*g, *h),
            |i, j| PointPoint {
                points: [p.particles[i as usize], p.particles[j as usize]],
            },
            &mut out.point_point,
        );
    }
}

/// Group of a vertex.
fn group(p: &Primitives, v: u32) -> u32 {
    p.groups.get(v as usize).copied().unwrap_or(0)
}

fn point_key(p: &Primitives, v: u32) -> Key {
    [v, v, v, group(p, v)]
}

fn edge_key(p: &Primitives, [a, b]: [u32; 2]) -> Key {
    [a, b, b, group(p, a)]
}

fn triangle_key(p: &Primitives, t: u32) -> Key {
    let [a, b, c] = p.triangles[t as usize];
    [a, b, c, group(p, a)]
}
