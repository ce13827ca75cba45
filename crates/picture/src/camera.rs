//! Where the picture is taken from.

use crate::space::{V3, add, beside, cross, dot, finite, scale, sub, unit_or};

/// Share of the picture's height and width a framed subject may fill.
const FILLED: f64 = 0.84;

/// A perspective camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Where it stands, m.
    pub eye: [f64; 3],
    /// The point in the middle of the picture, m.
    pub target: [f64; 3],
    /// What is up in the picture.
    pub up: [f64; 3],
    /// Angle between the lower and the upper edge of the picture, degrees.
    pub angle_deg: f64,
}

impl Camera {
    /// A direction from the subject to the camera that suits most scenes: from the front, a little right and above.
    pub const THREE_QUARTER: [f64; 3] = [0.55, 0.38, 1.0];

    /// The nearest camera in `direction` (from the subject towards the camera, y up) that has the whole box
    /// `min … max` in a picture of `aspect` = width / height, with a margin around it.
    pub fn framing(min: [f64; 3], max: [f64; 3], direction: [f64; 3], aspect: f64) -> Camera {
        let corner =
            |c: usize| std::array::from_fn(|i| if c >> i & 1 == 0 { min[i] } else { max[i] });
        Camera::framing_points((0..8).map(corner), direction, aspect)
    }

    /// The nearest camera that has all finite `points` in the picture: closer than the box around them allows.
    ///
    /// With the eye at (cx, cy, d) of the camera's frame and t the tangent of half the angle, a point (x, y, z) is in
    /// the picture when |x − cx| ≤ t (d − z): so d = (A + B) / 2t and cx = (A − B) / 2 with A = max(x + t z) and
    /// B = max(−x + t z) over the points; the same in y; the larger d holds.
    pub fn framing_points(
        points: impl IntoIterator<Item = [f64; 3]>,
        direction: [f64; 3],
        aspect: f64,
    ) -> Camera {
        let angle_deg: f64 = 28.0;
        let back = unit_or(direction, [0.0, 0.0, 1.0]);
        let (right, up) = frame(back, [0.0, 1.0, 0.0]);
        let aspect = if aspect > 0.0 && aspect.is_finite() {
            aspect
        } else {
            1.0
        };
        let tangent_y = FILLED * (0.5 * angle_deg).to_radians().tan();
        let tangents = [aspect * tangent_y, tangent_y];
        // [A, B] of the doc comment, for x and for y; then the nearest and farthest depth.
        let mut most = [[f64::NEG_INFINITY; 2]; 2];
        let mut depth = [f64::INFINITY, f64::NEG_INFINITY];
        for p in points.into_iter().filter(|&p| finite(p)) {
            let z = dot(p, back);
            depth = [depth[0].min(z), depth[1].max(z)];
            for (i, axis) in [right, up].into_iter().enumerate() {
                let x = dot(p, axis);
                most[i][0] = most[i][0].max(x + tangents[i] * z);
                most[i][1] = most[i][1].max(tangents[i] * z - x);
            }
        }
        if depth[0] > depth[1] {
            // Nothing to see: look at the origin from a metre away.
            (most, depth) = ([[0.0; 2]; 2], [0.0; 2]);
        }
        let fit = |i: usize| {
            (
                (most[i][0] + most[i][1]) / (2.0 * tangents[i]),
                (most[i][0] - most[i][1]) / 2.0,
            )
        };
        let ((far_x, x), (far_y, y)) = (fit(0), fit(1));
        let middle = 0.5 * (depth[0] + depth[1]);
        let far = far_x.max(far_y);
        // A single point has no size to fit.
        let far = if far > depth[1] { far } else { depth[1] + 1.0 };
        let across = add(scale(x, right), scale(y, up));
        Camera {
            eye: add(across, scale(far, back)),
            target: add(across, scale(middle, back)),
            up: [0.0, 1.0, 0.0],
            angle_deg,
        }
    }

    /// The pixel (x right, y down, from the upper left corner of a `width` × `height` picture) and the depth in
    /// metres at which a point appears; `None` at or behind the camera. A picture with a bar is moved to the left to
    /// make room for it: see [`crate::bar_room`].
    pub fn pixel(&self, point: [f64; 3], width: usize, height: usize) -> Option<([f64; 2], f64)> {
        let view = self.view(width, height);
        let p = view.local(point);
        (p[2] > 0.0).then(|| (view.pixel(p), p[2]))
    }

    pub(crate) fn view(&self, width: usize, height: usize) -> View {
        let back = unit_or(sub(self.eye, self.target), [0.0, 0.0, 1.0]);
        let (right, up) = frame(back, self.up);
        let half = (0.5 * self.angle_deg.clamp(1.0, 170.0)).to_radians();
        View {
            eye: self.eye,
            right,
            up,
            back,
            focal: 0.5 * height as f64 / half.tan(),
            centre: [0.5 * width as f64, 0.5 * height as f64],
        }
    }
}

/// Right and up of a camera that looks against `back`.
fn frame(back: V3, up: V3) -> (V3, V3) {
    let right = unit_or(cross(up, back), beside(back).0);
    (right, cross(back, right))
}

/// A camera resolved for one size of picture.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View {
    pub(crate) eye: V3,
    pub(crate) right: V3,
    pub(crate) up: V3,
    pub(crate) back: V3,
    /// Pixels per unit tangent.
    pub(crate) focal: f64,
    pub(crate) centre: [f64; 2],
}

impl View {
    /// Right, up and depth (positive in front).
    pub(crate) fn local(&self, p: V3) -> V3 {
        let p = sub(p, self.eye);
        [dot(p, self.right), dot(p, self.up), -dot(p, self.back)]
    }

    pub(crate) fn pixel(&self, local: V3) -> [f64; 2] {
        let s = self.focal / local[2];
        [self.centre[0] + s * local[0], self.centre[1] - s * local[1]]
    }

    /// Direction of the ray through a pixel, with unit depth.
    pub(crate) fn ray(&self, x: f64, y: f64) -> V3 {
        let (a, b) = (
            (x - self.centre[0]) / self.focal,
            (self.centre[1] - y) / self.focal,
        );
        sub(add(scale(a, self.right), scale(b, self.up)), self.back)
    }
}
