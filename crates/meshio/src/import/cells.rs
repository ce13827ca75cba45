//! Cell types of file formats, and the permutations from their node orders to VTK's, which [`mesh`] uses.
//!
//! Types that correspond to a cell kind are in the table of cell kinds (`mesh::CELL_KINDS`); this file lists the others.
//! Sources: Gmsh reference manual, "Node ordering" and "MSH file format"; VTK file formats, figures 2 and 3, and
//! `vtkCellType.h`. Corners come first in every format: a type without a kind of its own is read by its corners.

use mesh::{CELL_KINDS, CellKind};

/// Cell type of a file format.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CellType {
    /// Name of the type in messages.
    pub name: &'static str,
    /// Number of nodes in the file.
    pub nodes: usize,
    /// Cell kind that it is read as.
    pub kind: CellKind,
    /// Permutation of the nodes: node `i` of the kind is the file's node `order[i]`; empty if the orders agree.
    pub order: &'static [u8],
}

impl CellType {
    /// Type that corresponds to a cell kind, with VTK's node order.
    pub const fn of_kind(kind: CellKind) -> CellType {
        CellType {
            name: kind.name(),
            nodes: kind.node_count(),
            kind,
            order: &[],
        }
    }

    /// Type that corresponds to a cell kind, with another node order.
    const fn ordered(kind: CellKind, order: &'static [u8]) -> CellType {
        CellType {
            order,
            ..CellType::of_kind(kind)
        }
    }

    /// Type that is read as a kind with fewer nodes.
    const fn reduced(name: &'static str, nodes: usize, kind: CellKind) -> CellType {
        CellType {
            name,
            nodes,
            kind,
            order: &[],
        }
    }

    /// Whether some of the file's nodes are not part of the kind.
    pub fn is_reduced(&self) -> bool {
        self.nodes != self.kind.node_count()
    }

    /// Permutes nodes from the order of the file to VTK's order.
    pub fn nodes_in_vtk_order<'a>(&self, nodes: &[u32], out: &'a mut [u32; 27]) -> &'a [u32] {
        let n = self.kind.node_count();
        for i in 0..n {
            out[i] = nodes[self.order.get(i).map_or(i, |&k| k as usize)];
        }
        &out[..n]
    }

    /// Permutes nodes from VTK's order to the order of the file, for types that correspond to a cell kind.
    pub fn nodes_in_file_order<'a>(&self, cell: &[u32], out: &'a mut [u32; 27]) -> &'a [u32] {
        for (i, &node) in cell.iter().enumerate() {
            out[self.order.get(i).map_or(i, |&k| k as usize)] = node;
        }
        &out[..cell.len()]
    }
}

/// Element types of Gmsh that are read by their corners.
const GMSH_REDUCED: &[(i64, CellType)] = &[
    (13, CellType::reduced("prism18", 18, CellKind::Prism6)),
    (14, CellType::reduced("pyramid14", 14, CellKind::Pyramid5)),
    (18, CellType::reduced("prism15", 15, CellKind::Prism6)),
    (19, CellType::reduced("pyramid13", 13, CellKind::Pyramid5)),
    (20, CellType::reduced("triangle9", 9, CellKind::Tri3)),
    (21, CellType::reduced("triangle10", 10, CellKind::Tri3)),
    (22, CellType::reduced("triangle12", 12, CellKind::Tri3)),
    (23, CellType::reduced("triangle15", 15, CellKind::Tri3)),
    (
        24,
        CellType::reduced("triangle15 (incomplete)", 15, CellKind::Tri3),
    ),
    (25, CellType::reduced("triangle21", 21, CellKind::Tri3)),
    (26, CellType::reduced("line4", 4, CellKind::Line2)),
    (27, CellType::reduced("line5", 5, CellKind::Line2)),
    (28, CellType::reduced("line6", 6, CellKind::Line2)),
    (29, CellType::reduced("tetrahedron20", 20, CellKind::Tet4)),
    (30, CellType::reduced("tetrahedron35", 35, CellKind::Tet4)),
    (31, CellType::reduced("tetrahedron56", 56, CellKind::Tet4)),
    (36, CellType::reduced("quadrangle16", 16, CellKind::Quad4)),
    (37, CellType::reduced("quadrangle25", 25, CellKind::Quad4)),
    (38, CellType::reduced("quadrangle36", 36, CellKind::Quad4)),
    (39, CellType::reduced("quadrangle12", 12, CellKind::Quad4)),
    (42, CellType::reduced("triangle28", 28, CellKind::Tri3)),
    (43, CellType::reduced("triangle36", 36, CellKind::Tri3)),
    (44, CellType::reduced("triangle45", 45, CellKind::Tri3)),
    (45, CellType::reduced("triangle55", 55, CellKind::Tri3)),
    (46, CellType::reduced("triangle66", 66, CellKind::Tri3)),
    (47, CellType::reduced("quadrangle49", 49, CellKind::Quad4)),
    (48, CellType::reduced("quadrangle64", 64, CellKind::Quad4)),
    (49, CellType::reduced("quadrangle81", 81, CellKind::Quad4)),
    (50, CellType::reduced("quadrangle100", 100, CellKind::Quad4)),
    (51, CellType::reduced("quadrangle121", 121, CellKind::Quad4)),
    (62, CellType::reduced("line7", 7, CellKind::Line2)),
    (63, CellType::reduced("line8", 8, CellKind::Line2)),
    (64, CellType::reduced("line9", 9, CellKind::Line2)),
    (65, CellType::reduced("line10", 10, CellKind::Line2)),
    (66, CellType::reduced("line11", 11, CellKind::Line2)),
    (71, CellType::reduced("tetrahedron84", 84, CellKind::Tet4)),
    (72, CellType::reduced("tetrahedron120", 120, CellKind::Tet4)),
    (73, CellType::reduced("tetrahedron165", 165, CellKind::Tet4)),
    (74, CellType::reduced("tetrahedron220", 220, CellKind::Tet4)),
    (75, CellType::reduced("tetrahedron286", 286, CellKind::Tet4)),
    (90, CellType::reduced("prism40", 40, CellKind::Prism6)),
    (91, CellType::reduced("prism75", 75, CellKind::Prism6)),
    (92, CellType::reduced("hexahedron64", 64, CellKind::Hex8)),
    (93, CellType::reduced("hexahedron125", 125, CellKind::Hex8)),
    (94, CellType::reduced("hexahedron216", 216, CellKind::Hex8)),
    (95, CellType::reduced("hexahedron343", 343, CellKind::Hex8)),
    (96, CellType::reduced("hexahedron512", 512, CellKind::Hex8)),
    (97, CellType::reduced("hexahedron729", 729, CellKind::Hex8)),
    (
        98,
        CellType::reduced("hexahedron1000", 1000, CellKind::Hex8),
    ),
    (118, CellType::reduced("pyramid30", 30, CellKind::Pyramid5)),
    (119, CellType::reduced("pyramid55", 55, CellKind::Pyramid5)),
];

// Nodes of pixels and voxels are numbered along x, then y, then z.
const VTK_PIXEL: &[u8] = &[0, 1, 3, 2];
const VTK_VOXEL: &[u8] = &[0, 1, 3, 2, 4, 5, 7, 6];

/// Other cell types of VTK with a fixed number of nodes: with another node order, or read with fewer nodes.
const VTK_OTHERS: &[(i64, CellType)] = &[
    (8, CellType::ordered(CellKind::Quad4, VTK_PIXEL)),
    (11, CellType::ordered(CellKind::Hex8, VTK_VOXEL)),
    (
        26,
        CellType::reduced("quadratic wedge", 15, CellKind::Prism6),
    ),
    (
        27,
        CellType::reduced("quadratic pyramid", 13, CellKind::Pyramid5),
    ),
    (
        30,
        CellType::reduced("quadratic-linear quad", 6, CellKind::Quad4),
    ),
    (
        31,
        CellType::reduced("quadratic-linear wedge", 12, CellKind::Prism6),
    ),
    (
        32,
        CellType::reduced("biquadratic-quadratic wedge", 18, CellKind::Prism6),
    ),
    (
        33,
        CellType::reduced("biquadratic-quadratic hexahedron", 24, CellKind::Hex8),
    ),
    (
        34,
        CellType::reduced("biquadratic triangle", 7, CellKind::Tri6),
    ),
    (35, CellType::reduced("cubic line", 4, CellKind::Line2)),
    (
        37,
        CellType::reduced("triquadratic pyramid", 19, CellKind::Pyramid5),
    ),
];

/// Cell type for a VTK type id and a number of nodes. If the number is wrong, `Err` holds the type with the right one;
/// it holds `None` for an unknown id.
pub(crate) fn from_vtk(id: i64, nodes: usize) -> Result<CellType, Option<CellType>> {
    let own = CELL_KINDS.iter().find(|c| i64::from(c.vtk) == id);
    let own = own.map(|c| CellType::of_kind(c.kind));
    let other = VTK_OTHERS.iter().find(|(i, _)| *i == id).map(|(_, c)| *c);
    if let Some(cell) = own.or(other) {
        return if cell.nodes == nodes {
            Ok(cell)
        } else {
            Err(Some(cell))
        };
    }
    // Lagrange and Bézier cells of arbitrary order, corners first; order 2 agrees with the quadratic cells.
    let of_any_order = |k: &CellKind| {
        k.shape_info()
            .vtk_any_order
            .iter()
            .any(|&i| i64::from(i) == id)
    };
    let mut kinds = CellKind::ALL.into_iter().filter(of_any_order);
    let linear = kinds.next().ok_or(None)?;
    let exact = |k: &CellKind| k.is_lagrange() && k.node_count() == nodes;
    match [linear].into_iter().chain(kinds).find(exact) {
        Some(kind) => Ok(CellType::of_kind(kind)),
        None if nodes > linear.node_count() => {
            let name = linear.shape_info().any_order_name;
            Ok(CellType::reduced(name, nodes, linear))
        }
        None => Err(Some(CellType::of_kind(linear))),
    }
}

/// Cell type for a Gmsh type id. Returns `None` for an unknown id.
pub(crate) fn from_gmsh(id: i64) -> Option<CellType> {
    let own = CELL_KINDS.iter().find(|c| i64::from(c.gmsh) == id);
    let other = GMSH_REDUCED.iter().find(|(i, _)| *i == id).map(|(_, c)| *c);
    own.map(|c| to_gmsh(c.kind)).or(other)
}

/// Cell type of a kind with Gmsh's node order.
pub(crate) const fn to_gmsh(kind: CellKind) -> CellType {
    CellType {
        order: kind.info().gmsh_order,
        ..CellType::of_kind(kind)
    }
}
