//! Corners, edges and faces of each kind of cell, in VTK's node order, and the faces that only one cell has.
//!
//! Faces turn counter-clockwise seen from outside a cell whose Jacobian is positive. For the prism that means nodes
//! 0, 1, 2 turn counter-clockwise seen from 3, 4, 5 (the order of Gmsh and of VTK's parametric coordinates).

use super::{Kind, Mesh};

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

const TET_FACES: [&[u8]; 4] = [&[0, 1, 3], &[1, 2, 3], &[2, 0, 3], &[0, 2, 1]];
const HEX_FACES: [&[u8]; 6] = [
    &[0, 4, 7, 3],
    &[1, 2, 6, 5],
    &[0, 1, 5, 4],
    &[3, 7, 6, 2],
    &[0, 3, 2, 1],
    &[4, 5, 6, 7],
];
const PRISM_FACES: [&[u8]; 5] = [
    &[0, 2, 1],
    &[3, 4, 5],
    &[0, 1, 4, 3],
    &[1, 2, 5, 4],
    &[2, 0, 3, 5],
];
const PYRAMID_FACES: [&[u8]; 5] = [
    &[0, 3, 2, 1],
    &[0, 1, 4],
    &[1, 2, 4],
    &[2, 3, 4],
    &[3, 0, 4],
];

const TET_EDGES: [[u8; 2]; 6] = [[0, 1], [1, 2], [0, 2], [0, 3], [1, 3], [2, 3]];
const HEX_EDGES: [[u8; 2]; 12] = [
    [0, 1],
    [1, 2],
    [2, 3],
    [3, 0],
    [4, 5],
    [5, 6],
    [6, 7],
    [7, 4],
    [0, 4],
    [1, 5],
    [2, 6],
    [3, 7],
];
const PRISM_EDGES: [[u8; 2]; 9] = [
    [0, 1],
    [1, 2],
    [2, 0],
    [3, 4],
    [4, 5],
    [5, 3],
    [0, 3],
    [1, 4],
    [2, 5],
];
const PYRAMID_EDGES: [[u8; 2]; 8] = [
    [0, 1],
    [1, 2],
    [2, 3],
    [3, 0],
    [0, 4],
    [1, 4],
    [2, 4],
    [3, 4],
];

/// A corner and the ends of three edges leaving it, right-handed in a good cell. A pyramid's tip has four edges; its
/// dihedral angles are all met at the base.
const TET_TRIADS: [[u8; 4]; 4] = [[0, 1, 2, 3], [1, 2, 0, 3], [2, 0, 1, 3], [3, 0, 2, 1]];
const HEX_TRIADS: [[u8; 4]; 8] = [
    [0, 1, 3, 4],
    [1, 2, 0, 5],
    [2, 3, 1, 6],
    [3, 0, 2, 7],
    [4, 7, 5, 0],
    [5, 4, 6, 1],
    [6, 5, 7, 2],
    [7, 6, 4, 3],
];
const PRISM_TRIADS: [[u8; 4]; 6] = [
    [0, 1, 2, 3],
    [1, 2, 0, 4],
    [2, 0, 1, 5],
    [3, 5, 4, 0],
    [4, 3, 5, 1],
    [5, 4, 3, 2],
];
const PYRAMID_TRIADS: [[u8; 4]; 4] = [[0, 1, 3, 4], [1, 2, 0, 4], [2, 3, 1, 4], [3, 0, 2, 4]];

impl Kind {
    /// Number of corners: nodes that are not in the middle of an edge, face or cell.
    pub const fn corner_count(self) -> usize {
        match self {
            Kind::Vertex => 1,
            Kind::Line2 | Kind::Line3 => 2,
            Kind::Tri3 | Kind::Tri6 => 3,
            Kind::Quad4 | Kind::Quad8 | Kind::Quad9 | Kind::Tet4 | Kind::Tet10 => 4,
            Kind::Pyramid5 => 5,
            Kind::Prism6 => 6,
            Kind::Hex8 | Kind::Hex20 | Kind::Hex27 => 8,
        }
    }

    /// Corner nodes of each face of a solid cell, counter-clockwise from outside; none for other kinds.
    pub const fn faces(self) -> &'static [&'static [u8]] {
        match self {
            Kind::Tet4 | Kind::Tet10 => &TET_FACES,
            Kind::Hex8 | Kind::Hex20 | Kind::Hex27 => &HEX_FACES,
            Kind::Prism6 => &PRISM_FACES,
            Kind::Pyramid5 => &PYRAMID_FACES,
            _ => &[],
        }
    }

    /// Ends of each edge, in the order of the mid-edge nodes of the quadratic kinds.
    pub const fn edges(self) -> &'static [[u8; 2]] {
        match self {
            Kind::Vertex => &[],
            Kind::Line2 | Kind::Line3 => &[[0, 1]],
            Kind::Tri3 | Kind::Tri6 => &[[0, 1], [1, 2], [2, 0]],
            Kind::Quad4 | Kind::Quad8 | Kind::Quad9 => &[[0, 1], [1, 2], [2, 3], [3, 0]],
            Kind::Tet4 | Kind::Tet10 => &TET_EDGES,
            Kind::Hex8 | Kind::Hex20 | Kind::Hex27 => &HEX_EDGES,
            Kind::Prism6 => &PRISM_EDGES,
            Kind::Pyramid5 => &PYRAMID_EDGES,
        }
    }

    /// A corner and the ends of three edges that leave it, right-handed in a good cell, corner by corner.
    pub const fn triads(self) -> &'static [[u8; 4]] {
        match self {
            Kind::Tet4 | Kind::Tet10 => &TET_TRIADS,
            Kind::Hex8 | Kind::Hex20 | Kind::Hex27 => &HEX_TRIADS,
            Kind::Prism6 => &PRISM_TRIADS,
            Kind::Pyramid5 => &PYRAMID_TRIADS,
            _ => &[],
        }
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
