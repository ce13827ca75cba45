//! Tessellation of spheres and capsules, refined by their size in the image.

use std::f64::consts::TAU;

use crate::camera::ViewTransform;
use crate::colour::Rgb;
use crate::vec3::{Vec3, add, cross, finite, norm, orthonormal_basis, scale, sub, unit_or};
use crate::view::{Capsule, Colouring, Sphere, Surface};

/// The triangles of all spheres and capsules of a view, with a colour for each.
#[derive(Default)]
pub(crate) struct TessellatedSpheres {
    positions: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    colours: Vec<Rgb>,
}

impl TessellatedSpheres {
    /// Tessellates spheres and capsules.
    pub(crate) fn new(
        spheres: &[Sphere],
        capsules: &[Capsule],
        view: &ViewTransform,
    ) -> TessellatedSpheres {
        let mut out = TessellatedSpheres::default();
        let meshes: Vec<SphereMesh> = (1..6).map(SphereMesh::new).collect();
        for sphere in spheres {
            out.add_sphere(sphere, view, &meshes);
        }
        for capsule in capsules {
            out.add_capsule(capsule, view, &meshes);
        }
        out
    }

    /// Returns the triangles as a surface.
    pub(crate) fn surface(&self) -> Surface<'_> {
        let mut surface = Surface::new(
            &self.positions,
            &self.triangles,
            Colouring::PerTriangle(&self.colours),
        );
        surface.crease_deg = 70.0;
        surface
    }

    fn add_sphere(&mut self, sphere: &Sphere, view: &ViewTransform, meshes: &[SphereMesh]) {
        if !finite(sphere.centre) || !sphere.radius.is_finite() || sphere.radius <= 0.0 {
            return;
        }
        let pixels = view.focal * sphere.radius / view.local(sphere.centre)[2].max(sphere.radius);
        let level = [3.0, 10.0, 40.0, 150.0]
            .iter()
            .filter(|&&p| pixels > p)
            .count();
        let first = self.positions.len() as u32;
        let mesh = &meshes[level];
        self.positions.extend(
            mesh.points
                .iter()
                .map(|&p| add(sphere.centre, scale(sphere.radius, p))),
        );
        self.triangles
            .extend(mesh.triangles.iter().map(|t| t.map(|v| v + first)));
        self.colours.resize(self.triangles.len(), sphere.colour);
    }

    fn add_capsule(&mut self, capsule: &Capsule, view: &ViewTransform, meshes: &[SphereMesh]) {
        let along = sub(capsule.b, capsule.a);
        if !finite(along)
            || norm(along) == 0.0
            || !capsule.radius.is_finite()
            || capsule.radius <= 0.0
        {
            return;
        }
        const CAPSULE_SIDES: u32 = 16;
        let (u, v) = orthonormal_basis(unit_or(along, [0.0, 1.0, 0.0]));
        let first = self.positions.len() as u32;
        for k in 0..CAPSULE_SIDES {
            let (s, c) = (TAU * f64::from(k) / f64::from(CAPSULE_SIDES)).sin_cos();
            let out = scale(capsule.radius, add(scale(c, u), scale(s, v)));
            self.positions
                .extend([add(capsule.a, out), add(capsule.b, out)]);
            let (a, b) = (first + 2 * k, first + 2 * ((k + 1) % CAPSULE_SIDES));
            self.triangles.extend([[a, b, b + 1], [a, b + 1, a + 1]]);
        }
        self.colours.resize(self.triangles.len(), capsule.colour);
        for centre in [capsule.a, capsule.b] {
            self.add_sphere(
                &Sphere {
                    centre,
                    radius: capsule.radius,
                    colour: capsule.colour,
                },
                view,
                meshes,
            );
        }
    }
}

/// A unit sphere: an octahedron with each edge halved `level` times.
struct SphereMesh {
    points: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
}

impl SphereMesh {
    fn new(level: u32) -> SphereMesh {
        let n = 1u32 << level;
        let axes: [Vec3; 6] = [
            [1.0, 0.0, 0.0],
            [0.0, 1.0, 0.0],
            [0.0, 0.0, 1.0],
            [-1.0, 0.0, 0.0],
            [0.0, -1.0, 0.0],
            [0.0, 0.0, -1.0],
        ];
        let (mut points, mut triangles) = (Vec::new(), Vec::new());
        let mut number = std::collections::HashMap::new();
        for octant in 0..8u32 {
            let pick = |i: usize| axes[i + if octant >> i & 1 == 1 { 3 } else { 0 }];
            let face = [pick(0), pick(1), pick(2)];
            let mut vertex = |i: u32, j: u32| {
                let k = n - i - j;
                let [a, b, c] = [i, j, k].map(|x| f64::from(x) / f64::from(n));
                let p = add(add(scale(a, face[0]), scale(b, face[1])), scale(c, face[2]));
                let key = p.map(|x| (x * f64::from(n)).round() as i64);
                *number.entry(key).or_insert_with(|| {
                    points.push(unit_or(p, face[0]));
                    points.len() as u32 - 1
                })
            };
            for i in 0..n {
                for j in 0..n - i {
                    triangles.push([vertex(i, j), vertex(i + 1, j), vertex(i, j + 1)]);
                    if i + j + 1 < n {
                        triangles.push([vertex(i + 1, j), vertex(i + 1, j + 1), vertex(i, j + 1)]);
                    }
                }
            }
        }
        // Orient all triangles outwards.
        for t in &mut triangles {
            let [a, b, c] = t.map(|v: u32| points[v as usize]);
            if crate::vec3::dot(cross(sub(b, a), sub(c, a)), a) < 0.0 {
                t.swap(1, 2);
            }
        }
        SphereMesh { points, triangles }
    }
}
