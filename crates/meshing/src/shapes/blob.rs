//! Figures of blended round cones, standing on y = 0: one with a head, ears, arms, legs and a tail that faces +z, and a
//! cactus with two arms.
//!
//! The surface is the zero level set of round cones (a ball whose radius changes along a segment) blended by the
//! quadratic smooth minimum smin(a, b) = min(a, b) − max(k − |a − b|, 0)²/4k, and meshed by
//! [`isosurface_stuffing`].

use mesh::{Mesh, elevate};

use super::error::{check_counts, check_lengths, check_range, check_total};
use super::{ElementKind, ShapeError, map_points};
use crate::fill::{BccLattice, isosurface_stuffing};

/// Choice of the figure that [`Blob`] models.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Figure {
    /// Figure with head, ears, arms, legs and tail, facing +z.
    #[default]
    Armadillo,
    /// Cactus: a trunk with two arms in the x-y plane [Dinev et al. 2018, fig. 7].
    Cactus,
}

/// Figure of blended round cones, standing on y = 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Blob {
    /// The figure.
    pub figure: Figure,
    /// Approximate height, m.
    pub height: f64,
    /// Number of lattice cells along the height.
    pub cells: usize,
    /// Element kind: linear or quadratic tetrahedra.
    pub element: ElementKind,
}

impl Default for Blob {
    fn default() -> Blob {
        Blob {
            figure: Figure::Armadillo,
            height: 1.0,
            cells: 24,
            element: ElementKind::Tet4,
        }
    }
}

/// Round cone from (point, radius) to (point, radius), for a figure of unit height.
type RoundCone = [([f64; 3], f64); 2];

/// Armadillo: cones in the symmetry plane.
const ARMADILLO_TRUNK: [RoundCone; 6] = [
    [([0.0, 0.50, 0.0], 0.185), ([0.0, 0.40, 0.02], 0.20)],
    [([0.0, 0.62, 0.02], 0.12), ([0.0, 0.80, 0.04], 0.13)],
    [([0.0, 0.77, 0.10], 0.08), ([0.0, 0.75, 0.20], 0.055)],
    [([0.0, 0.34, -0.14], 0.09), ([0.0, 0.20, -0.30], 0.07)],
    [([0.0, 0.20, -0.30], 0.07), ([0.0, 0.20, -0.46], 0.05)],
    [([0.0, 0.48, -0.08], 0.18), ([0.0, 0.58, -0.06], 0.15)],
];

/// Armadillo: cones at x > 0, which are mirrored to x < 0.
const ARMADILLO_LIMBS: [RoundCone; 6] = [
    [([0.07, 0.88, 0.01], 0.055), ([0.13, 0.97, -0.01], 0.045)],
    [([0.15, 0.60, 0.02], 0.075), ([0.30, 0.63, 0.08], 0.06)],
    [([0.30, 0.63, 0.08], 0.06), ([0.37, 0.72, 0.15], 0.07)],
    [([0.10, 0.32, 0.0], 0.11), ([0.15, 0.17, 0.04], 0.09)],
    [([0.15, 0.17, 0.04], 0.09), ([0.16, 0.08, 0.0], 0.075)],
    [([0.16, 0.07, 0.0], 0.07), ([0.18, 0.065, 0.13], 0.062)],
];

/// Cactus: all cones.
const CACTUS: [RoundCone; 5] = [
    [([0.0, 0.13, 0.0], 0.13), ([0.0, 0.86, 0.0], 0.12)],
    [([0.08, 0.36, 0.0], 0.07), ([0.27, 0.41, 0.0], 0.075)],
    [([0.27, 0.41, 0.0], 0.075), ([0.28, 0.66, 0.0], 0.065)],
    [([-0.08, 0.52, 0.0], 0.065), ([-0.25, 0.56, 0.0], 0.07)],
    [([-0.25, 0.56, 0.0], 0.07), ([-0.26, 0.77, 0.0], 0.06)],
];

/// Parameter k of the smooth minimum: distance within which cones are blended.
const BLEND_DISTANCE: f64 = 0.06;

impl Figure {
    /// Bounding box of the figure of unit height, with a margin for the lattice.
    fn bounds(self) -> [[f64; 3]; 2] {
        match self {
            Figure::Armadillo => [[-0.47, -0.02, -0.54], [0.47, 1.06, 0.29]],
            Figure::Cactus => [[-0.36, -0.03, -0.17], [0.39, 1.02, 0.17]],
        }
    }

    /// Cones of the figure: first the unmirrored ones, then the ones mirrored at x = 0.
    fn cones(self) -> (&'static [RoundCone], &'static [RoundCone]) {
        match self {
            Figure::Armadillo => (&ARMADILLO_TRUNK, &ARMADILLO_LIMBS),
            Figure::Cactus => (&CACTUS, &[]),
        }
    }

    /// Approximate signed distance to the surface of the figure, negative inside.
    fn signed_distance(self, p: [f64; 3]) -> f64 {
        let mirrored = [p[0].abs(), p[1], p[2]];
        let (single, both_sides) = self.cones();
        let single = single.iter().map(|cone| cone_distance(p, cone));
        let both_sides = both_sides.iter().map(|cone| cone_distance(mirrored, cone));
        single.chain(both_sides).fold(f64::INFINITY, smooth_min)
    }
}

impl Blob {
    /// Generates the mesh.
    pub fn mesh(&self) -> Result<Mesh, ShapeError> {
        check_lengths("blob", &[("height", self.height)])?;
        check_counts("blob", &[("cells", self.cells)])?;
        if !self.element.is_tet() {
            return Err(ShapeError::TetrahedraOnly {
                shape: "blob",
                element: self.element.name(),
            });
        }
        let n = self.cells as f64;
        check_total("blob", n.powi(3))?;
        check_range("blob", "cells", n, [12.0, 360.0])?;
        let [low, high] = self.figure.bounds();
        let lattice = BccLattice::covering(low, high, 1.0 / n);
        let mut mesh = isosurface_stuffing(&lattice, |p| self.figure.signed_distance(p));
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

/// Approximate signed distance to a round cone.
fn cone_distance(p: [f64; 3], [(a, ra), (b, rb)]: &RoundCone) -> f64 {
    let dot = |q: [f64; 3], r: [f64; 3]| (0..3).map(|k| q[k] * r[k]).sum::<f64>();
    let axis = [0, 1, 2].map(|k| b[k] - a[k]);
    let to = [0, 1, 2].map(|k| p[k] - a[k]);
    let t = (dot(to, axis) / dot(axis, axis)).clamp(0.0, 1.0);
    let off = [0, 1, 2].map(|k| to[k] - t * axis[k]);
    dot(off, off).sqrt() - (ra + t * (rb - ra))
}

/// Quadratic smooth minimum of two signed distances.
fn smooth_min(a: f64, b: f64) -> f64 {
    if a == f64::INFINITY {
        return b;
    }
    let near = (BLEND_DISTANCE - (a - b).abs()).max(0.0);
    a.min(b) - near * near / (4.0 * BLEND_DISTANCE)
}
