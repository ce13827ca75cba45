//! Points inside closed surfaces.

use mesh::vector::{cross, dot, norm, sub};

use crate::Point;
use crate::distance;

/// Winding number of a surface around a point by solid angles [van Oosterom & Strackee 1983]: 1 inside a closed outward
/// surface, 0 outside.
pub fn winding_number(x: &[Point], triangles: &[[u32; 3]], p: Point) -> f64 {
    let angle = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|v| sub(x[v as usize], p));
        let (la, lb, lc) = (norm(a), norm(b), norm(c));
        let volume = dot(a, cross(b, c));
        let scale = la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb;
        2.0 * volume.atan2(scale)
    };
    let sum: f64 = triangles.iter().map(angle).sum();
    sum / (4.0 * std::f64::consts::PI)
}

/// Finds the point that is deepest inside a closed outward surface, with its distance from the surface; `None` if none is inside.
pub fn deepest_inside(x: &[Point], triangles: &[[u32; 3]], points: &[u32]) -> Option<(f64, u32)> {
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for v in triangles.iter().flatten() {
        let p = x[*v as usize];
        low = [0, 1, 2].map(|k| low[k].min(p[k]));
        high = [0, 1, 2].map(|k| high[k].max(p[k]));
    }
    let depth = |v: &u32| {
        let p = x[*v as usize];
        let inside = (0..3).all(|k| low[k] < p[k] && p[k] < high[k])
            && winding_number(x, triangles, p) > 0.5;
        let square = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|v| x[v as usize]);
            distance::point_triangle(&[p, a, b, c]).1
        };
        let squares = triangles.iter().map(square);
        inside.then(|| (squares.fold(f64::INFINITY, f64::min).sqrt(), *v))
    };
    let depths = points.iter().filter_map(depth);
    depths.max_by(|a, b| a.0.total_cmp(&b.0))
}
