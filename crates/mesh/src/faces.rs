//! Boundary faces: faces of solid cells that belong to one cell only.

use super::Mesh;

/// Boundary face of a mesh: a face with a cell on one side only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoundaryFace {
    /// Cell that the face belongs to.
    pub owner: u32,
    /// Number of the face in its cell; 0 if the cell itself is two-dimensional.
    pub local: u8,
    /// Corner nodes, counter-clockwise seen from outside; the fourth is `u32::MAX` for a triangle.
    pub corners: [u32; 4],
}

impl BoundaryFace {
    /// Corner nodes as a slice of length three or four.
    pub fn nodes(&self) -> &[u32] {
        &self.corners[..if self.corners[3] == u32::MAX { 3 } else { 4 }]
    }
}

/// Face of one cell, to be matched with the same face of a neighbour: its corner nodes without the smallest,
/// ascending, then the cell and the number of the face in it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct HalfFace {
    rest: [u32; 3],
    cell: u32,
    local: u8,
}

/// Finds the faces that belong to one solid cell only, ordered by cell and then by face, and counts the faces that
/// more than two cells share.
///
/// Half-faces are bucketed by their smallest node, so the work is linear in the size of the mesh.
pub(crate) fn unshared_faces(mesh: &Mesh) -> (Vec<BoundaryFace>, usize) {
    let mut starts = vec![0u32; mesh.points.len() + 1];
    for_each_half_face(mesh, |smallest, _| starts[smallest as usize + 1] += 1);
    for i in 1..starts.len() {
        starts[i] += starts[i - 1];
    }
    let empty = HalfFace {
        rest: [0; 3],
        cell: 0,
        local: 0,
    };
    let mut half_faces = vec![empty; starts[starts.len() - 1] as usize];
    let mut next = starts.clone();
    for_each_half_face(mesh, |smallest, half_face| {
        half_faces[next[smallest as usize] as usize] = half_face;
        next[smallest as usize] += 1;
    });

    let mut unshared = Vec::new();
    let mut non_manifold = 0;
    for pair in starts.windows(2) {
        let bucket = &mut half_faces[pair[0] as usize..pair[1] as usize];
        bucket.sort_unstable();
        for twins in bucket.chunk_by(|a, b| a.rest == b.rest) {
            match twins.len() {
                1 => unshared.push((twins[0].cell, twins[0].local)),
                2 => {}
                _ => non_manifold += 1,
            }
        }
    }
    unshared.sort_unstable();
    let faces = unshared
        .into_iter()
        .map(|(owner, local)| {
            let cell = mesh.cell(owner as usize);
            let mut corners = [u32::MAX; 4];
            for (c, &k) in corners
                .iter_mut()
                .zip(mesh.kinds[owner as usize].faces()[local as usize])
            {
                *c = cell[k as usize];
            }
            BoundaryFace {
                owner,
                local,
                corners,
            }
        })
        .collect();
    (faces, non_manifold)
}

fn for_each_half_face(mesh: &Mesh, mut f: impl FnMut(u32, HalfFace)) {
    for (i, (kind, cell)) in mesh.cells().enumerate() {
        for (local, face) in kind.faces().iter().enumerate() {
            let mut key = [u32::MAX; 4];
            for (k, &n) in key.iter_mut().zip(*face) {
                *k = cell[n as usize];
            }
            key.sort_unstable();
            f(
                key[0],
                HalfFace {
                    rest: [key[1], key[2], key[3]],
                    cell: i as u32,
                    local: local as u8,
                },
            );
        }
    }
}
