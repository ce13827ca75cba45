//! A surface becomes a solid.
//!
//! [`fill`] takes a closed triangle surface and a cell size and returns tetrahedra made by isosurface stuffing (Labelle &
//! Shewchuk 2007, see [`stuff`]), with the surface embedded in them for display. Inside is where the surface's winding
//! number is not zero; crossings of lattice edges are taken from the triangles themselves.

mod embed;
mod error;
mod inside;
mod lattice;
mod stencil;
mod stuffing;
mod surface;
mod vector;

pub use embed::Embedding;
pub use error::FillError;
pub use lattice::Lattice;
pub use stuffing::stuff;

use mesh::{Mesh, components};
use surface::Closed;

/// A solid made from a surface.
#[derive(Clone, Debug, PartialEq)]
pub struct Filled {
    /// Tetrahedra.
    pub mesh: Mesh,
    /// Every vertex of the given surface in the mesh.
    pub embedding: Embedding,
    /// What was noticed on the way.
    pub notices: Notices,
}

/// What a person should hear about the surface they gave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Notices {
    /// Vertices merged with an earlier one at exactly the same place.
    pub welded: usize,
    /// Triangles left out because two corners are the same point.
    pub dropped: usize,
    /// Closed pieces of the surface.
    pub pieces: usize,
    /// Vertices where the surface touches itself.
    pub pinched: usize,
    /// Unconnected parts of the mesh. More than `pieces` means that a thin place was lost between cells and something
    /// hangs loose: take a smaller cell.
    pub parts: usize,
}

/// Most lattice cubes a fill may look at.
const MAX_CUBES: f64 = 3e7;

/// Fills a closed surface with tetrahedra whose long edges are `cell` metres.
pub fn fill(points: &[[f64; 3]], triangles: &[[u32; 3]], cell: f64) -> Result<Filled, FillError> {
    if !(cell.is_finite() && cell > 0.0) {
        return Err(FillError::BadCell { cell });
    }
    let (closed, notices) = Closed::new(points, triangles)?;
    let [low, high] = closed.bounds;
    let extent = [0, 1, 2].map(|k| high[k] - low[k]);
    let cubes: f64 = extent.iter().map(|e| e / cell + 4.0).product();
    if cubes > MAX_CUBES {
        return Err(FillError::TooFine {
            cell,
            tets: 12.0 * closed.volume / cell.powi(3),
            cubes,
            try_cell: cell * (cubes / MAX_CUBES).cbrt() * 1.05,
        });
    }
    let lattice = Lattice::around(low, high, cell);
    let mesh = stuffing::stuff_region(
        &lattice,
        |p| if closed.contains(p) { -1.0 } else { 1.0 },
        |[p, q], sides| closed.crossing(p, q, sides[0] < 0.0),
    );
    if mesh.is_empty() {
        return Err(FillError::TooCoarse {
            cell,
            extent,
            try_cell: 0.5 * closed.volume.cbrt().min(cell),
        });
    }
    let embedding = Embedding::new(&mesh, points);
    let notices = Notices {
        parts: components(&mesh),
        ..notices
    };
    Ok(Filled {
        mesh,
        embedding,
        notices,
    })
}
