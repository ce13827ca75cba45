//! The triangles of a view as the renderer uses them: one numbering over all surfaces, with corner normals.

use rayon::prelude::*;

use crate::vec3::{Vec3, add, cross, dot, finite, norm, scale, sub, unit_or};
use crate::view::Surface;

/// All surfaces of a view; triangle ids count through them.
pub(crate) struct Geometry<'a> {
    parts: Vec<ShadedSurface<'a>>,
    /// The id of the first triangle of each surface.
    first: Vec<usize>,
    /// The bounding box of all drawable triangles.
    pub(crate) bounds: Option<[Vec3; 2]>,
}

/// A surface with its corner normals and a flag for each triangle that can be drawn.
pub(crate) struct ShadedSurface<'a> {
    /// The surface.
    pub(crate) surface: Surface<'a>,
    normals: Vec<[[f32; 3]; 3]>,
    drawable: Vec<bool>,
}

impl<'a> Geometry<'a> {
    /// Numbers the triangles of the surfaces and computes normals and bounding box.
    pub(crate) fn new(surfaces: impl IntoIterator<Item = Surface<'a>>) -> Geometry<'a> {
        let parts: Vec<ShadedSurface> = surfaces.into_iter().map(ShadedSurface::new).collect();
        let mut first = Vec::with_capacity(parts.len());
        let mut total = 0;
        for part in &parts {
            first.push(total);
            total += part.surface.triangles.len();
        }
        let mut geometry = Geometry {
            parts,
            first,
            bounds: None,
        };
        let corners = geometry.triangles().flat_map(|(_, p)| p);
        geometry.bounds = corners.fold(None, |b: Option<[Vec3; 2]>, p| {
            let [low, high] = b.unwrap_or([p, p]);
            Some([
                std::array::from_fn(|i| low[i].min(p[i])),
                std::array::from_fn(|i| high[i].max(p[i])),
            ])
        });
        geometry
    }

    /// Returns the ids and corners of the drawable triangles.
    pub(crate) fn triangles(&self) -> impl Iterator<Item = (u32, [Vec3; 3])> + '_ {
        self.parts
            .iter()
            .zip(&self.first)
            .flat_map(|(part, &first)| {
                (0..part.drawable.len())
                    .filter(|&t| part.drawable[t])
                    .map(move |t| ((first + t) as u32, part.corners(t)))
            })
    }

    /// Returns the number of triangles, drawable or not.
    pub(crate) fn len(&self) -> usize {
        self.parts.iter().map(|p| p.drawable.len()).sum()
    }

    /// Returns the surface of a triangle id and the index of the triangle in it.
    pub(crate) fn find(&self, id: u32) -> (&ShadedSurface<'a>, usize) {
        let part = self.first.partition_point(|&f| f <= id as usize) - 1;
        (&self.parts[part], id as usize - self.first[part])
    }
}

impl<'a> ShadedSurface<'a> {
    fn new(surface: Surface<'a>) -> ShadedSurface<'a> {
        let face_normals: Vec<Vec3> = surface
            .triangles
            .par_iter()
            .map(|t| {
                let [a, b, c] = t.map(|v| surface.positions[v as usize]);
                let n = cross(sub(b, a), sub(c, a));
                let ok = finite(a) && finite(b) && finite(c) && finite(n) && norm(n) > 0.0;
                if ok { unit_or(n, [0.0; 3]) } else { [0.0; 3] }
            })
            .collect();
        let drawable: Vec<bool> = face_normals.iter().map(|&n| n != [0.0; 3]).collect();
        let normals = corner_normals(&surface, &face_normals);
        ShadedSurface {
            surface,
            normals,
            drawable,
        }
    }

    /// Returns the corners of triangle `t`.
    pub(crate) fn corners(&self, t: usize) -> [Vec3; 3] {
        self.surface.triangles[t].map(|v| self.surface.positions[v as usize])
    }

    /// Returns the interpolated normal at the barycentric coordinates `w`.
    pub(crate) fn normal(&self, t: usize, w: Vec3) -> Vec3 {
        let n = self.normals[t].map(|n| n.map(f64::from));
        let sum = add(add(scale(w[0], n[0]), scale(w[1], n[1])), scale(w[2], n[2]));
        unit_or(sum, n[0])
    }
}

/// Computes a normal for each triangle corner: the angle-weighted mean over the triangles at the vertex whose normal
/// deviates by less than the crease angle.
fn corner_normals(surface: &Surface, face_normals: &[Vec3]) -> Vec<[[f32; 3]; 3]> {
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
            let n = face_normals[other as usize];
            if other as usize == t || dot(n, face_normals[t]) > limit {
                sum = add(sum, scale(f64::from(angle), n));
            }
        }
        unit_or(sum, face_normals[t]).map(|x| x as f32)
    };
    let triangles = surface.triangles.par_iter().enumerate();
    triangles
        .map(|(t, corners)| corners.map(|v| corner(t, v)))
        .collect()
}
