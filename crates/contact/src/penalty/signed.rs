//! Signed distances of points from triangulated surfaces.
//!
//! The sign is that of the component along the pseudonormal of the closest feature: the normal of a triangle, the sum of the
//! normals at an edge, the sum of the normals at a vertex weighted with the angles of the triangles. With these weights the
//! sign is right for every closed surface [Bærentzen and Aanæs 2005].

use mesh::vector::{add, cross, dot, norm, scale, sub};

use crate::collision::Incidence;
use crate::distance::{Feature, point_triangle_separation};
use crate::{CollisionSurface, Point};

/// Closest point of a triangle with its sign.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Closest {
    /// Distance from the surface; negative inside a closed surface, m.
    pub distance: f64,
    /// Unit normal towards the free side.
    pub normal: Point,
    /// Barycentric coordinates of the closest point.
    pub weights: [f64; 3],
}

/// Which surfaces are closed, and the incidences that their pseudonormals need.
#[derive(Clone, Debug)]
pub struct SignedSurfaces {
    /// Incidences of triangles, edges and vertices.
    pub incidence: Incidence,
    /// Whether the surface of each group is closed and has an inside.
    pub closed: Vec<bool>,
}

impl SignedSurfaces {
    /// Finds the closed surfaces: those with triangles whose edges all have two triangles with one orientation.
    pub fn new(surfaces: &CollisionSurface) -> SignedSurfaces {
        let p = &surfaces.primitives;
        let incidence = Incidence::new(p.groups.len(), &p.triangles, &p.edges);
        let groups = p.groups.iter().map(|g| g + 1).max().unwrap_or(0);
        let mut closed = vec![false; groups as usize];
        for t in &p.triangles {
            closed[p.groups[t[0] as usize] as usize] = true;
        }
        for (k, edge) in (0u32..).zip(&p.edges) {
            let along = |t: &&u32| {
                let corners = p.triangles[**t as usize];
                (0..3).any(|i| [corners[i], corners[(i + 1) % 3]] == *edge)
            };
            let around = incidence.triangles_of_edge(k);
            if around.len() != 2 || around.iter().filter(along).count() != 1 {
                closed[p.groups[edge[0] as usize] as usize] = false;
            }
        }
        SignedSurfaces { incidence, closed }
    }

    /// Returns the distance of a point from a triangle without its sign, m.
    pub fn distance(&self, surfaces: &CollisionSurface, x: &[Point], p: Point, t: u32) -> f64 {
        let [a, b, c] = surfaces.primitives.triangles[t as usize].map(|i| x[i as usize]);
        norm(point_triangle_separation(&[p, a, b, c]).1)
    }

    /// Finds the closest point of the triangle `t`, which is the closest one of its surface, to a point.
    pub fn closest(&self, surfaces: &CollisionSurface, x: &[Point], p: Point, t: u32) -> Closest {
        let corners = surfaces.primitives.triangles[t as usize];
        let [a, b, c] = corners.map(|i| x[i as usize]);
        let (feature, r) = point_triangle_separation(&[p, a, b, c]);
        let distance = norm(r);
        let weights = barycentric(sub(p, r), [a, b, c]);
        let group = surfaces.primitives.groups[corners[0] as usize] as usize;
        let tiny = 1e-12 * (norm(sub(b, a)) + norm(sub(c, a)));
        let closed = self.closed[group];
        let pseudo = match closed || distance <= tiny {
            true => self.pseudonormal(surfaces, x, t, feature),
            false => r,
        };
        let inside = closed && dot(r, pseudo) < 0.0;
        let normal = match (distance <= tiny, inside) {
            (true, _) => unit(pseudo),
            (false, true) => scale(-1.0 / distance, r),
            (false, false) => scale(1.0 / distance, r),
        };
        Closest {
            distance: if inside { -distance } else { distance },
            normal,
            weights,
        }
    }

    /// Pseudonormal of the closest feature of a triangle, not normalised.
    fn pseudonormal(
        &self,
        surfaces: &CollisionSurface,
        x: &[Point],
        t: u32,
        feature: Feature,
    ) -> Point {
        let triangles = &surfaces.primitives.triangles;
        let normal = |t: u32| {
            let [a, b, c] = triangles[t as usize].map(|i| x[i as usize]);
            unit(cross(sub(b, a), sub(c, a)))
        };
        match feature {
            Feature::PointPoint([_, corner]) => {
                let vertex = triangles[t as usize][corner as usize - 1];
                let angle = |t: u32| {
                    let of = triangles[t as usize];
                    let k = of.iter().position(|&v| v == vertex).unwrap_or(0);
                    let [o, p, q] =
                        [of[k], of[(k + 1) % 3], of[(k + 2) % 3]].map(|i| x[i as usize]);
                    let (p, q) = (sub(p, o), sub(q, o));
                    norm(cross(p, q)).atan2(dot(p, q))
                };
                let around = self.incidence.triangles_of_vertex(vertex);
                around
                    .iter()
                    .fold([0.0; 3], |sum, &t| add(sum, scale(angle(t), normal(t))))
            }
            Feature::PointEdge([_, a, b]) => {
                let (a, b) = (a as usize - 1, b as usize - 1);
                let k = if (a + 1) % 3 == b { a } else { b };
                let edge = self.incidence.triangle_edges(t)[k];
                let around = self.incidence.triangles_of_edge(edge);
                around.iter().fold([0.0; 3], |sum, &t| add(sum, normal(t)))
            }
            Feature::PointTriangle | Feature::EdgeEdge => normal(t),
        }
    }
}

fn unit(v: Point) -> Point {
    scale(1.0 / norm(v).max(f64::MIN_POSITIVE), v)
}

/// Barycentric coordinates of a point of a triangle; they are not negative and sum to 1.
fn barycentric(p: Point, [a, b, c]: [Point; 3]) -> [f64; 3] {
    let (u, v, w) = (sub(b, a), sub(c, a), sub(p, a));
    let (uu, uv, vv) = (dot(u, u), dot(u, v), dot(v, v));
    let (wu, wv) = (dot(w, u), dot(w, v));
    let det = uu * vv - uv * uv;
    if det <= 1e-24 * (uu + vv) * (uu + vv) {
        return [1.0, 0.0, 0.0];
    }
    let second = ((vv * wu - uv * wv) / det).clamp(0.0, 1.0);
    let third = ((uu * wv - uv * wu) / det).clamp(0.0, 1.0 - second);
    [1.0 - second - third, second, third]
}
