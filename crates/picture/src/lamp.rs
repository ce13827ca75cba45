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
}

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
        let at = j * self.size + i;
        let see = |k: usize| {
            if f64::from(self.depth[k]) <= z {
                1.0
            } else {
                0.0
            }
        };
        let upper = see(at) * (1.0 - fx) + see(at + 1) * fx;
        let lower = see(at + self.size) * (1.0 - fx) + see(at + self.size + 1) * fx;
        upper * (1.0 - fy) + lower * fy
    }

    /// Share of a light of angular radius `spread` (as a tangent) that arrives at `p`.
    pub(crate) fn soft(&self, p: V3, spread: f64) -> f64 {
        let [x, y, z] = self.local(p);
        let reach = self.size as f64;
        if !(-reach..2.0 * reach).contains(&x) || !(-reach..2.0 * reach).contains(&y) {
            return 1.0;
        }
        let far = 0.5 * self.size as f64 / self.texels;
        let search = (spread * far * self.texels).clamp(2.0, 60.0);
        let (mut count, mut sum) = (0.0, 0.0);
        for [dx, dy] in VOGEL.iter().step_by(2) {
            let (i, j) = ((x + search * dx).floor(), (y + search * dy).floor());
            if i >= 0.0 && j >= 0.0 && i < reach && j < reach {
                let depth = f64::from(self.depth[j as usize * self.size + i as usize]);
                if depth > z {
                    count += 1.0;
                    sum += depth - z;
                }
            }
        }
        if count == 0.0 {
            return self.lit(x, y, z);
        }
        let radius = (spread * sum / count * self.texels).clamp(1.0, 60.0);
        let taps = VOGEL
            .iter()
            .map(|[dx, dy]| self.lit(x + radius * dx, y + radius * dy, z));
        taps.sum::<f64>() / VOGEL.len() as f64
    }
}

/// Points spread evenly over the unit disc (Vogel's spiral).
static VOGEL: std::sync::LazyLock<[[f64; 2]; 48]> = std::sync::LazyLock::new(|| {
    std::array::from_fn(|i| {
        let r = ((i as f64 + 0.5) / 48.0).sqrt();
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
        let count = (3_000_000 / stage.len().max(1)).clamp(24, 72);
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
