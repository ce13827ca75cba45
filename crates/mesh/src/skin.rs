//! The boundary of a mesh.

use super::faces::{BoundaryFace, lonely_faces};
use super::{Kind, Mesh, volume};

/// The outside of a mesh: boundary faces in order of their cells, and the same as triangles.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Skin {
    /// Boundary faces by owner, then by face number in the owner; normals point out.
    pub faces: Vec<BoundaryFace>,
    /// The faces in triangles. A quadrilateral is cut along the diagonal at its smallest node; faces of quadratic cells
    /// are cut at their mid nodes.
    pub triangles: Vec<[u32; 3]>,
    /// Which face each triangle is part of.
    pub triangle_face: Vec<u32>,
    /// Faces shared by three cells or more: the mesh overlaps itself there. They are not in `faces`.
    pub crowded: usize,
}

/// The boundary of the solid cells of a mesh; of a mesh without solid cells, its triangles and quadrilaterals.
/// Faces of a cell with negative volume are turned, so that normals point out whatever the node order.
pub fn surface(mesh: &Mesh) -> Skin {
    let (mut faces, crowded) = if mesh.kinds.iter().any(|k| k.dimension() == 3) {
        lonely_faces(mesh)
    } else {
        (flat_cells(mesh), 0)
    };
    let mut triangles = Vec::with_capacity(2 * faces.len());
    let mut triangle_face = Vec::with_capacity(2 * faces.len());
    let mut nodes = Vec::with_capacity(9);
    let mut inside_out = (u32::MAX, false);
    for (f, face) in faces.iter_mut().enumerate() {
        let kind = mesh.kinds[face.owner as usize];
        if inside_out.0 != face.owner {
            let negative = kind.dimension() == 3 && volume(mesh, face.owner as usize) < 0.0;
            inside_out = (face.owner, negative);
        }
        face_nodes(mesh, kind, face, &mut nodes);
        let before = triangles.len();
        cut(&nodes, face.nodes().len(), &mut triangles);
        if inside_out.1 {
            let n = face.nodes().len();
            face.corners[1..n].reverse();
            triangles[before..].iter_mut().for_each(|t| t.swap(1, 2));
        }
        triangle_face.resize(triangles.len(), f as u32);
    }
    Skin {
        faces,
        triangles,
        triangle_face,
        crowded,
    }
}

fn flat_cells(mesh: &Mesh) -> Vec<BoundaryFace> {
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

/// All nodes of a face: corners, then the middles of its edges, then its centre, as far as the cell has them.
fn face_nodes(mesh: &Mesh, kind: Kind, face: &BoundaryFace, out: &mut Vec<u32>) {
    let cell = mesh.cell(face.owner as usize);
    out.clear();
    if kind.dimension() == 2 {
        out.extend_from_slice(cell);
        return;
    }
    out.extend_from_slice(face.nodes());
    let middles = kind.info().middles;
    if !middles.edges {
        return;
    }
    let local = kind.faces()[face.local as usize];
    for i in 0..local.len() {
        let (a, b) = (local[i], local[(i + 1) % local.len()]);
        let edge = kind
            .edges()
            .iter()
            .position(|e| *e == [a, b] || *e == [b, a]);
        out.extend(edge.map(|e| cell[kind.corner_count() + e]));
    }
    if middles.faces {
        out.push(cell[kind.corner_count() + kind.edges().len() + face.local as usize]);
    }
}

fn cut(n: &[u32], corners: usize, out: &mut Vec<[u32; 3]>) {
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
            cut_quad([n[4], n[5], n[6], n[7]], out);
        }
        (4, 9) => {
            for i in 0..4 {
                out.push([n[i], n[4 + i], n[8]]);
                out.push([n[4 + i], n[(i + 1) % 4], n[8]]);
            }
        }
        (4, _) => cut_quad([n[0], n[1], n[2], n[3]], out),
        _ => out.push([n[0], n[1], n[2]]),
    }
}

fn cut_quad(q: [u32; 4], out: &mut Vec<[u32; 3]>) {
    let smallest = q[0].min(q[1]).min(q[2]).min(q[3]);
    if smallest == q[0] || smallest == q[2] {
        out.extend([[q[0], q[1], q[2]], [q[0], q[2], q[3]]]);
    } else {
        out.extend([[q[0], q[1], q[3]], [q[1], q[2], q[3]]]);
    }
}
