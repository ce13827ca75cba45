//! Distances of all primitives that are near each other.

use mesh::vector::{norm, sub};

use super::{BroadPhase, Candidates, Primitives};
use crate::{Point, distance};

/// Calls `visit` with two vertices of different sides and their distance, radii subtracted, for all pairs of primitives within a
/// limit whose groups touch. `found` gets the candidates.
pub fn each_distance(
    p: &Primitives,
    x: &[Point],
    limit: f64,
    touch: impl Fn(u32, u32) -> bool + Sync,
    found: &mut Candidates,
    visit: &mut impl FnMut(u32, u32, f64),
) {
    BroadPhase::new().static_candidates(p, x, 0.5 * limit, touch, found);
    let at = |v: u32| x[v as usize];
    for c in &found.point_triangle {
        let v = c.vertices(p);
        let d = distance::point_triangle(&v.map(at)).1.sqrt();
        let radii = p.radius([v[0]]) + p.radius([v[1], v[2], v[3]]);
        visit(v[0], v[1], d - radii);
    }
    for c in &found.edge_edge {
        let v = c.vertices(p);
        let d = distance::edge_edge(&v.map(at)).1.sqrt();
        visit(
            v[0],
            v[2],
            d - p.radius([v[0], v[1]]) - p.radius([v[2], v[3]]),
        );
    }
    for c in &found.point_edge {
        let v = c.vertices(p);
        let d = distance::point_edge(&v.map(at)).1.sqrt();
        visit(v[0], v[1], d - p.radius([v[0]]) - p.radius([v[1], v[2]]));
    }
    for c in &found.point_point {
        let v = c.vertices();
        let d = norm(sub(at(v[0]), at(v[1])));
        visit(v[0], v[1], d - p.radius([v[0]]) - p.radius([v[1]]));
    }
}
