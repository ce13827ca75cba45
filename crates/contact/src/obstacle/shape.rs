//! Signed distances in the local frame of an obstacle.

use mesh::vector::{norm, scale};

use super::Obstacle;
use crate::Point;

/// Signed distance of a point in local coordinates, with its derivatives.
pub(super) struct LocalDistance {
    pub distance: f64,
    /// Gradient: unit outward normal.
    pub normal: Point,
    /// The Hessian is curvature · (diag(mask) − n nᵀ).
    pub curvature: f64,
    pub mask: Point,
}

impl LocalDistance {
    /// Distance with a constant normal.
    fn flat(distance: f64, normal: Point) -> LocalDistance {
        LocalDistance {
            distance,
            normal,
            curvature: 0.0,
            mask: [0.0; 3],
        }
    }

    /// Distance of the tip of `v` from the axes directions that `mask` leaves out, minus `radius`.
    fn round(v: Point, mask: Point, radius: f64, kink: Point) -> LocalDistance {
        let length = norm(v);
        if length == 0.0 {
            return LocalDistance::flat(-radius, kink);
        }
        LocalDistance {
            distance: length - radius,
            normal: scale(1.0 / length, v),
            curvature: 1.0 / length,
            mask,
        }
    }
}

pub(super) fn local_distance(shape: &Obstacle, p: Point) -> LocalDistance {
    match *shape {
        Obstacle::Plane => LocalDistance::flat(p[2], [0.0, 0.0, 1.0]),
        Obstacle::Sphere { radius } => LocalDistance::round(p, [1.0; 3], radius, [0.0, 0.0, 1.0]),
        Obstacle::Capsule {
            half_length,
            radius,
        } => {
            let beyond = p[2] - p[2].clamp(-half_length, half_length);
            let along = f64::from(u8::from(beyond != 0.0));
            LocalDistance::round(
                [p[0], p[1], beyond],
                [1.0, 1.0, along],
                radius,
                [1.0, 0.0, 0.0],
            )
        }
        Obstacle::OrientedBox { half_extents } => box_distance(half_extents, p),
    }
}

fn box_distance(half_extents: [f64; 3], p: Point) -> LocalDistance {
    let q = [0, 1, 2].map(|k| p[k].abs() - half_extents[k]);
    if q.iter().any(|&q| q > 0.0) {
        let outside = [0, 1, 2].map(|k| q[k].max(0.0).copysign(p[k]));
        let mask = q.map(|q| f64::from(u8::from(q > 0.0)));
        return LocalDistance::round(outside, mask, 0.0, [0.0, 0.0, 1.0]);
    }
    let face = (0..3).fold(0, |best, k| if q[k] > q[best] { k } else { best });
    let mut normal = [0.0; 3];
    normal[face] = 1.0f64.copysign(p[face]);
    LocalDistance::flat(q[face], normal)
}
