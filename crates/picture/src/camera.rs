//! The perspective camera and automatic framing.

use crate::vec3::{Vec3, add, cross, dot, finite, orthonormal_basis, scale, sub, unit_or};

/// The fraction of the picture's width and height that a framed subject fills at most.
const FRAME_FILL: f64 = 0.84;

/// A perspective camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// The position of the camera in metres.
    pub eye: [f64; 3],
    /// The point at the centre of the picture, in metres.
    pub target: [f64; 3],
    /// The direction that points up in the picture.
    pub up: [f64; 3],
    /// The vertical field of view in degrees.
    pub angle_deg: f64,
}

impl Camera {
    /// The direction from the subject to the camera of a three-quarter view: from the front, slightly right and above.
    pub const THREE_QUARTER: [f64; 3] = [0.55, 0.38, 1.0];

    /// Returns the nearest camera in `direction` (from the subject towards the camera, y up) that shows the whole box
    /// `min … max` with a margin, in a picture of `aspect` = width / height.
    pub fn framing(min: [f64; 3], max: [f64; 3], direction: [f64; 3], aspect: f64) -> Camera {
        let corner =
            |c: usize| std::array::from_fn(|i| if c >> i & 1 == 0 { min[i] } else { max[i] });
        Camera::framing_points((0..8).map(corner), direction, aspect)
    }

    /// Returns the nearest camera that shows all finite `points` with a margin; it is closer than the camera that
    /// frames their bounding box.
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
        let (right, up) = image_axes(back, [0.0, 1.0, 0.0]);
        let aspect = if aspect > 0.0 && aspect.is_finite() {
            aspect
        } else {
            1.0
        };
        let tangent_y = FRAME_FILL * (0.5 * angle_deg).to_radians().tan();
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
            // No finite point: look at the origin from a distance of one metre.
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

    /// Returns the pixel (x right, y down, from the upper left corner of a `width` × `height` picture) and the depth in
    /// metres of a point; `None` for points at or behind the camera. A picture with a colour bar is shifted to the left
    /// by [`crate::colour_bar_shift`].
    pub fn pixel(&self, point: [f64; 3], width: usize, height: usize) -> Option<([f64; 2], f64)> {
        let view = self.view_transform(width, height);
        let p = view.local(point);
        (p[2] > 0.0).then(|| (view.pixel(p), p[2]))
    }

    /// Returns the transformation from space to the pixels of a picture of this size.
    pub(crate) fn view_transform(&self, width: usize, height: usize) -> ViewTransform {
        let back = unit_or(sub(self.eye, self.target), [0.0, 0.0, 1.0]);
        let (right, up) = image_axes(back, self.up);
        let half = (0.5 * self.angle_deg.clamp(1.0, 170.0)).to_radians();
        ViewTransform {
            eye: self.eye,
            right,
            up,
            back,
            focal: 0.5 * height as f64 / half.tan(),
            centre: [0.5 * width as f64, 0.5 * height as f64],
        }
    }
}

/// Returns the right and up directions of a camera that looks along −`back`.
fn image_axes(back: Vec3, up: Vec3) -> (Vec3, Vec3) {
    let right = unit_or(cross(up, back), orthonormal_basis(back).0);
    (right, cross(back, right))
}

/// The transformation from space to the pixels of one picture.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ViewTransform {
    /// The position of the camera.
    pub(crate) eye: Vec3,
    /// The direction to the right in the image.
    pub(crate) right: Vec3,
    /// The direction up in the image.
    pub(crate) up: Vec3,
    /// The direction from the target to the camera.
    pub(crate) back: Vec3,
    /// The focal length in pixels.
    pub(crate) focal: f64,
    /// The pixel of the target.
    pub(crate) centre: [f64; 2],
}

impl ViewTransform {
    /// Returns the coordinates right, up and depth (positive in front of the camera).
    pub(crate) fn local(&self, p: Vec3) -> Vec3 {
        let p = sub(p, self.eye);
        [dot(p, self.right), dot(p, self.up), -dot(p, self.back)]
    }

    /// Projects camera coordinates to a pixel.
    pub(crate) fn pixel(&self, local: Vec3) -> [f64; 2] {
        let s = self.focal / local[2];
        [self.centre[0] + s * local[0], self.centre[1] - s * local[1]]
    }

    /// Returns the direction of the ray through a pixel, scaled to unit depth.
    pub(crate) fn ray(&self, x: f64, y: f64) -> Vec3 {
        let (a, b) = (
            (x - self.centre[0]) / self.focal,
            (self.centre[1] - y) / self.focal,
        );
        sub(add(scale(a, self.right), scale(b, self.up)), self.back)
    }
}
