//! Mesh generators of parametric bodies.
//!
//! Each shape is a struct of its parameters with a method `mesh()`. Boxes and sheets have a corner at the origin and
//! extend along +x, +y, +z; balls, cylinders and tori are centred at the origin; the mould and the blob stand on y = 0
//! around the y axis. Meshes are conforming, every Jacobian is positive, and the same parameters give the same mesh to
//! the bit.

mod ball;
mod blob;
mod disc;
mod error;
mod grid;
mod mould;
mod registry;
mod rings;
mod split;

pub use ball::Ball;
pub use blob::{Blob, Figure};
pub use error::ShapeError;
pub use grid::{Box, Sheet};
pub use mould::Mould;
pub use registry::{SHAPES, ShapeInfo, ShapeKey};
pub use rings::{Cylinder, Torus};

use std::collections::HashMap;

use mesh::{CellValidity, Mesh, cell_validity};

/// Element kind that a shape is meshed with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ElementKind {
    /// Eight-node hexahedra.
    #[default]
    Hex8,
    /// Four-node tetrahedra.
    Tet4,
    /// Twenty-node hexahedra.
    Hex20,
    /// Ten-node tetrahedra.
    Tet10,
}

impl ElementKind {
    /// All element kinds.
    pub const ALL: [ElementKind; 4] = [
        ElementKind::Hex8,
        ElementKind::Tet4,
        ElementKind::Hex20,
        ElementKind::Tet10,
    ];

    /// Name used in scene files.
    pub const fn name(self) -> &'static str {
        match self {
            ElementKind::Hex8 => "hex8",
            ElementKind::Tet4 => "tet4",
            ElementKind::Hex20 => "hex20",
            ElementKind::Tet10 => "tet10",
        }
    }

    /// Whether the cells are tetrahedra.
    pub const fn is_tet(self) -> bool {
        matches!(self, ElementKind::Tet4 | ElementKind::Tet10)
    }

    /// Whether the cells have mid-edge nodes.
    pub const fn is_quadratic(self) -> bool {
        matches!(self, ElementKind::Hex20 | ElementKind::Tet10)
    }
}

/// Split of a hexahedral grid cell into tetrahedra.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HexSplit {
    /// Six tetrahedra around the diagonal from the lowest to the highest corner, the same in every cell (Kuhn).
    #[default]
    Six,
    /// Five tetrahedra, a central one and four at corners, mirrored from cell to cell to make faces match.
    Five,
}

/// Axis of revolution of a cylinder or torus.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Axis {
    /// The x axis.
    X,
    /// The y axis, which is vertical.
    #[default]
    Y,
    /// The z axis.
    Z,
}

impl Axis {
    /// Maps right-handed coordinates (u, v, w) with w along the axis to (x, y, z).
    fn to_world(self, [u, v, w]: [f64; 3]) -> [f64; 3] {
        match self {
            Axis::X => [w, u, v],
            Axis::Y => [v, w, u],
            Axis::Z => [u, v, w],
        }
    }
}

/// Applies a map to every point of a mesh.
fn map_points(mesh: &mut Mesh, f: impl Fn([f64; 3]) -> [f64; 3]) {
    mesh.points.iter_mut().for_each(|p| *p = f(*p));
}

/// Moves mid-edge nodes from straight edges to their positions on curved ones. A cell that this would invert keeps its
/// straight edges.
fn curve_mid_edge_nodes(mesh: &mut Mesh, positions: impl Iterator<Item = (u32, [f64; 3])>) {
    let mut straight: HashMap<u32, [f64; 3]> = HashMap::new();
    for (m, position) in positions {
        straight.insert(m, mesh.points[m as usize]);
        mesh.points[m as usize] = position;
    }
    loop {
        let before = straight.len();
        for i in 0..mesh.len() {
            if cell_validity(mesh, i) != CellValidity::Valid {
                for k in mesh.starts[i]..mesh.starts[i + 1] {
                    let n = mesh.nodes[k as usize];
                    if let Some(p) = straight.remove(&n) {
                        mesh.points[n as usize] = p;
                    }
                }
            }
        }
        if straight.len() == before {
            return;
        }
    }
}
