//! How a cell's map from its reference shape squeezes space: J(ξ) = Σ xₐ ⊗ ∇Nₐ(ξ).
//!
//! The volume is ∫ det J over the reference cell, by rules that are exact for each kind's polynomial (Zienkiewicz &
//! Taylor, *The Finite Element Method*, ch. 5): one point for tet4, 5 points (degree 3) for tet10, 2×2×2 Gauss for hex8,
//! 3×3×3 for hex20 and hex27, 3×2 for prism6. A pyramid is a hexahedron whose top has shrunk to a point.
//! A cell is inverted where det J < 0 at a Gauss point or a corner.

use crate::element::{HEX_NODES, shape_gradients};
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
    let gauss2 = (1.0f64 / 3.0).sqrt();
    let gauss3 = 0.6f64.sqrt();
    let two = [(-gauss2, 1.0), (gauss2, 1.0)];
    let three = [(-gauss3, 5.0 / 9.0), (0.0, 8.0 / 9.0), (gauss3, 5.0 / 9.0)];
    let brick = |rule: &[(f64, f64)]| {
        let mut points = Vec::new();
        for &(z, wz) in rule {
            for &(y, wy) in rule {
                for &(x, wx) in rule {
                    points.push(([x, y, z], wx * wy * wz));
                }
            }
        }
        points
    };
    let corners = |n: usize| HEX_NODES[..n].iter().map(|s| (s.map(f64::from), 0.0));
    let points: Vec<([f64; 3], f64)> = match kind {
        Kind::Tet4 => vec![([0.25; 3], 1.0 / 6.0)],
        Kind::Tet10 => {
            let (a, b) = (1.0 / 6.0, 0.5);
            let w = 0.45 / 6.0;
            let mut p = vec![([0.25; 3], -0.8 / 6.0)];
            p.extend([[a, a, a], [b, a, a], [a, b, a], [a, a, b]].map(|x| (x, w)));
            p.extend(TET_CORNERS.map(|x| (x, 0.0)));
            p
        }
        Kind::Hex8 => brick(&two).into_iter().chain(corners(8)).collect(),
        Kind::Hex20 | Kind::Hex27 => brick(&three).into_iter().chain(corners(8)).collect(),
        Kind::Pyramid5 => brick(&two).into_iter().chain(corners(4)).collect(),
        Kind::Prism6 => {
            let (a, b) = (1.0 / 6.0, 2.0 / 3.0);
            let mut p = Vec::new();
            for (z, _) in two {
                p.extend([[a, a], [b, a], [a, b]].map(|[r, s]| ([r, s, z], 1.0 / 6.0)));
            }
            for z in [-1.0, 1.0] {
                p.extend([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]].map(|[r, s]| ([r, s, z], 0.0)));
            }
            p
        }
        _ => Vec::new(),
    };
    points
        .into_iter()
        .map(|(x, weight)| Sample {
            weight,
            gradients: gradients(kind, x),
        })
        .collect()
}

const TET_CORNERS: [[f64; 3]; 4] = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// ∂N/∂ξ of all nodes. A pyramid is a hexahedron whose top has shrunk to a point.
fn gradients(kind: Kind, x: [f64; 3]) -> Vec<[f64; 3]> {
    match kind {
        Kind::Pyramid5 => {
            let all = shape_gradients(Kind::Hex8, x);
            let (foot, top) = all.split_at(all.len() / 2);
            let add = |a: [f64; 3], b: &[f64; 3]| [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
            foot.iter()
                .copied()
                .chain([top.iter().fold([0.0; 3], add)])
                .collect()
        }
        Kind::Prism6 => {
            let l = [1.0 - x[0] - x[1], x[0], x[1]];
            let d = shape_gradients(Kind::Tet4, x);
            let mut g = Vec::new();
            for side in [-1.0, 1.0] {
                for i in 0..3 {
                    let h = 0.5 * (1.0 + side * x[2]);
                    g.push([d[i][0] * h, d[i][1] * h, 0.5 * side * l[i]]);
                }
            }
            g
        }
        _ => shape_gradients(kind, x),
    }
}
