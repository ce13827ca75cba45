//! Points and the cells between them.
//!
//! [`Mesh`] holds any mixture of cells. Around it: [`surface`] finds the boundary, [`quality`] judges the cells,
//! [`edges`] and [`vertex_graph`] say who neighbours whom, [`repair_orientation`] turns cells the right way round,
//! [`elevate`] gives them mid-edge nodes, [`merge`] puts meshes side by side and [`morton_order`] sorts for locality.

mod elevate;
mod faces;
mod graph;
mod jacobian;
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
pub use merge::merge;
pub use morton::{morton_order, sort_cells};
pub use orient::repair_orientation;
pub use quality::{Angles, Lengths, Quality, components, dihedral_range, quality};
pub use skin::{Skin, surface};
pub use topology::{SurfaceTopology, surface_topology};

#[cfg(test)]
mod tests;
pub(crate) mod vector;

/// The shape of a cell and the number and order of its nodes: VTK's node order for every kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Kind {
    /// One node.
    Vertex,
    /// Two-node line.
    Line2,
    /// Three-node line.
    Line3,
    /// Three-node triangle.
    Tri3,
    /// Six-node triangle.
    Tri6,
    /// Four-node quadrilateral.
    Quad4,
    /// Eight-node quadrilateral.
    Quad8,
    /// Nine-node quadrilateral.
    Quad9,
    /// Four-node tetrahedron.
    Tet4,
    /// Ten-node tetrahedron.
    Tet10,
    /// Eight-node hexahedron.
    Hex8,
    /// Twenty-node hexahedron.
    Hex20,
    /// Twenty-seven-node hexahedron.
    Hex27,
    /// Six-node prism.
    Prism6,
    /// Five-node pyramid.
    Pyramid5,
}

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

impl Kind {
    /// Every kind there is.
    pub const ALL: [Kind; 15] = [
        Kind::Vertex,
        Kind::Line2,
        Kind::Line3,
        Kind::Tri3,
        Kind::Tri6,
        Kind::Quad4,
        Kind::Quad8,
        Kind::Quad9,
        Kind::Tet4,
        Kind::Tet10,
        Kind::Hex8,
        Kind::Hex20,
        Kind::Hex27,
        Kind::Prism6,
        Kind::Pyramid5,
    ];

    /// Number of nodes of a cell of this kind.
    pub const fn node_count(self) -> usize {
        match self {
            Kind::Vertex => 1,
            Kind::Line2 => 2,
            Kind::Line3 | Kind::Tri3 => 3,
            Kind::Quad4 | Kind::Tet4 => 4,
            Kind::Pyramid5 => 5,
            Kind::Tri6 | Kind::Prism6 => 6,
            Kind::Quad8 | Kind::Hex8 => 8,
            Kind::Quad9 => 9,
            Kind::Tet10 => 10,
            Kind::Hex20 => 20,
            Kind::Hex27 => 27,
        }
    }

    /// 0 for points, 1 for lines, 2 for faces, 3 for solids.
    pub const fn dimension(self) -> usize {
        match self {
            Kind::Vertex => 0,
            Kind::Line2 | Kind::Line3 => 1,
            Kind::Tri3 | Kind::Tri6 | Kind::Quad4 | Kind::Quad8 | Kind::Quad9 => 2,
            _ => 3,
        }
    }

    /// The name used in scene files, listings and messages.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Vertex => "vertex",
            Kind::Line2 => "line2",
            Kind::Line3 => "line3",
            Kind::Tri3 => "tri3",
            Kind::Tri6 => "tri6",
            Kind::Quad4 => "quad4",
            Kind::Quad8 => "quad8",
            Kind::Quad9 => "quad9",
            Kind::Tet4 => "tet4",
            Kind::Tet10 => "tet10",
            Kind::Hex8 => "hex8",
            Kind::Hex20 => "hex20",
            Kind::Hex27 => "hex27",
            Kind::Prism6 => "prism6",
            Kind::Pyramid5 => "pyramid5",
        }
    }
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
