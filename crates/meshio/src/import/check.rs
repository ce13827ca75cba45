//! Checks of the cells after reading: repairs orientation, refuses flat cells, warns about slivers and tangled cells.
//!
//! A tetrahedron with edges a, b, c from its first corner has volume a·(b × c)/6, positive in VTK's order. A
//! hexahedron is judged by the same product at its eight corners. Both are divided by the cube of the longest extent,
//! which makes the checks independent of the unit of length.

use mesh::vector::{cross, dot, sub};
use mesh::{CellShape, Mesh, mirror_cell};

use super::error::{Fault, ImportError};
use super::mesh_builder::MeshBuilder;

/// Cells with |6V/L³| up to this are flat: their volume is rounding error.
const FLAT_VOLUME_RATIO: f64 = 1e-15;
/// Cells with |6V/L³| below this are slivers: gradients on them lose half of the digits.
const SLIVER_VOLUME_RATIO: f64 = 1e-7;

/// Checks the solid cells of a mesh: mirrors inverted ones, refuses flat ones, adds warnings.
pub(crate) fn check_cells(builder: &mut MeshBuilder, file: &str) -> Result<(), ImportError> {
    if builder.mesh.points.is_empty() {
        let what = "points and cells are".to_string();
        return Err(ImportError::whole(file, Fault::Missing { what }, ""));
    }
    if builder.mesh.is_empty() {
        let what = format!(
            "the file has {} points, but elements and faces are",
            builder.mesh.points.len()
        );
        let hint = "A mesh needs elements or faces between its points.";
        return Err(ImportError::whole(file, Fault::Missing { what }, hint));
    }
    check_tets(builder, file)?;
    check_hexes(builder, file)?;
    Ok(())
}

fn edge(mesh: &Mesh, from: u32, to: u32) -> [f64; 3] {
    sub(mesh.points[to as usize], mesh.points[from as usize])
}

/// Volume ratio 6V/L³ of the corner `o` with neighbours `p`, `q`, `r`; `size` is L.
fn volume_ratio(mesh: &Mesh, [o, p, q, r]: [u32; 4], size: f64) -> f64 {
    let (a, b, c) = (edge(mesh, o, p), edge(mesh, o, q), edge(mesh, o, r));
    // Scaled before the product: the cube of a length of 1e-120 m underflows.
    let s = |v: [f64; 3]| [v[0] / size, v[1] / size, v[2] / size];
    dot(s(a), cross(s(b), s(c)))
}

/// Longest side of the bounding box of nodes: the longest edge up to a factor below √3.
fn size(mesh: &Mesh, nodes: &[u32]) -> f64 {
    let side = |axis: usize| {
        let all = nodes.iter().map(|&n| mesh.points[n as usize][axis]);
        let (low, high) = all.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| {
            (l.min(x), h.max(x))
        });
        high - low
    };
    side(0).max(side(1)).max(side(2))
}

/// Counts of the cells of one shape, and the first cell of each count.
#[derive(Default)]
struct CellCounts {
    all: usize,
    flat: usize,
    first_flat: Option<usize>,
    inverted: usize,
    first_inverted: Option<usize>,
    sliver: usize,
    first_sliver: Option<usize>,
    tangled: usize,
    first_tangled: Option<usize>,
}

impl CellCounts {
    fn refuse_flat(&self, file: &str, what: &str) -> Result<(), ImportError> {
        let Some(first) = self.first_flat else {
            return Ok(());
        };
        let what = format!(
            "{} of {} {what} have zero volume (the first is element {})",
            self.flat,
            self.all,
            first + 1
        );
        let hint = "Remove or remesh the flat elements.";
        Err(ImportError::whole(file, Fault::Geometry { what }, hint))
    }

    /// Adds warnings about inverted, sliver and tangled cells.
    fn warn(&self, builder: &mut MeshBuilder, what: &str) {
        if let Some(first) = self.first_inverted {
            let (n, all) = (self.inverted, self.all);
            builder.warn(if n == all {
                format!("all {n} {what} had negative orientation; their nodes were renumbered")
            } else {
                format!(
                    "{n} of {all} {what} were inverted (negative volume; the first is element {}); their nodes \
                     were renumbered, but they may overlap their neighbours",
                    first + 1
                )
            });
        }
        if let Some(first) = self.first_sliver {
            builder.warn(format!(
                "{} of {} {what} are nearly flat slivers (the first is element {}): expect bad conditioning",
                self.sliver,
                self.all,
                first + 1
            ));
        }
        if let Some(first) = self.first_tangled {
            builder.warn(format!(
                "{} of {} {what} are tangled: their Jacobian changes sign between corners (the first is element {})",
                self.tangled,
                self.all,
                first + 1
            ));
        }
    }
}

fn check_tets(builder: &mut MeshBuilder, file: &str) -> Result<(), ImportError> {
    let mut counts = CellCounts::default();
    let mesh = &mut builder.mesh;
    for i in 0..mesh.len() {
        let kind = mesh.kinds[i];
        if !kind.has_shape(CellShape::Tetrahedron) {
            continue;
        }
        counts.all += 1;
        let cell = mesh.cell(i);
        let corners = [cell[0], cell[1], cell[2], cell[3]];
        let volume = volume_ratio(mesh, corners, size(mesh, &corners));
        // The ratio is NaN if all corners coincide.
        if volume.is_nan() || volume.abs() <= FLAT_VOLUME_RATIO {
            counts.flat += 1;
            counts.first_flat.get_or_insert(i);
            continue;
        }
        if volume.abs() < SLIVER_VOLUME_RATIO {
            counts.sliver += 1;
            counts.first_sliver.get_or_insert(i);
        }
        if volume < 0.0 {
            counts.inverted += 1;
            counts.first_inverted.get_or_insert(i);
            mirror_cell(mesh, i);
        }
    }
    counts.refuse_flat(file, "tetrahedra")?;
    counts.warn(builder, "tetrahedra");
    Ok(())
}

fn check_hexes(builder: &mut MeshBuilder, file: &str) -> Result<(), ImportError> {
    let mut counts = CellCounts::default();
    let mesh = &mut builder.mesh;
    for i in 0..mesh.len() {
        let kind = mesh.kinds[i];
        if !kind.has_shape(CellShape::Hexahedron) {
            continue;
        }
        counts.all += 1;
        let cell = &mesh.cell(i)[..8];
        let scale = size(mesh, cell);
        let mut volumes = [0.0; 8];
        for (volume, triad) in volumes.iter_mut().zip(kind.triads()) {
            *volume = volume_ratio(mesh, triad.map(|k| cell[usize::from(k)]), scale);
        }
        let negative = volumes.iter().filter(|v| **v < -FLAT_VOLUME_RATIO).count();
        let positive = volumes.iter().filter(|v| **v > FLAT_VOLUME_RATIO).count();
        if negative + positive == 0 {
            counts.flat += 1;
            counts.first_flat.get_or_insert(i);
        } else if negative > 0 && positive > 0 {
            counts.tangled += 1;
            counts.first_tangled.get_or_insert(i);
        } else if negative > 0 {
            counts.inverted += 1;
            counts.first_inverted.get_or_insert(i);
            mirror_cell(mesh, i);
        }
        if volumes.iter().any(|v| v.abs() < SLIVER_VOLUME_RATIO) && negative + positive > 0 {
            counts.sliver += 1;
            counts.first_sliver.get_or_insert(i);
        }
    }
    counts.refuse_flat(file, "hexahedra")?;
    counts.warn(builder, "hexahedra");
    Ok(())
}
