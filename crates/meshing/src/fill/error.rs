//! Why a surface cannot be filled.

use thiserror::Error;

/// Why a surface cannot be filled.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum FillError {
    /// The cell size is zero, negative, infinite or not a number.
    #[error("fill: cell is {cell} m; it must be positive and finite")]
    BadCell {
        /// What it was, m.
        cell: f64,
    },
    /// There are no triangles.
    #[error("fill: the surface has no triangles")]
    Empty,
    /// A coordinate is infinite or not a number.
    #[error("fill: vertex {vertex} of the surface has a coordinate that is not a finite number")]
    NotFinite {
        /// The vertex, from 0.
        vertex: usize,
    },
    /// A triangle names a vertex that does not exist.
    #[error("fill: triangle {triangle} names vertex {node}, but there are {points} vertices")]
    NoSuchVertex {
        /// The triangle, from 0.
        triangle: usize,
        /// The vertex, from 0.
        node: u32,
        /// How many vertices there are.
        points: usize,
    },
    /// The surface has a border.
    #[error(
        "fill: the surface is open: {edges} edges have a triangle on one side only, the first between vertices {} and \
         {}; close the holes, or use it as a sheet or an obstacle", first[0], first[1]
    )]
    Open {
        /// Number of open edges.
        edges: usize,
        /// The first of them.
        first: [u32; 2],
    },
    /// Three triangles or more meet at an edge.
    #[error(
        "fill: the surface is not a manifold: {edges} edges have three triangles or more, the first between vertices {} \
         and {}; separate the parts that touch there", first[0], first[1]
    )]
    Crowded {
        /// Number of such edges.
        edges: usize,
        /// The first of them.
        first: [u32; 2],
    },
    /// Neighbouring triangles turn opposite ways.
    #[error(
        "fill: the surface has no inside: across {edges} edges neighbouring triangles turn opposite ways; make their \
         normals consistent"
    )]
    Clashing {
        /// Number of such edges.
        edges: usize,
    },
    /// The surface encloses nothing.
    #[error("fill: the surface encloses no volume ({volume:.3e} m³)")]
    NoVolume {
        /// What it encloses, m³.
        volume: f64,
    },
    /// Triangles pass through each other.
    #[error(
        "fill: the surface crosses itself: {pairs} pairs of triangles pass through each other, the first {} and {}; \
         remove the overlap", first[0], first[1]
    )]
    SelfIntersecting {
        /// Number of pairs.
        pairs: usize,
        /// The first of them, from 0.
        first: [u32; 2],
    },
    /// No lattice vertex is inside.
    #[error(
        "fill: cell = {cell} m is too coarse for a surface {:.3e} × {:.3e} × {:.3e} m: no tetrahedron fits inside; try \
         cell = {try_cell:.2e}", extent[0], extent[1], extent[2]
    )]
    TooCoarse {
        /// The cell, m.
        cell: f64,
        /// Size of the surface along x, y, z, m.
        extent: [f64; 3],
        /// What to try, m.
        try_cell: f64,
    },
    /// The lattice would not fit into memory.
    #[error(
        "fill: cell = {cell} m is too fine: about {tets:.1e} tetrahedra on a lattice of {cubes:.1e} cubes, more than 3e7; \
         try cell = {try_cell:.2e}"
    )]
    TooFine {
        /// The cell, m.
        cell: f64,
        /// About how many tetrahedra there would be.
        tets: f64,
        /// How many lattice cubes.
        cubes: f64,
        /// What to try, m.
        try_cell: f64,
    },
}
