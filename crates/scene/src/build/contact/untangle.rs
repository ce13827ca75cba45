//! Relaxation of an overlapping start (`[contact] untangle = true`).
//!
//! First, bodies without held nodes and particles are moved as a whole, so that they are not deformed: a pair that overlaps
//! is separated along the direction in which the shortest translation frees it, among the axes, the direction between
//! the centres and the normals of smooth obstacles, and two free bodies share the translation by their masses. What
//! remains, a held body or a body that passes through itself, is relaxed node by node as in position-based dynamics
//! [Müller et al. 2007]: vertices are pushed out of obstacles and edges back through triangles, and the other nodes of the
//! body follow by averages over their neighbours.

use std::ops::Range;

use ::contact::Point;
use ::contact::intersect::intersections;
use mesh::vector::{add, cross, dot, norm, scale, sub};

use super::ContactSetup;
use super::start::{Overlap, Scenery, moved_frame, overlaps, overlaps_within, scenery};
use crate::build::select::bounds;

/// Largest number of rounds over all overlapping pairs.
const MAX_ROUNDS: usize = 40;
/// First translation that is tried, and the largest one, in sizes of the body.
const FIRST_TRANSLATION: f64 = 1e-3;
const MAX_TRANSLATION: f64 = 100.0;
/// Bisections of a translation.
const BISECTIONS: usize = 24;
/// Largest number of passes over single nodes.
const MAX_PASSES: usize = 200;
/// Averages over neighbours in each pass.
const SMOOTHING_SWEEPS: usize = 8;

/// Nodes that may move.
pub struct Movable {
    /// Nodes of each body, then of each particle.
    pub nodes: Vec<Range<usize>>,
    /// Mass of each of them, kg.
    pub masses: Vec<f64>,
    /// Whether each node is held, in any direction.
    pub held: Vec<bool>,
    /// Edges of the meshes of all bodies.
    pub edges: Vec<[u32; 2]>,
}

impl Movable {
    /// Whether a group can be moved as a whole.
    fn is_free(&self, group: u32) -> bool {
        let nodes = self.nodes.get(group as usize);
        nodes.is_some_and(|nodes| !self.held[nodes.clone()].iter().any(|held| *held))
    }
}

/// Moves nodes until nothing overlaps; returns the overlaps that remain.
pub fn untangle(setup: &ContactSetup, movable: &Movable, x: &mut [Point]) -> Vec<Overlap> {
    for _ in 0..MAX_ROUNDS {
        let found = overlaps(setup, x, 0.0);
        let moved = found.iter().filter(|o| separate(setup, movable, o, x));
        if moved.count() == 0 {
            break;
        }
    }
    let start = x.to_vec();
    for _ in 0..MAX_PASSES {
        let left = overlaps(setup, x, 0.0);
        if left.is_empty() {
            break;
        }
        relax_nodes(setup, movable, &start, x);
    }
    overlaps(setup, x, 0.0)
}

/// Returns the distance that is made between surfaces, m: contact forces begin there.
fn wanted_gap(setup: &ContactSetup) -> f64 {
    setup.settings().thickness + setup.settings().barrier.reach()
}

/// Translates one or both groups of an overlap until they are free; returns `false` if that is impossible.
fn separate(setup: &ContactSetup, movable: &Movable, overlap: &Overlap, x: &mut [Point]) -> bool {
    let [a, b] = overlap.groups;
    let free = [a, b].map(|g| movable.is_free(g));
    if a == b || free == [false, false] {
        return false;
    }
    let masses = [a, b].map(|g| movable.masses.get(g as usize).copied().unwrap_or(1.0));
    // Shares of the translation of a relative to b.
    let shares = match free {
        [true, true] => [1, 0].map(|i| masses[i] / (masses[0] + masses[1])),
        [true, false] => [1.0, 0.0],
        _ => [0.0, 1.0],
    };
    let ranges = [a, b].map(|g| movable.nodes.get(g as usize).cloned().unwrap_or(0..0));
    let pair = Pair {
        setup,
        groups: [a, b],
        ranges: &ranges,
        shares,
    };
    let directions = pair.directions(overlap, x);
    let best = directions
        .iter()
        .filter_map(|d| Some((pair.least_translation(*d, x)?, *d)))
        .min_by(|(s, _), (t, _)| s.total_cmp(t));
    if let Some((s, d)) = best {
        pair.translate(scale(s, d), x);
    }
    best.is_some()
}

/// Two groups that are to be separated by translations.
struct Pair<'a> {
    setup: &'a ContactSetup,
    groups: [u32; 2],
    ranges: &'a [Range<usize>; 2],
    /// Share of each in a translation of the first relative to the second.
    shares: [f64; 2],
}

impl Pair<'_> {
    fn translate(&self, d: Point, x: &mut [Point]) {
        for (range, share) in self.ranges.iter().zip([self.shares[0], -self.shares[1]]) {
            for p in &mut x[range.clone()] {
                *p = add(*p, scale(share, d));
            }
        }
    }

    /// Unit vectors along which the first group may leave the second.
    fn directions(&self, overlap: &Overlap, x: &[Point]) -> Vec<Point> {
        let mut out: Vec<Point> = (0..6)
            .map(|i| [0, 1, 2].map(|k| f64::from(k == i / 2) * if i % 2 == 0 { 1.0 } else { -1.0 }))
            .collect();
        let centre = |range: &Range<usize>| {
            let sum = x[range.clone()].iter().fold([0.0; 3], |s, p| add(s, *p));
            scale(1.0 / range.len().max(1) as f64, sum)
        };
        if self.ranges.iter().all(|r| !r.is_empty()) {
            out.push(sub(centre(&self.ranges[0]), centre(&self.ranges[1])));
        }
        out.extend(smooth_normal(self.setup, self.groups[1], overlap.place));
        out.retain(|d| norm(*d) > 0.0);
        out.iter().map(|d| scale(1.0 / norm(*d), *d)).collect()
    }

    /// Returns the least translation along a unit vector, up to the bisection, after which the pair is free.
    fn least_translation(&self, d: Point, x: &[Point]) -> Option<f64> {
        let extents = self.ranges.iter().filter(|r| !r.is_empty()).map(|r| {
            let (low, high) = bounds(&x[r.clone()]);
            norm(sub(high, low))
        });
        let gap = wanted_gap(self.setup);
        let size = extents.fold(0.0, f64::max).max(gap);
        let mut trial = x.to_vec();
        let mut is_free = |s: f64| {
            trial.copy_from_slice(x);
            self.translate(scale(s, d), &mut trial);
            let [a, b] = self.groups;
            let touch = |p: u32, q: u32| [p.min(q), p.max(q)] == [a, b];
            let scenery = scenery(self.setup, &trial, 0.0);
            overlaps_within(self.setup, &scenery, gap, touch).is_empty()
        };
        let (mut low, mut high) = (0.0, FIRST_TRANSLATION * size);
        while !is_free(high) {
            (low, high) = (high, 2.0 * high);
            if high > MAX_TRANSLATION * size {
                return None;
            }
        }
        for _ in 0..BISECTIONS {
            let middle = 0.5 * (low + high);
            match is_free(middle) {
                true => high = middle,
                false => low = middle,
            }
        }
        Some(high)
    }
}

/// Outward normal of a smooth obstacle at a point, by its number among the groups.
fn smooth_normal(setup: &ContactSetup, group: u32, p: Point) -> Option<Point> {
    let number = (group as usize).checked_sub(setup.bodies + setup.particles)?;
    let obstacle = setup.description.obstacles.get(number)?;
    let shape = obstacle.shape.as_ref()?;
    let frame = moved_frame(&obstacle.motion, 0.0, &shape.frame);
    let (_, normal) = shape.shape.derivatives(&frame, p, None);
    Some(normal)
}

/// Moves single nodes once: out of smooth obstacles, and back through the triangles that their edges pass.
fn relax_nodes(setup: &ContactSetup, movable: &Movable, start: &[Point], x: &mut [Point]) {
    let s = scenery(setup, x, 0.0);
    let mut push = vec![([0.0; 3], 0u32); x.len()];
    let mut add_push = |v: u32, d: Point| {
        if let Some((sum, count)) = push.get_mut(v as usize) {
            (*sum, *count) = (add(*sum, d), *count + 1);
        }
    };
    let gap = wanted_gap(setup);
    push_out_of_obstacles(setup, &s, gap, &mut add_push);
    for i in intersections(&s.primitives, &s.x, |a, b| setup.may_touch(a, b)) {
        let edge = s.primitives.edges[i.edge as usize];
        let triangle = s.primitives.triangles[i.triangle as usize];
        let [a, b, c] = triangle.map(|v| s.x[v as usize]);
        let normal = cross(sub(b, a), sub(c, a));
        let normal = scale(1.0 / norm(normal).max(f64::MIN_POSITIVE), normal);
        let heights = edge.map(|v| dot(sub(s.x[v as usize], a), normal));
        // The end that is less far through the triangle goes back.
        let end = usize::from(heights[1].abs() < heights[0].abs());
        let back = -heights[end] - gap * heights[end].signum();
        add_push(edge[end], scale(0.5 * back, normal));
        for v in triangle {
            add_push(v, scale(-0.5 * back, normal));
        }
    }
    let pushed: Vec<bool> = push.iter().map(|(_, n)| *n > 0).collect();
    for (i, (sum, count)) in push.into_iter().enumerate() {
        if count > 0 && !movable.held[i] {
            x[i] = add(x[i], scale(1.0 / f64::from(count), sum));
        }
    }
    follow_neighbours(movable, &pushed, start, x);
}

fn push_out_of_obstacles(
    setup: &ContactSetup,
    s: &Scenery,
    gap: f64,
    add_push: &mut impl FnMut(u32, Point),
) {
    let first = (setup.bodies + setup.particles) as u32;
    for (number, o) in setup.description.obstacles.iter().enumerate() {
        let Some(shape) = &o.shape else { continue };
        let frame = moved_frame(&o.motion, 0.0, &shape.frame);
        for &v in &s.primitives.points {
            let own = s.primitives.groups[v as usize];
            if own >= first || !setup.may_touch(own, first + number as u32) {
                continue;
            }
            let (d, normal) = shape.shape.derivatives(&frame, s.x[v as usize], None);
            if d < gap {
                add_push(v, scale(gap - d, normal));
            }
        }
    }
}

/// Lets the nodes that were neither pushed nor held move by the average of their neighbours.
fn follow_neighbours(movable: &Movable, pushed: &[bool], start: &[Point], x: &mut [Point]) {
    let mut sums = vec![([0.0; 3], 0u32); x.len()];
    for _ in 0..SMOOTHING_SWEEPS {
        sums.fill(([0.0; 3], 0));
        for &[a, b] in &movable.edges {
            for [i, j] in [[a, b], [b, a]] {
                let (i, j) = (i as usize, j as usize);
                let (sum, count) = sums[i];
                sums[i] = (add(sum, sub(x[j], start[j])), count + 1);
            }
        }
        for (i, &(sum, count)) in sums.iter().enumerate() {
            if count > 0 && !pushed[i] && !movable.held[i] {
                x[i] = add(start[i], scale(1.0 / f64::from(count), sum));
            }
        }
    }
}
