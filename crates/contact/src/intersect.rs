//! Intersections of edges and triangles, by exact signs of determinants [Shewchuk 1997].

use robust::{Coord, Coord3D, orient2d, orient3d};

use crate::Point;
use crate::broad::{BroadPhase, Primitives};

/// An edge that passes through a triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Intersection {
    /// Number of the edge.
    pub edge: u32,
    /// Number of the triangle.
    pub triangle: u32,
}

/// Whether a segment p–q and a triangle have a point in common, decided without rounding errors. Touching counts: at a vertex,
/// along an edge, or within one plane.
pub fn edge_intersects_triangle(edge: &[Point; 2], triangle: &[Point; 3]) -> bool {
    let [p, q] = *edge;
    let [a, b, c] = *triangle;
    let side = |x: Point| sign(orientation(a, b, c, x));
    let (at_p, at_q) = (side(p), side(q));
    if at_p == 0 && at_q == 0 {
        return in_one_plane(edge, triangle);
    }
    if at_p == at_q {
        return false;
    }
    // The line p–q passes a, b and c on the same side, seen along it.
    let around = [(a, b), (b, c), (c, a)].map(|(a, b)| sign(orientation(p, q, a, b)));
    !(around.contains(&1) && around.contains(&-1))
}

/// Finds all intersections of edges and triangles of a surface that have no vertex in common, sorted. It is meant for checks
/// and tests: it allocates.
pub fn intersections(
    primitives: &Primitives,
    positions: &[Point],
    may_touch: impl Fn(u32, u32) -> bool + Sync,
) -> Vec<Intersection> {
    let mut pairs = Vec::new();
    BroadPhase::new().edge_triangle_pairs(primitives, positions, may_touch, &mut pairs);
    let mut found = Vec::new();
    for [edge, triangle] in pairs {
        let e = primitives.edges[edge as usize];
        let t = primitives.triangles[triangle as usize];
        let at = |v: u32| positions[v as usize];
        if edge_intersects_triangle(&e.map(at), &t.map(at)) {
            found.push(Intersection { edge, triangle });
        }
    }
    found
}

/// Sign of the volume of a tetrahedron: positive if d is below the plane through a, b and c, which turn counter-clockwise seen
/// from above.
fn orientation(a: Point, b: Point, c: Point, d: Point) -> f64 {
    let [a, b, c, d] = [a, b, c, d].map(|[x, y, z]| Coord3D { x, y, z });
    orient3d(a, b, c, d)
}

fn sign(x: f64) -> i8 {
    i8::from(x > 0.0) - i8::from(x < 0.0)
}

/// Whether a segment and a triangle in one plane have a point in common.
fn in_one_plane(edge: &[Point; 2], triangle: &[Point; 3]) -> bool {
    // In a projection that keeps the triangle's area, or any one in which the segment is not a point if it has none.
    let project = |x: Point, k: usize| [x[(k + 1) % 3], x[(k + 2) % 3]];
    let area = |k: usize| {
        let [a, b, c] = triangle.map(|x| project(x, k));
        sign(turn(a, b, c))
    };
    match (0..3).find(|&k| area(k) != 0) {
        Some(k) => {
            let [p, q] = edge.map(|x| project(x, k));
            let corners = triangle.map(|x| project(x, k));
            let sides = [0, 1, 2].map(|i| [corners[i], corners[(i + 1) % 3]]);
            let inside = |p: [f64; 2]| {
                let signs = sides.map(|[a, b]| sign(turn(a, b, p)));
                !(signs.contains(&1) && signs.contains(&-1))
            };
            inside(p) || inside(q) || sides.iter().any(|s| segments_meet([p, q], *s))
        }
        // A triangle without area is made of its sides. Segments in one plane meet if they do in all projections, as one of
        // these keeps them apart otherwise.
        None => (0..3).any(|i| {
            let side = [triangle[i], triangle[(i + 1) % 3]];
            orientation(edge[0], edge[1], side[0], side[1]) == 0.0
                && (0..3).all(|k| {
                    segments_meet(edge.map(|x| project(x, k)), side.map(|x| project(x, k)))
                })
        }),
    }
}

fn turn(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> f64 {
    let [a, b, c] = [a, b, c].map(|[x, y]| Coord { x, y });
    orient2d(a, b, c)
}

/// Whether two segments of a plane have a point in common.
fn segments_meet(p: [[f64; 2]; 2], q: [[f64; 2]; 2]) -> bool {
    let across = |s: [[f64; 2]; 2], t: [[f64; 2]; 2]| {
        let signs = t.map(|t| sign(turn(s[0], s[1], t)));
        signs[0] == 0 || signs[1] == 0 || signs[0] != signs[1]
    };
    let boxes = (0..2).all(|k| {
        let range = |s: [[f64; 2]; 2]| (s[0][k].min(s[1][k]), s[0][k].max(s[1][k]));
        let (a, b) = (range(p), range(q));
        a.0 <= b.1 && b.0 <= a.1
    });
    boxes && across(p, q) && across(q, p)
}
