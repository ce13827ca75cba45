//! Cell types of the file formats and their node orders, against VTK's order, which is ours.
//!
//! Types that are one of our kinds stand in the table of cell kinds (`mesh::CELLS`); here are the others.
//! Sources: Gmsh reference manual, "Node ordering" and "MSH file format"; VTK file formats, figures 2 and 3, and
//! `vtkCellType.h`. Corners come first in every format, so a type we do not keep is read by its corners.

use mesh::{CELLS, Kind};

/// A cell type of a file format.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CellType {
    /// What the format calls it.
    pub name: &'static str,
    /// Nodes in the file.
    pub nodes: usize,
    /// What it becomes.
    pub kind: Kind,
    /// Our node `i` is the file's node `order[i]`; empty where the orders agree.
    pub order: &'static [u8],
}

impl CellType {
    /// A type that is one of ours, in VTK's order.
    pub const fn plain(kind: Kind) -> CellType {
        CellType {
            name: kind.name(),
            nodes: kind.node_count(),
            kind,
            order: &[],
        }
    }

    const fn ordered(kind: Kind, order: &'static [u8]) -> CellType {
        CellType {
            order,
            ..CellType::plain(kind)
        }
    }

    const fn reduced(name: &'static str, nodes: usize, kind: Kind) -> CellType {
        CellType {
            name,
            nodes,
            kind,
            order: &[],
        }
    }

    /// Whether nodes are left out.
    pub fn is_reduced(&self) -> bool {
        self.nodes != self.kind.node_count()
    }

    /// The nodes in our order.
    pub fn arrange<'a>(&self, nodes: &[u32], out: &'a mut [u32; 27]) -> &'a [u32] {
        let n = self.kind.node_count();
        for i in 0..n {
            out[i] = nodes[self.order.get(i).map_or(i, |&k| k as usize)];
        }
        &out[..n]
    }

    /// From our order to the file's, for writing types that are one of ours.
    pub fn disarrange<'a>(&self, cell: &[u32], out: &'a mut [u32; 27]) -> &'a [u32] {
        for (i, &node) in cell.iter().enumerate() {
            out[self.order.get(i).map_or(i, |&k| k as usize)] = node;
        }
        &out[..cell.len()]
    }
}

/// Gmsh's element types that we do not keep but read by their corners.
const GMSH_REDUCED: &[(i64, CellType)] = &[
    (13, CellType::reduced("prism18", 18, Kind::Prism6)),
    (14, CellType::reduced("pyramid14", 14, Kind::Pyramid5)),
    (18, CellType::reduced("prism15", 15, Kind::Prism6)),
    (19, CellType::reduced("pyramid13", 13, Kind::Pyramid5)),
    (20, CellType::reduced("triangle9", 9, Kind::Tri3)),
    (21, CellType::reduced("triangle10", 10, Kind::Tri3)),
    (22, CellType::reduced("triangle12", 12, Kind::Tri3)),
    (23, CellType::reduced("triangle15", 15, Kind::Tri3)),
    (
        24,
        CellType::reduced("triangle15 (incomplete)", 15, Kind::Tri3),
    ),
    (25, CellType::reduced("triangle21", 21, Kind::Tri3)),
    (26, CellType::reduced("line4", 4, Kind::Line2)),
    (27, CellType::reduced("line5", 5, Kind::Line2)),
    (28, CellType::reduced("line6", 6, Kind::Line2)),
    (29, CellType::reduced("tetrahedron20", 20, Kind::Tet4)),
    (30, CellType::reduced("tetrahedron35", 35, Kind::Tet4)),
    (31, CellType::reduced("tetrahedron56", 56, Kind::Tet4)),
    (36, CellType::reduced("quadrangle16", 16, Kind::Quad4)),
    (37, CellType::reduced("quadrangle25", 25, Kind::Quad4)),
    (38, CellType::reduced("quadrangle36", 36, Kind::Quad4)),
    (39, CellType::reduced("quadrangle12", 12, Kind::Quad4)),
    (42, CellType::reduced("triangle28", 28, Kind::Tri3)),
    (43, CellType::reduced("triangle36", 36, Kind::Tri3)),
    (44, CellType::reduced("triangle45", 45, Kind::Tri3)),
    (45, CellType::reduced("triangle55", 55, Kind::Tri3)),
    (46, CellType::reduced("triangle66", 66, Kind::Tri3)),
    (47, CellType::reduced("quadrangle49", 49, Kind::Quad4)),
    (48, CellType::reduced("quadrangle64", 64, Kind::Quad4)),
    (49, CellType::reduced("quadrangle81", 81, Kind::Quad4)),
    (50, CellType::reduced("quadrangle100", 100, Kind::Quad4)),
    (51, CellType::reduced("quadrangle121", 121, Kind::Quad4)),
    (62, CellType::reduced("line7", 7, Kind::Line2)),
    (63, CellType::reduced("line8", 8, Kind::Line2)),
    (64, CellType::reduced("line9", 9, Kind::Line2)),
    (65, CellType::reduced("line10", 10, Kind::Line2)),
    (66, CellType::reduced("line11", 11, Kind::Line2)),
    (71, CellType::reduced("tetrahedron84", 84, Kind::Tet4)),
    (72, CellType::reduced("tetrahedron120", 120, Kind::Tet4)),
    (73, CellType::reduced("tetrahedron165", 165, Kind::Tet4)),
    (74, CellType::reduced("tetrahedron220", 220, Kind::Tet4)),
    (75, CellType::reduced("tetrahedron286", 286, Kind::Tet4)),
    (90, CellType::reduced("prism40", 40, Kind::Prism6)),
    (91, CellType::reduced("prism75", 75, Kind::Prism6)),
    (92, CellType::reduced("hexahedron64", 64, Kind::Hex8)),
    (93, CellType::reduced("hexahedron125", 125, Kind::Hex8)),
    (94, CellType::reduced("hexahedron216", 216, Kind::Hex8)),
    (95, CellType::reduced("hexahedron343", 343, Kind::Hex8)),
    (96, CellType::reduced("hexahedron512", 512, Kind::Hex8)),
    (97, CellType::reduced("hexahedron729", 729, Kind::Hex8)),
    (98, CellType::reduced("hexahedron1000", 1000, Kind::Hex8)),
    (118, CellType::reduced("pyramid30", 30, Kind::Pyramid5)),
    (119, CellType::reduced("pyramid55", 55, Kind::Pyramid5)),
];

// Pixels and voxels count along x, then y, then z.
const VTK_PIXEL: &[u8] = &[0, 1, 3, 2];
const VTK_VOXEL: &[u8] = &[0, 1, 3, 2, 4, 5, 7, 6];

/// VTK's other cell types of a fixed number of nodes: in another order than ours, or read by their corners.
const VTK_OTHERS: &[(i64, CellType)] = &[
    (8, CellType::ordered(Kind::Quad4, VTK_PIXEL)),
    (11, CellType::ordered(Kind::Hex8, VTK_VOXEL)),
    (26, CellType::reduced("quadratic wedge", 15, Kind::Prism6)),
    (
        27,
        CellType::reduced("quadratic pyramid", 13, Kind::Pyramid5),
    ),
    (
        30,
        CellType::reduced("quadratic-linear quad", 6, Kind::Quad4),
    ),
    (
        31,
        CellType::reduced("quadratic-linear wedge", 12, Kind::Prism6),
    ),
    (
        32,
        CellType::reduced("biquadratic-quadratic wedge", 18, Kind::Prism6),
    ),
    (
        33,
        CellType::reduced("biquadratic-quadratic hexahedron", 24, Kind::Hex8),
    ),
    (34, CellType::reduced("biquadratic triangle", 7, Kind::Tri6)),
    (35, CellType::reduced("cubic line", 4, Kind::Line2)),
    (
        37,
        CellType::reduced("triquadratic pyramid", 19, Kind::Pyramid5),
    ),
];

/// VTK's cell of type `id` with `nodes` nodes; `Err` says how many nodes the type wants, where it is known.
pub(crate) fn vtk(id: i64, nodes: usize) -> Result<CellType, Option<CellType>> {
    let own = CELLS.iter().find(|c| i64::from(c.vtk) == id);
    let own = own.map(|c| CellType::plain(c.kind));
    let other = VTK_OTHERS.iter().find(|(i, _)| *i == id).map(|(_, c)| *c);
    if let Some(cell) = own.or(other) {
        return if cell.nodes == nodes {
            Ok(cell)
        } else {
            Err(Some(cell))
        };
    }
    // Lagrange and Bézier cells of any order, corners first; order 2 agrees with the quadratic cells.
    let of_any_order = |k: &Kind| k.shape().vtk_any_order.iter().any(|&i| i64::from(i) == id);
    let mut kinds = Kind::ALL.into_iter().filter(of_any_order);
    let linear = kinds.next().ok_or(None)?;
    let exact = |k: &Kind| k.is_complete() && k.node_count() == nodes;
    match [linear].into_iter().chain(kinds).find(exact) {
        Some(kind) => Ok(CellType::plain(kind)),
        None if nodes > linear.node_count() => {
            let name = linear.shape().any_order_name;
            Ok(CellType::reduced(name, nodes, linear))
        }
        None => Err(Some(CellType::plain(linear))),
    }
}

/// Gmsh's type of a number.
pub(crate) fn gmsh(id: i64) -> Option<CellType> {
    let own = CELLS.iter().find(|c| i64::from(c.gmsh) == id);
    let other = GMSH_REDUCED.iter().find(|(i, _)| *i == id).map(|(_, c)| *c);
    own.map(|c| gmsh_type(c.kind)).or(other)
}

/// A kind with Gmsh's node order.
pub(crate) const fn gmsh_type(kind: Kind) -> CellType {
    CellType {
        order: kind.info().gmsh_order,
        ..CellType::plain(kind)
    }
}
