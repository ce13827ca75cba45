//! Triangulations of obstacles for drawing.

use super::{Frame, Obstacle};
use crate::Point;

/// Triangulates the surface of an obstacle: vertices and triangles that turn counter-clockwise seen from outside.
///
/// `segments` is the number of edges around a sphere or capsule, at least 3. A plane becomes a square of the side 2 `extent`
/// around the frame's origin; the other surfaces are closed.
pub fn triangulate(
    obstacle: &Obstacle,
    frame: &Frame,
    segments: u32,
    extent: f64,
) -> (Vec<Point>, Vec<[u32; 3]>) {
    let (mut points, triangles) = match *obstacle {
        Obstacle::Plane => (
            [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]
                .map(|[x, y]| [x * extent, y * extent, 0.0])
                .to_vec(),
            vec![[0, 1, 2], [0, 2, 3]],
        ),
        Obstacle::Sphere { radius } => round(radius, 0.0, segments),
        Obstacle::Capsule {
            half_length,
            radius,
        } => round(radius, half_length, segments),
        Obstacle::OrientedBox { half_extents } => cuboid(half_extents),
    };
    for p in &mut points {
        *p = frame.to_world(*p);
    }
    (points, triangles)
}

fn cuboid(half_extents: [f64; 3]) -> (Vec<Point>, Vec<[u32; 3]>) {
    let corner =
        |k: u32| [0, 1, 2].map(|i| half_extents[i] * if k >> i & 1 == 0 { -1.0 } else { 1.0 });
    let points = (0..8).map(corner).collect();
    let quads = [
        [0, 4, 6, 2],
        [1, 3, 7, 5],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
        [0, 2, 3, 1],
        [4, 5, 7, 6],
    ];
    let split = |[a, b, c, d]: [u32; 4]| [[a, b, c], [a, c, d]];
    (points, quads.into_iter().flat_map(split).collect())
}

/// A sphere whose halves are moved apart along z by twice `half_length`: rings of vertices between two poles.
fn round(radius: f64, half_length: f64, segments: u32) -> (Vec<Point>, Vec<[u32; 3]>) {
    let segments = segments.max(3);
    // Each half has rings down to its equator; a sphere's halves share it.
    let half_rings = segments.div_ceil(4).max(1);
    let mut rings: Vec<(f64, f64)> = Vec::new();
    for side in [-1.0, 1.0] {
        for k in 1..=half_rings {
            let ring = if side < 0.0 { k } else { half_rings + 1 - k };
            let angle = std::f64::consts::FRAC_PI_2 * f64::from(ring) / f64::from(half_rings);
            if side > 0.0 && ring == half_rings && half_length == 0.0 {
                continue;
            }
            rings.push((
                radius * angle.sin(),
                side * (half_length + radius * angle.cos()),
            ));
        }
    }
    let mut points = vec![[0.0, 0.0, -half_length - radius]];
    for &(r, z) in &rings {
        points.extend((0..segments).map(|i| {
            let angle = std::f64::consts::TAU * f64::from(i) / f64::from(segments);
            [r * angle.cos(), r * angle.sin(), z]
        }));
    }
    let top = points.len() as u32;
    points.push([0.0, 0.0, half_length + radius]);
    let at = |ring: u32, i: u32| 1 + ring * segments + i % segments;
    let mut triangles = Vec::new();
    let last = rings.len() as u32 - 1;
    for i in 0..segments {
        triangles.push([0, at(0, i + 1), at(0, i)]);
        for ring in 0..last {
            let [a, b] = [at(ring, i), at(ring, i + 1)];
            let [c, d] = [at(ring + 1, i), at(ring + 1, i + 1)];
            triangles.extend([[a, b, d], [a, d, c]]);
        }
        triangles.push([at(last, i), at(last, i + 1), top]);
    }
    (points, triangles)
}
