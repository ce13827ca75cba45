//! Shading of surface points: sky light, key light with soft shadow, fill light, rim light and a specular highlight.

use rayon::prelude::*;

use crate::camera::ViewTransform;
use crate::colour::linear;
use crate::geometry::Geometry;
use crate::render::Style;
use crate::shadow::{ShadowMap, SkyLight};
use crate::vec3::{Vec3, add, cross, dot, norm, scale, smoothstep, sub, unit_or};

/// The tangent of the key light's angular radius.
const KEY_RADIUS: f64 = 0.10;
/// The strength of the sky light on a surface that faces it.
const SKY_STRENGTH: f64 = 0.50;
/// The strength of the key light on a surface that faces it.
const KEY_STRENGTH: f64 = 0.62;
/// The strength of the fill light on a surface that faces it.
const FILL_STRENGTH: f64 = 0.16;
/// The strength of the rim light at grazing angles.
const RIM_STRENGTH: f64 = 0.10;
/// The strength of the specular highlight of the key light.
const SPECULAR_STRENGTH: f64 = 0.09;

/// The lights, shadow maps, ground and background of one picture.
pub(crate) struct Lighting<'a> {
    geometry: &'a Geometry<'a>,
    view: ViewTransform,
    background: Background,
    key: ShadowMap,
    fill: Vec3,
    sky: SkyLight,
    ground: Option<Ground>,
    size: f64,
}

/// The linear colours of the background gradient and of the ground.
struct Background {
    top: [f64; 3],
    bottom: [f64; 3],
    floor: [f64; 3],
    height: f64,
}

/// The sky and key light at a surface point; neighbouring triangles in a pixel share it.
pub(crate) struct IncidentLight {
    p: Vec3,
    n: Vec3,
    daylight: f64,
    key: f64,
}

/// The ground plane with a table of the sky light that reaches it.
struct Ground {
    height: f64,
    corner: [f64; 2],
    step: f64,
    centre: [f64; 2],
    daylight: Vec<f32>,
}

/// The number of cells along a side of the ground's sky-light table.
const GROUND_CELLS: usize = 160;

impl<'a> Lighting<'a> {
    /// Computes the shadow maps and the ground's sky light.
    pub(crate) fn new(
        geometry: &'a Geometry<'a>,
        view: ViewTransform,
        style: &Style,
        ground: Option<f64>,
    ) -> Lighting<'a> {
        let up = [0.0, 1.0, 0.0];
        let front = unit_or([view.back[0], 0.0, view.back[2]], view.back);
        let right = view.right;
        let mix = |r: f64, u: f64, f: f64| {
            unit_or(add(add(scale(r, right), scale(u, up)), scale(f, front)), up)
        };
        let sky = SkyLight::new(geometry);
        let key = ShadowMap::new(geometry, mix(-0.55, 1.0, 0.42), 1024).with_depth_bounds();
        let [low, high] = geometry.bounds.unwrap_or([[0.0; 3]; 2]);
        let size = norm(sub(high, low)).max(f64::MIN_POSITIVE);
        let ground = ground
            .filter(|y| y.is_finite())
            .map(|y| Ground::new(&sky, y, low, high, size));
        Lighting {
            geometry,
            view,
            background: Background::new(style),
            key,
            fill: mix(0.9, 0.25, 0.7),
            sky,
            ground,
            size,
        }
    }

    /// Returns the linear colour of triangle `id` at the image point (x, y). `last` is the light at the triangle shaded
    /// before in the same pixel; it is reused if the two points are close.
    pub(crate) fn surface(
        &self,
        id: u32,
        x: f64,
        y: f64,
        last: &mut Option<IncidentLight>,
    ) -> [f64; 3] {
        let (part, t) = self.geometry.find(id);
        let corners = part.corners(t);
        let ray = self.view.ray(x, y);
        let w = weights(corners, self.view.eye, ray);
        let p = add(
            add(scale(w[0], corners[0]), scale(w[1], corners[1])),
            scale(w[2], corners[2]),
        );
        let towards_eye = unit_or(scale(-1.0, ray), self.view.back);
        let triangle = cross(sub(corners[1], corners[0]), sub(corners[2], corners[0]));
        let side = if dot(triangle, towards_eye) < 0.0 {
            -1.0
        } else {
            1.0
        };
        let n = scale(side, part.normal(t, w));
        let mut albedo = linear(part.surface.colouring.at(t, part.surface.triangles[t], w));
        if let Some(wire) = part.surface.wireframe {
            let cover = self.wire_cover(corners, [x, y], wire.width);
            let ink = linear(wire.colour);
            albedo = std::array::from_fn(|c| albedo[c] + cover * (ink[c] - albedo[c]));
        }
        let pixel = dot(sub(p, self.view.eye), ray) / (dot(ray, ray) * self.view.focal);
        let close = |a: &IncidentLight| dot(a.n, n) > 0.985 && norm(sub(a.p, p)) < 3.0 * pixel;
        let incident = match last.take() {
            Some(a) if close(&a) => a,
            _ => self.incident_light(p, n),
        };
        let light = self.visibility(p, n, towards_eye, albedo, &incident);
        *last = Some(incident);
        light
    }

    fn incident_light(&self, p: Vec3, n: Vec3) -> IncidentLight {
        let key = if dot(n, self.key.towards) > 0.0 {
            self.key
                .soft_visibility(add(p, scale(2.5 * self.key.texel(), n)), KEY_RADIUS)
        } else {
            0.0
        };
        IncidentLight {
            p,
            n,
            daylight: self.sky.irradiance(p, n, 2.0),
            key,
        }
    }

    fn visibility(
        &self,
        p: Vec3,
        n: Vec3,
        towards_eye: Vec3,
        albedo: [f64; 3],
        incident: &IncidentLight,
    ) -> [f64; 3] {
        let key = self.key.towards;
        let facing = dot(n, key).max(0.0);
        let (daylight, arrives) = (incident.daylight, incident.key);
        let open = daylight.min(1.0);
        let below = 0.5 - 0.5 * n[1];
        let clearance = self.ground.as_ref().map_or(1.0, |g| {
            smoothstep(-0.05, 0.6, (p[1] - g.height) / self.size)
        });
        let bounce = 0.30 * below * (0.25 + 0.75 * clearance);
        let fill = FILL_STRENGTH * dot(n, self.fill).max(0.0) * (0.4 + 0.6 * open);
        let half = unit_or(add(key, towards_eye), key);
        let graze = 1.0 - dot(n, towards_eye).clamp(0.0, 1.0);
        let rim = RIM_STRENGTH * graze.powi(3) * (0.5 + 0.5 * n[1]) * open;
        let gloss = SPECULAR_STRENGTH
            * dot(n, half).max(0.0).powi(48)
            * arrives
            * smoothstep(0.0, 0.2, facing);
        const SKY_TINT: [f64; 3] = [0.96, 1.0, 1.06];
        const SUN_TINT: [f64; 3] = [1.04, 1.0, 0.95];
        const GROUND_TINT: [f64; 3] = [1.03, 1.0, 0.96];
        std::array::from_fn(|c| {
            let light = SKY_STRENGTH * daylight * SKY_TINT[c]
                + KEY_STRENGTH * facing * arrives * SUN_TINT[c]
                + bounce * GROUND_TINT[c]
                + fill;
            1.1 * albedo[c] * light + rim + gloss
        })
    }

    /// Returns the linear colour of the ground or background at the image point (x, y).
    pub(crate) fn background(&self, x: f64, y: f64) -> [f64; 3] {
        let background = self.background.at(y);
        let Some(ground) = &self.ground else {
            return background;
        };
        let ray = self.view.ray(x, y);
        let t = (ground.height - self.view.eye[1]) / ray[1];
        if !(t > 0.0 && t.is_finite()) || self.view.eye[1] <= ground.height {
            return background;
        }
        let p = add(self.view.eye, scale(t, ray));
        let away = (p[0] - ground.centre[0]).hypot(p[2] - ground.centre[1]) / self.size;
        let near = 1.0 - smoothstep(0.6, 4.0, away);
        let key = KEY_STRENGTH * self.key.towards[1];
        let arrives = self.key.soft_visibility(p, KEY_RADIUS);
        let light = (SKY_STRENGTH * ground.daylight(p) + key * arrives) / (SKY_STRENGTH + key);
        std::array::from_fn(|c| {
            light * (background[c] + near * (self.background.floor[c] - background[c]))
        })
    }

    /// Returns how much of an image point the wireframe lines cover; lines fade out on very small triangles.
    fn wire_cover(&self, corners: [Vec3; 3], at: [f64; 2], width: f64) -> f64 {
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

impl Background {
    fn new(style: &Style) -> Background {
        let [top, bottom, floor] =
            [style.background_top, style.background_bottom, style.ground].map(linear);
        Background {
            top,
            bottom,
            floor,
            height: style.height as f64,
        }
    }

    fn at(&self, y: f64) -> [f64; 3] {
        let s = smoothstep(0.0, 0.75, y / self.height);
        std::array::from_fn(|c| self.top[c] + s * (self.bottom[c] - self.top[c]))
    }
}

impl Ground {
    fn new(sky: &SkyLight, height: f64, low: Vec3, high: Vec3, size: f64) -> Ground {
        let lifted = (low[1] - height).max(0.0);
        let side = (high[0] - low[0]).max(high[2] - low[2]) + 2.0 * size + 2.0 * lifted;
        let centre = [0.5 * (low[0] + high[0]), 0.5 * (low[2] + high[2])];
        let corner = centre.map(|c| c - 0.5 * side);
        let step = side / (GROUND_CELLS - 1) as f64;
        let daylight = (0..GROUND_CELLS * GROUND_CELLS)
            .into_par_iter()
            .map(|i| {
                let p = [
                    corner[0] + step * (i % GROUND_CELLS) as f64,
                    height,
                    corner[1] + step * (i / GROUND_CELLS) as f64,
                ];
                sky.irradiance(p, [0.0, 1.0, 0.0], 0.0) as f32
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

    fn daylight(&self, p: Vec3) -> f64 {
        let (x, z) = (
            (p[0] - self.corner[0]) / self.step,
            (p[2] - self.corner[1]) / self.step,
        );
        let most = (GROUND_CELLS - 1) as f64;
        if !(x >= 0.0 && z >= 0.0 && x < most && z < most) {
            return 1.0;
        }
        let (i, j) = (x as usize, z as usize);
        let (fx, fz) = (x - i as f64, z - j as f64);
        let at = |i: usize, j: usize| f64::from(self.daylight[j * GROUND_CELLS + i]);
        let near = at(i, j) * (1.0 - fx) + at(i + 1, j) * fx;
        let far = at(i, j + 1) * (1.0 - fx) + at(i + 1, j + 1) * fx;
        near * (1.0 - fz) + far * fz
    }
}

/// Smooths the table with a 3 × 3 binomial filter, which removes the streaks left by a finite number of directions.
fn smoothed(cells: Vec<f32>) -> Vec<f32> {
    let clamp = |i: usize, d: usize| (i + d).saturating_sub(1).min(GROUND_CELLS - 1);
    let at = |i: usize, j: usize| cells[j * GROUND_CELLS + i];
    let row = |i: usize, j: usize| at(clamp(i, 0), j) + 2.0 * at(i, j) + at(clamp(i, 2), j);
    let one = |k: usize| {
        let (i, j) = (k % GROUND_CELLS, k / GROUND_CELLS);
        (row(i, clamp(j, 0)) + 2.0 * row(i, j) + row(i, clamp(j, 2))) / 16.0
    };
    (0..GROUND_CELLS * GROUND_CELLS).map(one).collect()
}

/// Returns the barycentric coordinates of the point where a ray hits the plane of a triangle, clamped to the triangle.
fn weights([a, b, c]: [Vec3; 3], eye: Vec3, ray: Vec3) -> Vec3 {
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
