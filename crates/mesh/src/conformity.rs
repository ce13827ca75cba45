//! Conformity of a mesh of solid cells: neighbouring cells share whole faces.
//!
//! Where they do not, forces pass through shared nodes only, and the body can open there like a crack. Both sides of such a
//! place are boundary faces, which makes it visible without geometry in most cases: an edge of the boundary belongs to more
//! than two faces. Hanging nodes, which lie on a boundary face of a cell that does not have them, are found by distance.

use super::bvh::{Bounds, Bvh, bounding_box, overlap};
use super::vector::{add, cross, dot, norm, scale, sub};
use super::{Mesh, surface, surface_topology};

/// Distance from a face within which a node lies on it, relative to the size of the face.
const RELATIVE_DISTANCE: f64 = 1e-7;

/// Places where neighbouring cells do not share whole faces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Conformity {
    /// Number of faces that three or more cells share.
    pub shared_faces: usize,
    /// Number of edges of the boundary that belong to more than two boundary faces.
    pub non_manifold_edges: usize,
    /// Number of nodes that lie on a boundary face of a cell that does not have them.
    pub hanging_nodes: usize,
    /// First of these nodes, and the cell.
    pub first_hanging: Option<(u32, u32)>,
}

impl Conformity {
    /// Returns `true` if no such place was found.
    pub fn is_conforming(&self) -> bool {
        *self == Conformity::default()
    }
}

/// Finds the places where cells of a solid mesh do not share whole faces.
pub fn conformity(mesh: &Mesh) -> Conformity {
    let boundary = surface(mesh);
    let topology = surface_topology(boundary.faces.iter().map(|f| f.nodes()));
    let mut out = Conformity {
        shared_faces: boundary.non_manifold_faces,
        non_manifold_edges: topology.non_manifold_edges,
        ..Conformity::default()
    };
    let corners = |t: &[u32; 3]| t.map(|i| mesh.points[i as usize]);
    let boxes: Vec<Bounds> = boundary
        .triangles
        .iter()
        .map(|t| bounding_box(&corners(t)))
        .collect();
    let tree = Bvh::new(&boxes);
    let mut nodes: Vec<u32> = boundary.triangles.iter().flatten().copied().collect();
    nodes.sort_unstable();
    nodes.dedup();
    for node in nodes {
        let p = mesh.points[node as usize];
        let mut owner: Option<u32> = None;
        tree.visit(
            |b| overlap(b, &[p, p]),
            |t| {
                let face = boundary.triangle_face[t as usize] as usize;
                let cell = boundary.faces[face].owner;
                let own = || mesh.cell(cell as usize).contains(&node);
                if lies_inside(p, &corners(&boundary.triangles[t as usize])) && !own() {
                    owner = Some(owner.map_or(cell, |c| c.min(cell)));
                }
            },
        );
        if let Some(cell) = owner {
            out.hanging_nodes += 1;
            out.first_hanging.get_or_insert((node, cell));
        }
    }
    out
}

/// Returns whether a point lies on a triangle and away from its corners.
fn lies_inside(p: [f64; 3], &[a, b, c]: &[[f64; 3]; 3]) -> bool {
    let size = norm(sub(b, a)).max(norm(sub(c, a))).max(norm(sub(c, b)));
    let near = RELATIVE_DISTANCE * size;
    if [a, b, c].iter().any(|q| norm(sub(p, *q)) <= near) {
        return false;
    }
    let normal = cross(sub(b, a), sub(c, a));
    let area = norm(normal);
    if area <= f64::MIN_POSITIVE {
        return false;
    }
    let unit = scale(1.0 / area, normal);
    let height = dot(unit, sub(p, a));
    if height.abs() > near {
        return false;
    }
    let q = add(p, scale(-height, unit));
    let inside = |u: [f64; 3], v: [f64; 3]| {
        dot(cross(sub(v, u), sub(q, u)), unit) >= -near * norm(sub(v, u))
    };
    inside(a, b) && inside(b, c) && inside(c, a)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CellKind;

    /// Two unit cubes of hexahedra beside each other; the second is `split` into tetrahedra with these corners.
    fn two_cubes(split: &[[u32; 4]]) -> Mesh {
        let mut mesh = Mesh::with_points(Vec::new());
        for x in 0..3 {
            for (y, z) in [(0, 0), (1, 0), (1, 1), (0, 1)] {
                mesh.points.push([f64::from(x), f64::from(y), f64::from(z)]);
            }
        }
        mesh.push(CellKind::Hex8, &[0, 4, 5, 1, 3, 7, 6, 2]);
        if split.is_empty() {
            mesh.push(CellKind::Hex8, &[4, 8, 9, 5, 7, 11, 10, 6]);
        }
        split.iter().for_each(|t| mesh.push(CellKind::Tet4, t));
        mesh
    }

    #[test]
    fn cubes_that_share_a_face_are_conforming() {
        assert!(conformity(&two_cubes(&[])).is_conforming());
    }

    #[test]
    fn a_quadrilateral_against_two_triangles_is_not() {
        // Tetrahedra on the two triangles of the common face, with a common apex.
        let found = conformity(&two_cubes(&[[4, 5, 6, 9], [4, 6, 7, 9]]));
        assert!(found.non_manifold_edges >= 4, "{found:?}");
    }

    #[test]
    fn hanging_nodes_are_found_with_their_cell() {
        // A smaller cube in the middle of a face of a larger one.
        let mut mesh = two_cubes(&[]);
        let first = mesh.points.len() as u32;
        for x in [2.0, 2.5] {
            for (y, z) in [(0.25, 0.25), (0.75, 0.25), (0.75, 0.75), (0.25, 0.75)] {
                mesh.points.push([x, y, z]);
            }
        }
        mesh.push(CellKind::Hex8, &[0, 4, 5, 1, 3, 7, 6, 2].map(|i| first + i));
        let found = conformity(&mesh);
        assert_eq!(
            (found.hanging_nodes, found.first_hanging),
            (4, Some((first, 1)))
        );
        // A gap of a thousandth is none.
        mesh.points[first as usize..]
            .iter_mut()
            .for_each(|p| p[0] += 1e-3);
        assert!(conformity(&mesh).is_conforming());
    }
}
