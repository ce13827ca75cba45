//! Table of cell kinds: the only place that lists them.
//!
//! A row of [`CELL_KINDS`] gives the shape and nodes of a kind, its ids in files and its quadrature; a row of
//! `CELL_SHAPES` holds what the kinds of one shape share. Readers, writers, surfaces, quality measures and elements use
//! these rows. What follows from a row (node counts, mirror images, the quadratic kind of a linear one) is computed.
//!
//! Sources of the ids: `vtkCellType.h`; Gmsh reference manual, "MSH file format" and "Node ordering"; libMeshb for the
//! keywords of Medit.

use crate::element::{ElementQuadrature, ShapeFunctions, hex, prism, pyramid, tet};

/// Type of a cell: its shape and the number of its nodes. Nodes are in VTK's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum CellKind {
    /// One-node point cell.
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

/// Geometric shape of a cell, without regard to the number of its nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum CellShape {
    /// A point.
    Point,
    /// A line.
    Line,
    /// A triangle.
    Triangle,
    /// A quadrilateral.
    Quadrilateral,
    /// A tetrahedron.
    Tetrahedron,
    /// A hexahedron.
    Hexahedron,
    /// A triangular prism.
    Prism,
    /// A pyramid on a quadrilateral.
    Pyramid,
}

/// Whether a cell kind has nodes in the middle of its edges, of its faces and of the cell. They follow the corners in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MidNodes {
    /// Whether every edge has a mid-edge node.
    pub edges: bool,
    /// Whether every face of a solid cell has a mid-face node.
    pub faces: bool,
    /// Whether the cell has a centre node.
    pub centre: bool,
}

impl MidNodes {
    const NONE: MidNodes = MidNodes {
        edges: false,
        faces: false,
        centre: false,
    };
    const EDGES: MidNodes = MidNodes {
        edges: true,
        ..MidNodes::NONE
    };
    const EDGES_AND_CENTRE: MidNodes = MidNodes {
        edges: true,
        faces: false,
        centre: true,
    };
    const ALL: MidNodes = MidNodes {
        edges: true,
        faces: true,
        centre: true,
    };
}

/// Row of the table of cell kinds.
#[derive(Clone, Copy, Debug)]
pub struct CellInfo {
    /// Kind that the row describes.
    pub kind: CellKind,
    /// Name used in scene files, listings and messages.
    pub name: &'static str,
    /// Shape of the cell.
    pub shape: CellShape,
    /// Nodes besides the corners.
    pub mid_nodes: MidNodes,
    /// Cell type id of VTK.
    pub vtk: u8,
    /// Element type id of Gmsh.
    pub gmsh: u8,
    /// Permutation from VTK's to Gmsh's node order: node `i` is Gmsh's node `gmsh_order[i]`; empty if the orders agree.
    pub gmsh_order: &'static [u8],
    /// Keywords of Medit files with this kind's node order; the first one is written. Empty if there is none.
    pub medit: &'static [&'static str],
    /// Map from the reference cell; `None` for cells that are not solids.
    pub(crate) reference_map: Option<ReferenceMap>,
    /// Quadrature rules of the finite element; `None` if the kind has no element.
    pub(crate) quadrature: Option<ElementQuadrature>,
}

/// Map of a solid cell from its reference cell.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReferenceMap {
    /// Shape functions and their derivatives.
    pub functions: ShapeFunctions,
    /// Points where det J is checked: points that integrate the volume exactly, then corners with weight 0.
    pub jacobian_points: fn() -> Vec<([f64; 3], f64)>,
}

/// Topology and ids that all kinds of one shape share.
#[derive(Clone, Copy, Debug)]
pub struct CellShapeInfo {
    /// Shape that the row describes.
    pub shape: CellShape,
    /// Topological dimension: 0 for points, 1 for lines, 2 for faces, 3 for solids.
    pub dimension: usize,
    /// Number of corners.
    pub corners: usize,
    /// End corners of each edge, in the order of the mid-edge nodes.
    pub edges: &'static [[u8; 2]],
    /// Corners of each face of a solid, counter-clockwise seen from outside, in the order of the mid-face nodes.
    pub faces: &'static [&'static [u8]],
    /// For each corner, the corner and the other ends of its three edges, right-handed in a valid cell. The apex of a
    /// pyramid has four edges and is left out: all dihedral angles occur at the base.
    pub triads: &'static [[u8; 4]],
    /// Permutation of the corners that mirrors a solid cell.
    pub mirror: &'static [u8],
    /// Cell type ids of VTK for Lagrange and Bézier cells of arbitrary order.
    pub vtk_any_order: &'static [u8],
    /// Name of cells of arbitrary order in messages.
    pub any_order_name: &'static str,
    /// Number of nodes of the second-order Lagrange cell.
    pub second_order_nodes: usize,
}

const LINE_EDGES: &[[u8; 2]] = &[[0, 1]];
const TRIANGLE_EDGES: &[[u8; 2]] = &[[0, 1], [1, 2], [2, 0]];
const QUAD_EDGES: &[[u8; 2]] = &[[0, 1], [1, 2], [2, 3], [3, 0]];
const TET_EDGES: &[[u8; 2]] = &[[0, 1], [1, 2], [0, 2], [0, 3], [1, 3], [2, 3]];
#[rustfmt::skip]
const HEX_EDGES: &[[u8; 2]] = &[
    [0, 1], [1, 2], [2, 3], [3, 0], [4, 5], [5, 6], [6, 7], [7, 4], [0, 4], [1, 5], [2, 6], [3, 7],
];
#[rustfmt::skip]
const PRISM_EDGES: &[[u8; 2]] = &[
    [0, 1], [1, 2], [2, 0], [3, 4], [4, 5], [5, 3], [0, 3], [1, 4], [2, 5],
];
#[rustfmt::skip]
const PYRAMID_EDGES: &[[u8; 2]] = &[
    [0, 1], [1, 2], [2, 3], [3, 0], [0, 4], [1, 4], [2, 4], [3, 4],
];

// Faces turn counter-clockwise seen from outside a cell whose Jacobian is positive. For the prism that means nodes
// 0, 1, 2 turn counter-clockwise seen from 3, 4, 5 (the order of Gmsh and of VTK's parametric coordinates).
const TET_FACES: &[&[u8]] = &[&[0, 1, 3], &[1, 2, 3], &[2, 0, 3], &[0, 2, 1]];
#[rustfmt::skip]
const HEX_FACES: &[&[u8]] = &[
    &[0, 4, 7, 3], &[1, 2, 6, 5], &[0, 1, 5, 4], &[3, 7, 6, 2], &[0, 3, 2, 1], &[4, 5, 6, 7],
];
#[rustfmt::skip]
const PRISM_FACES: &[&[u8]] = &[
    &[0, 2, 1], &[3, 4, 5], &[0, 1, 4, 3], &[1, 2, 5, 4], &[2, 0, 3, 5],
];
#[rustfmt::skip]
const PYRAMID_FACES: &[&[u8]] = &[
    &[0, 3, 2, 1], &[0, 1, 4], &[1, 2, 4], &[2, 3, 4], &[3, 0, 4],
];

const TET_TRIADS: &[[u8; 4]] = &[[0, 1, 2, 3], [1, 2, 0, 3], [2, 0, 1, 3], [3, 0, 2, 1]];
#[rustfmt::skip]
const HEX_TRIADS: &[[u8; 4]] = &[
    [0, 1, 3, 4], [1, 2, 0, 5], [2, 3, 1, 6], [3, 0, 2, 7], [4, 7, 5, 0], [5, 4, 6, 1], [6, 5, 7, 2], [7, 6, 4, 3],
];
#[rustfmt::skip]
const PRISM_TRIADS: &[[u8; 4]] = &[
    [0, 1, 2, 3], [1, 2, 0, 4], [2, 0, 1, 5], [3, 5, 4, 0], [4, 3, 5, 1], [5, 4, 3, 2],
];
const PYRAMID_TRIADS: &[[u8; 4]] = &[[0, 1, 3, 4], [1, 2, 0, 4], [2, 3, 1, 4], [3, 0, 2, 4]];

/// Row of a shape with `dimension + 1` corners and no faces; rows of other shapes override these fields.
const fn base_shape(
    shape: CellShape,
    dimension: usize,
    edges: &'static [[u8; 2]],
    any_order: (&'static [u8], &'static str),
    second_order_nodes: usize,
) -> CellShapeInfo {
    CellShapeInfo {
        shape,
        dimension,
        corners: dimension + 1,
        edges,
        faces: &[],
        triads: &[],
        mirror: &[],
        vtk_any_order: any_order.0,
        any_order_name: any_order.1,
        second_order_nodes,
    }
}

/// All cell shapes, in the order of [`CellShape`].
#[rustfmt::skip]
static CELL_SHAPES: [CellShapeInfo; 8] = [
    base_shape(CellShape::Point, 0, &[], (&[], ""), 1),
    base_shape(CellShape::Line, 1, LINE_EDGES, (&[68, 75], "arbitrary-order line"), 3),
    base_shape(CellShape::Triangle, 2, TRIANGLE_EDGES, (&[69, 76], "arbitrary-order triangle"), 6),
    CellShapeInfo {
        corners: 4,
        ..base_shape(CellShape::Quadrilateral, 2, QUAD_EDGES, (&[70, 77], "arbitrary-order quadrilateral"), 9)
    },
    CellShapeInfo {
        faces: TET_FACES, triads: TET_TRIADS, mirror: &[0, 2, 1, 3],
        ..base_shape(CellShape::Tetrahedron, 3, TET_EDGES, (&[71, 78], "arbitrary-order tetrahedron"), 10)
    },
    CellShapeInfo {
        corners: 8, faces: HEX_FACES, triads: HEX_TRIADS, mirror: &[0, 3, 2, 1, 4, 7, 6, 5],
        ..base_shape(CellShape::Hexahedron, 3, HEX_EDGES, (&[72, 79], "arbitrary-order hexahedron"), 27)
    },
    CellShapeInfo {
        corners: 6, faces: PRISM_FACES, triads: PRISM_TRIADS, mirror: &[0, 2, 1, 3, 5, 4],
        ..base_shape(CellShape::Prism, 3, PRISM_EDGES, (&[73, 80], "arbitrary-order wedge"), 18)
    },
    CellShapeInfo {
        corners: 5, faces: PYRAMID_FACES, triads: PYRAMID_TRIADS, mirror: &[0, 3, 2, 1, 4],
        ..base_shape(CellShape::Pyramid, 3, PYRAMID_EDGES, (&[74, 81], "arbitrary-order pyramid"), 14)
    },
];

// Gmsh lists the edge 2–3 of a tetrahedron before 1–3.
const GMSH_TET10: &[u8] = &[0, 1, 2, 3, 4, 5, 6, 7, 9, 8];
// Gmsh lists the edges of a hexahedron corner by corner, VTK bottom edges, top edges, vertical edges …
#[rustfmt::skip]
const GMSH_HEX20: &[u8] = &[
    0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 13, 9, 16, 18, 19, 17, 10, 12, 14, 15,
];
// … and Gmsh lists the faces as −z −y −x +x +y +z, VTK as −x +x −y +y −z +z.
#[rustfmt::skip]
const GMSH_HEX27: &[u8] = &[
    0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 13, 9, 16, 18, 19, 17, 10, 12, 14, 15, 22, 23, 21, 24, 20, 25, 26,
];

/// Row of a kind with these file ids whose node order is VTK's in all files, without reference map and quadrature.
const fn base_kind(
    kind: CellKind,
    name: &'static str,
    shape: CellShape,
    mid_nodes: MidNodes,
    vtk: u8,
    gmsh: u8,
    medit: &'static [&'static str],
) -> CellInfo {
    CellInfo {
        kind,
        name,
        shape,
        mid_nodes,
        vtk,
        gmsh,
        gmsh_order: &[],
        medit,
        reference_map: None,
        quadrature: None,
    }
}

const fn reference_map(
    functions: ShapeFunctions,
    jacobian_points: fn() -> Vec<([f64; 3], f64)>,
) -> Option<ReferenceMap> {
    Some(ReferenceMap {
        functions,
        jacobian_points,
    })
}

/// All cell kinds, in the order of [`CellKind`].
#[rustfmt::skip]
pub static CELL_KINDS: [CellInfo; 15] = {
    use MidNodes as M;
    use CellShape as S;
    [
        base_kind(CellKind::Vertex, "vertex", S::Point, M::NONE, 1, 15, &[]),
        base_kind(CellKind::Line2, "line2", S::Line, M::NONE, 3, 1, &["Edges"]),
        base_kind(CellKind::Line3, "line3", S::Line, M::EDGES, 21, 8, &["EdgesP2"]),
        base_kind(CellKind::Tri3, "tri3", S::Triangle, M::NONE, 5, 2, &["Triangles"]),
        base_kind(CellKind::Tri6, "tri6", S::Triangle, M::EDGES, 22, 9, &["TrianglesP2"]),
        base_kind(CellKind::Quad4, "quad4", S::Quadrilateral, M::NONE, 9, 3, &["Quadrilaterals"]),
        base_kind(CellKind::Quad8, "quad8", S::Quadrilateral, M::EDGES, 23, 16, &[]),
        base_kind(CellKind::Quad9, "quad9", S::Quadrilateral, M::EDGES_AND_CENTRE, 28, 10, &["QuadrilateralsQ2"]),
        CellInfo {
            reference_map: reference_map(tet::linear, tet::linear_jacobian_points),
            quadrature: Some(ElementQuadrature {
                description: "linear tetrahedron, one quadrature point",
                energy: || tet::quadrature_points(1),
                mass: || tet::quadrature_points(4),
            }),
            ..base_kind(CellKind::Tet4, "tet4", S::Tetrahedron, M::NONE, 10, 4, &["Tetrahedra"])
        },
        CellInfo {
            gmsh_order: GMSH_TET10,
            reference_map: reference_map(tet::quadratic, tet::quadratic_jacobian_points),
            quadrature: Some(ElementQuadrature {
                description: "quadratic tetrahedron, four quadrature points",
                energy: || tet::quadrature_points(4),
                mass: || tet::quadrature_points(24),
            }),
            ..base_kind(CellKind::Tet10, "tet10", S::Tetrahedron, M::EDGES, 24, 11, &["TetrahedraP2"])
        },
        CellInfo {
            reference_map: reference_map(hex::linear, || hex::jacobian_points(2)),
            quadrature: Some(ElementQuadrature {
                description: "trilinear hexahedron, 2x2x2 Gauss points",
                energy: || hex::gauss_points(2),
                mass: || hex::gauss_points(3),
            }),
            ..base_kind(CellKind::Hex8, "hex8", S::Hexahedron, M::NONE, 12, 5, &["Hexahedra", "Hexaedra"])
        },
        CellInfo {
            gmsh_order: GMSH_HEX20,
            reference_map: reference_map(hex::serendipity, || hex::jacobian_points(3)),
            quadrature: Some(ElementQuadrature {
                description: "serendipity hexahedron, 3x3x3 Gauss points",
                energy: || hex::gauss_points(3),
                mass: || hex::gauss_points(4),
            }),
            ..base_kind(CellKind::Hex20, "hex20", S::Hexahedron, M::EDGES, 25, 17, &[])
        },
        CellInfo {
            gmsh_order: GMSH_HEX27,
            reference_map: reference_map(hex::quadratic, || hex::jacobian_points(3)),
            quadrature: Some(ElementQuadrature {
                description: "triquadratic hexahedron, 3x3x3 Gauss points",
                energy: || hex::gauss_points(3),
                mass: || hex::gauss_points(4),
            }),
            ..base_kind(CellKind::Hex27, "hex27", S::Hexahedron, M::ALL, 29, 12, &[])
        },
        CellInfo {
            reference_map: reference_map(prism::linear, prism::jacobian_points),
            ..base_kind(CellKind::Prism6, "prism6", S::Prism, M::NONE, 13, 6, &["Prisms", "Pentahedra"])
        },
        CellInfo {
            reference_map: reference_map(pyramid::linear, pyramid::jacobian_points),
            ..base_kind(CellKind::Pyramid5, "pyramid5", S::Pyramid, M::NONE, 14, 7, &["Pyramids"])
        },
    ]
};

impl CellKind {
    /// All cell kinds.
    pub const ALL: [CellKind; CELL_KINDS.len()] = {
        let mut all = [CellKind::Vertex; CELL_KINDS.len()];
        let mut i = 0;
        while i < CELL_KINDS.len() {
            assert!(
                CELL_KINDS[i].kind as usize == i,
                "the rows of CELL_KINDS must be in the order of CellKind"
            );
            all[i] = CELL_KINDS[i].kind;
            i += 1;
        }
        all
    };

    /// Row of the kind in [`CELL_KINDS`].
    pub const fn info(self) -> &'static CellInfo {
        &CELL_KINDS[self as usize]
    }

    /// Topology and ids that the kind shares with the other kinds of its shape.
    pub const fn shape_info(self) -> &'static CellShapeInfo {
        &CELL_SHAPES[self.info().shape as usize]
    }

    /// Whether cells of this kind have the given shape.
    pub fn has_shape(self, shape: CellShape) -> bool {
        self.info().shape == shape
    }

    /// Number of nodes of a cell of this kind.
    pub const fn node_count(self) -> usize {
        let shape = self.shape_info();
        let mid_nodes = self.info().mid_nodes;
        let edges = if mid_nodes.edges {
            shape.edges.len()
        } else {
            0
        };
        let faces = if mid_nodes.faces {
            shape.faces.len()
        } else {
            0
        };
        shape.corners + edges + faces + mid_nodes.centre as usize
    }

    /// Topological dimension: 0 for points, 1 for lines, 2 for faces, 3 for solids.
    pub const fn dimension(self) -> usize {
        self.shape_info().dimension
    }

    /// Name used in scene files, listings and messages.
    pub const fn name(self) -> &'static str {
        self.info().name
    }

    /// Number of corner nodes.
    pub const fn corner_count(self) -> usize {
        self.shape_info().corners
    }

    /// Corner nodes of each face of a solid cell, counter-clockwise seen from outside; empty for other kinds.
    pub const fn faces(self) -> &'static [&'static [u8]] {
        self.shape_info().faces
    }

    /// End corners of each edge, in the order of the mid-edge nodes of the quadratic kinds.
    pub const fn edges(self) -> &'static [[u8; 2]] {
        self.shape_info().edges
    }

    /// For each corner, the corner and the other ends of its three edges, right-handed in a valid cell.
    pub const fn triads(self) -> &'static [[u8; 4]] {
        self.shape_info().triads
    }

    /// Whether there is a finite element for this kind; only such cells can be simulated as solids.
    pub const fn has_element(self) -> bool {
        self.info().quadrature.is_some()
    }

    /// Whether the kind is a Lagrange cell of order 1 or 2.
    pub fn is_lagrange(self) -> bool {
        let nodes = self.node_count();
        nodes == self.corner_count() || nodes == self.shape_info().second_order_nodes
    }

    /// Returns the kind that adds mid-edge nodes to this linear kind. Returns `None` if the kind is not linear or there is
    /// no such kind.
    pub fn with_edge_nodes(self) -> Option<CellKind> {
        let wanted = |k: &&CellInfo| k.shape == self.info().shape && k.mid_nodes == MidNodes::EDGES;
        let linear = self.info().mid_nodes == MidNodes::NONE;
        CELL_KINDS
            .iter()
            .find(|k| linear && wanted(k))
            .map(|k| k.kind)
    }
}
