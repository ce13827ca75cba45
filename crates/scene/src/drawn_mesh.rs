//! What pages draw of a mesh: its boundary triangles, springs and particles, by numbers of the drawn vertices only.

use mesh::{CellKind, Mesh, surface};

use crate::session::Session;

/// Triangles, springs and particles of bodies, by vertex numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DrawnMesh {
    /// Triangles of the boundary, or of an embedded surface.
    pub triangles: Vec<[u32; 3]>,
    /// Number of the body of each triangle.
    pub bodies: Vec<u32>,
    /// Pairs of vertices connected by springs.
    pub lines: Vec<[u32; 2]>,
    /// Vertices that are particles.
    pub particles: Vec<u32>,
    /// Node of each vertex. Empty if the vertices are those of an embedded surface.
    pub nodes: Vec<u32>,
}

impl DrawnMesh {
    /// Returns the boundary of a mesh; `cell_body` has the number of the body of each cell.
    pub fn of_mesh(mesh: &Mesh, cell_body: impl Fn(u32) -> u32) -> DrawnMesh {
        let skin = surface(mesh);
        let of = |kind: CellKind| {
            mesh.cells()
                .filter(move |(k, _)| *k == kind)
                .map(|(_, nodes)| nodes)
        };
        let lines: Vec<[u32; 2]> = of(CellKind::Line2).map(|n| [n[0], n[1]]).collect();
        let particles: Vec<u32> = of(CellKind::Vertex).map(|n| n[0]).collect();
        let corners = skin.triangles.as_flattened().iter();
        let ends = lines.as_flattened().iter();
        let mut nodes: Vec<u32> = corners.chain(ends).chain(&particles).copied().collect();
        nodes.sort_unstable();
        nodes.dedup();
        let new = |n: u32| nodes.binary_search(&n).unwrap_or(0) as u32;
        let body = |face: &u32| cell_body(skin.faces[*face as usize].owner);
        DrawnMesh {
            triangles: skin.triangles.iter().map(|t| t.map(new)).collect(),
            bodies: skin.triangle_face.iter().map(body).collect(),
            lines: lines.iter().map(|l| l.map(new)).collect(),
            particles: particles.iter().map(|n| new(*n)).collect(),
            nodes,
        }
    }

    /// Returns what is drawn of a session: its embedded surface, or the boundary of its mesh.
    pub fn of_session(session: &Session) -> DrawnMesh {
        let output_mesh = &session.output_mesh;
        match session.skin.embedded {
            true => DrawnMesh {
                bodies: output_mesh.triangle_body.clone(),
                triangles: output_mesh.triangles.clone(),
                ..DrawnMesh::default()
            },
            false => DrawnMesh::of_mesh(&output_mesh.mesh, |cell| {
                output_mesh.cell_body[cell as usize]
            }),
        }
    }
}
