//! Figures of blended round cones, standing on y = 0: one with a head, ears, arms, legs and a tail that faces +z, a
//! cactus with two arms, and a tree without leaves.
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
    /// Tree without leaves: a trunk whose branches fork twice [Ascher et al. 2021, fig. 1].
    Tree,
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

/// Tree: length of a branch and its radii at both ends, for the trunk and both generations of branches.
const TREE_BRANCHES: [(f64, [f64; 2]); 3] = [
    (0.38, [0.065, 0.052]),
    (0.32, [0.048, 0.042]),
    (0.25, [0.040, 0.034]),
];
/// Tree: angles of the forks at the end of trunk and branches against the direction of their parent, radians. The first
/// fork continues it.
const TREE_FORKS: [&[f64]; 2] = [&[0.12, 0.85, 0.85, 0.85], &[0.15, 0.75, 0.75]];
/// Tree: angle about the parent from one fork to the next, radians: the golden angle.
const TREE_TURN: f64 = 2.399_963;

/// Parameter k of the smooth minimum: distance within which cones are blended.
const BLEND_DISTANCE: f64 = 0.06;

impl Figure {
    /// Bounding box of the figure of unit height, with a margin for the lattice.
    fn bounds(self) -> [[f64; 3]; 2] {
        match self {
            Figure::Armadillo => [[-0.47, -0.02, -0.54], [0.47, 1.06, 0.29]],
            Figure::Cactus => [[-0.36, -0.03, -0.17], [0.39, 1.02, 0.17]],
            Figure::Tree => [[-0.56, -0.09, -0.56], [0.56, 1.06, 0.56]],
        }
    }

    /// Range of numbers of cells that resolve the figure.
    fn cells(self) -> [f64; 2] {
        match self {
            Figure::Armadillo | Figure::Cactus => [12.0, 360.0],
            Figure::Tree => [24.0, 360.0],
        }
    }

    /// Cones of the figure of unit height: first the unmirrored ones, then the ones mirrored at x = 0.
    fn cones(self) -> (Vec<RoundCone>, &'static [RoundCone]) {
        match self {
            Figure::Armadillo => (ARMADILLO_TRUNK.to_vec(), &ARMADILLO_LIMBS),
            Figure::Cactus => (CACTUS.to_vec(), &[]),
            Figure::Tree => {
                let mut cones = Vec::new();
                grow([0.0; 3], [0.0, 1.0, 0.0], 0, &mut cones);
                (cones, &[])
            }
        }
    }
}

/// Appends a branch of the tree from a point along a unit vector, and the branches that grow from its end.
fn grow(base: [f64; 3], along: [f64; 3], generation: usize, cones: &mut Vec<RoundCone>) {
    let (length, [start, end]) = TREE_BRANCHES[generation];
    let tip = [0, 1, 2].map(|k| base[k] + length * along[k]);
    cones.push([(base, start), (tip, end)]);
    let Some(forks) = TREE_FORKS.get(generation) else {
        return;
    };
    // Two unit vectors across the branch; no branch is parallel to (0.8, 0, 0.6).
    let across = unit(cross(along, [0.8, 0.0, 0.6]));
    let other = cross(along, across);
    let first = cones.len();
    for (number, angle) in forks.iter().enumerate() {
        let (s, c) = angle.sin_cos();
        let (turn_s, turn_c) = (TREE_TURN * (first + number) as f64).sin_cos();
        let direction =
            [0, 1, 2].map(|k| c * along[k] + s * (turn_c * across[k] + turn_s * other[k]));
        grow(tip, direction, generation + 1, cones);
    }
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [0, 1, 2].map(|k| {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        a[i] * b[j] - a[j] * b[i]
    })
}

fn unit(a: [f64; 3]) -> [f64; 3] {
    let length = a.iter().map(|x| x * x).sum::<f64>().sqrt();
    a.map(|x| x / length)
}

/// Approximate signed distance to the surface of a figure, negative inside.
fn signed_distance(p: [f64; 3], single: &[RoundCone], both_sides: &[RoundCone]) -> f64 {
    let mirrored = [p[0].abs(), p[1], p[2]];
    let single = single.iter().map(|cone| cone_distance(p, cone));
    let both_sides = both_sides.iter().map(|cone| cone_distance(mirrored, cone));
    single.chain(both_sides).fold(f64::INFINITY, smooth_min)
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
        check_range("blob", "cells", n, self.figure.cells())?;
        let [low, high] = self.figure.bounds();
        let lattice = BccLattice::covering(low, high, 1.0 / n);
        let (single, both_sides) = self.figure.cones();
        let mut mesh = isosurface_stuffing(&lattice, |p| signed_distance(p, &single, both_sides));
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
