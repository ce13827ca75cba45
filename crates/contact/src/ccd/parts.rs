//! The free parts of the paths of single bodies.
//!
//! One pair that is about to touch ends the free part of the path of a whole surface ([`free_fraction`](super::free_fraction)),
//! although it concerns two bodies at most. Here each pair limits its own bodies only. A path whose bodies go different parts of
//! their ways is another path, on which other pairs may meet: the caller has to check it like every other path.

use super::CcdOptions;
use super::primitives::{
    edge_edge_until, point_edge_until, point_point_until, point_triangle_until,
};
use super::scene::gather;
use crate::Point;
use crate::broad::{Candidates, Primitives};

/// Lowers the fraction of each group to the least one of the pairs that its vertices belong to. Pairs that are blocked count
/// with `share` of their free part.
///
/// The result does not depend on the order of the pairs.
pub fn limit_groups(
    primitives: &Primitives,
    candidates: &Candidates,
    [start, end]: [&[Point]; 2],
    options: &CcdOptions,
    share: f64,
    fractions: &mut [f64],
) {
    let group = |v: u32| primitives.groups.get(v as usize).map_or(0, |g| *g as usize);
    // Lowers the fractions of two groups; `free` finds the free part of the path of a pair if it is below a bound.
    let mut limit = |groups: [usize; 2], radii: f64, free: &dyn Fn(&CcdOptions, f64) -> f64| {
        let largest = fractions[groups[0]].max(fractions[groups[1]]);
        let until = (largest / share).min(1.0);
        let part = free(&options.thicker(radii), until);
        if part < until {
            for g in groups {
                fractions[g] = fractions[g].min(share * part);
            }
        }
    };
    for c in &candidates.point_triangle {
        let v = c.vertices(primitives);
        let radii = primitives.radius([v[0]]) + primitives.radius([v[1], v[2], v[3]]);
        limit([group(v[0]), group(v[1])], radii, &|options, until| {
            point_triangle_until(&gather(start, v), &gather(end, v), options, until)
        });
    }
    for c in &candidates.edge_edge {
        let v = c.vertices(primitives);
        let radii = primitives.radius([v[0], v[1]]) + primitives.radius([v[2], v[3]]);
        limit([group(v[0]), group(v[2])], radii, &|options, until| {
            edge_edge_until(&gather(start, v), &gather(end, v), options, until)
        });
    }
    for c in &candidates.point_edge {
        let v = c.vertices(primitives);
        let radii = primitives.radius([v[0]]) + primitives.radius([v[1], v[2]]);
        limit([group(v[0]), group(v[1])], radii, &|options, until| {
            point_edge_until(&gather(start, v), &gather(end, v), options, until)
        });
    }
    for c in &candidates.point_point {
        let v = c.vertices();
        let radii = primitives.radius([v[0]]) + primitives.radius([v[1]]);
        limit(v.map(group), radii, &|options, until| {
            point_point_until(&gather(start, v), &gather(end, v), options, until)
        });
    }
}
