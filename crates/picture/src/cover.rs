//! Which triangle is seen where: a z-buffer of sixteen samples a pixel, tile by tile.
//!
//! Corners are rounded to 1/256 pixel and samples lie on 1/32, so edge functions are exact in f64 and neighbouring
//! triangles leave no gap. Depth is kept as its inverse, which is linear over the picture.

use crate::camera::View;
use crate::space::{V3, add, scale, sub};
use crate::stage::Stage;

/// Side of a tile, pixels.
pub(crate) const TILE: usize = 32;
/// Samples a pixel.
pub(crate) const SAMPLES: usize = 16;
/// No triangle.
pub(crate) const NOTHING: u32 = u32::MAX;

/// Where in the pixel sample `s` lies: Hammersley's points.
pub(crate) fn sample(s: usize) -> [f64; 2] {
    let reversed = (s & 1) << 3 | (s & 2) << 1 | (s & 4) >> 1 | (s & 8) >> 3;
    [(s as f64 + 0.5) / 16.0, (reversed as f64 + 0.5) / 16.0]
}

/// A triangle on the picture.
pub(crate) struct Flat {
    id: u32,
    corners: [[f64; 2]; 3],
    inverse: [f64; 3],
}

/// Triangles sorted into tiles.
pub(crate) struct Bins {
    flats: Vec<Flat>,
    tiles: Vec<Vec<u32>>,
    pub(crate) columns: usize,
    pub(crate) rows: usize,
}

impl Bins {
    pub(crate) fn new(stage: &Stage, view: &View, width: usize, height: usize) -> Bins {
        let (columns, rows) = (width.div_ceil(TILE), height.div_ceil(TILE));
        let mut bins = Bins {
            flats: Vec::new(),
            tiles: vec![Vec::new(); columns * rows],
            columns,
            rows,
        };
        let near = near_plane(stage, view);
        for (id, corners) in stage.triangles() {
            let local = corners.map(|p| view.local(p));
            let mut polygon = [[0.0; 3]; 4];
            let n = clipped(local, near, &mut polygon);
            for k in 2..n {
                bins.add(id, [polygon[0], polygon[k - 1], polygon[k]], view);
            }
        }
        bins
    }

    fn add(&mut self, id: u32, local: [V3; 3], view: &View) {
        let corners = local.map(|p| view.pixel(p).map(|x| (x * 256.0).round() / 256.0));
        let mut flat = Flat {
            id,
            corners,
            inverse: local.map(|p| 1.0 / p[2]),
        };
        let area = turn(flat.corners[0], flat.corners[1], flat.corners[2]);
        if area < 0.0 {
            flat.corners.swap(1, 2);
            flat.inverse.swap(1, 2);
        }
        if area == 0.0 || !area.is_finite() {
            return;
        }
        let tiles = |i: usize, count: usize| {
            let low = flat
                .corners
                .iter()
                .map(|p| p[i])
                .fold(f64::INFINITY, f64::min);
            let high = flat
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
                self.tiles[row * self.columns + column].push(self.flats.len() as u32);
            }
        }
        self.flats.push(flat);
    }

    /// The triangle of every sample of a tile; sample `s` of pixel (x, y) is at `(y * TILE + x) * SAMPLES + s`.
    pub(crate) fn seen(&self, tile: usize) -> Vec<u32> {
        let mut ids = vec![NOTHING; TILE * TILE * SAMPLES];
        if self.tiles[tile].is_empty() {
            return ids;
        }
        let mut depth = vec![0.0f32; TILE * TILE * SAMPLES];
        let origin = [
            (tile % self.columns * TILE) as f64,
            (tile / self.columns * TILE) as f64,
        ];
        for &flat in &self.tiles[tile] {
            self.flats[flat as usize].cover(origin, &mut ids, &mut depth);
        }
        ids
    }
}

impl Flat {
    fn cover(&self, origin: [f64; 2], ids: &mut [u32], depth: &mut [f32]) {
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
        let area = turn(p[0], p[1], p[2]);
        // Edge k lies opposite corner k; e_k(x, y) = e_k(0, 0) + a x + b y is its corner's weight times the area.
        let edges: [[f64; 3]; 3] = std::array::from_fn(|k| {
            let (q, r) = (p[(k + 1) % 3], p[(k + 2) % 3]);
            [turn(q, r, [0.0, 0.0]), q[1] - r[1], r[0] - q[0]]
        });
        let offsets: [[f64; SAMPLES]; 3] = std::array::from_fn(|k| {
            std::array::from_fn(|s| edges[k][1] * sample(s)[0] + edges[k][2] * sample(s)[1])
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

/// Twice the area of a triangle, with the sign of its turn.
fn turn(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

/// A depth just in front of the eye, small against the scene.
fn near_plane(stage: &Stage, view: &View) -> f64 {
    let far = stage.bounds.map_or(1.0, |[low, high]| {
        let middle = scale(0.5, add(low, high));
        crate::space::norm(sub(high, low)) + crate::space::norm(sub(middle, view.eye))
    });
    1e-4 * far.max(f64::MIN_POSITIVE)
}

/// The part of a triangle beyond `near`: at most four corners, their number returned.
fn clipped(p: [V3; 3], near: f64, out: &mut [V3; 4]) -> usize {
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
