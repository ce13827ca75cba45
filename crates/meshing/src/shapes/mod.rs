//! Bodies made by the program.
//!
//! Each shape is a plain struct of its parameters with `mesh()`. Boxes and sheets have a corner at the origin and grow
//! along +x, +y, +z; balls, cylinders and tori are centred at the origin; the mould and the blob stand on y = 0 about the
//! y axis. Cells fit face to face, every Jacobian is positive, and the same parameters give the same mesh to the bit.

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
pub use registry::{Key, SHAPES, Shape};
pub use rings::{Cylinder, Torus};

use std::collections::HashMap;

use mesh::{Form, Mesh, form};

/// The kind of cell a shape is made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Element {
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

impl Element {
    /// Every element there is.
    pub const ALL: [Element; 4] = [Element::Hex8, Element::Tet4, Element::Hex20, Element::Tet10];

    /// The name used in scene files.
    pub const fn name(self) -> &'static str {
        match self {
            Element::Hex8 => "hex8",
            Element::Tet4 => "tet4",
            Element::Hex20 => "hex20",
            Element::Tet10 => "tet10",
        }
    }

    /// Whether cells are tetrahedra.
    pub const fn is_tet(self) -> bool {
        matches!(self, Element::Tet4 | Element::Tet10)
    }

    /// Whether edges have a node in the middle.
    pub const fn is_quadratic(self) -> bool {
        matches!(self, Element::Hex20 | Element::Tet10)
    }
}

/// How a grid cell becomes tetrahedra.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Split {
    /// Six around the diagonal from the lowest to the highest corner, the same in every cell (Kuhn).
    #[default]
    Six,
    /// A regular one and four corners, mirrored from cell to cell so that faces match.
    Five,
}

/// The axis a round shape turns about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Axis {
    /// Along x.
    X,
    /// Along y: upright.
    #[default]
    Y,
    /// Along z.
    Z,
}

impl Axis {
    /// Puts (u, v, along the axis), right-handed, into space.
    fn place(self, [u, v, w]: [f64; 3]) -> [f64; 3] {
        match self {
            Axis::X => [w, u, v],
            Axis::Y => [v, w, u],
            Axis::Z => [u, v, w],
        }
    }
}

/// Moves every point of a mesh.
fn map_points(mesh: &mut Mesh, f: impl Fn([f64; 3]) -> [f64; 3]) {
    mesh.points.iter_mut().for_each(|p| *p = f(*p));
}

/// Moves mid-edge nodes from the middle of their edge to their place on a curved one. A cell that this would turn inside
/// out keeps its straight edges.
fn bend_midnodes(mesh: &mut Mesh, places: impl Iterator<Item = (u32, [f64; 3])>) {
    let mut straight: HashMap<u32, [f64; 3]> = HashMap::new();
    for (m, place) in places {
        straight.insert(m, mesh.points[m as usize]);
        mesh.points[m as usize] = place;
    }
    loop {
        let before = straight.len();
        for i in 0..mesh.len() {
            if form(mesh, i) != Form::Good {
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
