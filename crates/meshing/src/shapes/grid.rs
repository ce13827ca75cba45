//! Boxes and sheets as regular grids.

use mesh::{CellKind, Mesh, elevate};

use super::error::{check_counts, check_lengths, check_total};
use super::split::{five_tets, six_tets};
use super::{ElementKind, HexSplit, ShapeError};

/// Box with a corner at the origin, extending along +x, +y, +z.
///
/// Nodes and cells are numbered x fastest, then y, then z. Tetrahedra of one grid cell are consecutive. Mid-edge nodes
/// follow all corners.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Box {
    /// Lengths along x, y, z, m.
    pub size: [f64; 3],
    /// Number of cells along x, y, z.
    pub cells: [usize; 3],
    /// Kind of cell.
    pub element: ElementKind,
    /// Split of a grid cell into tetrahedra; ignored for hexahedra.
    pub split: HexSplit,
}

impl Default for Box {
    fn default() -> Box {
        Box {
            size: [1.0; 3],
            cells: [4; 3],
            element: ElementKind::Hex8,
            split: HexSplit::Six,
        }
    }
}

impl Box {
    /// Generates the mesh.
    pub fn mesh(&self) -> Result<Mesh, ShapeError> {
        let [x, y, z] = self.size;
        check_lengths("box", &[("size[0]", x), ("size[1]", y), ("size[2]", z)])?;
        grid("box", self)
    }
}

/// Plate or membrane in the x–y plane with a corner at the origin, numbered like [`Box`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sheet {
    /// Lengths along x and y, m.
    pub size: [f64; 2],
    /// Number of cells along x and y.
    pub cells: [usize; 2],
    /// Thickness along z, m, with one cell through it. `None` gives a flat sheet of quadrilaterals, or of triangles for
    /// tetrahedral elements.
    pub thickness: Option<f64>,
    /// Kind of cell.
    pub element: ElementKind,
}

impl Default for Sheet {
    fn default() -> Sheet {
        Sheet {
            size: [1.0; 2],
            cells: [16; 2],
            thickness: None,
            element: ElementKind::Hex8,
        }
    }
}

impl Sheet {
    /// Generates the mesh.
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
            split: HexSplit::Six,
        };
        grid("sheet", &plate)
    }

    /// Flat sheet of quadrilaterals or triangles.
    fn membrane(&self) -> Result<Mesh, ShapeError> {
        let [n, m] = self.cells;
        check_counts("sheet", &[("cells[0]", n), ("cells[1]", m)])?;
        let parts = if self.element.is_tet() { 2.0 } else { 1.0 };
        check_total("sheet", parts * n as f64 * m as f64)?;
        let [w, h] = self.size;
        let mut points = Vec::with_capacity((n + 1) * (m + 1));
        for j in 0..=m {
            for i in 0..=n {
                points.push([grid_coordinate(w, i, n), grid_coordinate(h, j, m), 0.0]);
            }
        }
        let mut mesh = Mesh::with_points(points);
        for j in 0..m {
            for i in 0..n {
                let a = (j * (n + 1) + i) as u32;
                let d = a + n as u32 + 1;
                if self.element.is_tet() {
                    mesh.push(CellKind::Tri3, &[a, a + 1, d + 1]);
                    mesh.push(CellKind::Tri3, &[a, d + 1, d]);
                } else {
                    mesh.push(CellKind::Quad4, &[a, a + 1, d + 1, d]);
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

/// Mesh of a box; `shape` is the name for messages.
fn grid(shape: &'static str, b: &Box) -> Result<Mesh, ShapeError> {
    let [n, m, l] = b.cells;
    check_counts(shape, &[("cells[0]", n), ("cells[1]", m), ("cells[2]", l)])?;
    let parts = match (b.element.is_tet(), b.split) {
        (false, _) => 1.0,
        (true, HexSplit::Six) => 6.0,
        (true, HexSplit::Five) => 5.0,
    };
    check_total(shape, parts * n as f64 * m as f64 * l as f64)?;
    let mut points = Vec::with_capacity((n + 1) * (m + 1) * (l + 1));
    for k in 0..=l {
        for j in 0..=m {
            for i in 0..=n {
                points.push([
                    grid_coordinate(b.size[0], i, n),
                    grid_coordinate(b.size[1], j, m),
                    grid_coordinate(b.size[2], k, l),
                ]);
            }
        }
    }
    let mut mesh = Mesh::with_points(points);
    for k in 0..l {
        for j in 0..m {
            for i in 0..n {
                let corners = grid_cell_nodes([i, j, k], [n, m, l]);
                match (b.element.is_tet(), b.split) {
                    (false, _) => mesh.push(CellKind::Hex8, &corners),
                    (true, HexSplit::Six) => six_tets(&corners, &mut mesh),
                    (true, HexSplit::Five) => five_tets(&corners, (i + j + k) % 2 == 1, &mut mesh),
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

/// Nodes of grid cell (i, j, k) of a grid of n × m × l cells, in hex8 order.
pub(super) fn grid_cell_nodes([i, j, k]: [usize; 3], [n, m, _]: [usize; 3]) -> [u32; 8] {
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

/// Coordinate of grid node `i` of 0 to `n`. The last one is exactly `length` because scenes select planes by coordinate.
fn grid_coordinate(length: f64, i: usize, n: usize) -> f64 {
    if i == n {
        length
    } else {
        length * i as f64 / n as f64
    }
}
