//! Errors of filling a surface with tetrahedra.

use thiserror::Error;

/// Reason why a surface cannot be filled with tetrahedra.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum FillError {
    /// The cell size is zero, negative, infinite or not a number.
    #[error("fill: cell is {cell} m; the cell size must be positive and finite")]
    BadCell {
        /// The given cell size, m.
        cell: f64,
    },
    /// The surface has no triangles.
    #[error("fill: the surface has no triangles; give a closed triangle surface")]
    Empty,
    /// A coordinate is infinite or not a number.
    #[error("fill: vertex {vertex} of the surface has a coordinate that is not a finite number")]
    NotFinite {
        /// The vertex, from 0.
        vertex: usize,
    },
    /// A triangle refers to a vertex that does not exist.
    #[error("fill: triangle {triangle} refers to vertex {node}, but there are {points} vertices")]
    NoSuchVertex {
        /// The triangle, from 0.
        triangle: usize,
        /// The vertex, from 0.
        node: u32,
        /// Number of vertices.
        points: usize,
    },
    /// The surface is open: it has boundary edges.
    #[error(
        "fill: the surface is open: {edges} edges have a triangle on one side only, the first between vertices {} and \
         {}; close the holes, or use it as a sheet or an obstacle", first[0], first[1]
    )]
    Open {
        /// Number of open edges.
        edges: usize,
        /// End vertices of the first such edge.
        first: [u32; 2],
    },
    /// The surface is not manifold: three or more triangles share an edge.
    #[error(
        "fill: the surface is not manifold: {edges} edges have three or more triangles, the first between vertices {} \
         and {}; separate the parts that touch there", first[0], first[1]
    )]
    NonManifold {
        /// Number of such edges.
        edges: usize,
        /// End vertices of the first such edge.
        first: [u32; 2],
    },
    /// Neighbouring triangles have opposite orientations.
    #[error(
        "fill: the surface has no inside: the triangles at {edges} edges have opposite orientations; make their normals \
             consistent"
    )]
    InconsistentOrientation {
        /// Number of such edges.
        edges: usize,
    },
    /// The surface encloses no volume.
    #[error(
        "fill: the surface encloses no volume ({volume:.3e} m³); use it as a sheet or give a solid surface"
    )]
    NoVolume {
        /// The enclosed volume, m³.
        volume: f64,
    },
    /// The surface intersects itself.
    #[error(
        "fill: the surface intersects itself: {pairs} pairs of triangles intersect, the first {} and {}; \
         remove the overlap", first[0], first[1]
    )]
    SelfIntersecting {
        /// Number of intersecting pairs of triangles.
        pairs: usize,
        /// The first pair, from 0.
        first: [u32; 2],
    },
    /// The cell size is too coarse: no lattice vertex is inside the surface.
    #[error(
        "fill: cell = {cell} m is too coarse for a surface {:.3e} × {:.3e} × {:.3e} m: no tetrahedron fits inside; try \
         cell = {try_cell:.2e}", extent[0], extent[1], extent[2]
    )]
    TooCoarse {
        /// The given cell size, m.
        cell: f64,
        /// Size of the surface along x, y, z, m.
        extent: [f64; 3],
        /// Suggested cell size, m.
        try_cell: f64,
    },
    /// The cell size is too fine: the lattice would not fit into memory.
    #[error(
        "fill: cell = {cell} m is too fine: about {tets:.1e} tetrahedra on a lattice of {cubes:.1e} cubes, more than 3e7; \
         try cell = {try_cell:.2e}"
    )]
    TooFine {
        /// The given cell size, m.
        cell: f64,
        /// Estimated number of tetrahedra.
        tets: f64,
        /// Number of lattice cubes.
        cubes: f64,
        /// Suggested cell size, m.
        try_cell: f64,
    },
}
