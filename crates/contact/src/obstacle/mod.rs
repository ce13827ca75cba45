//! Obstacles of simple shapes: signed distances with derivatives, and triangulations for drawing.
//!
//! A shape lives in a [`Frame`]. Its signed distance is positive outside, zero on the surface and negative inside; outside it
//! is continuously differentiable, so that it serves as a smooth constraint [Ascher et al. 2021, section 4.1].

mod height_field;
mod shape;
mod triangulate;

pub use height_field::height_field;
pub use triangulate::triangulate;

use crate::Point;
use mesh::vector::{add, dot, scale, sub};

/// Rigid frame: an origin and three orthogonal, right-handed unit axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// Position of the frame, m.
    pub origin: Point,
    /// Unit vectors of the local x, y and z axes.
    pub axes: [Point; 3],
}

impl Frame {
    /// Frame of the world.
    pub const IDENTITY: Frame = Frame {
        origin: [0.0; 3],
        axes: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
    };

    /// Frame whose z axis has a given direction, which must not be zero; its x and y axes are chosen by the direction only.
    pub fn along(origin: Point, direction: Point) -> Frame {
        let z = scale(1.0 / mesh::vector::norm(direction), direction);
        // The world axis that is farthest from z.
        let k = (0..3).fold(
            0,
            |best, k| if z[k].abs() < z[best].abs() { k } else { best },
        );
        let mut x = Frame::IDENTITY.axes[k];
        x = sub(x, scale(dot(x, z), z));
        x = scale(1.0 / mesh::vector::norm(x), x);
        Frame {
            origin,
            axes: [x, mesh::vector::cross(z, x), z],
        }
    }

    /// World position of a point given in local coordinates.
    pub fn to_world(&self, local: Point) -> Point {
        add(self.origin, self.direction_to_world(local))
    }

    /// World direction of a vector given in local coordinates.
    pub fn direction_to_world(&self, local: Point) -> Point {
        let [x, y, z] = self.axes;
        add(
            add(scale(local[0], x), scale(local[1], y)),
            scale(local[2], z),
        )
    }

    /// Local coordinates of a world position.
    pub fn to_local(&self, world: Point) -> Point {
        let r = sub(world, self.origin);
        self.axes.map(|axis| dot(axis, r))
    }

    /// Frame whose points have gone the part t of straight lines from this frame to `end`. Its axes are unit vectors at t = 0
    /// and t = 1 and shorter between if the frame turns.
    pub(crate) fn between(&self, end: &Frame, t: f64) -> Frame {
        let mix = |a: Point, b: Point| add(a, scale(t, sub(b, a)));
        Frame {
            origin: mix(self.origin, end.origin),
            axes: [0, 1, 2].map(|k| mix(self.axes[k], end.axes[k])),
        }
    }
}

/// Shape of an obstacle in its frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Obstacle {
    /// Half-space below the local plane z = 0; the local z axis is its outward normal.
    Plane,
    /// Ball around the origin.
    Sphere {
        /// Radius, m.
        radius: f64,
    },
    /// Points within the radius of the segment from (0, 0, −half length) to (0, 0, half length).
    Capsule {
        /// Half of the length of the axis without the caps, m.
        half_length: f64,
        /// Radius, m.
        radius: f64,
    },
    /// Box around the origin with sides along the local axes.
    OrientedBox {
        /// Half of each side, m.
        half_extents: [f64; 3],
    },
}

impl Obstacle {
    /// Signed distance of a point: positive outside, negative inside.
    pub fn signed_distance(&self, frame: &Frame, p: Point) -> f64 {
        self.derivatives(frame, p, None).0
    }

    /// Computes the signed distance of a point, its gradient, which is the unit outward normal, and, if asked, its Hessian.
    ///
    /// Where the distance has a kink (the centre of a ball, the axis of a capsule, the medial planes of a box) one of the
    /// possible normals is returned, with a zero Hessian.
    pub fn derivatives(
        &self,
        frame: &Frame,
        p: Point,
        hessian: Option<&mut [[f64; 3]; 3]>,
    ) -> (f64, Point) {
        let local = shape::local_distance(self, frame.to_local(p));
        let normal = frame.direction_to_world(local.normal);
        if let Some(h) = hessian {
            // In the local frame the Hessian is curvature · (diag(mask) − n nᵀ).
            for i in 0..3 {
                for j in 0..3 {
                    let diagonal: f64 = (0..3)
                        .map(|k| local.mask[k] * frame.axes[k][i] * frame.axes[k][j])
                        .sum();
                    h[i][j] = local.curvature * (diagonal - normal[i] * normal[j]);
                }
            }
        }
        (local.distance, normal)
    }
}
