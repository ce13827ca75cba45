//! What every mesh goes through once read: orientation repaired, impossible shapes refused, odd things named.
//!
//! A tetrahedron with edges a, b, c from its first corner has volume a·(b × c)/6, positive in VTK's order. A
//! hexahedron is judged by the same product at its eight corners. Both are compared with the cube of the longest
//! extent, so the unit of length does not matter.

use mesh::vector::{cross, dot, sub};
use mesh::{Mesh, Shape, mirror_cell};

use super::draft::Draft;
use super::error::{Fault, ImportError};

/// 6V/L³ below this is rounding, not a shape.
const FLAT: f64 = 1e-15;
/// 6V/L³ below this is worth a warning: gradients on such an element lose half the digits.
const SLIVER: f64 = 1e-7;

/// Repairs and judges the cells of a draft.
pub(crate) fn shapes(draft: &mut Draft, file: &str) -> Result<(), ImportError> {
    if draft.mesh.points.is_empty() {
        let what = "points and cells are".to_string();
        return Err(ImportError::whole(file, Fault::Missing { what }, ""));
    }
    if draft.mesh.is_empty() {
        let what = format!(
            "no cells: {} points and no elements or faces; cells are",
            draft.mesh.points.len()
        );
        let hint = "A mesh needs elements (or faces) between its points.";
        return Err(ImportError::whole(file, Fault::Missing { what }, hint));
    }
    tets(draft, file)?;
    hexes(draft, file)?;
    Ok(())
}

fn edge(mesh: &Mesh, from: u32, to: u32) -> [f64; 3] {
    sub(mesh.points[to as usize], mesh.points[from as usize])
}

/// 6V/L³ of the corner `o` with neighbours `p`, `q`, `r`, `size` being L.
fn corner(mesh: &Mesh, [o, p, q, r]: [u32; 4], size: f64) -> f64 {
    let (a, b, c) = (edge(mesh, o, p), edge(mesh, o, q), edge(mesh, o, r));
    // Scaled first: the cube of a length of 1e-120 m is no number.
    let s = |v: [f64; 3]| [v[0] / size, v[1] / size, v[2] / size];
    dot(s(a), cross(s(b), s(c)))
}

/// Longest side of the box around some nodes: the longest edge but for a factor below √3.
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

#[derive(Default)]
struct Tally {
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

impl Tally {
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

    fn tell(&self, draft: &mut Draft, what: &str) {
        if let Some(first) = self.first_inverted {
            let (n, all) = (self.inverted, self.all);
            draft.warn(if n == all {
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
            draft.warn(format!(
                "{} of {} {what} are nearly flat slivers (the first is element {}): expect bad conditioning",
                self.sliver,
                self.all,
                first + 1
            ));
        }
        if let Some(first) = self.first_tangled {
            draft.warn(format!(
                "{} of {} {what} are tangled: their Jacobian changes sign between corners (the first is element {})",
                self.tangled,
                self.all,
                first + 1
            ));
        }
    }
}

fn tets(draft: &mut Draft, file: &str) -> Result<(), ImportError> {
    let mut tally = Tally::default();
    let mesh = &mut draft.mesh;
    for i in 0..mesh.len() {
        let kind = mesh.kinds[i];
        if !kind.is(Shape::Tetrahedron) {
            continue;
        }
        tally.all += 1;
        let cell = mesh.cell(i);
        let corners = [cell[0], cell[1], cell[2], cell[3]];
        let volume = corner(mesh, corners, size(mesh, &corners));
        // Not a number where all corners coincide.
        if volume.is_nan() || volume.abs() <= FLAT {
            tally.flat += 1;
            tally.first_flat.get_or_insert(i);
            continue;
        }
        if volume.abs() < SLIVER {
            tally.sliver += 1;
            tally.first_sliver.get_or_insert(i);
        }
        if volume < 0.0 {
            tally.inverted += 1;
            tally.first_inverted.get_or_insert(i);
            mirror_cell(mesh, i);
        }
    }
    tally.refuse_flat(file, "tetrahedra")?;
    tally.tell(draft, "tetrahedra");
    Ok(())
}

fn hexes(draft: &mut Draft, file: &str) -> Result<(), ImportError> {
    let mut tally = Tally::default();
    let mesh = &mut draft.mesh;
    for i in 0..mesh.len() {
        let kind = mesh.kinds[i];
        if !kind.is(Shape::Hexahedron) {
            continue;
        }
        tally.all += 1;
        let cell = &mesh.cell(i)[..8];
        let scale = size(mesh, cell);
        let mut volumes = [0.0; 8];
        for (volume, triad) in volumes.iter_mut().zip(kind.triads()) {
            *volume = corner(mesh, triad.map(|k| cell[usize::from(k)]), scale);
        }
        let negative = volumes.iter().filter(|v| **v < -FLAT).count();
        let positive = volumes.iter().filter(|v| **v > FLAT).count();
        if negative + positive == 0 {
            tally.flat += 1;
            tally.first_flat.get_or_insert(i);
        } else if negative > 0 && positive > 0 {
            tally.tangled += 1;
            tally.first_tangled.get_or_insert(i);
        } else if negative > 0 {
            tally.inverted += 1;
            tally.first_inverted.get_or_insert(i);
            mirror_cell(mesh, i);
        }
        if volumes.iter().any(|v| v.abs() < SLIVER) && negative + positive > 0 {
            tally.sliver += 1;
            tally.first_sliver.get_or_insert(i);
        }
    }
    tally.refuse_flat(file, "hexahedra")?;
    tally.tell(draft, "hexahedra");
    Ok(())
}
