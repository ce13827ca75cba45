//! Distances and overlaps of surfaces at the start.

use std::collections::BTreeMap;

use ::contact::Point;
use ::contact::broad::{Candidates, Primitives, each_distance};
use ::contact::enclosure::{deepest_inside, winding_number};
use ::contact::intersect::intersections;
use ::contact::obstacle::Frame;
use mesh::vector::{add, norm, scale, sub};
use solid::motion::Motion;

use super::ContactSetup;
use crate::build::select::bounds;
use crate::error::SceneError;
use crate::spec::{self, Source};

/// Overlap of two bodies, or of a body and an obstacle, at the start.
#[derive(Clone, Debug, PartialEq)]
pub struct Overlap {
    /// Numbers of the two groups, ascending.
    pub groups: [u32; 2],
    /// Number of edges that pass through triangles, and of vertices that are inside or closer than the thickness.
    pub count: usize,
    /// Depth of the deepest vertex inside an obstacle or body, or shortfall of a distance, m; 0 if it is not known.
    pub depth: f64,
    /// Place of the deepest vertex, or of the first edge, m.
    pub place: Point,
}

/// Least distance between two groups.
#[derive(Clone, Debug, PartialEq)]
pub struct PairGap {
    /// Numbers of the two groups, ascending.
    pub groups: [u32; 2],
    /// Least distance, thickness and radii subtracted, m.
    pub gap: f64,
}

impl Overlap {
    /// Returns the error message that refuses the start.
    pub fn error(&self, setup: &ContactSetup, source: &Source, untangled: bool) -> SceneError {
        let [a, b] = self.groups;
        let ((path, first), (_, second)) = (setup.place_and_title(a), setup.place_and_title(b));
        let who = match a == b {
            true => format!("{first} passes through itself"),
            false => format!("{first} overlaps {second}"),
        };
        let depth = match self.depth > 0.0 {
            true => format!(", up to {:.3e} m deep", self.depth),
            false => String::new(),
        };
        let [x, y, z] = self.place;
        let (count, s) = (self.count, if self.count == 1 { "" } else { "s" });
        let next = match untangled {
            true => "contact.untangle could not free it",
            false => "contact.untangle = true pushes them apart",
        };
        let sentence = format!(
            "{who} at the start: {count} vertex or edge overlap{s}{depth}, at ({x:.4}, {y:.4}, {z:.4}) m; contact needs a free start: move one of them (place.translate), or let the pair pass through each other with [[contact.pair]] ignore = true; {next}"
        );
        source.error(&path, sentence)
    }
}

/// Largest number of pairs of a vertex and a triangle that are measured for a depth.
const MAX_DEPTH_PAIRS: usize = 20_000_000;

/// Completes the overlap of two closed meshes, or of a body and one, with the depth of the deepest vertex inside and its place.
pub(super) fn with_depth(setup: &ContactSetup, nodes: &[Point], mut overlap: Overlap) -> Overlap {
    let [a, b] = overlap.groups;
    if a == b || overlap.depth > 0.0 {
        return overlap;
    }
    let s = scenery(setup, nodes, 0.0);
    let group = |v: u32| s.primitives.groups[v as usize];
    for [inner, outer] in [[a, b], [b, a]] {
        let is_shell = setup.shells.iter().any(|name| name == setup.name(outer));
        let triangles = s.primitives.triangles.iter().copied();
        let triangles: Vec<[u32; 3]> = triangles
            .filter(|t| !is_shell && group(t[0]) == outer)
            .collect();
        let points = s.primitives.points.iter();
        let points: Vec<u32> = points.copied().filter(|v| group(*v) == inner).collect();
        if points.len() * triangles.len() <= MAX_DEPTH_PAIRS
            && let Some((depth, v)) = deepest_inside(&s.x, &triangles, &points)
            && depth > overlap.depth
        {
            (overlap.depth, overlap.place) = (depth, s.x[v as usize]);
        }
    }
    overlap
}

/// All primitives with obstacles at a time, and the positions of their points.
pub(super) struct Scenery {
    /// Time, s.
    t: f64,
    pub primitives: Primitives,
    /// Positions of all nodes, then of the points of obstacles, m.
    pub x: Vec<Point>,
    /// First point that belongs to an obstacle.
    pub nodes: usize,
}

fn moved(motion: &Motion, t: f64, p: Point) -> Point {
    add(p, motion.at(t, p)[0])
}

/// Returns the frame of a moving obstacle at a time.
pub(super) fn moved_frame(motion: &Motion, t: f64, frame: &Frame) -> Frame {
    let origin = moved(motion, t, frame.origin);
    let tip = |axis: Point| sub(moved(motion, t, add(frame.origin, axis)), origin);
    Frame {
        origin,
        axes: frame.axes.map(tip),
    }
}

/// Returns all primitives with the obstacles at a time.
pub(super) fn scenery(setup: &ContactSetup, nodes: &[Point], t: f64) -> Scenery {
    let mut p = setup.description.surfaces.primitives.clone();
    let mut x = nodes.to_vec();
    let first_group = (setup.bodies + setup.particles) as u32;
    for (number, o) in setup.description.obstacles.iter().enumerate() {
        let first = x.len() as u32;
        x.extend(o.points.iter().map(|q| moved(&o.motion, t, *q)));
        p.groups.resize(x.len(), first_group + number as u32);
        p.radii.resize(first as usize, 0.0);
        p.radii.resize(x.len(), o.radius);
        p.points.extend(first..x.len() as u32);
        p.edges.extend(o.edges.iter().map(|e| e.map(|v| v + first)));
        p.triangles
            .extend(o.triangles.iter().map(|t| t.map(|v| v + first)));
    }
    Scenery {
        t,
        primitives: p,
        x,
        nodes: nodes.len(),
    }
}

/// Calls `visit` with a group, a vertex, the group of a smooth obstacle and their signed distance.
fn each_smooth_distance(
    setup: &ContactSetup,
    touch: impl Fn(u32, u32) -> bool,
    s: &Scenery,
    visit: &mut impl FnMut(u32, u32, u32, f64),
) {
    let first_group = (setup.bodies + setup.particles) as u32;
    for (number, o) in setup.description.obstacles.iter().enumerate() {
        let Some(shape) = &o.shape else { continue };
        let group = first_group + number as u32;
        let frame = moved_frame(&o.motion, s.t, &shape.frame);
        for &v in s
            .primitives
            .points
            .iter()
            .filter(|v| (**v as usize) < s.nodes)
        {
            let own = s.primitives.groups[v as usize];
            if touch(own, group) {
                let d = shape.shape.signed_distance(&frame, s.x[v as usize]);
                visit(own, v, group, d);
            }
        }
    }
}

/// Finds all overlaps at a time.
pub fn overlaps(setup: &ContactSetup, nodes: &[Point], t: f64) -> Vec<Overlap> {
    let s = scenery(setup, nodes, t);
    let touch = |a, b| setup.may_touch(a, b);
    // The barrier needs a gap; under the corrector surfaces may touch at the start.
    let (low, high) = bounds(&s.x);
    let slack = match setup.kind == spec::ContactKind::Corrector {
        true => TOUCHING * norm(sub(high, low)).max(1e-3),
        false => 0.0,
    };
    overlaps_within(setup, &s, setup.settings().thickness - slack, touch)
}

/// Finds the overlaps of all pairs for which `touch` is true, at a distance that they should keep, m.
pub(super) fn overlaps_within(
    setup: &ContactSetup,
    s: &Scenery,
    thickness: f64,
    touch: impl Fn(u32, u32) -> bool + Copy + Sync,
) -> Vec<Overlap> {
    let mut all: BTreeMap<[u32; 2], Overlap> = BTreeMap::new();
    let mut note = |a: u32, b: u32, depth: f64, place: Point| {
        let groups = [a.min(b), a.max(b)];
        let overlap = all.entry(groups).or_insert(Overlap {
            groups,
            count: 0,
            depth: 0.0,
            place,
        });
        overlap.count += 1;
        if depth > overlap.depth {
            (overlap.depth, overlap.place) = (depth, place);
        }
    };
    each_smooth_distance(setup, touch, s, &mut |own, v, group, d| {
        if d <= thickness {
            note(own, group, thickness - d, s.x[v as usize]);
        }
    });
    let group = |v: u32| s.primitives.groups[v as usize];
    let mut found = Candidates::default();
    each_distance(
        &s.primitives,
        &s.x,
        thickness,
        touch,
        &mut found,
        &mut |v, w, d| {
            if d <= thickness {
                note(group(v), group(w), thickness - d, s.x[v as usize]);
            }
        },
    );
    for i in intersections(&s.primitives, &s.x, touch) {
        let [a, b] = s.primitives.edges[i.edge as usize];
        let t = s.primitives.triangles[i.triangle as usize];
        let middle = scale(0.5, add(s.x[a as usize], s.x[b as usize]));
        note(group(a), group(t[0]), 0.0, middle);
    }
    for [inner, outer, vertex] in enclosed(setup, touch, s) {
        note(inner, outer, 0.0, s.x[vertex as usize]);
    }
    all.into_values().collect()
}

/// Finds groups whose first vertex is inside the closed, outward surface of another group: inner and outer group, vertex.
fn enclosed(setup: &ContactSetup, touch: impl Fn(u32, u32) -> bool, s: &Scenery) -> Vec<[u32; 3]> {
    let p = &s.primitives;
    let mut out = Vec::new();
    let mut first_vertex: BTreeMap<u32, u32> = BTreeMap::new();
    for &v in p.points.iter().rev() {
        first_vertex.insert(p.groups[v as usize], v);
    }
    let of_group = |t: &[u32; 3]| p.groups[t[0] as usize];
    // Triangles of a group follow each other.
    for triangles in p.triangles.chunk_by(|a, b| of_group(a) == of_group(b)) {
        let outer = of_group(&triangles[0]);
        // A shell has no inside.
        if setup.shells.iter().any(|name| name == setup.name(outer)) {
            continue;
        }
        for (&inner, &v) in &first_vertex {
            let touches = inner != outer && touch(inner, outer);
            if touches && winding_number(&s.x, triangles, s.x[v as usize]) > 0.5 {
                out.push([inner, outer, v]);
            }
        }
    }
    out
}

/// Depth at which surfaces count as touching under the corrector, in the size of the scene.
const TOUCHING: f64 = 1e-9;
/// Largest number of candidates for which least distances are computed.
const MAX_CANDIDATES: usize = 1_000_000;

/// Finds the least distance of each pair of groups that may touch. Pairs that are far apart, in a scene with very many
/// candidates, are left out.
pub fn gaps(setup: &ContactSetup, nodes: &[Point]) -> Vec<PairGap> {
    let s = scenery(setup, nodes, 0.0);
    let thickness = setup.settings().thickness;
    let mut all: BTreeMap<[u32; 2], f64> = BTreeMap::new();
    let touch = |a, b| setup.may_touch(a, b);
    each_smooth_distance(setup, touch, &s, &mut |own, _, group, d| {
        let least = all.entry([own, group]).or_insert(f64::INFINITY);
        *least = least.min(d - thickness);
    });
    let smooth: Vec<[u32; 2]> = all.keys().copied().collect();
    let (low, high) = bounds(&s.x);
    let size = norm(sub(high, low));
    let groups = setup.description.names.len() as u32;
    let wanted = |a: u32, b: u32| a != b && setup.may_touch(a, b) && !smooth.contains(&[a, b]);
    let mut missing: Vec<[u32; 2]> = (0..groups)
        .flat_map(|b| (0..b).map(move |a| [a, b]))
        .filter(|[a, b]| wanted(*a, *b))
        .collect();
    let mut limit = setup.settings().barrier.reach() + thickness;
    let mut found = Candidates::default();
    while !missing.is_empty() {
        let mut near: BTreeMap<[u32; 2], f64> = BTreeMap::new();
        each_distance(
            &s.primitives,
            &s.x,
            limit,
            touch,
            &mut found,
            &mut |v, w, d| {
                let [a, b] = [v, w].map(|v| s.primitives.groups[v as usize]);
                let least = near.entry([a.min(b), a.max(b)]).or_insert(f64::INFINITY);
                *least = least.min(d - thickness);
            },
        );
        let known = |pair: &[u32; 2]| near.get(pair).copied().filter(|d| *d <= limit);
        for pair in &missing {
            if let Some(d) = known(pair) {
                all.insert(*pair, d);
            }
        }
        missing.retain(|pair| known(pair).is_none());
        if limit > size || found.len() > MAX_CANDIDATES {
            break;
        }
        limit *= 2.0;
    }
    let gap = |(groups, gap)| PairGap { groups, gap };
    all.into_iter().map(gap).collect()
}
