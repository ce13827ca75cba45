//! Continuous collision detection: how far primitives can move along straight paths without coming too close.
//!
//! Additive CCD [Li, Kaufman & Jiang 2021, section 5] goes forward in time by steps during which the distance cannot fall
//! below its target. We bound the motion along the direction n between the closest points, as conservative advancement does
//! [Zhang, Lee & Kim 2006]: for any unit vector n the distance of two convex sets is at least the least n·(xᵢ − yⱼ) over
//! their vertices, and each of these numbers is linear in time. A step ends where the first of them reaches the target. It is
//! at least as long as the step of additive CCD, and reaches the end at once where primitives slide past each other. The
//! bound holds for every n, so that badly conditioned closest points cannot make the answer late.
//!
//! What stays of rounding errors, at most 8 ε (size + displacement), is subtracted from every distance.

mod obstacle;
mod parts;
mod primitives;
mod scene;

pub use obstacle::point_obstacle;
pub use parts::limit_groups;
pub use primitives::{edge_edge, point_edge, point_point, point_triangle};
pub use scene::{Blocking, Pair, free_fraction};

use crate::Point;
use mesh::vector::{dot, scale, sub};

/// What continuous collision detection keeps free.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CcdOptions {
    /// Least separation, m: the thickness of the primitives together.
    pub thickness: f64,
    /// Share of the initial gap (distance minus thickness) that is kept, in [0, 1).
    pub gap_fraction: f64,
    /// Largest gap that is kept so, m. The free part of a path then does not depend on pairs that stay farther apart.
    pub max_kept_gap: f64,
    /// Largest number of steps. If it is reached, the free part found so far is returned.
    pub max_steps: usize,
}

impl Default for CcdOptions {
    fn default() -> CcdOptions {
        CcdOptions {
            thickness: 0.0,
            gap_fraction: 0.1,
            max_kept_gap: f64::INFINITY,
            max_steps: 1000,
        }
    }
}

impl CcdOptions {
    /// Distance that is kept by a pair with this gap at the start, m.
    fn target(&self, gap: f64) -> f64 {
        self.thickness + (self.gap_fraction.clamp(0.0, 1.0) * gap).min(self.max_kept_gap)
    }

    /// The same options for primitives that are thicker by these radii.
    fn thicker(&self, radii: f64) -> CcdOptions {
        CcdOptions {
            thickness: self.thickness + radii,
            ..*self
        }
    }
}

/// The iteration ends when the distance is above its target by this share of the initial gap.
pub const CONVERGENCE: f64 = 1e-3;

/// Rounding errors of a distance in units of size plus displacement.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// Largest number of pairs of vertices that [`advance`] takes.
const MAX_PAIRS: usize = 8;

/// Advances two moving convex sets and returns the free part of the path.
///
/// `separation(t)` writes the differences xᵢ − yⱼ of all pairs of vertices at the time t and returns a direction n, of any
/// length. `rates` are the displacements of these differences over the whole path. `rounding` is an upper
/// bound of the errors of the differences. Answers above `limit` need not be exact: the iteration ends there.
fn advance(
    rates: &[Point],
    rounding: f64,
    options: &CcdOptions,
    limit: f64,
    separation: impl Fn(f64, &mut [Point; MAX_PAIRS]) -> Point,
) -> f64 {
    let mut differences = [[0.0; 3]; MAX_PAIRS];
    let mut target = f64::INFINITY;
    let mut enough = 0.0;
    let mut t = 0.0;
    for step in 0..options.max_steps.max(1) {
        let direction = separation(t, &mut differences);
        let length = dot(direction, direction).sqrt();
        let n = scale(1.0 / length, direction);
        if !n.iter().all(|n| n.is_finite()) {
            return t;
        }
        let mut distance = f64::INFINITY;
        let mut gaps = [0.0; MAX_PAIRS];
        for (gap, &x) in gaps.iter_mut().zip(&differences[..rates.len()]) {
            *gap = dot(n, x) - rounding;
            distance = distance.min(*gap);
        }
        if step == 0 {
            let gap = distance - options.thickness;
            if gap.is_nan() || gap <= 0.0 {
                return 0.0;
            }
            target = options.target(gap);
            enough = CONVERGENCE * gap;
        }
        if distance - target <= if step == 0 { 0.0 } else { enough } {
            return t;
        }
        let mut dt = f64::INFINITY;
        for (gap, &rate) in gaps.iter().zip(rates) {
            let closing = -dot(n, rate);
            if closing > 0.0 {
                dt = dt.min((gap - target) / closing);
            }
        }
        t += dt;
        if t >= 1.0 {
            return 1.0;
        }
        if t >= limit {
            return t;
        }
    }
    t
}

/// Largest component of the points' positions relative to the first one.
fn extent(points: &[Point]) -> f64 {
    points.iter().skip(1).fold(0.0, |size, &p| {
        sub(p, points[0]).iter().fold(size, |s, c| s.max(c.abs()))
    })
}
