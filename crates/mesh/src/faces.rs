//! The faces that only one cell has.

use super::Mesh;

/// A face with one cell behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoundaryFace {
    /// The cell the face belongs to.
    pub owner: u32,
    /// Number of the face in its cell; 0 where the cell is itself the face.
    pub local: u8,
    /// Corner nodes, counter-clockwise from outside; the fourth is `u32::MAX` for a triangle.
    pub corners: [u32; 4],
}

impl BoundaryFace {
    /// The three or four corner nodes.
    pub fn nodes(&self) -> &[u32] {
        &self.corners[..if self.corners[3] == u32::MAX { 3 } else { 4 }]
    }
}

/// One side of one cell, waiting to meet its twin: the corner numbers but the smallest, ascending, then who it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Side {
    rest: [u32; 3],
    cell: u32,
    local: u8,
}

/// Faces that belong to one solid cell only, by cell and then by face, and how many faces more than two cells share.
/// Sides are gathered by their smallest node, so the work is linear in the size of the mesh.
pub(crate) fn lonely_faces(mesh: &Mesh) -> (Vec<BoundaryFace>, usize) {
    let mut starts = vec![0u32; mesh.points.len() + 1];
    for_each_side(mesh, |smallest, _| starts[smallest as usize + 1] += 1);
    for i in 1..starts.len() {
        starts[i] += starts[i - 1];
    }
    let empty = Side {
        rest: [0; 3],
        cell: 0,
        local: 0,
    };
    let mut sides = vec![empty; starts[starts.len() - 1] as usize];
    let mut next = starts.clone();
    for_each_side(mesh, |smallest, side| {
        sides[next[smallest as usize] as usize] = side;
        next[smallest as usize] += 1;
    });

    let mut lonely = Vec::new();
    let mut crowded = 0;
    for pair in starts.windows(2) {
        let bucket = &mut sides[pair[0] as usize..pair[1] as usize];
        bucket.sort_unstable();
        for twins in bucket.chunk_by(|a, b| a.rest == b.rest) {
            match twins.len() {
                1 => lonely.push((twins[0].cell, twins[0].local)),
                2 => {}
                _ => crowded += 1,
            }
        }
    }
    lonely.sort_unstable();
    let faces = lonely
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
    (faces, crowded)
}

fn for_each_side(mesh: &Mesh, mut f: impl FnMut(u32, Side)) {
    for (i, (kind, cell)) in mesh.cells().enumerate() {
        for (local, face) in kind.faces().iter().enumerate() {
            let mut key = [u32::MAX; 4];
            for (k, &n) in key.iter_mut().zip(*face) {
                *k = cell[n as usize];
            }
            key.sort_unstable();
            f(
                key[0],
                Side {
                    rest: [key[1], key[2], key[3]],
                    cell: i as u32,
                    local: local as u8,
                },
            );
        }
    }
}
