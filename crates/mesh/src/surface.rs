//! Boundary surface of a mesh, as faces and as triangles.

use super::faces::{BoundaryFace, unshared_faces};
use super::{Mesh, cell_volume};

/// Boundary surface of a mesh: its faces, and a triangulation of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surface {
    /// Boundary faces, ordered by owner and then by face number in the owner; normals point outwards.
    pub faces: Vec<BoundaryFace>,
    /// Triangulation of the faces. A quadrilateral is split along the diagonal at its smallest node; faces of quadratic
    /// cells are split at their mid-edge and mid-face nodes.
    pub triangles: Vec<[u32; 3]>,
    /// Face that each triangle is part of.
    pub triangle_face: Vec<u32>,
    /// Number of faces shared by three or more cells, where the mesh overlaps itself. They are not in `faces`.
    pub non_manifold_faces: usize,
}

/// Extracts the boundary surface of the solid cells of a mesh, or all two-dimensional cells of a mesh without solids.
///
/// Faces of cells with a negative volume are reversed: normals point outwards for either orientation of the cells.
pub fn surface(mesh: &Mesh) -> Surface {
    let (mut faces, non_manifold_faces) = if mesh.kinds.iter().any(|k| k.dimension() == 3) {
        unshared_faces(mesh)
    } else {
        (two_dimensional_cells(mesh), 0)
    };
    let mut triangles = Vec::with_capacity(2 * faces.len());
    let mut triangle_face = Vec::with_capacity(2 * faces.len());
    let mut nodes = Vec::with_capacity(9);
    let mut inside_out = (u32::MAX, false);
    for (f, face) in faces.iter_mut().enumerate() {
        let kind = mesh.kinds[face.owner as usize];
        if inside_out.0 != face.owner {
            let negative = kind.dimension() == 3 && cell_volume(mesh, face.owner as usize) < 0.0;
            inside_out = (face.owner, negative);
        }
        collect_face_nodes(mesh, face, &mut nodes);
        let before = triangles.len();
        triangulate(&nodes, face.nodes().len(), &mut triangles);
        if inside_out.1 {
            let n = face.nodes().len();
            face.corners[1..n].reverse();
            triangles[before..].iter_mut().for_each(|t| t.swap(1, 2));
        }
        triangle_face.resize(triangles.len(), f as u32);
    }
    Surface {
        faces,
        triangles,
        triangle_face,
        non_manifold_faces,
    }
}

fn two_dimensional_cells(mesh: &Mesh) -> Vec<BoundaryFace> {
    let mut faces = Vec::new();
    for (i, (kind, cell)) in mesh.cells().enumerate() {
        if kind.dimension() == 2 {
            let mut corners = [u32::MAX; 4];
            let n = kind.corner_count();
            corners[..n].copy_from_slice(&cell[..n]);
            faces.push(BoundaryFace {
                owner: i as u32,
                local: 0,
                corners,
            });
        }
    }
    faces
}

/// Returns all nodes of a boundary face: corners counter-clockwise seen from outside, then mid-edge nodes, then the mid-face
/// node, as far as the cell has them.
pub fn face_nodes(mesh: &Mesh, face: &BoundaryFace) -> Vec<u32> {
    let mut nodes = Vec::with_capacity(9);
    collect_face_nodes(mesh, face, &mut nodes);
    nodes
}

/// Replaces `out` by all nodes of a face, in the order of [`face_nodes`].
fn collect_face_nodes(mesh: &Mesh, face: &BoundaryFace, out: &mut Vec<u32>) {
    let kind = mesh.kinds[face.owner as usize];
    let cell = mesh.cell(face.owner as usize);
    out.clear();
    if kind.dimension() == 2 {
        out.extend_from_slice(cell);
        return;
    }
    out.extend_from_slice(face.nodes());
    let mid_nodes = kind.info().mid_nodes;
    if !mid_nodes.edges {
        return;
    }
    let mut local = [0; 4];
    let local = &mut local[..face.nodes().len()];
    local.copy_from_slice(kind.faces()[face.local as usize]);
    // Faces of cells with a negative volume are reversed.
    if cell[local[1] as usize] != face.corners[1] {
        local[1..].reverse();
    }
    for i in 0..local.len() {
        let (a, b) = (local[i], local[(i + 1) % local.len()]);
        let edge = kind
            .edges()
            .iter()
            .position(|e| *e == [a, b] || *e == [b, a]);
        out.extend(edge.map(|e| cell[kind.corner_count() + e]));
    }
    if mid_nodes.faces {
        out.push(cell[kind.corner_count() + kind.edges().len() + face.local as usize]);
    }
}

/// Splits a face with nodes `n`, of which the first `corners` are corners, into triangles.
fn triangulate(n: &[u32], corners: usize, out: &mut Vec<[u32; 3]>) {
    match (corners, n.len()) {
        (3, 6) => out.extend([
            [n[0], n[3], n[5]],
            [n[3], n[1], n[4]],
            [n[5], n[4], n[2]],
            [n[3], n[4], n[5]],
        ]),
        (4, 8) => {
            out.extend([
                [n[0], n[4], n[7]],
                [n[4], n[1], n[5]],
                [n[5], n[2], n[6]],
                [n[6], n[3], n[7]],
            ]);
            split_quad([n[4], n[5], n[6], n[7]], out);
        }
        (4, 9) => {
            for i in 0..4 {
                out.push([n[i], n[4 + i], n[8]]);
                out.push([n[4 + i], n[(i + 1) % 4], n[8]]);
            }
        }
        (4, _) => split_quad([n[0], n[1], n[2], n[3]], out),
        _ => out.push([n[0], n[1], n[2]]),
    }
}

/// Splits a quadrilateral along the diagonal at its smallest node.
fn split_quad(q: [u32; 4], out: &mut Vec<[u32; 3]>) {
    let smallest = q[0].min(q[1]).min(q[2]).min(q[3]);
    if smallest == q[0] || smallest == q[2] {
        out.extend([[q[0], q[1], q[2]], [q[0], q[2], q[3]]]);
    } else {
        out.extend([[q[0], q[1], q[3]], [q[1], q[2], q[3]]]);
    }
}
