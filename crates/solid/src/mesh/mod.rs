//! Points and the cells between them.

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
