//! Moving points, edges and triangles against each other.

use mesh::vector::{add, scale, sub};

use super::{CcdOptions, MAX_PAIRS, ROUNDING, advance, extent};
use crate::Point;
use crate::distance::{edge_edge_separation, point_edge_separation, point_triangle_separation};

/// Returns the largest part in [0, 1] of the path from `start` to `end` during which a point keeps its distance from a
/// triangle; points in the order (p, a, b, c). It is 1 only if the whole path is free, and never late.
pub fn point_triangle(start: &[Point; 4], end: &[Point; 4], options: &CcdOptions) -> f64 {
    point_triangle_until(start, end, options, 1.0)
}

/// Returns the largest part in [0, 1] of the path from `start` to `end` during which the edges a–b and c–d keep their
/// distance; points in the order (a, b, c, d). It is 1 only if the whole path is free, and never late.
pub fn edge_edge(start: &[Point; 4], end: &[Point; 4], options: &CcdOptions) -> f64 {
    edge_edge_until(start, end, options, 1.0)
}

/// Returns the largest part in [0, 1] of the path from `start` to `end` during which a point keeps its distance from an edge;
/// points in the order (p, a, b). It is 1 only if the whole path is free, and never late.
pub fn point_edge(start: &[Point; 3], end: &[Point; 3], options: &CcdOptions) -> f64 {
    point_edge_until(start, end, options, 1.0)
}

/// Returns the largest part in [0, 1] of the path from `start` to `end` during which two points keep their distance. It is 1
/// only if the whole path is free, and never late.
pub fn point_point(start: &[Point; 2], end: &[Point; 2], options: &CcdOptions) -> f64 {
    point_point_until(start, end, options, 1.0)
}

/// [`point_triangle`] up to a part `limit` of the path: answers above it need not be exact.
pub(super) fn point_triangle_until(
    start: &[Point; 4],
    end: &[Point; 4],
    options: &CcdOptions,
    limit: f64,
) -> f64 {
    let path = Path::new(start, end);
    let rates = [1, 2, 3].map(|j| sub(path.motion[0], path.motion[j]));
    advance(&rates, path.rounding, options, limit, |t, out| {
        let x = path.at(t);
        for j in 1..4 {
            out[j - 1] = sub(x[0], x[j]);
        }
        point_triangle_separation(&x).1
    })
}

/// [`edge_edge`] up to a part `limit` of the path: answers above it need not be exact.
pub(super) fn edge_edge_until(
    start: &[Point; 4],
    end: &[Point; 4],
    options: &CcdOptions,
    limit: f64,
) -> f64 {
    let path = Path::new(start, end);
    let between = |x: &[Point; 4]| {
        [
            sub(x[0], x[2]),
            sub(x[0], x[3]),
            sub(x[1], x[2]),
            sub(x[1], x[3]),
        ]
    };
    let rates = between(&path.motion);
    advance(&rates, path.rounding, options, limit, |t, out| {
        let x = path.at(t);
        out[..4].copy_from_slice(&between(&x));
        edge_edge_separation(&x).1
    })
}

/// [`point_edge`] up to a part `limit` of the path: answers above it need not be exact.
pub(super) fn point_edge_until(
    start: &[Point; 3],
    end: &[Point; 3],
    options: &CcdOptions,
    limit: f64,
) -> f64 {
    let path = Path::new(start, end);
    let rates = [1, 2].map(|j| sub(path.motion[0], path.motion[j]));
    advance(&rates, path.rounding, options, limit, |t, out| {
        let x = path.at(t);
        out[0] = sub(x[0], x[1]);
        out[1] = sub(x[0], x[2]);
        point_edge_separation(&x).1
    })
}

/// [`point_point`] up to a part `limit` of the path: answers above it need not be exact.
pub(super) fn point_point_until(
    start: &[Point; 2],
    end: &[Point; 2],
    options: &CcdOptions,
    limit: f64,
) -> f64 {
    let path = Path::new(start, end);
    let rates = [sub(path.motion[0], path.motion[1])];
    advance(
        &rates,
        path.rounding,
        options,
        limit,
        |t, out: &mut [Point; MAX_PAIRS]| {
            let x = path.at(t);
            out[0] = sub(x[0], x[1]);
            out[0]
        },
    )
}

/// Straight paths of the points of a stencil, relative to the path of the first one.
struct Path<const N: usize> {
    start: [Point; N],
    motion: [Point; N],
    rounding: f64,
}

impl<const N: usize> Path<N> {
    fn new(start: &[Point; N], end: &[Point; N]) -> Path<N> {
        let from = start.map(|x| sub(x, start[0]));
        // Both differences are rounded before the motions are subtracted, so their sizes count, not that of the result.
        let to = end.map(|x| sub(x, end[0]));
        let mut motion = [[0.0; 3]; N];
        for i in 0..N {
            motion[i] = sub(to[i], from[i]);
        }
        let size = 3.0 * (extent(start) + extent(end));
        Path {
            start: from,
            motion,
            rounding: ROUNDING * size,
        }
    }

    fn at(&self, t: f64) -> [Point; N] {
        let mut x = self.start;
        for i in 1..N {
            x[i] = add(x[i], scale(t, self.motion[i]));
        }
        x
    }
}
