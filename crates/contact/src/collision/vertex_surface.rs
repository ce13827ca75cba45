//! Distance of a vertex to a triangulated surface as a sum over closest features.
//!
//! Summing B(d) over all triangles near a vertex counts shared edges and corners several times, and the sum depends on how
//! the surface is triangulated. Following [Li, Kaufman and Jiang 2023, "Convergent Incremental Potential Contact", §4] the
//! sum runs over triangles, minus inner edges, plus inner vertices:
//! Σ_t B(d(v, t)) − Σ_e (n_e − 1) B(d(v, e)) + Σ_p c_p B(d(v, p)), where n_e is the number of triangles at an edge
//! and c_p = 1 − (number of triangles) + Σ_e (n_e − 1) over the edges at a vertex. On a flat or convex part exactly the
//! closest feature remains, with coefficient 1; in a valley both sides count, and their common edge is subtracted. The sum
//! is continuous because every distance is.
//!
//! What we changed: terms of the same closest feature are merged before they are evaluated, and the coefficients are those of
//! the surface without the triangles at the vertex itself, which matters in self-contact.

use super::{Collision, Incidence, NO_POINT, SurfacesAt};
use crate::distance::{self, Feature};
use crate::{CollisionSurface, Point};

/// A closest feature on the surface: a triangle, an edge or a vertex, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Triangle(u32),
    Edge(u32),
    Vertex(u32),
}

/// Stencils of one vertex against triangles, with its buffers.
#[derive(Clone, Debug, Default)]
pub struct VertexSurface {
    near: Vec<u32>,
    parts: Vec<u32>,
    terms: Vec<(Key, i32)>,
}

impl VertexSurface {
    /// Adds the stencils of `vertex` against those of `triangles` that are within reach. The triangles belong to surfaces that
    /// the vertex may touch and do not contain it.
    pub fn add(
        &mut self,
        at: &SurfacesAt,
        vertex: u32,
        triangles: impl Iterator<Item = u32>,
        out: &mut Vec<Collision>,
    ) {
        let SurfacesAt {
            surfaces,
            incidence,
            x,
            range,
        } = *at;
        self.near.clear();
        self.terms.clear();
        let place = x[vertex as usize];
        let offset = range.thickness + surfaces.primitives.radius([vertex]);
        let limit = (offset + range.reach).powi(2);
        for t in triangles {
            let corners = surfaces.primitives.triangles[t as usize];
            let [a, b, c] = corners.map(|i| x[i as usize]);
            let (feature, square) = distance::point_triangle(&[place, a, b, c]);
            if square < limit {
                self.near.push(t);
                self.terms
                    .push((triangle_key(incidence, t, &corners, feature), 1));
            }
        }
        let Some(&first) = self.near.first() else {
            return;
        };
        // A triangle is at least as near as its edges and corners, so nothing counts twice if only one is within reach.
        if self.near.len() > 1 {
            self.subtract_edges(at, vertex, limit);
            self.add_vertices(at, vertex, limit);
            self.terms.sort_unstable();
        }
        let share = surfaces.vertex_share(vertex, first, incidence);
        let weight = share * surfaces.vertex_areas[vertex as usize];
        let mut next = 0;
        while next < self.terms.len() {
            let key = self.terms[next].0;
            let same = self.terms[next..].iter().take_while(|term| term.0 == key);
            let (mut count, mut coefficient) = (0, 0);
            for (_, c) in same {
                count += 1;
                coefficient += c;
            }
            next += count;
            if coefficient != 0 {
                let weight = f64::from(coefficient) * weight;
                out.push(collision(surfaces, x, vertex, key, weight, offset));
            }
        }
    }

    fn subtract_edges(&mut self, here: &SurfacesAt, vertex: u32, limit: f64) {
        let SurfacesAt {
            surfaces,
            incidence,
            x,
            ..
        } = *here;
        self.parts.clear();
        let sides = self.near.iter().flat_map(|&t| incidence.triangle_edges(t));
        self.parts.extend(sides);
        self.parts.sort_unstable();
        self.parts.dedup();
        for &e in &self.parts {
            let extra = shared_triangles(surfaces, incidence, e, vertex) - 1;
            if extra <= 0 {
                continue;
            }
            let [a, b] = surfaces.primitives.edges[e as usize];
            let at = |i: u32| x[i as usize];
            let (feature, square) = distance::point_edge(&[at(vertex), at(a), at(b)]);
            if square < limit {
                let key = match feature {
                    Feature::PointPoint([_, end]) => Key::Vertex([a, b][end as usize - 1]),
                    _ => Key::Edge(e),
                };
                self.terms.push((key, -extra));
            }
        }
    }

    fn add_vertices(&mut self, here: &SurfacesAt, vertex: u32, limit: f64) {
        let SurfacesAt {
            surfaces,
            incidence,
            x,
            ..
        } = *here;
        self.parts.clear();
        let corners = self
            .near
            .iter()
            .flat_map(|&t| surfaces.primitives.triangles[t as usize]);
        self.parts.extend(corners);
        self.parts.sort_unstable();
        self.parts.dedup();
        for &p in &self.parts {
            let (a, b) = (x[vertex as usize], x[p as usize]);
            let square: f64 = (0..3).map(|k| (a[k] - b[k]).powi(2)).sum();
            if square >= limit {
                continue;
            }
            let around = incidence.triangles_of_vertex(p).iter();
            let own = |t: &&u32| !surfaces.primitives.triangles[**t as usize].contains(&vertex);
            let triangles = around.filter(own).count() as i32;
            let edges = incidence.edges_of_vertex(p).iter();
            let extra: i32 = edges
                .map(|&e| (shared_triangles(surfaces, incidence, e, vertex) - 1).max(0))
                .sum();
            let coefficient = 1 - triangles + extra;
            if coefficient != 0 {
                self.terms.push((Key::Vertex(p), coefficient));
            }
        }
    }
}

/// Number of triangles at an edge that do not contain a vertex.
fn shared_triangles(
    surfaces: &CollisionSurface,
    incidence: &Incidence,
    edge: u32,
    vertex: u32,
) -> i32 {
    let around = incidence.triangles_of_edge(edge).iter();
    around
        .filter(|&&t| !surfaces.primitives.triangles[t as usize].contains(&vertex))
        .count() as i32
}

/// The closest feature of a triangle on the whole surface.
fn triangle_key(incidence: &Incidence, t: u32, corners: &[u32; 3], feature: Feature) -> Key {
    match feature {
        Feature::PointPoint([_, corner]) => Key::Vertex(corners[corner as usize - 1]),
        Feature::PointEdge([_, a, b]) => {
            // Edge k joins the corners k and k + 1; the points of the stencil are numbered from the vertex on.
            let (a, b) = (a as usize - 1, b as usize - 1);
            let k = if (a + 1) % 3 == b { a } else { b };
            Key::Edge(incidence.triangle_edges(t)[k])
        }
        Feature::PointTriangle | Feature::EdgeEdge => Key::Triangle(t),
    }
}

fn collision(
    surfaces: &CollisionSurface,
    x: &[Point],
    vertex: u32,
    key: Key,
    weight: f64,
    offset: f64,
) -> Collision {
    let (points, feature) = match key {
        Key::Vertex(p) => ([vertex, p, NO_POINT, NO_POINT], Feature::PointPoint([0, 1])),
        Key::Edge(e) => {
            let [a, b] = surfaces.primitives.edges[e as usize];
            ([vertex, a, b, NO_POINT], Feature::PointEdge([0, 1, 2]))
        }
        Key::Triangle(t) => {
            let [a, b, c] = surfaces.primitives.triangles[t as usize];
            ([vertex, a, b, c], Feature::PointTriangle)
        }
    };
    let place = points.map(|i| x.get(i as usize).copied().unwrap_or_default());
    let (square, _) = distance::derivatives(feature, &place, None);
    Collision {
        points,
        feature,
        weight,
        offset,
        mollified_below: 0.0,
        distance: square.max(0.0).sqrt(),
    }
}
