//! Closed triangle surface: welding and validation of the input of [`fill`](super::fill).

use std::collections::HashMap;

use mesh::bvh::{Bounds, Bvh, bounding_box, overlap};
use mesh::surface_topology;
use mesh::vector::{cross, dot, sub};
use rayon::prelude::*;

use super::predicates::orient3d;
use super::{FillError, FillNotices};

/// Closed, manifold, consistently oriented triangle surface without self-intersections.
pub(super) struct ClosedSurface {
    pub points: Vec<[f64; 3]>,
    pub triangles: Vec<[u32; 3]>,
    /// Bounding box of each triangle.
    pub boxes: Vec<Bounds>,
    pub tree: Bvh,
    /// Bounding box of the surface.
    pub bounds: Bounds,
    /// Sum of the absolute volumes of all components, m³.
    pub volume: f64,
}

impl ClosedSurface {
    /// Welds the vertices of a surface, checks it and builds its bounding volume hierarchy.
    pub fn new(
        points: &[[f64; 3]],
        triangles: &[[u32; 3]],
    ) -> Result<(ClosedSurface, FillNotices), FillError> {
        check_input(points, triangles)?;
        let weld = weld(points);
        let mut welded: Vec<bool> = vec![false; points.len()];
        let mut degenerate = 0;
        let mut kept = Vec::with_capacity(triangles.len());
        for t in triangles {
            t.iter()
                .for_each(|&n| welded[n as usize] = weld[n as usize] != n);
            let [a, b, c] = t.map(|n| weld[n as usize]);
            if a == b || b == c || c == a {
                degenerate += 1;
            } else {
                kept.push([a, b, c]);
            }
        }
        let topology = surface_topology(kept.iter().map(|t| t.as_slice()));
        if let Some(&first) = topology.first_non_manifold_edges.first() {
            return Err(FillError::NonManifold {
                edges: topology.non_manifold_edges,
                first,
            });
        }
        if !topology.is_closed() {
            return Err(FillError::Open {
                edges: topology.open_edges,
                first: topology.first_open_edges.first().copied().unwrap_or([0, 0]),
            });
        }
        if topology.inconsistent_edges > 0 {
            return Err(FillError::InconsistentOrientation {
                edges: topology.inconsistent_edges,
            });
        }
        let corners = |t: &[u32; 3]| t.map(|n| points[n as usize]);
        let boxes: Vec<Bounds> = kept.iter().map(|t| bounding_box(&corners(t))).collect();
        let bounds = bounding_box(&kept.iter().flat_map(corners).collect::<Vec<_>>());
        let closed = ClosedSurface {
            volume: enclosed_volume(points, &kept),
            points: points.to_vec(),
            tree: Bvh::new(&boxes),
            triangles: kept,
            boxes,
            bounds,
        };
        closed.check_volume_and_intersections()?;
        let notices = FillNotices {
            welded_vertices: welded.iter().filter(|w| **w).count(),
            degenerate_triangles: degenerate,
            surface_components: topology.components,
            non_manifold_vertices: topology.non_manifold_vertices,
            mesh_components: 0,
        };
        Ok((closed, notices))
    }

    /// Corner positions of triangle `t`.
    pub fn corners(&self, t: u32) -> [[f64; 3]; 3] {
        self.triangles[t as usize].map(|n| self.points[n as usize])
    }

    fn check_volume_and_intersections(&self) -> Result<(), FillError> {
        let extent = (0..3).map(|k| self.bounds[1][k] - self.bounds[0][k]);
        let longest = extent.fold(0.0, f64::max);
        if self.volume <= 1e-12 * longest.powi(3) {
            return Err(FillError::NoVolume {
                volume: self.volume,
            });
        }
        let intersecting: Vec<(u32, u32)> = (0..self.triangles.len() as u32)
            .into_par_iter()
            .flat_map_iter(|i| self.intersections_of(i))
            .collect();
        match intersecting.iter().min() {
            Some(&(a, b)) => Err(FillError::SelfIntersecting {
                pairs: intersecting.len(),
                first: [a, b],
            }),
            None => Ok(()),
        }
    }

    /// Pairs of triangle `i` and the later triangles that intersect it.
    fn intersections_of(&self, i: u32) -> Vec<(u32, u32)> {
        let mut found = Vec::new();
        let own_box = &self.boxes[i as usize];
        self.tree.visit(
            |b| overlap(b, own_box),
            |j| {
                if j > i && overlap(&self.boxes[j as usize], own_box) && self.intersect(i, j) {
                    found.push((i, j));
                }
            },
        );
        found
    }

    /// Whether an edge of one triangle passes through the other. Triangles that only touch do not intersect; an edge with
    /// an end in common only touches.
    fn intersect(&self, i: u32, j: u32) -> bool {
        let (s, t) = (self.triangles[i as usize], self.triangles[j as usize]);
        let shared = s.iter().filter(|n| t.contains(n)).count();
        if shared > 1 {
            return self.fold_onto_each_other(s, t);
        }
        let pierces = |edges: [u32; 3], face: [u32; 3]| {
            (0..3).any(|k| {
                let (a, b) = (edges[k], edges[(k + 1) % 3]);
                !face.contains(&a) && !face.contains(&b) && self.pierces(a, b, face)
            })
        };
        pierces(s, t) || pierces(t, s)
    }

    /// Whether the segment from `a` to `b` passes through a triangle.
    fn pierces(&self, a: u32, b: u32, face: [u32; 3]) -> bool {
        let p = |n: u32| self.points[n as usize];
        let [x, y, z] = face.map(p);
        let (a, b) = (p(a), p(b));
        if orient3d([x, y, z, a]) * orient3d([x, y, z, b]) >= 0 {
            return false;
        }
        let signs = [[x, y], [y, z], [z, x]].map(|[q, r]| orient3d([a, b, q, r]));
        !(signs.contains(&1) && signs.contains(&-1)) && signs != [0; 3]
    }

    /// Whether two triangles with a common edge are coplanar and overlap.
    fn fold_onto_each_other(&self, s: [u32; 3], t: [u32; 3]) -> bool {
        let p = |n: u32| self.points[n as usize];
        let other = |x: [u32; 3], y: [u32; 3]| x.into_iter().find(|n| !y.contains(n));
        let (Some(a), Some(b)) = (other(s, t), other(t, s)) else {
            return true;
        };
        let Some(k) = (0..3).find(|&k| s[k] == a) else {
            return false;
        };
        let (q, r) = (p(s[(k + 1) % 3]), p(s[(k + 2) % 3]));
        let (n, m) = (
            cross(sub(r, q), sub(p(a), q)),
            cross(sub(r, q), sub(p(b), q)),
        );
        orient3d([q, r, p(a), p(b)]) == 0
            && dot(n, m) > (1.0 - 1e-14) * (dot(n, n) * dot(m, m)).sqrt()
            && dot(n, m) > 0.0
    }
}

fn check_input(points: &[[f64; 3]], triangles: &[[u32; 3]]) -> Result<(), FillError> {
    if triangles.is_empty() {
        return Err(FillError::Empty);
    }
    if let Some(vertex) = points.iter().position(|p| !p.iter().all(|x| x.is_finite())) {
        return Err(FillError::NotFinite { vertex });
    }
    for (triangle, t) in triangles.iter().enumerate() {
        if let Some(&node) = t.iter().find(|&&n| n as usize >= points.len()) {
            return Err(FillError::NoSuchVertex {
                triangle,
                node,
                points: points.len(),
            });
        }
    }
    Ok(())
}

/// For every point, the number of the first point at the same position.
fn weld(points: &[[f64; 3]]) -> Vec<u32> {
    let mut first: HashMap<[u64; 3], u32> = HashMap::with_capacity(points.len());
    (0u32..)
        .zip(points)
        // Adding zero makes −0 and 0 the same point.
        .map(|(i, p)| *first.entry(p.map(|x| (x + 0.0).to_bits())).or_insert(i))
        .collect()
}

/// Sum over the connected components of the absolute volume that each encloses, m³.
fn enclosed_volume(points: &[[f64; 3]], triangles: &[[u32; 3]]) -> f64 {
    let mut parent: Vec<u32> = (0..points.len() as u32).collect();
    fn root(parent: &mut [u32], mut i: u32) -> u32 {
        while parent[i as usize] != i {
            parent[i as usize] = parent[parent[i as usize] as usize];
            i = parent[i as usize];
        }
        i
    }
    for t in triangles {
        let a = root(&mut parent, t[0]);
        for &n in &t[1..] {
            let b = root(&mut parent, n);
            parent[b as usize] = a;
        }
    }
    let origin = points[triangles[0][0] as usize];
    let mut sums = vec![0.0f64; points.len()];
    for t in triangles {
        let [a, b, c] = t.map(|n| sub(points[n as usize], origin));
        sums[root(&mut parent, t[0]) as usize] += dot(cross(a, b), c) / 6.0;
    }
    sums.iter().map(|v| v.abs()).sum()
}
