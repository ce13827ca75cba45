//! Shadow maps: soft shadows of the key light and ambient occlusion of the sky.
//!
//! The penumbra of the key light widens with the distance between blocker and receiver (R. Fernando, "Percentage-closer
//! soft shadows", 2005). Sky light is the mean over directions of the upper hemisphere, each with a small shadow map:
//! ambient occlusion without the halos of screen-space methods.

use rayon::prelude::*;

use crate::geometry::Geometry;
use crate::vec3::{Vec3, add, dot, orthonormal_basis, scale, sub};

/// A depth map seen from a directional light: the depth nearest to the light in each texel.
pub(crate) struct ShadowMap {
    axes: [Vec3; 2],
    /// The direction towards the light.
    pub(crate) towards: Vec3,
    centre: Vec3,
    texels: f64,
    size: usize,
    depth: Vec<f32>,
    /// The smallest and largest depth within the largest penumbra of each coarse cell; empty for small maps.
    depth_bounds: Vec<[f32; 2]>,
}

/// The number of texels along a side of a coarse cell.
const COARSE_TEXELS: usize = 16;
/// The largest radius of a penumbra in texels.
const MAX_PENUMBRA_TEXELS: f64 = 60.0;

impl ShadowMap {
    /// Renders the geometry from the direction `towards` into `size`² texels that cover its bounding box.
    pub(crate) fn new(geometry: &Geometry, towards: Vec3, size: usize) -> ShadowMap {
        let [low, high] = geometry.bounds.unwrap_or([[0.0; 3]; 2]);
        let centre = scale(0.5, add(low, high));
        let (u, v) = orthonormal_basis(towards);
        let reach = |axis: Vec3| {
            (0..3)
                .map(|i| 0.5 * (high[i] - low[i]) * axis[i].abs())
                .sum::<f64>()
        };
        let half = reach(u).max(reach(v)).max(f64::MIN_POSITIVE);
        let texels = (0.5 * size as f64 - 2.0) / half;
        let mut map = ShadowMap {
            axes: [u, v],
            towards,
            centre,
            texels,
            size,
            depth: vec![f32::NEG_INFINITY; size * size],
            depth_bounds: Vec::new(),
        };
        for (_, corners) in geometry.triangles() {
            map.rasterize(corners.map(|p| map.local(p)));
        }
        map
    }

    /// Returns the size of a texel in metres.
    pub(crate) fn texel(&self) -> f64 {
        1.0 / self.texels
    }

    /// Returns texel coordinates and the depth towards the light.
    fn local(&self, p: Vec3) -> Vec3 {
        let p = sub(p, self.centre);
        let half = 0.5 * self.size as f64;
        [
            half + self.texels * dot(p, self.axes[0]),
            half + self.texels * dot(p, self.axes[1]),
            dot(p, self.towards),
        ]
    }

    /// Tabulates depth bounds, with which [`ShadowMap::soft_visibility`] returns at once if all texels nearby agree.
    pub(crate) fn with_depth_bounds(mut self) -> ShadowMap {
        let cells = self.size / COARSE_TEXELS;
        let join = |a: [f32; 2], b: [f32; 2]| [a[0].min(b[0]), a[1].max(b[1])];
        let none = [f32::INFINITY, f32::NEG_INFINITY];
        let own: Vec<[f32; 2]> = (0..cells * cells)
            .map(|k| {
                let (x, y) = (k % cells * COARSE_TEXELS, k / cells * COARSE_TEXELS);
                let rows = (y..y + COARSE_TEXELS)
                    .map(|y| &self.depth[y * self.size + x..][..COARSE_TEXELS]);
                rows.flatten().fold(none, |r, &d| join(r, [d, d]))
            })
            .collect();
        // Two more texels than the largest penumbra, for the interpolation between texels.
        let far = ((MAX_PENUMBRA_TEXELS + 2.0) / COARSE_TEXELS as f64).ceil() as usize;
        let near = |i: usize| i.saturating_sub(far)..(i + far + 1).min(cells);
        self.depth_bounds = (0..cells * cells)
            .map(|k| {
                let square = near(k / cells).flat_map(|j| near(k % cells).map(move |i| (i, j)));
                square.fold(none, |r, (i, j)| join(r, own[j * cells + i]))
            })
            .collect();
        self
    }

    /// Returns 0 or 1 if all texels within the largest penumbra agree; `None` if they do not.
    fn uniform_visibility(&self, x: f64, y: f64, z: f64) -> Option<f64> {
        let side = self.size as f64;
        if !(-MAX_PENUMBRA_TEXELS..side + MAX_PENUMBRA_TEXELS).contains(&x)
            || !(-MAX_PENUMBRA_TEXELS..side + MAX_PENUMBRA_TEXELS).contains(&y)
        {
            return Some(1.0);
        }
        if self.depth_bounds.is_empty() || !(0.0..side).contains(&x) || !(0.0..side).contains(&y) {
            return None;
        }
        let cells = self.size / COARSE_TEXELS;
        let [low, high] = self.depth_bounds[(y as usize / COARSE_TEXELS).min(cells - 1) * cells
            + (x as usize / COARSE_TEXELS).min(cells - 1)];
        // Everything beyond the map is lit, so full shadow is certain only away from its border.
        let inside = (MAX_PENUMBRA_TEXELS..side - MAX_PENUMBRA_TEXELS).contains(&x)
            && (MAX_PENUMBRA_TEXELS..side - MAX_PENUMBRA_TEXELS).contains(&y);
        if f64::from(high) <= z {
            Some(1.0)
        } else if f64::from(low) > z && inside {
            Some(0.0)
        } else {
            None
        }
    }

    fn rasterize(&mut self, [a, mut b, mut c]: [Vec3; 3]) {
        let area = |a: Vec3, b: Vec3, c: Vec3| {
            (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
        };
        if area(a, b, c) < 0.0 {
            std::mem::swap(&mut b, &mut c);
        }
        let whole = area(a, b, c);
        if whole <= 0.0 {
            return;
        }
        let range = |i: usize| {
            let low = a[i].min(b[i]).min(c[i]) - 0.5;
            let high = a[i].max(b[i]).max(c[i]) - 0.5;
            (
                low.ceil().max(0.0) as usize,
                (high.floor() + 1.0).clamp(0.0, self.size as f64) as usize,
            )
        };
        let ((x0, x1), (y0, y1)) = (range(0), range(1));
        let slope = |p: Vec3, q: Vec3| [p[1] - q[1], q[0] - p[0]];
        let (sa, sb) = (slope(b, c), slope(c, a));
        for y in y0..y1 {
            let start = [x0 as f64 + 0.5, y as f64 + 0.5, 0.0];
            let (mut wa, mut wb) = (area(b, c, start) / whole, area(c, a, start) / whole);
            for x in x0..x1 {
                let wc = 1.0 - wa - wb;
                if wa >= 0.0 && wb >= 0.0 && wc >= 0.0 {
                    let depth = (wa * a[2] + wb * b[2] + wc * c[2]) as f32;
                    let here = &mut self.depth[y * self.size + x];
                    *here = here.max(depth);
                }
                wa += sa[0] / whole;
                wb += sb[0] / whole;
            }
        }
    }

    /// Returns the fraction of light that reaches texel coordinates (x, y) at depth `z`, interpolated between four
    /// texels.
    #[inline]
    fn visibility(&self, x: f64, y: f64, z: f64) -> f64 {
        let (x, y) = (x - 0.5, y - 0.5);
        let most = (self.size - 1) as f64;
        if !(x >= 0.0 && y >= 0.0 && x < most && y < most) {
            return 1.0;
        }
        let (i, j) = (x as usize, y as usize);
        let (fx, fy) = (x - i as f64, y - j as f64);
        let z = z as f32;
        let see = |pair: &[f32]| {
            let [a, b] = [pair[0] <= z, pair[1] <= z].map(|lit| f64::from(u8::from(lit)));
            a + fx * (b - a)
        };
        let at = j * self.size + i;
        let (upper, lower) = (
            see(&self.depth[at..at + 2]),
            see(&self.depth[at + self.size..at + self.size + 2]),
        );
        upper + fy * (lower - upper)
    }

    /// Returns the fraction of a light of angular radius `spread` (as a tangent) that reaches `p`.
    pub(crate) fn soft_visibility(&self, p: Vec3, spread: f64) -> f64 {
        let [x, y, z] = self.local(p);
        if let Some(answer) = self.uniform_visibility(x, y, z) {
            return answer;
        }
        let side = self.size as f64;
        let search = (0.5 * spread * side).clamp(2.0, MAX_PENUMBRA_TEXELS);
        let (mut count, mut sum) = (0usize, 0.0);
        for [dx, dy] in VOGEL.iter().step_by(4) {
            let (i, j) = (x + search * dx, y + search * dy);
            if i >= 0.0 && j >= 0.0 && i < side && j < side {
                let depth = f64::from(self.depth[j as usize * self.size + i as usize]);
                if depth > z {
                    count += 1;
                    sum += depth - z;
                }
            }
        }
        if count == 0 {
            return self.visibility(x, y, z);
        }
        let radius = (spread * sum / count as f64 * self.texels).clamp(1.0, MAX_PENUMBRA_TEXELS);
        // A narrow penumbra needs fewer taps.
        let step = match radius {
            r if r < 5.0 => 6,
            r if r < 15.0 => 2,
            _ => 1,
        };
        let taps = VOGEL
            .iter()
            .step_by(step)
            .map(|[dx, dy]| self.visibility(x + radius * dx, y + radius * dy, z));
        taps.sum::<f64>() / VOGEL.len().div_ceil(step) as f64
    }
}

/// Evenly distributed points in the unit disc (Vogel's spiral).
static VOGEL: std::sync::LazyLock<[[f64; 2]; 96]> = std::sync::LazyLock::new(|| {
    std::array::from_fn(|i| {
        let r = ((i as f64 + 0.5) / 96.0).sqrt();
        let (s, c) = (i as f64 * GOLDEN_ANGLE).sin_cos();
        [r * c, r * s]
    })
});

/// The golden angle π (3 − √5).
const GOLDEN_ANGLE: f64 = 2.399_963_229_728_653;

/// The light of the upper hemisphere, as shadow maps from many directions.
pub(crate) struct SkyLight {
    maps: Vec<ShadowMap>,
    /// The unnormalised light on an unoccluded horizontal surface.
    free: f64,
}

impl SkyLight {
    /// Renders the shadow maps of the sky.
    pub(crate) fn new(geometry: &Geometry) -> SkyLight {
        // Fewer directions for huge meshes: the maps' cost is directions × triangles.
        let count = (3_000_000 / geometry.len().max(1)).clamp(24, 60);
        let maps: Vec<ShadowMap> = (0..count)
            .into_par_iter()
            .map(|i| {
                let y = 1.0 - 0.95 * (i as f64 + 0.5) / count as f64;
                let (s, c) = (i as f64 * GOLDEN_ANGLE).sin_cos();
                let r = (1.0 - y * y).sqrt();
                ShadowMap::new(geometry, [r * c, y, r * s], 144)
            })
            .collect();
        let free = maps.iter().map(|m| m.towards[1]).sum();
        SkyLight { maps, free }
    }

    /// Returns the sky light at `p` on a surface with normal `n`, 1 on unoccluded horizontal ground. `lift` offsets the
    /// point along the normal by this many texels to avoid self-shadowing.
    pub(crate) fn irradiance(&self, p: Vec3, n: Vec3, lift: f64) -> f64 {
        let mut sum = 0.0;
        for map in &self.maps {
            let facing = dot(n, map.towards);
            if facing > 0.0 {
                let [x, y, z] = map.local(add(p, scale(lift * map.texel(), n)));
                sum += facing * map.visibility(x, y, z);
            }
        }
        sum / self.free
    }
}
