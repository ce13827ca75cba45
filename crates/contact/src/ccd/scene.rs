//! The free part of the path of a whole collision surface.

use rayon::prelude::*;

use super::CcdOptions;
use super::primitives::{
    edge_edge_until, point_edge_until, point_point_until, point_triangle_until,
};
use crate::Point;
use crate::broad::{Candidates, EdgeEdge, PointEdge, PointPoint, PointTriangle, Primitives};

/// A pair of primitives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pair {
    /// A vertex and a triangle.
    PointTriangle(PointTriangle),
    /// Two edges.
    EdgeEdge(EdgeEdge),
    /// A vertex and an edge.
    PointEdge(PointEdge),
    /// Two vertices.
    PointPoint(PointPoint),
}

/// The pair that ends the free part of a path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Blocking {
    /// Free part of the path in [0, 1).
    pub fraction: f64,
    /// First of the pairs with this free part.
    pub pair: Pair,
}

/// Number of pairs that one task takes.
const PAIRS_PER_TASK: usize = 2048;

/// Returns the pair that stops the motion from `start` to `end` first, or `None` if the whole path is free.
///
/// The answer is the same for any number of threads: it is the least over all pairs. It is the same for any larger set of
/// candidates if these were found with an inflation of at least half of [`CcdOptions::max_kept_gap`] plus the thickness.
pub fn free_fraction(
    primitives: &Primitives,
    candidates: &Candidates,
    start: &[Point],
    end: &[Point],
    options: &CcdOptions,
) -> Option<Blocking> {
    let mut first = None;
    let found = earliest(&candidates.point_triangle, |c, limit| {
        let v = c.vertices(primitives);
        let options =
            options.thicker(primitives.radius([v[0]]) + primitives.radius([v[1], v[2], v[3]]));
        point_triangle_until(&gather(start, v), &gather(end, v), &options, limit)
    });
    keep_earlier(&mut first, found, Pair::PointTriangle);
    let found = earliest(&candidates.edge_edge, |c, limit| {
        let v = c.vertices(primitives);
        let options =
            options.thicker(primitives.radius([v[0], v[1]]) + primitives.radius([v[2], v[3]]));
        edge_edge_until(&gather(start, v), &gather(end, v), &options, limit)
    });
    keep_earlier(&mut first, found, Pair::EdgeEdge);
    let found = earliest(&candidates.point_edge, |c, limit| {
        let v = c.vertices(primitives);
        let options = options.thicker(primitives.radius([v[0]]) + primitives.radius([v[1], v[2]]));
        point_edge_until(&gather(start, v), &gather(end, v), &options, limit)
    });
    keep_earlier(&mut first, found, Pair::PointEdge);
    let found = earliest(&candidates.point_point, |c, limit| {
        let v = c.vertices();
        let options = options.thicker(primitives.radius([v[0]]) + primitives.radius([v[1]]));
        point_point_until(&gather(start, v), &gather(end, v), &options, limit)
    });
    keep_earlier(&mut first, found, Pair::PointPoint);
    first
}

/// Positions of the vertices of a stencil.
pub(super) fn gather<const N: usize>(x: &[Point], vertices: [u32; N]) -> [Point; N] {
    vertices.map(|v| x[v as usize])
}

/// Finds the first of the pairs with the least free part below 1.
fn earliest<C: Copy + Sync + Send>(
    pairs: &[C],
    fraction: impl Fn(&C, f64) -> f64 + Sync,
) -> Option<(f64, C)> {
    let least = |chunk: &[C]| {
        let mut best: Option<(f64, C)> = None;
        for pair in chunk {
            let limit = best.map_or(1.0, |b| b.0);
            let t = fraction(pair, limit);
            if t < limit {
                best = Some((t, *pair));
            }
        }
        best
    };
    let earlier = |a: Option<(f64, C)>, b: Option<(f64, C)>| match (a, b) {
        (Some(x), Some(y)) if y.0 < x.0 => Some(y),
        (None, b) => b,
        (a, _) => a,
    };
    if pairs.len() <= PAIRS_PER_TASK {
        return least(pairs);
    }
    pairs
        .par_chunks(PAIRS_PER_TASK)
        .map(least)
        .reduce(|| None, earlier)
}

fn keep_earlier<C>(first: &mut Option<Blocking>, found: Option<(f64, C)>, pair: fn(C) -> Pair) {
    if let Some((fraction, c)) = found
        && first.is_none_or(|f| fraction < f.fraction)
    {
        *first = Some(Blocking {
            fraction,
            pair: pair(c),
        });
    }
}
