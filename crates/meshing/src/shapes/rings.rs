//! Discs swept along a line (cylinder) or around a ring (torus).

use std::f64::consts::TAU;

use mesh::{Kind, Mesh, boundary_midnodes, edges, elevate};

use super::disc::{Disc, core_share, disc};
use super::error::{check_counts, check_lengths, check_total};
use super::split::split_hexes;
use super::{Axis, Element, ShapeError, bend_midnodes, map_points};

/// A cylinder centred at the origin. Nodes of its side lie on it.
///
/// Nodes: layer by layer along the axis; in a layer the middle's grid, then ring by ring outwards.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cylinder {
    /// Radius, m.
    pub radius: f64,
    /// Length along the axis, m.
    pub height: f64,
    /// Cells across a diameter.
    pub cells: usize,
    /// Cells along the axis; as many as make cells about as long as wide when absent.
    pub layers: Option<usize>,
    /// Kind of cell.
    pub element: Element,
    /// The axis.
    pub axis: Axis,
}

impl Default for Cylinder {
    fn default() -> Cylinder {
        Cylinder {
            radius: 0.5,
            height: 1.0,
            cells: 8,
            layers: None,
            element: Element::Hex8,
            axis: Axis::Y,
        }
    }
}

impl Cylinder {
    /// Makes the mesh.
    pub fn mesh(&self) -> Result<Mesh, ShapeError> {
        check_lengths(
            "cylinder",
            &[("radius", self.radius), ("height", self.height)],
        )?;
        let width = 2.0 * self.radius / self.cells.max(1) as f64;
        let layers = self.layers.unwrap_or(fitting(self.height, width));
        check_counts("cylinder", &[("cells", self.cells), ("layers", layers)])?;
        let (middle, rings) = core_share(self.cells);
        check_sweep("cylinder", middle, rings, layers, self.element)?;
        let mut mesh = unit_cylinder(&disc(middle, rings), layers, self.element);
        let (r, h) = (self.radius, self.height);
        map_points(&mut mesh, |[u, v, s]| {
            self.axis.place([r * u, r * v, h * (s - 0.5)])
        });
        Ok(mesh)
    }
}

/// A torus centred at the origin. Surface nodes lie on it.
///
/// Nodes: section by section around the ring; in a section the middle's grid, then ring by ring outwards.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Torus {
    /// From the centre to the middle of the tube, m.
    pub radius: f64,
    /// Radius of the tube, m.
    pub tube: f64,
    /// Cells across the tube.
    pub cells: usize,
    /// Cells around the ring; as many as make cells about as long as wide when absent. Even for tetrahedra.
    pub around: Option<usize>,
    /// Kind of cell.
    pub element: Element,
    /// The axis through the hole.
    pub axis: Axis,
}

impl Default for Torus {
    fn default() -> Torus {
        Torus {
            radius: 0.5,
            tube: 0.2,
            cells: 6,
            around: None,
            element: Element::Hex8,
            axis: Axis::Y,
        }
    }
}

impl Torus {
    /// Fewest cells around that keep quadratic cells near the hole from folding.
    const SHORTEST: usize = 6;

    /// Makes the mesh.
    pub fn mesh(&self) -> Result<Mesh, ShapeError> {
        check_lengths("torus", &[("radius", self.radius), ("tube", self.tube)])?;
        if self.tube >= self.radius {
            return Err(ShapeError::NoHole {
                tube: self.tube,
                radius: self.radius,
            });
        }
        let width = 2.0 * self.tube / self.cells.max(1) as f64;
        let fit = fitting(TAU * self.radius, width).max(Self::SHORTEST);
        let around = self.around.unwrap_or(fit.saturating_add(fit % 2));
        check_counts("torus", &[("cells", self.cells), ("around", around)])?;
        if around < Self::SHORTEST {
            return Err(ShapeError::ShortRing {
                around,
                least: Self::SHORTEST,
            });
        }
        let (middle, rings) = core_share(self.cells);
        check_sweep("torus", middle, rings, around, self.element)?;
        let mut mesh = sweep(&disc(middle, rings), around, true);
        let flat = mesh.points.clone();
        let bend = |p: [f64; 3]| self.bend(p, around);
        map_points(&mut mesh, bend);
        if self.element.is_tet() {
            mesh = split_hexes(&mesh).ok_or(ShapeError::OddRing { around })?;
        }
        if self.element.is_quadratic() {
            let middles = middles(&mesh, &flat, around as f64);
            mesh = elevate(&mesh);
            let skin = boundary_midnodes(&mesh, |_| true);
            let places = (flat.len() as u32..).zip(middles).map(|(m, [u, v, s])| {
                let on_skin = skin.binary_search(&m).is_ok();
                let r = if on_skin { u.hypot(v) } else { 1.0 };
                (m, bend([u / r, v / r, s]))
            });
            bend_midnodes(&mut mesh, places);
        }
        map_points(&mut mesh, |p| self.axis.place(p));
        Ok(mesh)
    }

    /// Bends the swept disc (u, v, section number) into a ring about the third axis: u along the axis, v outwards.
    fn bend(&self, [u, v, section]: [f64; 3], around: usize) -> [f64; 3] {
        let (sin, cos) = (TAU * section / around as f64).sin_cos();
        let r = self.radius + self.tube * v;
        [r * cos, r * sin, self.tube * u]
    }
}

/// Middles of the edges of a ring before it is bent; the last section is followed by the first.
fn middles(mesh: &Mesh, flat: &[[f64; 3]], around: f64) -> Vec<[f64; 3]> {
    edges(mesh)
        .iter()
        .map(|e| {
            let [mut a, b] = e.map(|n| flat[n as usize]);
            // The edge's first end is its lower node, so in the earlier section.
            if b[2] - a[2] > 0.5 * around {
                a[2] += around;
            }
            [0, 1, 2].map(|k| 0.5 * (a[k] + b[k]))
        })
        .collect()
}

/// Cells of about `width` along `length`.
fn fitting(length: f64, width: f64) -> usize {
    ((length / width).round() as usize).max(1)
}

pub(super) fn check_sweep(
    shape: &'static str,
    middle: usize,
    rings: usize,
    layers: usize,
    element: Element,
) -> Result<(), ShapeError> {
    let parts = if element.is_tet() { 5.0 } else { 1.0 };
    let m = middle as f64;
    check_total(shape, parts * m * (m + 4.0 * rings as f64) * layers as f64)
}

/// The unit disc swept from s = 0 to 1 in the wanted cells, its rim round between nodes too.
pub(super) fn unit_cylinder(disc: &Disc, layers: usize, element: Element) -> Mesh {
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
        let middles = boundary_midnodes(&mesh, |face| {
            let corners: Vec<[f64; 3]> = face.nodes().iter().map(|&n| at(n)).collect();
            corners.iter().any(|c| c[2] != corners[0][2])
                && corners.iter().all(|c| c[0].hypot(c[1]) > 1.0 - 1e-9)
        });
        let round: Vec<[f64; 3]> = middles
            .iter()
            .map(|&m| {
                let [u, v, s] = at(m);
                let r = u.hypot(v);
                [u / r, v / r, s]
            })
            .collect();
        bend_midnodes(&mut mesh, middles.into_iter().zip(round));
    }
    mesh
}

/// Hexahedra between copies of the disc at s = 0, 1, 2 …; the last copy is the first again when `closed`.
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
            mesh.push(Kind::Hex8, &cell);
        }
    }
    mesh
}
