//! Boxes and sheets: regular grids.

use mesh::{Kind, Mesh, elevate};

use super::error::{check_counts, check_lengths, check_total};
use super::split::{five_tets, six_tets};
use super::{Element, ShapeError, Split};

/// A box with a corner at the origin.
///
/// Nodes are numbered x fastest, then y, then z; so are cells. Tetrahedra of one grid cell follow one another. Mid-edge
/// nodes come after all corners.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Box {
    /// Lengths along x, y, z, m.
    pub size: [f64; 3],
    /// Cells along x, y, z.
    pub cells: [usize; 3],
    /// Kind of cell.
    pub element: Element,
    /// How a cell becomes tetrahedra; hexahedra do not ask.
    pub split: Split,
}

impl Default for Box {
    fn default() -> Box {
        Box {
            size: [1.0; 3],
            cells: [4; 3],
            element: Element::Hex8,
            split: Split::Six,
        }
    }
}

impl Box {
    /// Makes the mesh.
    pub fn mesh(&self) -> Result<Mesh, ShapeError> {
        let [x, y, z] = self.size;
        check_lengths("box", &[("size[0]", x), ("size[1]", y), ("size[2]", z)])?;
        grid("box", self)
    }
}

/// A plate or a membrane in the x–y plane with a corner at the origin, numbered as [`Box`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sheet {
    /// Lengths along x and y, m.
    pub size: [f64; 2],
    /// Cells along x and y.
    pub cells: [usize; 2],
    /// Thickness along z, m: one cell. Without it the sheet is flat: quadrilaterals, or triangles for the tetrahedral
    /// elements.
    pub thickness: Option<f64>,
    /// Kind of cell.
    pub element: Element,
}

impl Default for Sheet {
    fn default() -> Sheet {
        Sheet {
            size: [1.0; 2],
            cells: [16; 2],
            thickness: None,
            element: Element::Hex8,
        }
    }
}

impl Sheet {
    /// Makes the mesh.
    pub fn mesh(&self) -> Result<Mesh, ShapeError> {
        let [w, h] = self.size;
        let [n, m] = self.cells;
        check_lengths("sheet", &[("size[0]", w), ("size[1]", h)])?;
        let Some(thickness) = self.thickness else {
            return self.membrane();
        };
        check_lengths("sheet", &[("thickness", thickness)])?;
        let plate = Box {
            size: [w, h, thickness],
            cells: [n, m, 1],
            element: self.element,
            split: Split::Six,
        };
        grid("sheet", &plate)
    }

    fn membrane(&self) -> Result<Mesh, ShapeError> {
        let [n, m] = self.cells;
        check_counts("sheet", &[("cells[0]", n), ("cells[1]", m)])?;
        let parts = if self.element.is_tet() { 2.0 } else { 1.0 };
        check_total("sheet", parts * n as f64 * m as f64)?;
        let [w, h] = self.size;
        let mut points = Vec::with_capacity((n + 1) * (m + 1));
        for j in 0..=m {
            for i in 0..=n {
                points.push([along(w, i, n), along(h, j, m), 0.0]);
            }
        }
        let mut mesh = Mesh::with_points(points);
        for j in 0..m {
            for i in 0..n {
                let a = (j * (n + 1) + i) as u32;
                let d = a + n as u32 + 1;
                if self.element.is_tet() {
                    mesh.push(Kind::Tri3, &[a, a + 1, d + 1]);
                    mesh.push(Kind::Tri3, &[a, d + 1, d]);
                } else {
                    mesh.push(Kind::Quad4, &[a, a + 1, d + 1, d]);
                }
            }
        }
        Ok(if self.element.is_quadratic() {
            elevate(&mesh)
        } else {
            mesh
        })
    }
}

fn grid(shape: &'static str, b: &Box) -> Result<Mesh, ShapeError> {
    let [n, m, l] = b.cells;
    check_counts(shape, &[("cells[0]", n), ("cells[1]", m), ("cells[2]", l)])?;
    let parts = match (b.element.is_tet(), b.split) {
        (false, _) => 1.0,
        (true, Split::Six) => 6.0,
        (true, Split::Five) => 5.0,
    };
    check_total(shape, parts * n as f64 * m as f64 * l as f64)?;
    let mut points = Vec::with_capacity((n + 1) * (m + 1) * (l + 1));
    for k in 0..=l {
        for j in 0..=m {
            for i in 0..=n {
                points.push([
                    along(b.size[0], i, n),
                    along(b.size[1], j, m),
                    along(b.size[2], k, l),
                ]);
            }
        }
    }
    let mut mesh = Mesh::with_points(points);
    for k in 0..l {
        for j in 0..m {
            for i in 0..n {
                let corners = brick([i, j, k], [n, m, l]);
                match (b.element.is_tet(), b.split) {
                    (false, _) => mesh.push(Kind::Hex8, &corners),
                    (true, Split::Six) => six_tets(&corners, &mut mesh),
                    (true, Split::Five) => five_tets(&corners, (i + j + k) % 2 == 1, &mut mesh),
                }
            }
        }
    }
    Ok(if b.element.is_quadratic() {
        elevate(&mesh)
    } else {
        mesh
    })
}

/// The eight nodes of grid cell (i, j, k), in hex8 order.
pub(super) fn brick([i, j, k]: [usize; 3], [n, m, _]: [usize; 3]) -> [u32; 8] {
    let at = |a: usize, b: usize, c: usize| (((k + c) * (m + 1) + j + b) * (n + 1) + i + a) as u32;
    [
        at(0, 0, 0),
        at(1, 0, 0),
        at(1, 1, 0),
        at(0, 1, 0),
        at(0, 0, 1),
        at(1, 0, 1),
        at(1, 1, 1),
        at(0, 1, 1),
    ]
}

/// The last node is exactly at `length`: people select planes by their coordinate.
fn along(length: f64, i: usize, n: usize) -> f64 {
    if i == n {
        length
    } else {
        length * i as f64 / n as f64
    }
}
