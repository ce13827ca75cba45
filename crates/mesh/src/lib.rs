//! Meshes of finite elements: points and the cells between them.
//!
//! [`Mesh`] holds any mixture of cells. Around it: [`surface`] finds the boundary, [`quality`] judges the cells,
//! [`edges`] and [`vertex_graph`] say who neighbours whom, [`repair_orientation`] turns cells the right way round,
//! [`elevate`] gives them mid-edge nodes, [`merge`] puts meshes side by side and [`morton_order`] sorts for locality.
//! [`element`] has shape functions and quadrature, [`bvh`] a bounding volume hierarchy, [`vector`] vectors of three numbers.
//!
//! ```
//! use mesh::{Kind, Mesh, quality, surface};
//!
//! let corners = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 1.0, 1.0]];
//! let mut mesh = Mesh::with_points(corners.to_vec());
//! mesh.push(Kind::Tet4, &[0, 1, 2, 3]);
//! mesh.push(Kind::Tet4, &[1, 4, 2, 3]); // shares a face with the first
//! assert_eq!(surface(&mesh).triangles.len(), 6);
//! assert!((mesh::volume(&mesh, 0) - 1.0 / 6.0).abs() < 1e-15);
//! assert_eq!(quality(&mesh).inverted, 0);
//! ```

pub mod bvh;
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
mod skin;
mod topology;

pub use elevate::{boundary_midnodes, elevate};
pub use faces::BoundaryFace;
pub use graph::{Graph, edges, vertex_graph};
pub use jacobian::{Form, form, volume};
pub use kind::{CELLS, CellInfo, Kind, Middles, Shape, ShapeInfo};
pub use merge::merge;
pub use morton::{morton_order, sort_cells};
pub use orient::{mirror_cell, repair_orientation};
pub use quality::{Angles, Lengths, Quality, components, dihedral_range, quality};
pub use skin::{Skin, surface};
pub use topology::{SurfaceTopology, surface_topology};

#[cfg(test)]
mod tests;
pub mod vector;

/// A mesh of any mixture of cells, as read from a file or made by a shape.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Rest positions, m.
    pub points: Vec<[f64; 3]>,
    /// Kind of each cell.
    pub kinds: Vec<Kind>,
    /// Where each cell's nodes begin in `nodes`; one more entry than cells.
    pub starts: Vec<u32>,
    /// Node numbers of all cells, one after another.
    pub nodes: Vec<u32>,
    /// Named sets.
    pub groups: Vec<Group>,
}

/// A named set of cells or points (Gmsh's physical groups, and the like).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Group {
    /// The name users write in `where = { group = "…" }`.
    pub name: String,
    /// Cells in the set, ascending.
    pub cells: Vec<u32>,
    /// Points in the set, ascending: those listed, and those of the cells.
    pub points: Vec<u32>,
}

impl Mesh {
    /// A mesh of these points and no cells yet.
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

    /// Whether there is no cell.
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// Adds a cell; `nodes` has as many entries as its kind wants.
    pub fn push(&mut self, kind: Kind, nodes: &[u32]) {
        debug_assert_eq!(nodes.len(), kind.node_count());
        if self.starts.is_empty() {
            self.starts.push(0);
        }
        self.kinds.push(kind);
        self.nodes.extend_from_slice(nodes);
        self.starts.push(self.nodes.len() as u32);
    }

    /// Nodes of cell `i`.
    pub fn cell(&self, i: usize) -> &[u32] {
        &self.nodes[self.starts[i] as usize..self.starts[i + 1] as usize]
    }

    /// All cells with their kinds, in order.
    pub fn cells(&self) -> impl Iterator<Item = (Kind, &[u32])> {
        self.kinds
            .iter()
            .enumerate()
            .map(|(i, &kind)| (kind, self.cell(i)))
    }
}
