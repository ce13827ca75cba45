//! Figures of blended balls and limbs, standing on y = 0: one with a head, ears, arms, legs and a tail that faces +z, and
//! a cactus with two arms.
//!
//! Its surface is the zero level of round cones (a ball whose radius changes along a segment) joined by the quadratic
//! smooth minimum smin(a, b) = min(a, b) − max(k − |a − b|, 0)²/4k; stuffed with tetrahedra by [`crate::fill::stuff`].

use mesh::{Mesh, elevate};

use super::error::{check_counts, check_lengths, check_range, check_total};
use super::{Element, ShapeError, map_points};
use crate::fill::{Lattice, stuff};

/// What a blob looks like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Figure {
    /// An armadillo of sorts, from feet to ears.
    #[default]
    Armadillo,
    /// A trunk with two arms in the x-y plane (004 Fig. 7).
    Cactus,
}

/// A figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Blob {
    /// What it looks like.
    pub figure: Figure,
    /// From foot to top, m, about.
    pub height: f64,
    /// Lattice cells along the height.
    pub cells: usize,
    /// Tetrahedra, linear or quadratic.
    pub element: Element,
}

impl Default for Blob {
    fn default() -> Blob {
        Blob {
            figure: Figure::Armadillo,
            height: 1.0,
            cells: 24,
            element: Element::Tet4,
        }
    }
}

/// A limb: from (point, radius) to (point, radius), for a figure one unit tall.
type Limb = [([f64; 3], f64); 2];

/// In the middle.
const TRUNK: [Limb; 6] = [
    [([0.0, 0.50, 0.0], 0.185), ([0.0, 0.40, 0.02], 0.20)],
    [([0.0, 0.62, 0.02], 0.12), ([0.0, 0.80, 0.04], 0.13)],
    [([0.0, 0.77, 0.10], 0.08), ([0.0, 0.75, 0.20], 0.055)],
    [([0.0, 0.34, -0.14], 0.09), ([0.0, 0.20, -0.30], 0.07)],
    [([0.0, 0.20, -0.30], 0.07), ([0.0, 0.20, -0.46], 0.05)],
    [([0.0, 0.48, -0.08], 0.18), ([0.0, 0.58, -0.06], 0.15)],
];

/// On either side of the middle.
const SIDES: [Limb; 6] = [
    [([0.07, 0.88, 0.01], 0.055), ([0.13, 0.97, -0.01], 0.045)],
    [([0.15, 0.60, 0.02], 0.075), ([0.30, 0.63, 0.08], 0.06)],
    [([0.30, 0.63, 0.08], 0.06), ([0.37, 0.72, 0.15], 0.07)],
    [([0.10, 0.32, 0.0], 0.11), ([0.15, 0.17, 0.04], 0.09)],
    [([0.15, 0.17, 0.04], 0.09), ([0.16, 0.08, 0.0], 0.075)],
    [([0.16, 0.07, 0.0], 0.07), ([0.18, 0.065, 0.13], 0.062)],
];

/// The cactus.
const CACTUS: [Limb; 5] = [
    [([0.0, 0.13, 0.0], 0.13), ([0.0, 0.86, 0.0], 0.12)],
    [([0.08, 0.36, 0.0], 0.07), ([0.27, 0.41, 0.0], 0.075)],
    [([0.27, 0.41, 0.0], 0.075), ([0.28, 0.66, 0.0], 0.065)],
    [([-0.08, 0.52, 0.0], 0.065), ([-0.25, 0.56, 0.0], 0.07)],
    [([-0.25, 0.56, 0.0], 0.07), ([-0.26, 0.77, 0.0], 0.06)],
];

/// How far apart limbs begin to melt together.
const BLEND: f64 = 0.06;

impl Figure {
    /// Bounds of the figure one unit tall, with room for the lattice.
    fn bounds(self) -> [[f64; 3]; 2] {
        match self {
            Figure::Armadillo => [[-0.47, -0.02, -0.54], [0.47, 1.06, 0.29]],
            Figure::Cactus => [[-0.36, -0.03, -0.17], [0.39, 1.02, 0.17]],
        }
    }

    /// Limbs in the middle or on one side only, and limbs on either side.
    fn limbs(self) -> (&'static [Limb], &'static [Limb]) {
        match self {
            Figure::Armadillo => (&TRUNK, &SIDES),
            Figure::Cactus => (&CACTUS, &[]),
        }
    }

    /// Negative inside the figure, about the distance to its surface near it.
    fn level(self, p: [f64; 3]) -> f64 {
        let mirrored = [p[0].abs(), p[1], p[2]];
        let (middle, sides) = self.limbs();
        let middle = middle.iter().map(|limb| cone(p, limb));
        let sides = sides.iter().map(|limb| cone(mirrored, limb));
        middle.chain(sides).fold(f64::INFINITY, smooth_min)
    }
}

impl Blob {
    /// Makes the mesh.
    pub fn mesh(&self) -> Result<Mesh, ShapeError> {
        check_lengths("blob", &[("height", self.height)])?;
        check_counts("blob", &[("cells", self.cells)])?;
        if !self.element.is_tet() {
            return Err(ShapeError::OnlyTets {
                shape: "blob",
                element: self.element.name(),
            });
        }
        let n = self.cells as f64;
        check_total("blob", n.powi(3))?;
        check_range("blob", "cells", n, [12.0, 360.0])?;
        let [low, high] = self.figure.bounds();
        let lattice = Lattice::around(low, high, 1.0 / n);
        let mut mesh = stuff(&lattice, |p| self.figure.level(p));
        if self.element.is_quadratic() {
            mesh = elevate(&mesh);
        }
        let floor = mesh
            .points
            .iter()
            .map(|p| p[1])
            .fold(f64::INFINITY, f64::min);
        map_points(&mut mesh, |[x, y, z]| {
            [x, y - floor, z].map(|v| v * self.height)
        });
        Ok(mesh)
    }
}

fn cone(p: [f64; 3], [(a, ra), (b, rb)]: &Limb) -> f64 {
    let along = |q: [f64; 3], r: [f64; 3]| (0..3).map(|k| q[k] * r[k]).sum::<f64>();
    let axis = [0, 1, 2].map(|k| b[k] - a[k]);
    let to = [0, 1, 2].map(|k| p[k] - a[k]);
    let t = (along(to, axis) / along(axis, axis)).clamp(0.0, 1.0);
    let off = [0, 1, 2].map(|k| to[k] - t * axis[k]);
    along(off, off).sqrt() - (ra + t * (rb - ra))
}

fn smooth_min(a: f64, b: f64) -> f64 {
    if a == f64::INFINITY {
        return b;
    }
    let near = (BLEND - (a - b).abs()).max(0.0);
    a.min(b) - near * near / (4.0 * BLEND)
}
