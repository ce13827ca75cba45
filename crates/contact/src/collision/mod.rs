//! Active stencils of contact: which points interact at given positions, and with which weight.
//!
//! The contact energy is Σ w B(d) over stencils, where B is the barrier function of a distance d and w an area. A vertex
//! interacts with a surface through its distance to the *whole* surface, not through the sum over all triangles nearby, so
//! that the force does not depend on the triangulation ([`VertexSurface`]). Pairs of edges only keep edges apart: their
//! weight is a small fraction of their area ([`EDGE_SHARE`]), because the vertices of both surfaces carry the pressure.

mod incidence;
mod vertex_surface;

pub use incidence::Incidence;
pub use vertex_surface::VertexSurface;

use crate::distance::{self, Feature};
use crate::{CollisionSurface, Point, mollifier_threshold};

/// Share of its area with which a pair of edges of triangulated surfaces counts.
pub const EDGE_SHARE: f64 = 0.02;

/// Marks an unused point of a [`Collision`].
pub const NO_POINT: u32 = u32::MAX;

/// A stencil at a distance within the reach of the barrier.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Collision {
    /// Its points; [`NO_POINT`] for unused ones.
    pub points: [u32; 4],
    /// Which of its points are the closest features.
    pub feature: Feature,
    /// Area with which it counts, m²; negative if it corrects a double count.
    pub weight: f64,
    /// Distance at which the barrier is infinite, m: thickness plus radii of the points.
    pub offset: f64,
    /// Squared area |ea × eb|² below which a pair of edges is mollified, m⁴; 0 if it is not.
    pub mollified_below: f64,
    /// Distance of the closest features, m.
    pub distance: f64,
}

impl CollisionSurface {
    /// Factor of the area of a vertex against a triangle. Two deformable surfaces see each other from both sides, so each
    /// counts half; a particle or an obstacle is seen from one side only.
    pub fn vertex_share(&self, vertex: u32, triangle: u32, incidence: &Incidence) -> f64 {
        let other = self.primitives.triangles[triangle as usize][0] as usize;
        let has_triangles = !incidence.triangles_of_vertex(vertex).is_empty();
        let both = has_triangles && !self.rigid[vertex as usize] && !self.rigid[other];
        if both { 0.5 } else { 1.0 }
    }
}

/// Distances that define when a stencil is active.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// Distance from the offset at which the barrier begins, m.
    pub reach: f64,
    /// Thickness of all surfaces together, m.
    pub thickness: f64,
}

/// Surfaces at some positions, and when their stencils are active.
#[derive(Clone, Copy)]
pub struct SurfacesAt<'a> {
    /// The surfaces.
    pub surfaces: &'a CollisionSurface,
    /// Their incidences.
    pub incidence: &'a Incidence,
    /// Positions of all points, m.
    pub x: &'a [Point],
    /// Distances within which stencils are active.
    pub range: Range,
}

/// Adds the stencil of two edges if they are within reach.
pub fn add_edge_edge(at: &SurfacesAt, [e, f]: [u32; 2], out: &mut Vec<Collision>) {
    let SurfacesAt {
        surfaces,
        incidence,
        x,
        range,
    } = *at;
    let [a, b] = surfaces.primitives.edges[e as usize];
    let [c, d] = surfaces.primitives.edges[f as usize];
    let points = [a, b, c, d];
    let (feature, square) = distance::edge_edge(&points.map(|i| x[i as usize]));
    let offset =
        range.thickness + surfaces.primitives.radius([a, b]) + surfaces.primitives.radius([c, d]);
    if square >= (offset + range.reach).powi(2) {
        return;
    }
    let codimensional = |e: u32| incidence.triangles_of_edge(e).is_empty();
    let area = surfaces.edge_areas[e as usize].min(surfaces.edge_areas[f as usize]);
    let share = match codimensional(e) || codimensional(f) {
        true => 1.0,
        false => EDGE_SHARE,
    };
    let [length, other] = [e, f].map(|e| surfaces.squared_lengths[e as usize]);
    out.push(Collision {
        points,
        feature,
        weight: share * area,
        offset,
        mollified_below: mollifier_threshold(length, other),
        distance: square.sqrt(),
    });
}

/// Adds the stencil of a point and an edge without triangles if they are within reach.
pub fn add_point_edge(here: &SurfacesAt, [p, e]: [u32; 2], out: &mut Vec<Collision>) {
    let SurfacesAt {
        surfaces, x, range, ..
    } = *here;
    let [a, b] = surfaces.primitives.edges[e as usize];
    let at = |i: u32| x[i as usize];
    let (feature, square) = distance::point_edge(&[at(p), at(a), at(b)]);
    let offset =
        range.thickness + surfaces.primitives.radius([p]) + surfaces.primitives.radius([a, b]);
    if square < (offset + range.reach).powi(2) {
        out.push(Collision {
            points: [p, a, b, NO_POINT],
            feature,
            weight: surfaces.vertex_areas[p as usize],
            offset,
            mollified_below: 0.0,
            distance: square.sqrt(),
        });
    }
}

/// Adds the stencil of two loose points if they are within reach.
pub fn add_point_point(at: &SurfacesAt, [p, q]: [u32; 2], out: &mut Vec<Collision>) {
    let SurfacesAt {
        surfaces, x, range, ..
    } = *at;
    let (a, b) = (x[p as usize], x[q as usize]);
    let square: f64 = (0..3).map(|k| (a[k] - b[k]).powi(2)).sum();
    let offset =
        range.thickness + surfaces.primitives.radius([p]) + surfaces.primitives.radius([q]);
    if square < (offset + range.reach).powi(2) {
        let area = |i: u32| surfaces.vertex_areas[i as usize];
        out.push(Collision {
            points: [p, q, NO_POINT, NO_POINT],
            feature: Feature::PointPoint([0, 1]),
            weight: area(p).min(area(q)),
            offset,
            mollified_below: 0.0,
            distance: square.sqrt(),
        });
    }
}
