//! The shot as the renderer uses it: surfaces with normals, triangles numbered through.

use rayon::prelude::*;

use crate::shot::Surface;
use crate::space::{V3, add, cross, dot, finite, norm, scale, sub, unit_or};

/// Surfaces in order; triangle numbers run through all of them.
pub(crate) struct Stage<'a> {
    parts: Vec<Part<'a>>,
    /// Number of each part's first triangle.
    first: Vec<usize>,
    /// Corners of the box around all usable triangles.
    pub(crate) bounds: Option<[V3; 2]>,
}

/// A surface, its normals and which of its triangles can be drawn.
pub(crate) struct Part<'a> {
    pub(crate) surface: Surface<'a>,
    normals: Vec<[[f32; 3]; 3]>,
    usable: Vec<bool>,
}

impl<'a> Stage<'a> {
    pub(crate) fn new(surfaces: impl IntoIterator<Item = Surface<'a>>) -> Stage<'a> {
        let parts: Vec<Part> = surfaces.into_iter().map(Part::new).collect();
        let mut first = Vec::with_capacity(parts.len());
        let mut total = 0;
        for part in &parts {
            first.push(total);
            total += part.surface.triangles.len();
        }
        let mut stage = Stage {
            parts,
            first,
            bounds: None,
        };
        let corners = stage.triangles().flat_map(|(_, p)| p);
        stage.bounds = corners.fold(None, |b: Option<[V3; 2]>, p| {
            let [low, high] = b.unwrap_or([p, p]);
            Some([
                std::array::from_fn(|i| low[i].min(p[i])),
                std::array::from_fn(|i| high[i].max(p[i])),
            ])
        });
        stage
    }

    /// Usable triangles with their numbers.
    pub(crate) fn triangles(&self) -> impl Iterator<Item = (u32, [V3; 3])> + '_ {
        self.parts
            .iter()
            .zip(&self.first)
            .flat_map(|(part, &first)| {
                (0..part.usable.len())
                    .filter(|&t| part.usable[t])
                    .map(move |t| ((first + t) as u32, part.corners(t)))
            })
    }

    /// How many triangles there are, usable or not.
    pub(crate) fn len(&self) -> usize {
        self.parts.iter().map(|p| p.usable.len()).sum()
    }

    /// The part a triangle belongs to and its number there.
    pub(crate) fn find(&self, id: u32) -> (&Part<'a>, usize) {
        let part = self.first.partition_point(|&f| f <= id as usize) - 1;
        (&self.parts[part], id as usize - self.first[part])
    }
}

impl<'a> Part<'a> {
    fn new(surface: Surface<'a>) -> Part<'a> {
        let flat: Vec<V3> = surface
            .triangles
            .par_iter()
            .map(|t| {
                let [a, b, c] = t.map(|v| surface.positions[v as usize]);
                let n = cross(sub(b, a), sub(c, a));
                let ok = finite(a) && finite(b) && finite(c) && finite(n) && norm(n) > 0.0;
                if ok { unit_or(n, [0.0; 3]) } else { [0.0; 3] }
            })
            .collect();
        let usable: Vec<bool> = flat.iter().map(|&n| n != [0.0; 3]).collect();
        let normals = creased(&surface, &flat);
        Part {
            surface,
            normals,
            usable,
        }
    }

    pub(crate) fn corners(&self, t: usize) -> [V3; 3] {
        self.surface.triangles[t].map(|v| self.surface.positions[v as usize])
    }

    /// The smooth normal at barycentric `w`.
    pub(crate) fn normal(&self, t: usize, w: V3) -> V3 {
        let n = self.normals[t].map(|n| n.map(f64::from));
        let sum = add(add(scale(w[0], n[0]), scale(w[1], n[1])), scale(w[2], n[2]));
        unit_or(sum, n[0])
    }
}

/// A normal for each corner: the mean, weighted by angle, over the triangles around the vertex that turn away from
/// this one by less than the crease angle.
fn creased(surface: &Surface, flat: &[V3]) -> Vec<[[f32; 3]; 3]> {
    let limit = surface.crease_deg.to_radians().cos();
    let mut start = vec![0u32; surface.positions.len() + 1];
    for v in surface.triangles.iter().flatten() {
        start[*v as usize + 1] += 1;
    }
    for i in 1..start.len() {
        start[i] += start[i - 1];
    }
    let mut next = start.clone();
    let mut around = vec![(0u32, 0.0f32); 3 * surface.triangles.len()];
    for (t, corners) in surface.triangles.iter().enumerate() {
        let p = corners.map(|v| surface.positions[v as usize]);
        for k in 0..3 {
            let (a, b) = (sub(p[(k + 1) % 3], p[k]), sub(p[(k + 2) % 3], p[k]));
            let angle = norm(cross(a, b)).atan2(dot(a, b));
            let slot = &mut next[corners[k] as usize];
            around[*slot as usize] = (t as u32, angle as f32);
            *slot += 1;
        }
    }
    let corner = |t: usize, v: u32| {
        let mut sum = [0.0; 3];
        for &(other, angle) in &around[start[v as usize] as usize..start[v as usize + 1] as usize] {
            let n = flat[other as usize];
            if other as usize == t || dot(n, flat[t]) > limit {
                sum = add(sum, scale(f64::from(angle), n));
            }
        }
        unit_or(sum, flat[t]).map(|x| x as f32)
    };
    let triangles = surface.triangles.par_iter().enumerate();
    triangles
        .map(|(t, corners)| corners.map(|v| corner(t, v)))
        .collect()
}
