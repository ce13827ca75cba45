//! Inside tests and edge crossings of a closed surface.
//!
//! The winding number of a closed surface around a point is the signed count of triangles that a ray from the point
//! passes through. A point is inside if it is not zero: a component inside another one is a cavity if its orientation
//! is reversed, and solid otherwise. If a ray passes an edge within rounding error, another axis is tried, then a
//! neighbouring point.

use mesh::vector::{cross, dot, sub};

use super::surface::ClosedSurface;

impl ClosedSurface {
    /// Whether `p` is inside: the winding number of the surface around `p` is not zero.
    pub fn contains(&self, p: [f64; 3]) -> bool {
        let extent = (0..3)
            .map(|k| self.bounds[1][k] - self.bounds[0][k])
            .fold(0.0, f64::max);
        let mut q = p;
        for attempt in 1..=8 {
            for axis in [2, 0, 1] {
                if let Some(winding) = self.winding_number(q, axis) {
                    return winding != 0;
                }
            }
            let nudge = 1e-12 * extent * f64::from(attempt);
            q = [p[0] + nudge, p[1] + 0.618 * nudge, p[2] - 0.382 * nudge];
        }
        false
    }

    /// Winding number around `p`, by a ray along `axis`. Returns `None` if the ray comes too near an edge.
    fn winding_number(&self, p: [f64; 3], axis: usize) -> Option<i32> {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        let mut count = 0;
        let mut reliable = true;
        self.tree.visit(
            |b| {
                b[1][axis] >= p[axis]
                    && b[0][u] <= p[u]
                    && p[u] <= b[1][u]
                    && b[0][v] <= p[v]
                    && p[v] <= b[1][v]
            },
            |t| {
                let c = self.corners(t).map(|c| sub(c, p));
                let orientation = |a: [f64; 3], b: [f64; 3]| {
                    let (left, right) = (a[u] * b[v], a[v] * b[u]);
                    let error_bound = 8.0 * f64::EPSILON * (left.abs() + right.abs());
                    let e = left - right;
                    i32::from(e > error_bound) - i32::from(e < -error_bound)
                };
                let signs = [
                    orientation(c[0], c[1]),
                    orientation(c[1], c[2]),
                    orientation(c[2], c[0]),
                ];
                if signs.contains(&1) && signs.contains(&-1) {
                    return;
                }
                // The triangle is parallel to the ray: the ray misses it if it lies behind the start or beside the ray.
                if signs == [0; 3] {
                    reliable &= c.iter().all(|c| c[axis] < 0.0) || !projection_has_origin(&c, u, v);
                    return;
                }
                let n = cross(sub(c[1], c[0]), sub(c[2], c[0]));
                let distance = dot(n, c[0]) / n[axis];
                if signs.contains(&0) {
                    reliable &= distance < 0.0;
                } else if distance > 0.0 {
                    count += signs[0];
                }
            },
        );
        reliable.then_some(count)
    }

    /// Parameter from 0 to 1 where the segment from `p` to `q`, points on opposite sides, crosses the surface. Of several
    /// crossings, the one nearest to the inside end, which is `p` if `from_inside`.
    pub fn crossing(&self, p: [f64; 3], q: [f64; 3], from_inside: bool) -> f64 {
        let d = sub(q, p);
        let low = [0, 1, 2].map(|k| p[k].min(q[k]));
        let high = [0, 1, 2].map(|k| p[k].max(q[k]));
        let mut best: Option<f64> = None;
        self.tree.visit(
            |b| (0..3).all(|k| b[0][k] <= high[k] && low[k] <= b[1][k]),
            |t| {
                let [a, b, c] = self.corners(t);
                let (e, f, s) = (sub(b, a), sub(c, a), sub(p, a));
                let h = cross(d, f);
                let det = dot(e, h);
                if det == 0.0 {
                    return;
                }
                let (x, g) = (dot(s, h) / det, cross(s, e));
                let (y, t) = (dot(d, g) / det, dot(f, g) / det);
                let slack = 1e-9;
                if x >= -slack && y >= -slack && x + y <= 1.0 + slack && (0.0..=1.0).contains(&t) {
                    let nearer = |b: f64| if from_inside { t < b } else { t > b };
                    if best.is_none_or(nearer) {
                        best = Some(t);
                    }
                }
            },
        );
        best.unwrap_or_else(|| self.bisect(p, q, from_inside))
    }

    /// Crossing parameter by bisection, if rounding errors hide the triangle from [`ClosedSurface::crossing`].
    fn bisect(&self, p: [f64; 3], q: [f64; 3], from_inside: bool) -> f64 {
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..40 {
            let t = 0.5 * (low + high);
            let inside = self.contains([0, 1, 2].map(|k| p[k] + t * (q[k] - p[k])));
            if inside == from_inside {
                low = t;
            } else {
                high = t;
            }
        }
        0.5 * (low + high)
    }
}

/// Whether the bounding box of three points, projected onto the axes `u` and `v`, contains the origin.
fn projection_has_origin(c: &[[f64; 3]; 3], u: usize, v: usize) -> bool {
    [u, v].into_iter().all(|k| {
        let low = c.iter().map(|p| p[k]).fold(f64::INFINITY, f64::min);
        let high = c.iter().map(|p| p[k]).fold(f64::NEG_INFINITY, f64::max);
        low <= 0.0 && 0.0 <= high
    })
}
