//! Cylinders and tori: a disc swept along a line or around a circle.

use std::f64::consts::TAU;

use mesh::{CellKind, Mesh, boundary_mid_edge_nodes, edges, elevate};

use super::disc::{Disc, core_and_rings, disc};
use super::error::{check_counts, check_lengths, check_total};
use super::split::split_hexes;
use super::{Axis, ElementKind, ShapeError, curve_mid_edge_nodes, map_points};

/// Cylinder centred at the origin. Nodes of its lateral surface lie on the exact cylinder.
///
/// Node order: layer by layer along the axis; in a layer the grid of the core, then ring by ring outwards.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cylinder {
    /// Radius, m.
    pub radius: f64,
    /// Length along the axis, m.
    pub height: f64,
    /// Number of cells across a diameter.
    pub cells: usize,
    /// Number of cells along the axis; `None` makes cells about as long as wide.
    pub layers: Option<usize>,
    /// Kind of cell.
    pub element: ElementKind,
    /// Axis of the cylinder.
    pub axis: Axis,
}

impl Default for Cylinder {
    fn default() -> Cylinder {
        Cylinder {
            radius: 0.5,
            height: 1.0,
            cells: 8,
            layers: None,
            element: ElementKind::Hex8,
            axis: Axis::Y,
        }
    }
}

impl Cylinder {
    /// Generates the mesh.
    pub fn mesh(&self) -> Result<Mesh, ShapeError> {
        check_lengths(
            "cylinder",
            &[("radius", self.radius), ("height", self.height)],
        )?;
        let width = 2.0 * self.radius / self.cells.max(1) as f64;
        let layers = self.layers.unwrap_or(cells_along(self.height, width));
        check_counts("cylinder", &[("cells", self.cells), ("layers", layers)])?;
        let (core, rings) = core_and_rings(self.cells);
        check_swept_cells("cylinder", core, rings, layers, self.element)?;
        let mut mesh = unit_cylinder(&disc(core, rings), layers, self.element);
        let (r, h) = (self.radius, self.height);
        map_points(&mut mesh, |[u, v, s]| {
            self.axis.to_world([r * u, r * v, h * (s - 0.5)])
        });
        Ok(mesh)
    }
}

/// Torus centred at the origin. Surface nodes lie on the exact torus.
///
/// Node order: section by section around the torus; in a section the grid of the core, then ring by ring outwards.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Torus {
    /// Distance from the centre to the middle of the tube, m.
    pub radius: f64,
    /// Radius of the tube, m.
    pub tube: f64,
    /// Number of cells across the tube.
    pub cells: usize,
    /// Number of cells around the torus, even for tetrahedra; `None` makes cells about as long as wide.
    pub around: Option<usize>,
    /// Kind of cell.
    pub element: ElementKind,
    /// Axis through the hole.
    pub axis: Axis,
}

impl Default for Torus {
    fn default() -> Torus {
        Torus {
            radius: 0.5,
            tube: 0.2,
            cells: 6,
            around: None,
            element: ElementKind::Hex8,
            axis: Axis::Y,
        }
    }
}

impl Torus {
    /// Least number of cells around: with fewer, quadratic cells near the hole would be inverted.
    const MIN_AROUND: usize = 6;

    /// Generates the mesh.
    pub fn mesh(&self) -> Result<Mesh, ShapeError> {
        check_lengths("torus", &[("radius", self.radius), ("tube", self.tube)])?;
        if self.tube >= self.radius {
            return Err(ShapeError::NoHole {
                tube: self.tube,
                radius: self.radius,
            });
        }
        let width = 2.0 * self.tube / self.cells.max(1) as f64;
        let fit = cells_along(TAU * self.radius, width).max(Self::MIN_AROUND);
        let around = self.around.unwrap_or(fit.saturating_add(fit % 2));
        check_counts("torus", &[("cells", self.cells), ("around", around)])?;
        if around < Self::MIN_AROUND {
            return Err(ShapeError::TooFewAround {
                around,
                least: Self::MIN_AROUND,
            });
        }
        let (core, rings) = core_and_rings(self.cells);
        check_swept_cells("torus", core, rings, around, self.element)?;
        let mut mesh = sweep(&disc(core, rings), around, true);
        let straight = mesh.points.clone();
        let bend = |p: [f64; 3]| self.bend(p, around);
        map_points(&mut mesh, bend);
        if self.element.is_tet() {
            mesh = split_hexes(&mesh).ok_or(ShapeError::OddRing { around })?;
        }
        if self.element.is_quadratic() {
            let midpoints = edge_midpoints(&mesh, &straight, around as f64);
            mesh = elevate(&mesh);
            let boundary = boundary_mid_edge_nodes(&mesh, |_| true);
            let positions = (straight.len() as u32..)
                .zip(midpoints)
                .map(|(m, [u, v, s])| {
                    let on_boundary = boundary.binary_search(&m).is_ok();
                    let r = if on_boundary { u.hypot(v) } else { 1.0 };
                    (m, bend([u / r, v / r, s]))
                });
            curve_mid_edge_nodes(&mut mesh, positions);
        }
        map_points(&mut mesh, |p| self.axis.to_world(p));
        Ok(mesh)
    }

    /// Bends the swept disc (u, v, section number) into a torus around the third axis: u along the axis, v outwards.
    fn bend(&self, [u, v, section]: [f64; 3], around: usize) -> [f64; 3] {
        let (sin, cos) = (TAU * section / around as f64).sin_cos();
        let r = self.radius + self.tube * v;
        [r * cos, r * sin, self.tube * u]
    }
}

/// Midpoints of the edges of a torus before it is bent; the last section is connected to the first.
fn edge_midpoints(mesh: &Mesh, straight: &[[f64; 3]], around: f64) -> Vec<[f64; 3]> {
    edges(mesh)
        .iter()
        .map(|e| {
            let [mut a, b] = e.map(|n| straight[n as usize]);
            // The first end of an edge is its smaller node, which lies in the earlier section.
            if b[2] - a[2] > 0.5 * around {
                a[2] += around;
            }
            [0, 1, 2].map(|k| 0.5 * (a[k] + b[k]))
        })
        .collect()
}

/// Number of cells of about `width` along `length`.
fn cells_along(length: f64, width: f64) -> usize {
    ((length / width).round() as usize).max(1)
}

/// Checks the number of cells of a swept disc with `core` cells across its core.
pub(super) fn check_swept_cells(
    shape: &'static str,
    core: usize,
    rings: usize,
    layers: usize,
    element: ElementKind,
) -> Result<(), ShapeError> {
    let parts = if element.is_tet() { 5.0 } else { 1.0 };
    let m = core as f64;
    check_total(shape, parts * m * (m + 4.0 * rings as f64) * layers as f64)
}

/// Sweeps the unit disc from s = 0 to 1; mid-edge nodes of quadratic elements lie on the exact cylinder too.
pub(super) fn unit_cylinder(disc: &Disc, layers: usize, element: ElementKind) -> Mesh {
    let mut mesh = sweep(disc, layers, false);
    map_points(&mut mesh, |[u, v, s]| [u, v, s / layers as f64]);
    if element.is_tet()
        && let Some(tets) = split_hexes(&mesh)
    {
        mesh = tets;
    }
    if element.is_quadratic() {
        mesh = elevate(&mesh);
        let at = |n: u32| mesh.points[n as usize];
        let nodes = boundary_mid_edge_nodes(&mesh, |face| {
            let corners: Vec<[f64; 3]> = face.nodes().iter().map(|&n| at(n)).collect();
            corners.iter().any(|c| c[2] != corners[0][2])
                && corners.iter().all(|c| c[0].hypot(c[1]) > 1.0 - 1e-9)
        });
        let on_cylinder: Vec<[f64; 3]> = nodes
            .iter()
            .map(|&m| {
                let [u, v, s] = at(m);
                let r = u.hypot(v);
                [u / r, v / r, s]
            })
            .collect();
        curve_mid_edge_nodes(&mut mesh, nodes.into_iter().zip(on_cylinder));
    }
    mesh
}

/// Hexahedra between copies of the disc at s = 0, 1, 2 …; if `closed`, the last layer ends at the first copy.
fn sweep(disc: &Disc, layers: usize, closed: bool) -> Mesh {
    let n = disc.points.len();
    let copies = if closed { layers } else { layers + 1 };
    let mut points = Vec::with_capacity(n * copies);
    for s in 0..copies {
        points.extend(disc.points.iter().map(|p| [p[0], p[1], s as f64]));
    }
    let mut mesh = Mesh::with_points(points);
    for s in 0..layers {
        let (low, high) = (s * n, (s + 1) % copies * n);
        for q in &disc.quads {
            let mut cell = [0; 8];
            for i in 0..4 {
                cell[i] = q[i] + low as u32;
                cell[4 + i] = q[i] + high as u32;
            }
            mesh.push(CellKind::Hex8, &cell);
        }
    }
    mesh
}
