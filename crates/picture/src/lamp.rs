//! What light sees: a depth map along a direction, soft shadows from one and daylight from many.
//!
//! The key light's penumbra widens with the distance between blocker and receiver (R. Fernando, "Percentage-closer
//! soft shadows", 2005). Daylight is the mean over directions of the upper hemisphere, each with a small depth map:
//! ambient occlusion without the halos of screen-space methods.

use rayon::prelude::*;

use crate::space::{V3, add, beside, dot, scale, sub};
use crate::stage::Stage;

/// Nearest depth towards the light, texel by texel.
pub(crate) struct DepthMap {
    axes: [V3; 2],
    pub(crate) towards: V3,
    centre: V3,
    texels: f64,
    size: usize,
    depth: Vec<f32>,
    /// Least and greatest depth within a penumbra's reach of each coarse cell; empty for small maps.
    around: Vec<[f32; 2]>,
}

/// Texels of a coarse cell, and how far a penumbra may reach, in texels.
const COARSE: usize = 16;
const REACH: f64 = 60.0;

impl DepthMap {
    /// The stage seen from far away in direction `towards`, in `size`² texels around its box.
    pub(crate) fn new(stage: &Stage, towards: V3, size: usize) -> DepthMap {
        let [low, high] = stage.bounds.unwrap_or([[0.0; 3]; 2]);
        let centre = scale(0.5, add(low, high));
        let (u, v) = beside(towards);
        let reach = |axis: V3| {
            (0..3)
                .map(|i| 0.5 * (high[i] - low[i]) * axis[i].abs())
                .sum::<f64>()
        };
        let half = reach(u).max(reach(v)).max(f64::MIN_POSITIVE);
        let texels = (0.5 * size as f64 - 2.0) / half;
        let mut map = DepthMap {
            axes: [u, v],
            towards,
            centre,
            texels,
            size,
            depth: vec![f32::NEG_INFINITY; size * size],
            around: Vec::new(),
        };
        for (_, corners) in stage.triangles() {
            map.cover(corners.map(|p| map.local(p)));
        }
        map
    }

    /// Size of a texel, m.
    pub(crate) fn texel(&self) -> f64 {
        1.0 / self.texels
    }

    /// Texel coordinates and depth towards the light.
    fn local(&self, p: V3) -> V3 {
        let p = sub(p, self.centre);
        let half = 0.5 * self.size as f64;
        [
            half + self.texels * dot(p, self.axes[0]),
            half + self.texels * dot(p, self.axes[1]),
            dot(p, self.towards),
        ]
    }

    /// Tabulates what [`DepthMap::soft`] needs to answer at once where nothing changes nearby.
    pub(crate) fn with_surroundings(mut self) -> DepthMap {
        let cells = self.size / COARSE;
        let join = |a: [f32; 2], b: [f32; 2]| [a[0].min(b[0]), a[1].max(b[1])];
        let none = [f32::INFINITY, f32::NEG_INFINITY];
        let own: Vec<[f32; 2]> = (0..cells * cells)
            .map(|k| {
                let (x, y) = (k % cells * COARSE, k / cells * COARSE);
                let rows = (y..y + COARSE).map(|y| &self.depth[y * self.size + x..][..COARSE]);
                rows.flatten().fold(none, |r, &d| join(r, [d, d]))
            })
            .collect();
        // Two more texels than the reach: the blend between texels looks beyond it.
        let far = ((REACH + 2.0) / COARSE as f64).ceil() as usize;
        let near = |i: usize| i.saturating_sub(far)..(i + far + 1).min(cells);
        self.around = (0..cells * cells)
            .map(|k| {
                let square = near(k / cells).flat_map(|j| near(k % cells).map(move |i| (i, j)));
                square.fold(none, |r, (i, j)| join(r, own[j * cells + i]))
            })
            .collect();
        self
    }

    /// All or nothing, where every texel within reach agrees.
    fn certain(&self, x: f64, y: f64, z: f64) -> Option<f64> {
        let side = self.size as f64;
        if !(-REACH..side + REACH).contains(&x) || !(-REACH..side + REACH).contains(&y) {
            return Some(1.0);
        }
        if self.around.is_empty() || !(0.0..side).contains(&x) || !(0.0..side).contains(&y) {
            return None;
        }
        let cells = self.size / COARSE;
        let [low, high] = self.around
            [(y as usize / COARSE).min(cells - 1) * cells + (x as usize / COARSE).min(cells - 1)];
        // Beyond the map there is light, so darkness is certain only away from its border.
        let inside = (REACH..side - REACH).contains(&x) && (REACH..side - REACH).contains(&y);
        if f64::from(high) <= z {
            Some(1.0)
        } else if f64::from(low) > z && inside {
            Some(0.0)
        } else {
            None
        }
    }

    fn cover(&mut self, [a, mut b, mut c]: [V3; 3]) {
        let area =
            |a: V3, b: V3, c: V3| (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
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
        let slope = |p: V3, q: V3| [p[1] - q[1], q[0] - p[0]];
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

    /// Share of light that arrives at texel coordinates (x, y) and depth `z`, blended between four texels.
    #[inline]
    fn lit(&self, x: f64, y: f64, z: f64) -> f64 {
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

    /// Share of a light of angular radius `spread` (as a tangent) that arrives at `p`.
    pub(crate) fn soft(&self, p: V3, spread: f64) -> f64 {
        let [x, y, z] = self.local(p);
        if let Some(answer) = self.certain(x, y, z) {
            return answer;
        }
        let side = self.size as f64;
        let search = (0.5 * spread * side).clamp(2.0, REACH);
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
            return self.lit(x, y, z);
        }
        let radius = (spread * sum / count as f64 * self.texels).clamp(1.0, REACH);
        // A narrow penumbra needs fewer taps.
        let step = match radius {
            r if r < 5.0 => 6,
            r if r < 15.0 => 2,
            _ => 1,
        };
        let taps = VOGEL
            .iter()
            .step_by(step)
            .map(|[dx, dy]| self.lit(x + radius * dx, y + radius * dy, z));
        taps.sum::<f64>() / VOGEL.len().div_ceil(step) as f64
    }
}

/// Points spread evenly over the unit disc (Vogel's spiral).
static VOGEL: std::sync::LazyLock<[[f64; 2]; 96]> = std::sync::LazyLock::new(|| {
    std::array::from_fn(|i| {
        let r = ((i as f64 + 0.5) / 96.0).sqrt();
        let (s, c) = (i as f64 * GOLDEN).sin_cos();
        [r * c, r * s]
    })
});

/// π (3 − √5), the angle between successive points of a sunflower.
const GOLDEN: f64 = 2.399_963_229_728_653;

/// Light from the whole upper hemisphere.
pub(crate) struct Sky {
    maps: Vec<DepthMap>,
    /// What a free, level surface receives, before dividing.
    free: f64,
}

impl Sky {
    pub(crate) fn new(stage: &Stage) -> Sky {
        // Fewer directions for huge meshes: the maps' cost is directions × triangles.
        let count = (3_000_000 / stage.len().max(1)).clamp(24, 60);
        let maps: Vec<DepthMap> = (0..count)
            .into_par_iter()
            .map(|i| {
                let y = 1.0 - 0.95 * (i as f64 + 0.5) / count as f64;
                let (s, c) = (i as f64 * GOLDEN).sin_cos();
                let r = (1.0 - y * y).sqrt();
                DepthMap::new(stage, [r * c, y, r * s], 144)
            })
            .collect();
        let free = maps.iter().map(|m| m.towards[1]).sum();
        Sky { maps, free }
    }

    /// Daylight at `p` on a surface with normal `n`: 1 on free, level ground. `lift` moves off the surface by so many
    /// texels, against self-shadowing.
    pub(crate) fn at(&self, p: V3, n: V3, lift: f64) -> f64 {
        let mut sum = 0.0;
        for map in &self.maps {
            let facing = dot(n, map.towards);
            if facing > 0.0 {
                let [x, y, z] = map.local(add(p, scale(lift * map.texel(), n)));
                sum += facing * map.lit(x, y, z);
            }
        }
        sum / self.free
    }
}
