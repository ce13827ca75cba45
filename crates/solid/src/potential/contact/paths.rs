//! Free parts of paths: how far all points can go on straight lines before surfaces touch.

use contact::Point;
use contact::ccd::{self, CcdOptions, Pair};
use contact::collision::Range;

use super::BarrierContact;
use crate::potential::Configuration;

/// Share of a gap that a path may not use up, and the largest gap that is kept so, as a share of the reach. The second limit
/// makes the free part independent of pairs that are far apart.
const KEPT_GAP: f64 = 0.1;

/// Share of a gap within which paths need no check. With gap g at the centre and motions of two nodes up to r g/2 from there,
/// a path begins with a gap of at most (1 + r) g and never has less than (1 − r) g, which is more than the kept share of the
/// former for r < (1 − 0.1)/(1 + 0.1).
const UNCHECKED_SHARE: f64 = 0.8;

/// Positions at both ends of a path.
#[derive(Default)]
pub struct PathBuffers {
    pub(super) start: Vec<Point>,
    pub(super) end: Vec<Point>,
    /// Fraction of its path that each group may take.
    pub(super) bodies: Vec<f64>,
    /// Number of paths checked.
    pub checks: u64,
}

/// What ends the free part of a path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Obstruction {
    /// Two primitives of surfaces.
    Pair(Pair),
    /// A node and a smooth obstacle, by its group.
    Smooth {
        /// The node.
        node: u32,
        /// Group of the obstacle.
        group: u32,
    },
}

impl BarrierContact {
    pub(super) fn ccd_options(&self) -> CcdOptions {
        CcdOptions {
            thickness: self.settings.thickness,
            gap_fraction: KEPT_GAP,
            max_kept_gap: KEPT_GAP * self.settings.barrier.reach(),
            ..CcdOptions::default()
        }
    }

    /// Fills a buffer with the positions of all points at a configuration.
    pub(super) fn fill(&self, x: &Configuration, out: &mut Vec<Point>) {
        out.resize(self.x.len(), [0.0; 3]);
        for (i, place) in out[..self.nodes].iter_mut().enumerate() {
            *place = x.position(i);
        }
        self.obstacles.points_at(x.t, out);
    }

    /// Returns the free fraction of a path and what ends it.
    pub(super) fn free_fraction(
        &mut self,
        from: &Configuration,
        to: &Configuration,
    ) -> (f64, Option<Obstruction>) {
        let mut buffers = std::mem::take(&mut self.paths);
        buffers.checks += 1;
        self.fill(from, &mut buffers.start);
        self.fill(to, &mut buffers.end);
        let (start, end) = (&buffers.start, &buffers.end);
        let options = self.ccd_options();
        let range = self.range();
        let near = self.search.sweep(&self.surfaces, start, end, range);
        let candidates = match near {
            true => &self.search.near,
            false => &self.search.swept,
        };
        let p = &self.surfaces.primitives;
        let found = ccd::free_fraction(p, candidates, start, end, &options);
        let (mut free, mut what) = match found {
            Some(blocking) => (blocking.fraction, Some(Obstruction::Pair(blocking.pair))),
            None => (1.0, None),
        };
        for (group, shape, frames) in self.obstacles.smooth_between(from.t, to.t) {
            for &i in &self.surfaces.primitives.points {
                let node = i as usize;
                if self.surfaces.rigid[node] || self.search.ignores(p.groups[node], group) {
                    continue;
                }
                let radius = p.radius([i]);
                let options = CcdOptions {
                    thickness: options.thickness + radius,
                    ..options
                };
                let path = [start[node], end[node]];
                let fraction = ccd::point_obstacle(&shape, &frames, &path, &options);
                if fraction < free {
                    free = fraction;
                    what = Some(Obstruction::Smooth { node: i, group });
                }
            }
        }
        self.paths = buffers;
        (free, what)
    }

    /// Returns the free fraction of a path that contact blocks, and a sentence about the pair that blocks it.
    pub(crate) fn describe_obstruction(
        &mut self,
        from: &Configuration,
        to: &Configuration,
    ) -> Option<(f64, String)> {
        let (fraction, what) = self.free_fraction(from, to);
        let (groups, gap) = self.start_of(what?);
        let name = |g: u32| self.names.get(g as usize).map_or("?", String::as_str);
        let [a, b] = groups.map(name);
        let time = from.t + fraction * (to.t - from.t);
        let words = match groups[0] == groups[1] {
            true => format!("{a} would pass through itself"),
            false => format!("{a} would pass through {b}"),
        };
        let words = format!(
            "{words}, {gap:.3e} m apart at the start of the path and in contact after {:.1} % of it (t = {time:.6} s)",
            100.0 * fraction
        );
        Some((fraction, words))
    }

    /// Groups of an obstruction and its gap at the start of the last path, m.
    fn start_of(&self, what: Obstruction) -> ([u32; 2], f64) {
        let p = &self.surfaces.primitives;
        let x = |i: u32| self.paths.start[i as usize];
        let group = |i: u32| p.groups[i as usize];
        let thickness = self.settings.thickness;
        let (groups, square) = match what {
            Obstruction::Smooth {
                node,
                group: obstacle,
            } => {
                let gap = self.obstacles.gap_of(obstacle, x(node));
                return ([group(node), obstacle], gap - thickness - p.radius([node]));
            }
            Obstruction::Pair(Pair::PointTriangle(c)) => {
                let v = c.vertices(p);
                ([v[0], v[1]], contact::distance::point_triangle(&v.map(x)).1)
            }
            Obstruction::Pair(Pair::EdgeEdge(c)) => {
                let v = c.vertices(p);
                ([v[0], v[2]], contact::distance::edge_edge(&v.map(x)).1)
            }
            Obstruction::Pair(Pair::PointEdge(c)) => {
                let v = c.vertices(p);
                ([v[0], v[1]], contact::distance::point_edge(&v.map(x)).1)
            }
            Obstruction::Pair(Pair::PointPoint(c)) => {
                let [a, b] = c.points.map(x);
                let square = (0..3).map(|k| (a[k] - b[k]).powi(2)).sum();
                (c.points, square)
            }
        };
        let radii = p.radius([groups[0]]) + p.radius([groups[1]]);
        (groups.map(group), square.sqrt() - thickness - radii)
    }

    /// Returns a distance by which every node can move in any direction, from any place within it to any other, so that no pair
    /// loses more of its gap than a path may use up, m. Paths within it need no check: the check would find them free.
    pub(super) fn least_free_radius(&mut self, x: &Configuration) -> f64 {
        if self.obstacles.move_at_all() {
            return 0.0;
        }
        self.find(x);
        let range: Range = self.range();
        let (surfaces, places) = (&self.surfaces, &self.x);
        let mut complete = self.search.complete_within(surfaces, places, range);
        if complete < range.reach + self.search.margin {
            self.search.recentre(surfaces, places, range);
            complete = self.search.complete_within(surfaces, places, range);
        }
        let pairs = self.least_gap_of_candidates(complete);
        let smooth = self.obstacles.least_gap(surfaces, places, range);
        (UNCHECKED_SHARE * (0.5 * pairs).min(smooth)).max(0.0)
    }

    /// Least distance of a candidate pair minus its offset, at most `limit`, m.
    pub(super) fn least_gap_of_candidates(&self, limit: f64) -> f64 {
        let p = &self.surfaces.primitives;
        let at = |i: u32| self.x[i as usize];
        let thickness = self.settings.thickness;
        let mut least = limit;
        for c in &self.search.near.point_triangle {
            let v = c.vertices(p);
            let square = contact::distance::point_triangle(&v.map(at)).1;
            least = least
                .min(square.sqrt() - thickness - p.radius([v[0]]) - p.radius([v[1], v[2], v[3]]));
        }
        for c in &self.search.near.edge_edge {
            let v = c.vertices(p);
            let square = contact::distance::edge_edge(&v.map(at)).1;
            let wide = p.radius([v[0], v[1]]) + p.radius([v[2], v[3]]);
            least = least.min(square.sqrt() - thickness - wide);
        }
        for c in &self.search.near.point_edge {
            let v = c.vertices(p);
            let square = contact::distance::point_edge(&v.map(at)).1;
            least =
                least.min(square.sqrt() - thickness - p.radius([v[0]]) - p.radius([v[1], v[2]]));
        }
        for c in &self.search.near.point_point {
            let [a, b] = c.points.map(at);
            let square: f64 = (0..3).map(|k| (a[k] - b[k]).powi(2)).sum();
            least = least
                .min(square.sqrt() - thickness - p.radius([c.points[0]]) - p.radius([c.points[1]]));
        }
        least
    }
}
