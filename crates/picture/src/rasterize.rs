//! Visibility: a z-buffer with sixteen samples per pixel, rasterized tile by tile.
//!
//! Corners are rounded to 1/256 pixel and samples lie on multiples of 1/32, so edge functions are exact in f64 and
//! neighbouring triangles leave no gap. The buffer stores the inverse depth, which is linear in image coordinates.

use crate::camera::ViewTransform;
use crate::geometry::Geometry;
use crate::vec3::{Vec3, add, scale, sub};

/// The side of a tile in pixels.
pub(crate) const TILE: usize = 32;
/// The number of samples per pixel.
pub(crate) const SAMPLES: usize = 16;
/// The id of a sample that no triangle covers.
pub(crate) const NO_TRIANGLE: u32 = u32::MAX;

/// Returns the position of sample `s` in its pixel (Hammersley points).
pub(crate) fn sample_position(s: usize) -> [f64; 2] {
    let reversed = (s & 1) << 3 | (s & 2) << 1 | (s & 4) >> 1 | (s & 8) >> 3;
    [(s as f64 + 0.5) / 16.0, (reversed as f64 + 0.5) / 16.0]
}

/// A triangle projected to the image.
pub(crate) struct ScreenTriangle {
    id: u32,
    corners: [[f64; 2]; 3],
    inverse: [f64; 3],
}

/// Projected triangles sorted into image tiles.
pub(crate) struct TileBins {
    triangles: Vec<ScreenTriangle>,
    tiles: Vec<Vec<u32>>,
    /// The number of tile columns.
    pub(crate) columns: usize,
    /// The number of tile rows.
    pub(crate) rows: usize,
}

impl TileBins {
    /// Projects, clips and sorts the triangles into tiles.
    pub(crate) fn new(
        geometry: &Geometry,
        view: &ViewTransform,
        width: usize,
        height: usize,
    ) -> TileBins {
        let (columns, rows) = (width.div_ceil(TILE), height.div_ceil(TILE));
        let mut bins = TileBins {
            triangles: Vec::new(),
            tiles: vec![Vec::new(); columns * rows],
            columns,
            rows,
        };
        let near = near_plane(geometry, view);
        for (id, corners) in geometry.triangles() {
            let local = corners.map(|p| view.local(p));
            let mut polygon = [[0.0; 3]; 4];
            let n = clip_near(local, near, &mut polygon);
            for k in 2..n {
                bins.add(id, [polygon[0], polygon[k - 1], polygon[k]], view);
            }
        }
        bins
    }

    fn add(&mut self, id: u32, local: [Vec3; 3], view: &ViewTransform) {
        let corners = local.map(|p| view.pixel(p).map(|x| (x * 256.0).round() / 256.0));
        let mut triangle = ScreenTriangle {
            id,
            corners,
            inverse: local.map(|p| 1.0 / p[2]),
        };
        let area = doubled_signed_area(
            triangle.corners[0],
            triangle.corners[1],
            triangle.corners[2],
        );
        if area < 0.0 {
            triangle.corners.swap(1, 2);
            triangle.inverse.swap(1, 2);
        }
        if area == 0.0 || !area.is_finite() {
            return;
        }
        let tiles = |i: usize, count: usize| {
            let low = triangle
                .corners
                .iter()
                .map(|p| p[i])
                .fold(f64::INFINITY, f64::min);
            let high = triangle
                .corners
                .iter()
                .map(|p| p[i])
                .fold(f64::NEG_INFINITY, f64::max);
            let side = TILE as f64;
            let most = count as f64;
            (
                (low / side).floor().clamp(0.0, most) as usize,
                ((high / side).floor() + 1.0).clamp(0.0, most) as usize,
            )
        };
        let ((x0, x1), (y0, y1)) = (tiles(0, self.columns), tiles(1, self.rows));
        for row in y0..y1 {
            for column in x0..x1 {
                self.tiles[row * self.columns + column].push(self.triangles.len() as u32);
            }
        }
        self.triangles.push(triangle);
    }

    /// Returns the id of the visible triangle at every sample of a tile; sample `s` of pixel (x, y) is at `(y * TILE +
    /// x) * SAMPLES + s`.
    pub(crate) fn visible_triangles(&self, tile: usize) -> Vec<u32> {
        let mut ids = vec![NO_TRIANGLE; TILE * TILE * SAMPLES];
        if self.tiles[tile].is_empty() {
            return ids;
        }
        let mut depth = vec![0.0f32; TILE * TILE * SAMPLES];
        let origin = [
            (tile % self.columns * TILE) as f64,
            (tile / self.columns * TILE) as f64,
        ];
        for &triangle in &self.tiles[tile] {
            self.triangles[triangle as usize].rasterize(origin, &mut ids, &mut depth);
        }
        ids
    }
}

impl ScreenTriangle {
    fn rasterize(&self, origin: [f64; 2], ids: &mut [u32], depth: &mut [f32]) {
        let p = self.corners.map(|p| [p[0] - origin[0], p[1] - origin[1]]);
        let range = |i: usize| {
            let low = p.iter().map(|p| p[i]).fold(f64::INFINITY, f64::min);
            let high = p.iter().map(|p| p[i]).fold(f64::NEG_INFINITY, f64::max);
            let most = TILE as f64;
            (
                low.floor().clamp(0.0, most) as usize,
                (high.floor() + 1.0).clamp(0.0, most) as usize,
            )
        };
        let ((x0, x1), (y0, y1)) = (range(0), range(1));
        let area = doubled_signed_area(p[0], p[1], p[2]);
        // Edge k lies opposite corner k; e_k(x, y) = e_k(0, 0) + a x + b y is its corner's weight times the area.
        let edges: [[f64; 3]; 3] = std::array::from_fn(|k| {
            let (q, r) = (p[(k + 1) % 3], p[(k + 2) % 3]);
            [
                doubled_signed_area(q, r, [0.0, 0.0]),
                q[1] - r[1],
                r[0] - q[0],
            ]
        });
        let offsets: [[f64; SAMPLES]; 3] = std::array::from_fn(|k| {
            std::array::from_fn(|s| {
                edges[k][1] * sample_position(s)[0] + edges[k][2] * sample_position(s)[1]
            })
        });
        let most = offsets.map(|o| o.into_iter().fold(f64::NEG_INFINITY, f64::max));
        let weights = self.inverse.map(|z| z / area);
        for y in y0..y1 {
            for x in x0..x1 {
                let e = edges.map(|e| e[0] + e[1] * x as f64 + e[2] * y as f64);
                if (0..3).any(|k| e[k] + most[k] < 0.0) {
                    continue;
                }
                let first = (y * TILE + x) * SAMPLES;
                for s in 0..SAMPLES {
                    let w = [
                        e[0] + offsets[0][s],
                        e[1] + offsets[1][s],
                        e[2] + offsets[2][s],
                    ];
                    if w[0] >= 0.0 && w[1] >= 0.0 && w[2] >= 0.0 {
                        let z = (w[0] * weights[0] + w[1] * weights[1] + w[2] * weights[2]) as f32;
                        if z > depth[first + s] {
                            depth[first + s] = z;
                            ids[first + s] = self.id;
                        }
                    }
                }
            }
        }
    }
}

/// Returns twice the signed area of a triangle.
fn doubled_signed_area(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

/// Returns the depth of the near plane, small compared with the scene.
fn near_plane(geometry: &Geometry, view: &ViewTransform) -> f64 {
    let far = geometry.bounds.map_or(1.0, |[low, high]| {
        let middle = scale(0.5, add(low, high));
        crate::vec3::norm(sub(high, low)) + crate::vec3::norm(sub(middle, view.eye))
    });
    1e-4 * far.max(f64::MIN_POSITIVE)
}

/// Clips a triangle at the near plane; writes at most four corners and returns their number.
fn clip_near(p: [Vec3; 3], near: f64, out: &mut [Vec3; 4]) -> usize {
    let mut n = 0;
    for k in 0..3 {
        let (a, b) = (p[k], p[(k + 1) % 3]);
        if a[2] >= near {
            out[n] = a;
            n += 1;
        }
        if (a[2] >= near) != (b[2] >= near) {
            let t = (near - a[2]) / (b[2] - a[2]);
            out[n] = add(a, scale(t, sub(b, a)));
            n += 1;
        }
    }
    n
}
