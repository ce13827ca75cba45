//! Ends of Newton steps at smooth obstacles: nodes go to where the barrier carries what its linearisation would carry.
//!
//! A Newton step leads a node from the gap g₀ to g₁, where the linearised barrier would carry λ = −E′(g₀) − E″(g₀) (g₁ − g₀).
//! The node goes the tangential part of its way, and along the normal to the gap g with −E′(g) = λ + k (g − g₁), where k is the
//! resistance of the node: the diagonal of Newton's matrix without the part of the barrier. This equation has one solution, because
//! its left side decreases from infinity and its right side increases.

use contact::Point;
use contact::ccd::{self, CcdOptions};
use mesh::vector::{add, dot, scale, sub};

use super::BarrierContact;
use crate::potential::Configuration;

/// Least share of a gap that remains; a path must not use up all of it.
const LEAST_SHARE: f64 = 0.12;
/// Least share of the diagonal of the matrix that counts as resistance, if the barrier has nearly all of it.
const LEAST_RESISTANCE: f64 = 0.01;
/// Change of a gap, as a share of it, up to which the linear model is good enough: near its solution the iteration is Newton's.
const LINEAR_CHANGE: f64 = 0.01;
/// Bisections of the gap, of an interval from 0 to the reach, and Newton iterations after them.
const BISECTIONS: u32 = 16;
const NEWTON_ITERATIONS: u32 = 5;
/// Corrections of the distance from curved obstacles.
const CORRECTIONS: u32 = 2;

/// Linear model of a node and a barrier: gaps at both ends of a step, m, stiffness times area of the barrier, N, and the resistance of
/// the node, barrier included, N/m.
struct NodeModel {
    from: f64,
    to: f64,
    weight: f64,
    resistance: f64,
}

impl BarrierContact {
    /// Moves the ends of the paths of nodes that come within reach of smooth obstacles, or would pass through them, to where the barrier
    /// carries what its linearisation would. `end` holds displacements. Returns `false` if there are no such nodes.
    pub(super) fn settle_at_obstacles(
        &mut self,
        from: &Configuration,
        end: &mut [Point],
        resistance: &[Point],
    ) -> bool {
        let options = self.ccd_options();
        let p = &self.surfaces.primitives;
        let mut any = false;
        for (group, shape, frames) in self.obstacles.smooth_between(from.t, from.t) {
            for &i in &p.points {
                let node = i as usize;
                if self.surfaces.rigid[node] || self.search.ignores(p.groups[node], group) {
                    continue;
                }
                let offset = options.thickness + p.radius([i]);
                let start = from.position(node);
                let goal = add(from.rest[node], end[node]);
                let options = CcdOptions {
                    thickness: offset,
                    ..options
                };
                let free = ccd::point_obstacle(&shape, &frames, &[start, goal], &options);
                // A straight way on from where the path is blocked, or its end.
                let place = add(start, scale(free, sub(goal, start)));
                let (distance, normal) = shape.derivatives(&frames[1], place, None);
                let gap = distance - offset + dot(normal, sub(goal, place));
                if gap >= self.settings.barrier.reach() {
                    continue;
                }
                let before = shape.signed_distance(&frames[0], start) - offset;
                if (gap - before).abs() <= LINEAR_CHANGE * before {
                    continue;
                }
                // Nodes that are held have no resistance and stay on their way.
                let along_normal = dot(normal.map(|n| n * n), resistance[node]);
                if along_normal <= 0.0 {
                    continue;
                }
                let wanted = self.settled_gap(&NodeModel {
                    from: before,
                    to: gap,
                    weight: self.settings.stiffness * self.surfaces.vertex_areas[node],
                    resistance: along_normal,
                });
                let mut settled = add(goal, scale(wanted - gap, normal));
                for _ in 0..CORRECTIONS {
                    let (distance, normal) = shape.derivatives(&frames[1], settled, None);
                    settled = add(settled, scale(wanted - (distance - offset), normal));
                }
                end[node] = sub(settled, from.rest[node]);
                any = true;
            }
        }
        any
    }

    /// Gap at which the barrier carries its share.
    fn settled_gap(&self, node: &NodeModel) -> f64 {
        let barrier = &self.settings.barrier;
        let [_, slope, curvature] = barrier
            .derivatives(node.from)
            .map(|derivative| node.weight * derivative);
        let carried = -slope - curvature * (node.to - node.from);
        let k = (node.resistance - curvature).max(LEAST_RESISTANCE * node.resistance);
        // What is missing to the balance, and its derivative.
        let missing = |gap: f64| {
            let [_, slope, curvature] = barrier.derivatives(gap);
            [
                -node.weight * slope - carried - k * (gap - node.to),
                -node.weight * curvature - k,
            ]
        };
        let (mut low, mut high) = (0.0, barrier.reach());
        for _ in 0..BISECTIONS {
            let gap = 0.5 * (low + high);
            match missing(gap)[0] > 0.0 {
                true => low = gap,
                false => high = gap,
            }
        }
        // The function is convex and falls: from the left Newton's method stays on the left.
        let mut gap = if low > 0.0 { low } else { high };
        for _ in 0..NEWTON_ITERATIONS {
            let [value, slope] = missing(gap);
            gap = (gap - value / slope).clamp(low, high);
        }
        gap.max(LEAST_SHARE * node.from.min(barrier.reach()))
    }
}
