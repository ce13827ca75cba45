//! Jacobian J(ξ) = Σ xₐ ⊗ ∇Nₐ(ξ) of the map from a reference cell: volumes and validity of cells.
//!
//! The volume is ∫ det J over the reference cell, by rules that are exact for each kind's polynomial (Zienkiewicz &
//! Taylor, *The Finite Element Method*, ch. 5): one point for tet4, 5 points (degree 3) for tet10, 2×2×2 Gauss for hex8,
//! 3×3×3 for hex20 and hex27, 3×2 for prism6. A pyramid is a hexahedron whose top face has collapsed to a point.
//! A cell is inverted if det J < 0 at a Gauss point or a corner.

use std::sync::OnceLock;

use super::vector::{cross, dot, norm, sub};
use super::{CellKind, Mesh};

/// A determinant below this multiple of the cube of the longest edge counts as zero.
const ZERO_DETERMINANT_RATIO: f64 = 1e-12;

/// Validity of a cell, judged by the sign of its Jacobian determinant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellValidity {
    /// det J is positive at every corner and Gauss point.
    Valid,
    /// det J is nowhere negative and vanishes somewhere, relative to the cube of the longest edge.
    Degenerate,
    /// det J is negative somewhere.
    Inverted,
}

/// Signed volume of solid cell `i`, m³; 0 for cells of lower dimension.
pub fn cell_volume(mesh: &Mesh, i: usize) -> f64 {
    let kind = mesh.kinds[i];
    let cell = mesh.cell(i);
    jacobian_points(kind)
        .iter()
        .filter(|s| s.weight != 0.0)
        .map(|s| s.weight * determinant(mesh, cell, &s.gradients))
        .sum()
}

/// Checks the Jacobian of solid cell `i` at its corners and Gauss points; cells of lower dimension are valid.
pub fn cell_validity(mesh: &Mesh, i: usize) -> CellValidity {
    let kind = mesh.kinds[i];
    let cell = mesh.cell(i);
    if kind.dimension() != 3 {
        return CellValidity::Valid;
    }
    let longest = kind
        .edges()
        .iter()
        .map(|e| {
            norm(sub(
                mesh.points[cell[e[0] as usize] as usize],
                mesh.points[cell[e[1] as usize] as usize],
            ))
        })
        .fold(0.0, f64::max);
    let zero = ZERO_DETERMINANT_RATIO * longest.powi(3);
    let least = jacobian_points(kind)
        .iter()
        .map(|s| determinant(mesh, cell, &s.gradients))
        .fold(f64::INFINITY, f64::min);
    if least > zero {
        CellValidity::Valid
    } else if least >= -zero {
        CellValidity::Degenerate
    } else {
        CellValidity::Inverted
    }
}

fn determinant(mesh: &Mesh, cell: &[u32], gradients: &[[f64; 3]]) -> f64 {
    let mut j = [[0.0; 3]; 3];
    // Positions relative to the first node keep their digits far from the origin.
    let o = mesh.points[cell[0] as usize];
    for (&n, g) in cell.iter().zip(gradients) {
        let x = sub(mesh.points[n as usize], o);
        for (column, &d) in j.iter_mut().zip(g) {
            for k in 0..3 {
                column[k] += x[k] * d;
            }
        }
    }
    dot(cross(j[0], j[1]), j[2])
}

/// Shape-function gradients at a reference point where the Jacobian is checked; corners have weight 0.
struct JacobianPoint {
    weight: f64,
    gradients: Vec<[f64; 3]>,
}

fn jacobian_points(kind: CellKind) -> &'static [JacobianPoint] {
    static TABLES: OnceLock<Vec<Vec<JacobianPoint>>> = OnceLock::new();
    &TABLES.get_or_init(|| CellKind::ALL.iter().map(|&k| build_points(k)).collect())[kind as usize]
}

fn build_points(kind: CellKind) -> Vec<JacobianPoint> {
    let Some(map) = kind.info().reference_map else {
        return Vec::new();
    };
    (map.jacobian_points)()
        .into_iter()
        .map(|(x, weight)| JacobianPoint {
            weight,
            gradients: (map.functions)(x).1,
        })
        .collect()
}
