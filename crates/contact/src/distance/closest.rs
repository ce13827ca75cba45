//! Closest features of primitives and the vector between their closest points.
//!
//! The vector r ends at points of both primitives, so its length never falls below the distance, and exceeds it by a few
//! rounding errors of the primitives' size only, for slivers and nearly parallel edges too: a badly conditioned parameter is
//! computed first, and the others follow by projections, which are well conditioned [Ericson 2005, "Real-time collision
//! detection", section 5.1].

use mesh::vector::{add, cross, dot, scale, sub};

/// A point or vector in space.
pub type Point = [f64; 3];

/// Closest features of a stencil: the points of the stencil that the distance depends on, as positions in it.
///
/// Stencils list their points as (p, a, b, c) for point–triangle, (a, b, c, d) for the edges a–b and c–d, (p, a, b) for
/// point–edge and (p, q) for point–point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    /// Two points.
    PointPoint([u8; 2]),
    /// A point and the line through two others.
    PointEdge([u8; 3]),
    /// The point and the plane of the triangle.
    PointTriangle,
    /// The lines through both edges.
    EdgeEdge,
}

/// Edges whose angle has a smaller squared sine count as parallel: a point of one is taken as closest feature.
const MIN_SQUARED_SINE: f64 = 1e-20;

/// Two edges whose angle has a larger squared sine have a common normal with a direction that is accurate for the smallest
/// distances: then r is put along it. Otherwise r is the difference of the closest points.
pub(super) const WELL_CONDITIONED: f64 = 1e-2;

/// Finds the closest feature of a point and a triangle, and their squared distance.
pub fn point_triangle(x: &[Point; 4]) -> (Feature, f64) {
    let (feature, r) = point_triangle_separation(x);
    (feature, dot(r, r))
}

/// Finds the closest feature of two edges, and their squared distance.
///
/// Parallel edges and edges of length zero are allowed; for those the feature is a point against an edge or a point.
pub fn edge_edge(x: &[Point; 4]) -> (Feature, f64) {
    let (feature, r) = edge_edge_separation(x);
    (feature, dot(r, r))
}

/// Finds the closest feature of a point and an edge, and their squared distance.
pub fn point_edge(x: &[Point; 3]) -> (Feature, f64) {
    let (feature, r) = point_edge_separation(x);
    (feature, dot(r, r))
}

/// Finds the closest feature of a point and an edge, and the vector from the edge to the point.
pub fn point_edge_separation(x: &[Point; 3]) -> (Feature, Point) {
    let (part, r) = point_segment(x[0], x[1], x[2]);
    let feature = match part {
        SegmentPart::First => Feature::PointPoint([0, 1]),
        SegmentPart::Second => Feature::PointPoint([0, 2]),
        SegmentPart::Inside => Feature::PointEdge([0, 1, 2]),
    };
    (feature, r)
}

/// Finds the closest feature of a point and a triangle, and the vector from the triangle to the point.
pub fn point_triangle_separation(x: &[Point; 4]) -> (Feature, Point) {
    if let Some(plane) = project_to_plane(x)
        && plane.v > 0.0
        && plane.w > 0.0
        && plane.v + plane.w < 1.0
    {
        return (Feature::PointTriangle, plane.r);
    }
    let mut best = (Feature::PointTriangle, [f64::INFINITY; 3], f64::INFINITY);
    for [i, j] in [[1u8, 2], [2, 3], [3, 1]] {
        let (part, r) = point_segment(x[0], x[usize::from(i)], x[usize::from(j)]);
        let d2 = dot(r, r);
        if d2 < best.2 {
            let feature = match part {
                SegmentPart::First => Feature::PointPoint([0, i]),
                SegmentPart::Second => Feature::PointPoint([0, j]),
                SegmentPart::Inside => Feature::PointEdge([0, i, j]),
            };
            best = (feature, r, d2);
        }
    }
    (best.0, best.1)
}

/// Finds the closest feature of two edges, and the vector from the second to the first.
pub fn edge_edge_separation(x: &[Point; 4]) -> (Feature, Point) {
    let lines = line_line(x);
    let (s, t, r) = (lines.s, lines.t, lines.r);
    let part = |q: f64| match q {
        q if q <= 0.0 => Some(0u8),
        q if q >= 1.0 => Some(1),
        _ => None,
    };
    let feature = match (part(s), part(t)) {
        (Some(i), Some(j)) => Feature::PointPoint([i, 2 + j]),
        (Some(i), None) => Feature::PointEdge([i, 2, 3]),
        (None, Some(j)) => Feature::PointEdge([2 + j, 0, 1]),
        (None, None) if lines.parallel => return nearest_end(x),
        (None, None) => Feature::EdgeEdge,
    };
    (feature, r)
}

/// Finds the end of one of two edges that is nearest to the other edge: the closest feature of parallel edges.
fn nearest_end(x: &[Point; 4]) -> (Feature, Point) {
    let mut best = (Feature::EdgeEdge, [f64::INFINITY; 3], f64::INFINITY);
    for (p, [i, j]) in [(0u8, [2u8, 3]), (1, [2, 3]), (2, [0, 1]), (3, [0, 1])] {
        let [xp, xi, xj] = [p, i, j].map(|k| x[usize::from(k)]);
        let (part, r) = point_segment(xp, xi, xj);
        let d2 = dot(r, r);
        // An end beside an edge is preferred to one beside another end at the same distance.
        let better = d2 < best.2 || d2 == best.2 && !matches!(best.0, Feature::PointEdge(_));
        if !better {
            continue;
        }
        let feature = match part {
            SegmentPart::First => Feature::PointPoint([p.min(i), p.max(i)]),
            SegmentPart::Second => Feature::PointPoint([p.min(j), p.max(j)]),
            SegmentPart::Inside => Feature::PointEdge([p, i, j]),
        };
        // Vectors lead from the second edge to the first.
        best = (feature, if p < 2 { r } else { scale(-1.0, r) }, d2);
    }
    (best.0, best.1)
}

enum SegmentPart {
    First,
    Second,
    Inside,
}

/// Returns the part of a segment that is closest to p, and the vector from there to p.
#[inline]
fn point_segment(p: Point, a: Point, b: Point) -> (SegmentPart, Point) {
    let (e, ap) = (sub(b, a), sub(p, a));
    let (along, length2) = (dot(e, ap), dot(e, e));
    if along <= 0.0 || length2 == 0.0 {
        (SegmentPart::First, ap)
    } else if along >= length2 {
        (SegmentPart::Second, sub(p, b))
    } else {
        (SegmentPart::Inside, sub(ap, scale(along / length2, e)))
    }
}

/// Vertex of a triangle opposite to its longest edge, as position 1, 2 or 3 in the stencil (p, a, b, c).
///
/// The normal is best conditioned as the product of the edges at this vertex.
#[inline]
fn base_vertex(x: &[Point; 4]) -> usize {
    let length2 = |i: usize, j: usize| {
        let e = sub(x[j], x[i]);
        dot(e, e)
    };
    let opposite = [length2(2, 3), length2(3, 1), length2(1, 2)];
    if opposite[0] >= opposite[1] && opposite[0] >= opposite[2] {
        1
    } else if opposite[1] >= opposite[2] {
        2
    } else {
        3
    }
}

/// Projection of a point to the plane of a triangle.
pub(super) struct Projection {
    /// Positions in the stencil of the base vertex and of the next two vertices in cyclic order.
    pub vertices: [usize; 3],
    /// Edges from the base vertex to the other two.
    pub edges: [Point; 2],
    /// Coordinate along the first edge.
    pub v: f64,
    /// Coordinate along the second edge.
    pub w: f64,
    /// Vector from the projection to the point.
    pub r: Point,
}

/// Projects the point of the stencil (p, a, b, c) to the plane of the triangle. Returns `None` if the triangle has no area.
#[inline]
pub(super) fn project_to_plane(x: &[Point; 4]) -> Option<Projection> {
    let o = base_vertex(x);
    let (i, j) = (o % 3 + 1, (o + 1) % 3 + 1);
    let (e1, e2, op) = (sub(x[i], x[o]), sub(x[j], x[o]), sub(x[0], x[o]));
    let n = cross(e1, e2);
    let n2 = dot(n, n);
    if n2 == 0.0 {
        return None;
    }
    let mut v = dot(cross(op, e2), n) / n2;
    let mut w = dot(cross(e1, op), n) / n2;
    let (l1, l2) = (dot(e1, e1), dot(e2, e2));
    let r = if n2 > WELL_CONDITIONED * l1 * l2 {
        scale(dot(op, n) / n2, n)
    } else {
        // A projection along the longer edge removes the error that the small angle of a sliver magnifies.
        let r = |v: f64, w: f64| sub(op, add(scale(v, e1), scale(w, e2)));
        if l1 >= l2 {
            v += dot(r(v, w), e1) / l1;
        } else {
            w += dot(r(v, w), e2) / l2;
        }
        r(v, w)
    };
    Some(Projection {
        vertices: [o, i, j],
        edges: [e1, e2],
        v,
        w,
        r,
    })
}

/// Closest points of two edges.
struct LineLine {
    /// Parameter in [0, 1] on the first edge.
    s: f64,
    /// Parameter in [0, 1] on the second edge.
    t: f64,
    /// Vector from the point on the second edge to the one on the first.
    r: Point,
    /// Whether the edges count as parallel.
    parallel: bool,
}

/// Computes the closest points of two edges [Ericson 2005, section 5.1.9].
fn line_line(x: &[Point; 4]) -> LineLine {
    let (ea, eb, ca) = (sub(x[1], x[0]), sub(x[3], x[2]), sub(x[0], x[2]));
    let (la, lb) = (dot(ea, ea), dot(eb, eb));
    let n = cross(ea, eb);
    let n2 = dot(n, n);
    // Parameter on a–b of the point closest to the line c–d; any value will do for parallel edges.
    let mut s = match dot(cross(eb, ca), n) / n2 {
        s if s.is_finite() => s.clamp(0.0, 1.0),
        _ => 0.0,
    };
    let on = |numerator: f64, length2: f64| match numerator / length2 {
        q if q.is_finite() => q.clamp(0.0, 1.0),
        _ => 0.0,
    };
    let t = on(dot(add(ca, scale(s, ea)), eb), lb);
    if t == 0.0 || t == 1.0 || n2 == 0.0 {
        s = on(dot(sub(scale(t, eb), ca), ea), la);
    }
    let inside = |q: f64| q > 0.0 && q < 1.0;
    // At the ends the point itself is used, without the rounding of c + 1 (d − c).
    let r = match (s == 1.0, t == 1.0) {
        _ if inside(s) && inside(t) && n2 > WELL_CONDITIONED * la * lb => scale(dot(ca, n) / n2, n),
        (false, false) => sub(add(ca, scale(s, ea)), scale(t, eb)),
        (true, false) => sub(sub(x[1], x[2]), scale(t, eb)),
        (false, true) => add(sub(x[0], x[3]), scale(s, ea)),
        (true, true) => sub(x[1], x[3]),
    };
    LineLine {
        s,
        t,
        r,
        parallel: n2 <= MIN_SQUARED_SINE * la * lb,
    }
}
