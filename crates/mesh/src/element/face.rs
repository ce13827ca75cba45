//! Finite elements of the faces of solid cells: shape functions and quadrature on reference triangles and quadrilaterals.
//!
//! A face has the shape functions of its cell, restricted to it. So those of `tri6` are the functions of `tet10` at ζ = 0,
//! and those of `quad8` are the functions of `hex20` at ζ = −1. Triangles are 0 ≤ ξ, η, ξ + η ≤ 1, quadrilaterals
//! [−1, 1]². The rules integrate N_a (∂x/∂ξ × ∂x/∂η) exactly for any positions of the nodes: linear integrands on `tri3`,
//! degree 4 on `tri6`, degree 2 and 5 in each direction on `quad4` and the quadratic quadrilaterals.

use super::{ShapeFunctions, hex, tet};
use crate::CellKind;

/// Largest number of nodes of a face.
pub const MAX_FACE_NODES: usize = 9;

/// Quadrature point of a reference face: its weight, and values and derivatives of the shape functions there. Entries
/// beyond the number of nodes are zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FacePoint {
    /// Quadrature weight in the reference face.
    pub weight: f64,
    /// Values N_a of the shape functions.
    pub n: [f64; MAX_FACE_NODES],
    /// Derivatives (∂N_a/∂ξ, ∂N_a/∂η) of the shape functions.
    pub dn: [[f64; 2]; MAX_FACE_NODES],
}

/// Finite element of a kind of face: shape functions tabulated at its quadrature points.
#[derive(Clone, Debug, PartialEq)]
pub struct FaceElement {
    /// The kind of face, such as [`CellKind::Quad8`].
    pub kind: CellKind,
    /// Quadrature points.
    pub points: Vec<FacePoint>,
}

/// Nodes of the tetrahedron's face ζ = 0: corners and mid-edge nodes in the order of a triangle.
const TRIANGLE_NODES: [usize; 6] = [0, 1, 2, 4, 5, 6];

/// Nodes of the hexahedron's face ζ = −1: corners, mid-edge nodes and the mid-face node in the order of a quadrilateral.
const QUADRILATERAL_NODES: [usize; 9] = [0, 1, 2, 3, 8, 9, 10, 11, 24];

impl FaceElement {
    /// Builds the finite element of a kind of face. Returns `None` if the kind is not a face.
    pub fn of(kind: CellKind) -> Option<FaceElement> {
        let (solid, zeta, rule): (ShapeFunctions, f64, _) = match kind {
            CellKind::Tri3 => (tet::linear, 0.0, centroid()),
            CellKind::Tri6 => (tet::quadratic, 0.0, six_points()),
            CellKind::Quad4 => (hex::linear, -1.0, gauss_square(2)),
            CellKind::Quad8 => (hex::serendipity, -1.0, gauss_square(3)),
            CellKind::Quad9 => (hex::quadratic, -1.0, gauss_square(3)),
            _ => return None,
        };
        let of_solid: &[usize] = match kind.corner_count() {
            3 => &TRIANGLE_NODES,
            _ => &QUADRILATERAL_NODES,
        };
        let tabulate = |([xi, eta], weight): ([f64; 2], f64)| {
            let (values, slopes) = solid([xi, eta, zeta]);
            let (mut n, mut dn) = ([0.0; MAX_FACE_NODES], [[0.0; 2]; MAX_FACE_NODES]);
            for (a, &node) in of_solid[..kind.node_count()].iter().enumerate() {
                n[a] = values[node];
                dn[a] = [slopes[node][0], slopes[node][1]];
            }
            FacePoint { weight, n, dn }
        };
        Some(FaceElement {
            kind,
            points: rule.into_iter().map(tabulate).collect(),
        })
    }

    /// Returns the kind of face with these numbers of corners and nodes. Returns `None` if there is no such face.
    pub fn kind_of(corners: usize, nodes: usize) -> Option<CellKind> {
        match (corners, nodes) {
            (3, 3) => Some(CellKind::Tri3),
            (3, 6) => Some(CellKind::Tri6),
            (4, 4) => Some(CellKind::Quad4),
            (4, 8) => Some(CellKind::Quad8),
            (4, 9) => Some(CellKind::Quad9),
            _ => None,
        }
    }
}

/// The rule of degree 1 on the triangle.
fn centroid() -> Vec<([f64; 2], f64)> {
    vec![([1.0 / 3.0; 2], 0.5)]
}

/// The six-point rule of degree 4 on the triangle, in closed form (Cowper 1973; Dunavant 1985, p = 4).
fn six_points() -> Vec<([f64; 2], f64)> {
    let ten = 10.0f64.sqrt();
    let spread = (38.0 - 44.0 * 0.4f64.sqrt()).sqrt();
    let share = (213_125.0 - 53_320.0 * ten).sqrt();
    let mut points = Vec::with_capacity(6);
    for sign in [1.0, -1.0] {
        let a = (8.0 - ten + sign * spread) / 18.0;
        let weight = 0.5 * (620.0 + sign * share) / 3720.0;
        let b = 1.0 - 2.0 * a;
        points.extend([[a, a], [b, a], [a, b]].map(|x| (x, weight)));
    }
    points
}

/// Gauss–Legendre points and weights on the square, `n` in each direction.
fn gauss_square(n: usize) -> Vec<([f64; 2], f64)> {
    let line = hex::gauss_line(n);
    let row = |&(y, wy): &(f64, f64)| line.iter().map(move |&(x, wx)| ([x, y], wx * wy));
    line.iter().flat_map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINDS: [CellKind; 5] = [
        CellKind::Tri3,
        CellKind::Tri6,
        CellKind::Quad4,
        CellKind::Quad8,
        CellKind::Quad9,
    ];

    #[test]
    fn face_functions_sum_to_one_and_integrate_to_the_textbook_shares() {
        // Textbook shares of a uniform traction at a corner, a mid-edge node and the centre.
        let shares: [[f64; 3]; 5] = [
            [1.0 / 3.0, 0.0, 0.0],
            [0.0, 1.0 / 3.0, 0.0],
            [0.25, 0.0, 0.0],
            [-1.0 / 12.0, 1.0 / 3.0, 0.0],
            [1.0 / 36.0, 1.0 / 9.0, 4.0 / 9.0],
        ];
        for (kind, share) in KINDS.into_iter().zip(shares) {
            let element = FaceElement::of(kind).unwrap();
            let corners = kind.corner_count();
            assert_eq!(FaceElement::kind_of(corners, kind.node_count()), Some(kind));
            let area = if corners == 3 { 0.5 } else { 4.0 };
            for a in 0..MAX_FACE_NODES {
                let sum: f64 = element.points.iter().map(|p| p.weight * p.n[a]).sum();
                let want = match a {
                    _ if a >= kind.node_count() => 0.0,
                    _ if a < corners => share[0],
                    _ if a < 2 * corners => share[1],
                    _ => share[2],
                };
                assert!((sum / area - want).abs() < 1e-14, "{kind:?} {a}: {sum}");
            }
            for p in &element.points {
                assert!((p.n.iter().sum::<f64>() - 1.0).abs() < 1e-14);
                for k in 0..2 {
                    assert!(p.dn.iter().map(|d| d[k]).sum::<f64>().abs() < 1e-13);
                }
            }
        }
        assert!(FaceElement::of(CellKind::Line2).is_none());
        assert!(FaceElement::kind_of(4, 7).is_none());
    }

    #[test]
    fn face_rules_are_exact_to_their_degree() {
        // ∫ x^i y^j over the reference triangle is i! j! / (i + j + 2)!.
        let factorial = |n: i32| (1..=n).map(f64::from).product::<f64>();
        for (rule, degree) in [(centroid(), 1), (six_points(), 4)] {
            for (i, j) in (0..=degree).flat_map(|i| (0..=degree - i).map(move |j| (i, j))) {
                let want = factorial(i) * factorial(j) / factorial(i + j + 2);
                let sum: f64 = rule
                    .iter()
                    .map(|([x, y], w)| w * x.powi(i) * y.powi(j))
                    .sum();
                assert!((sum - want).abs() < 1e-15, "{i} {j}: {sum} {want}");
            }
        }
        for (n, degree) in [(2, 3), (3, 5)] {
            for (i, j) in (0..=degree).flat_map(|i| (0..=degree).map(move |j| (i, j))) {
                let line = |k: i32| f64::from(1 - k % 2) * 2.0 / f64::from(k + 1);
                let rule = gauss_square(n);
                let sum: f64 = rule
                    .iter()
                    .map(|([x, y], w)| w * x.powi(i) * y.powi(j))
                    .sum();
                assert!((sum - line(i) * line(j)).abs() < 1e-14, "{n}: {i} {j}");
            }
        }
    }
}
