//! How a cell's map from its reference shape squeezes space: J(ξ) = Σ xₐ ⊗ ∇Nₐ(ξ).
//!
//! The volume is ∫ det J over the reference cell, by rules that are exact for each kind's polynomial (Zienkiewicz &
//! Taylor, *The Finite Element Method*, ch. 5): one point for tet4, 5 points (degree 3) for tet10, 2×2×2 Gauss for hex8,
//! 3×3×3 for hex20 and hex27, 3×2 for prism6. A pyramid is a hexahedron whose top has shrunk to a point.
//! A cell is inverted where det J < 0 at a Gauss point or a corner.

use std::sync::OnceLock;

use super::vector::{cross, dot, norm, sub};
use super::{Kind, Mesh};

/// Below this multiple of the cube of the longest edge, det J counts as zero.
const FLAT: f64 = 1e-12;

/// Whether a cell maps its reference shape one to one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// det J is positive at every corner and Gauss point.
    Good,
    /// det J vanishes somewhere, against the cube of the longest edge, and is nowhere negative.
    Degenerate,
    /// det J is negative somewhere.
    Inverted,
}

/// Signed volume of solid cell `i`, m³; 0 for lines and faces.
pub fn volume(mesh: &Mesh, i: usize) -> f64 {
    let kind = mesh.kinds[i];
    let cell = mesh.cell(i);
    samples(kind)
        .iter()
        .filter(|s| s.weight != 0.0)
        .map(|s| s.weight * determinant(mesh, cell, &s.gradients))
        .sum()
}

/// Whether solid cell `i` is good, degenerate or inverted; lines and faces are good.
pub fn form(mesh: &Mesh, i: usize) -> Form {
    let kind = mesh.kinds[i];
    let cell = mesh.cell(i);
    if kind.dimension() != 3 {
        return Form::Good;
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
    let zero = FLAT * longest.powi(3);
    let least = samples(kind)
        .iter()
        .map(|s| determinant(mesh, cell, &s.gradients))
        .fold(f64::INFINITY, f64::min);
    if least > zero {
        Form::Good
    } else if least >= -zero {
        Form::Degenerate
    } else {
        Form::Inverted
    }
}

fn determinant(mesh: &Mesh, cell: &[u32], gradients: &[[f64; 3]]) -> f64 {
    let mut j = [[0.0; 3]; 3];
    // Relative to the first node: far from the origin the differences keep their digits.
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

/// Shape-function gradients at one reference point; corners have weight 0.
struct Sample {
    weight: f64,
    gradients: Vec<[f64; 3]>,
}

fn samples(kind: Kind) -> &'static [Sample] {
    static TABLES: OnceLock<Vec<Vec<Sample>>> = OnceLock::new();
    &TABLES.get_or_init(|| Kind::ALL.iter().map(|&k| build_samples(k)).collect())[kind as usize]
}

fn build_samples(kind: Kind) -> Vec<Sample> {
    let Some(solid) = kind.info().solid else {
        return Vec::new();
    };
    (solid.samples)()
        .into_iter()
        .map(|(x, weight)| Sample {
            weight,
            gradients: (solid.functions)(x).1,
        })
        .collect()
}
