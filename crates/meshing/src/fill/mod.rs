//! Tetrahedral meshing of closed surfaces.
//!
//! [`fill`] takes a closed triangle surface and a cell size and returns tetrahedra made by isosurface stuffing (Labelle &
//! Shewchuk 2007, see [`isosurface_stuffing`]), with the surface embedded in them for display. Points with a non-zero
//! winding number of the surface are inside; crossings of lattice edges are computed with the triangles themselves.

mod embed;
mod error;
mod inside;
mod lattice;
mod predicates;
mod stencil;
mod stuffing;
mod surface;

pub use embed::Embedding;
pub use error::FillError;
pub use lattice::BccLattice;
pub use stuffing::isosurface_stuffing;

use mesh::{Mesh, components};
use surface::ClosedSurface;

/// Tetrahedral mesh of the inside of a surface, with the surface embedded in it.
#[derive(Clone, Debug, PartialEq)]
pub struct FilledSurface {
    /// Mesh of tetrahedra.
    pub mesh: Mesh,
    /// Embedding of all vertices of the given surface in the mesh.
    pub embedding: Embedding,
    /// Repairs and counts to report to the user.
    pub notices: FillNotices,
}

/// Repairs of a surface that was filled, and counts of its components, to report to the user.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FillNotices {
    /// Number of vertices merged with an earlier vertex at exactly the same position.
    pub welded_vertices: usize,
    /// Number of triangles left out because two of their corners coincide.
    pub degenerate_triangles: usize,
    /// Number of closed components of the surface.
    pub surface_components: usize,
    /// Number of vertices where the surface touches itself.
    pub non_manifold_vertices: usize,
    /// Number of connected components of the mesh. If there are more than `surface_components`, the mesh lost a thin
    /// connection; a smaller cell size may keep it.
    pub mesh_components: usize,
}

/// Most lattice cubes of a fill.
const MAX_LATTICE_CUBES: f64 = 3e7;

/// Fills a closed surface with tetrahedra whose long edges are `cell` metres.
pub fn fill(
    points: &[[f64; 3]],
    triangles: &[[u32; 3]],
    cell: f64,
) -> Result<FilledSurface, FillError> {
    if !(cell.is_finite() && cell > 0.0) {
        return Err(FillError::BadCell { cell });
    }
    let (closed, notices) = ClosedSurface::new(points, triangles)?;
    let [low, high] = closed.bounds;
    let extent = [0, 1, 2].map(|k| high[k] - low[k]);
    let cubes: f64 = extent.iter().map(|e| e / cell + 4.0).product();
    if cubes > MAX_LATTICE_CUBES {
        return Err(FillError::TooFine {
            cell,
            tets: 12.0 * closed.volume / cell.powi(3),
            cubes,
            try_cell: cell * (cubes / MAX_LATTICE_CUBES).cbrt() * 1.05,
        });
    }
    let lattice = BccLattice::covering(low, high, cell);
    let mesh = stuffing::stuff_lattice(
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
    let notices = FillNotices {
        mesh_components: components(&mesh),
        ..notices
    };
    Ok(FilledSurface {
        mesh,
        embedding,
        notices,
    })
}
