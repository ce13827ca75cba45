//! Unstructured finite element meshes: points, cells of any kind, named groups.
//!
//! [`Mesh`] holds any mixture of cells. [`surface()`] extracts its boundary, [`quality()`] measures its cells, [`edges`] and
//! [`vertex_graph`] give the adjacency of nodes, [`repair_orientation`] mirrors inverted cells, [`elevate()`] adds
//! mid-edge nodes, [`merge()`] concatenates meshes and [`morton_order`] sorts points for locality.
//!
//! ```
//! use mesh::{CellKind, Mesh, quality, surface};
//!
//! let corners = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 1.0, 1.0]];
//! let mut mesh = Mesh::with_points(corners.to_vec());
//! mesh.push(CellKind::Tet4, &[0, 1, 2, 3]);
//! mesh.push(CellKind::Tet4, &[1, 4, 2, 3]); // shares a face with the first
//! assert_eq!(surface(&mesh).triangles.len(), 6);
//! assert!((mesh::cell_volume(&mesh, 0) - 1.0 / 6.0).abs() < 1e-15);
//! assert_eq!(quality(&mesh).inverted, 0);
//! ```

pub mod bvh;
mod conformity;
pub mod element;
mod elevate;
mod faces;
mod graph;
mod jacobian;
mod kind;
mod merge;
mod morton;
mod orient;
mod quality;
mod surface;
mod topology;

pub use conformity::{Conformity, conformity};
pub use elevate::{boundary_mid_edge_nodes, elevate};
pub use faces::BoundaryFace;
pub use graph::{Graph, edges, vertex_graph};
pub use jacobian::{CellValidity, cell_validity, cell_volume};
pub use kind::{CELL_KINDS, CellInfo, CellKind, CellShape, CellShapeInfo, MidNodes};
pub use merge::merge;
pub use morton::{morton_cell_order, morton_order};
pub use orient::{mirror_cell, repair_orientation};
pub use quality::{DihedralAngles, EdgeLengths, Quality, components, dihedral_range, quality};
pub use surface::{Surface, face_nodes, surface};
pub use topology::{SurfaceTopology, surface_topology};

#[cfg(test)]
mod tests;
pub mod vector;

/// Unstructured mesh of cells of any kinds, as read from a file or generated.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Rest positions, m.
    pub points: Vec<[f64; 3]>,
    /// Kind of each cell.
    pub kinds: Vec<CellKind>,
    /// Offset of each cell's nodes in `nodes`; one more entry than cells.
    pub starts: Vec<u32>,
    /// Node numbers of all cells, concatenated.
    pub nodes: Vec<u32>,
    /// Named sets of cells and points.
    pub groups: Vec<Group>,
}

/// Named set of cells or points, such as a physical group of Gmsh.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Group {
    /// Name that scene files use in `where = { group = "…" }`.
    pub name: String,
    /// Cells in the set, ascending.
    pub cells: Vec<u32>,
    /// Points in the set, ascending: listed points and all points of the cells.
    pub points: Vec<u32>,
}

impl Mesh {
    /// Creates a mesh of points without cells.
    pub fn with_points(points: Vec<[f64; 3]>) -> Mesh {
        Mesh {
            points,
            starts: vec![0],
            ..Mesh::default()
        }
    }

    /// Number of cells.
    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    /// Whether the mesh has no cells.
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// Appends a cell; `nodes` must have `kind.node_count()` entries.
    pub fn push(&mut self, kind: CellKind, nodes: &[u32]) {
        debug_assert_eq!(nodes.len(), kind.node_count());
        if self.starts.is_empty() {
            self.starts.push(0);
        }
        self.kinds.push(kind);
        self.nodes.extend_from_slice(nodes);
        self.starts.push(self.nodes.len() as u32);
    }

    /// Node numbers of cell `i`.
    pub fn cell(&self, i: usize) -> &[u32] {
        &self.nodes[self.starts[i] as usize..self.starts[i + 1] as usize]
    }

    /// Iterates over the kinds and node numbers of all cells, in order.
    pub fn cells(&self) -> impl Iterator<Item = (CellKind, &[u32])> {
        self.kinds
            .iter()
            .enumerate()
            .map(|(i, &kind)| (kind, self.cell(i)))
    }
}
