//! From a point on a surface to its colour: daylight, a key light with soft shadow, a fill, a rim and a little gloss.

use rayon::prelude::*;

use crate::camera::View;
use crate::colour::linear;
use crate::lamp::{DepthMap, Sky};
use crate::render::Style;
use crate::space::{V3, add, cross, dot, norm, scale, smoothstep, sub, unit_or};
use crate::stage::Stage;

/// Tangent of the key light's angular radius.
const SPREAD: f64 = 0.10;
/// Strength of each light on a surface that faces it.
const DAYLIGHT: f64 = 0.50;
const KEY: f64 = 0.62;
const FILL: f64 = 0.16;
const RIM: f64 = 0.10;
const GLOSS: f64 = 0.09;

/// The lights of one picture.
pub(crate) struct Studio<'a> {
    stage: &'a Stage<'a>,
    view: View,
    backdrop: Backdrop,
    key: DepthMap,
    fill: V3,
    sky: Sky,
    ground: Option<Ground>,
    size: f64,
}

/// The surroundings as light.
struct Backdrop {
    above: [f64; 3],
    below: [f64; 3],
    floor: [f64; 3],
    height: f64,
}

/// Light that arrived at a point: triangles that meet in a pixel share it.
pub(crate) struct Arrived {
    p: V3,
    n: V3,
    daylight: f64,
    key: f64,
}

/// The plane below, with the daylight that reaches it tabulated.
struct Ground {
    height: f64,
    corner: [f64; 2],
    step: f64,
    centre: [f64; 2],
    daylight: Vec<f32>,
}

const CELLS: usize = 160;

impl<'a> Studio<'a> {
    pub(crate) fn new(
        stage: &'a Stage<'a>,
        view: View,
        style: &Style,
        ground: Option<f64>,
    ) -> Studio<'a> {
        let up = [0.0, 1.0, 0.0];
        let front = unit_or([view.back[0], 0.0, view.back[2]], view.back);
        let right = view.right;
        let mix = |r: f64, u: f64, f: f64| {
            unit_or(add(add(scale(r, right), scale(u, up)), scale(f, front)), up)
        };
        let sky = Sky::new(stage);
        let key = DepthMap::new(stage, mix(-0.55, 1.0, 0.42), 1024).with_surroundings();
        let [low, high] = stage.bounds.unwrap_or([[0.0; 3]; 2]);
        let size = norm(sub(high, low)).max(f64::MIN_POSITIVE);
        let ground = ground
            .filter(|y| y.is_finite())
            .map(|y| Ground::new(&sky, y, low, high, size));
        Studio {
            stage,
            view,
            backdrop: Backdrop::new(style),
            key,
            fill: mix(0.9, 0.25, 0.7),
            sky,
            ground,
            size,
        }
    }

    /// Light from triangle `id` through the picture's point (x, y); `last` is what arrived at its neighbour in the pixel.
    pub(crate) fn surface(&self, id: u32, x: f64, y: f64, last: &mut Option<Arrived>) -> [f64; 3] {
        let (part, t) = self.stage.find(id);
        let corners = part.corners(t);
        let ray = self.view.ray(x, y);
        let w = weights(corners, self.view.eye, ray);
        let p = add(
            add(scale(w[0], corners[0]), scale(w[1], corners[1])),
            scale(w[2], corners[2]),
        );
        let towards_eye = unit_or(scale(-1.0, ray), self.view.back);
        let flat = cross(sub(corners[1], corners[0]), sub(corners[2], corners[0]));
        let side = if dot(flat, towards_eye) < 0.0 {
            -1.0
        } else {
            1.0
        };
        let n = scale(side, part.normal(t, w));
        let mut albedo = linear(part.surface.paint.at(t, part.surface.triangles[t], w));
        if let Some(wire) = part.surface.wire {
            let cover = self.wire_cover(corners, [x, y], wire.width);
            let ink = linear(wire.colour);
            albedo = std::array::from_fn(|c| albedo[c] + cover * (ink[c] - albedo[c]));
        }
        let pixel = dot(sub(p, self.view.eye), ray) / (dot(ray, ray) * self.view.focal);
        let close = |a: &Arrived| dot(a.n, n) > 0.985 && norm(sub(a.p, p)) < 3.0 * pixel;
        let arrived = match last.take() {
            Some(a) if close(&a) => a,
            _ => self.arriving(p, n),
        };
        let light = self.lit(p, n, towards_eye, albedo, &arrived);
        *last = Some(arrived);
        light
    }

    fn arriving(&self, p: V3, n: V3) -> Arrived {
        let key = if dot(n, self.key.towards) > 0.0 {
            self.key
                .soft(add(p, scale(2.5 * self.key.texel(), n)), SPREAD)
        } else {
            0.0
        };
        Arrived {
            p,
            n,
            daylight: self.sky.at(p, n, 2.0),
            key,
        }
    }

    fn lit(&self, p: V3, n: V3, towards_eye: V3, albedo: [f64; 3], arrived: &Arrived) -> [f64; 3] {
        let key = self.key.towards;
        let facing = dot(n, key).max(0.0);
        let (daylight, arrives) = (arrived.daylight, arrived.key);
        let open = daylight.min(1.0);
        let below = 0.5 - 0.5 * n[1];
        let clearance = self.ground.as_ref().map_or(1.0, |g| {
            smoothstep(-0.05, 0.6, (p[1] - g.height) / self.size)
        });
        let bounce = 0.30 * below * (0.25 + 0.75 * clearance);
        let fill = FILL * dot(n, self.fill).max(0.0) * (0.4 + 0.6 * open);
        let half = unit_or(add(key, towards_eye), key);
        let graze = 1.0 - dot(n, towards_eye).clamp(0.0, 1.0);
        let rim = RIM * graze.powi(3) * (0.5 + 0.5 * n[1]) * open;
        let gloss = GLOSS * dot(n, half).max(0.0).powi(48) * arrives * smoothstep(0.0, 0.2, facing);
        const SKY_TINT: [f64; 3] = [0.96, 1.0, 1.06];
        const SUN_TINT: [f64; 3] = [1.04, 1.0, 0.95];
        const GROUND_TINT: [f64; 3] = [1.03, 1.0, 0.96];
        std::array::from_fn(|c| {
            let light = DAYLIGHT * daylight * SKY_TINT[c]
                + KEY * facing * arrives * SUN_TINT[c]
                + bounce * GROUND_TINT[c]
                + fill;
            1.1 * albedo[c] * light + rim + gloss
        })
    }

    /// Light of what lies behind everything: ground or backdrop.
    pub(crate) fn behind(&self, x: f64, y: f64) -> [f64; 3] {
        let backdrop = self.backdrop.at(y);
        let Some(ground) = &self.ground else {
            return backdrop;
        };
        let ray = self.view.ray(x, y);
        let t = (ground.height - self.view.eye[1]) / ray[1];
        if !(t > 0.0 && t.is_finite()) || self.view.eye[1] <= ground.height {
            return backdrop;
        }
        let p = add(self.view.eye, scale(t, ray));
        let away = (p[0] - ground.centre[0]).hypot(p[2] - ground.centre[1]) / self.size;
        let near = 1.0 - smoothstep(0.6, 4.0, away);
        let key = KEY * self.key.towards[1];
        let arrives = self.key.soft(p, SPREAD);
        let light = (DAYLIGHT * ground.daylight(p) + key * arrives) / (DAYLIGHT + key);
        std::array::from_fn(|c| {
            light * (backdrop[c] + near * (self.backdrop.floor[c] - backdrop[c]))
        })
    }

    /// How much of a point is under the lines along a triangle's edges; lines fade where triangles get too small.
    fn wire_cover(&self, corners: [V3; 3], at: [f64; 2], width: f64) -> f64 {
        let p = corners.map(|p| self.view.pixel(self.view.local(p)));
        let mut nearest = f64::INFINITY;
        let mut longest: f64 = 0.0;
        let mut area = 0.0;
        for k in 0..3 {
            let (a, b) = (p[k], p[(k + 1) % 3]);
            let (d, e) = ([b[0] - a[0], b[1] - a[1]], [at[0] - a[0], at[1] - a[1]]);
            let length = d[0].hypot(d[1]);
            longest = longest.max(length);
            nearest = nearest.min((d[0] * e[1] - d[1] * e[0]).abs() / length.max(1e-9));
            area += a[0] * b[1] - a[1] * b[0];
        }
        let narrowest = area.abs() / longest.max(1e-9);
        // Each of the two triangles at an edge draws half of the line.
        let half = 0.5 * width;
        (half - nearest + 0.5).clamp(0.0, 1.0) * smoothstep(2.0, 8.0, narrowest) * 0.85
    }
}

impl Backdrop {
    fn new(style: &Style) -> Backdrop {
        let [above, below, floor] = [style.above, style.below, style.ground].map(linear);
        Backdrop {
            above,
            below,
            floor,
            height: style.height as f64,
        }
    }

    fn at(&self, y: f64) -> [f64; 3] {
        let s = smoothstep(0.0, 0.75, y / self.height);
        std::array::from_fn(|c| self.above[c] + s * (self.below[c] - self.above[c]))
    }
}

impl Ground {
    fn new(sky: &Sky, height: f64, low: V3, high: V3, size: f64) -> Ground {
        let lifted = (low[1] - height).max(0.0);
        let side = (high[0] - low[0]).max(high[2] - low[2]) + 2.0 * size + 2.0 * lifted;
        let centre = [0.5 * (low[0] + high[0]), 0.5 * (low[2] + high[2])];
        let corner = centre.map(|c| c - 0.5 * side);
        let step = side / (CELLS - 1) as f64;
        let daylight = (0..CELLS * CELLS)
            .into_par_iter()
            .map(|i| {
                let p = [
                    corner[0] + step * (i % CELLS) as f64,
                    height,
                    corner[1] + step * (i / CELLS) as f64,
                ];
                sky.at(p, [0.0, 1.0, 0.0], 0.0) as f32
            })
            .collect();
        let daylight = smoothed(smoothed(daylight));
        Ground {
            height,
            corner,
            step,
            centre,
            daylight,
        }
    }

    fn daylight(&self, p: V3) -> f64 {
        let (x, z) = (
            (p[0] - self.corner[0]) / self.step,
            (p[2] - self.corner[1]) / self.step,
        );
        let most = (CELLS - 1) as f64;
        if !(x >= 0.0 && z >= 0.0 && x < most && z < most) {
            return 1.0;
        }
        let (i, j) = (x as usize, z as usize);
        let (fx, fz) = (x - i as f64, z - j as f64);
        let at = |i: usize, j: usize| f64::from(self.daylight[j * CELLS + i]);
        let near = at(i, j) * (1.0 - fx) + at(i + 1, j) * fx;
        let far = at(i, j + 1) * (1.0 - fx) + at(i + 1, j + 1) * fx;
        near * (1.0 - fz) + far * fz
    }
}

/// Binomial smoothing over 3 × 3 cells: takes away the streaks a finite number of directions leaves.
fn smoothed(cells: Vec<f32>) -> Vec<f32> {
    let clamp = |i: usize, d: usize| (i + d).saturating_sub(1).min(CELLS - 1);
    let at = |i: usize, j: usize| cells[j * CELLS + i];
    let row = |i: usize, j: usize| at(clamp(i, 0), j) + 2.0 * at(i, j) + at(clamp(i, 2), j);
    let one = |k: usize| {
        let (i, j) = (k % CELLS, k / CELLS);
        (row(i, clamp(j, 0)) + 2.0 * row(i, j) + row(i, clamp(j, 2))) / 16.0
    };
    (0..CELLS * CELLS).map(one).collect()
}

/// Barycentric weights of the point where a ray meets a triangle's plane, kept inside the triangle.
fn weights([a, b, c]: [V3; 3], eye: V3, ray: V3) -> V3 {
    let (e, f, o) = (sub(b, a), sub(c, a), sub(eye, a));
    let (q, r) = (cross(ray, f), cross(o, e));
    let determinant = dot(e, q);
    let (v, w) = (dot(o, q) / determinant, dot(ray, r) / determinant);
    if !(v.is_finite() && w.is_finite()) {
        return [1.0 / 3.0; 3];
    }
    let (v, w) = (v.clamp(0.0, 1.0), w.clamp(0.0, 1.0));
    let over = (v + w).max(1.0);
    [1.0 - (v + w) / over, v / over, w / over]
}
