//! Finite elements: shape functions and quadrature on reference cells. One table a kind of cell.

mod hex;
mod tet;

use crate::mesh::Kind;

/// Shape functions and their derivatives at a point of the reference cell, and the point's weight.
#[derive(Clone, Debug)]
pub struct Point {
    /// Weight in the reference cell.
    pub weight: f64,
    /// N_a.
    pub n: Vec<f64>,
    /// ∂N_a/∂ξ.
    pub dn: Vec<[f64; 3]>,
}

/// How a kind of cell is integrated.
#[derive(Clone, Debug)]
pub struct Element {
    /// The kind of cell.
    pub kind: Kind,
    /// Points at which the energy is summed.
    pub points: Vec<Point>,
    /// Points that integrate products of two shape functions exactly on undistorted cells.
    pub mass_points: Vec<Point>,
}

/// What `supple list elements` shows.
#[derive(Clone, Copy, Debug)]
pub struct ElementInfo {
    /// The kind of cell.
    pub kind: Kind,
    /// One line for people.
    pub description: &'static str,
}

/// Every element a body can be made of.
pub const ELEMENTS: &[ElementInfo] = &[
    ElementInfo {
        kind: Kind::Tet4,
        description: "linear tetrahedron, one point",
    },
    ElementInfo {
        kind: Kind::Hex8,
        description: "trilinear hexahedron, 2x2x2 Gauss points",
    },
    ElementInfo {
        kind: Kind::Tet10,
        description: "quadratic tetrahedron, four points",
    },
    ElementInfo {
        kind: Kind::Hex20,
        description: "serendipity hexahedron, 3x3x3 Gauss points",
    },
    ElementInfo {
        kind: Kind::Hex27,
        description: "triquadratic hexahedron, 3x3x3 Gauss points",
    },
];

/// Shape functions and derivatives of a kind of cell at a point, if solids can be made of it.
fn shape(kind: Kind) -> Option<fn([f64; 3]) -> Shape> {
    Some(match kind {
        Kind::Tet4 => tet::linear,
        Kind::Tet10 => tet::quadratic,
        Kind::Hex8 => hex::linear,
        Kind::Hex20 => hex::serendipity,
        Kind::Hex27 => hex::quadratic,
        _ => return None,
    })
}

/// ∂N/∂ξ of all nodes at a point; empty for cells that cannot carry stress.
pub(crate) fn shape_gradients(kind: Kind, xi: [f64; 3]) -> Vec<[f64; 3]> {
    shape(kind).map(|shape| shape(xi).1).unwrap_or_default()
}

pub(crate) use hex::NODES as HEX_NODES;

impl Element {
    /// The element of a kind of cell, if solids can be made of it.
    pub fn of(kind: Kind) -> Option<Element> {
        let shape = shape(kind)?;
        let (points, mass_points) = match kind {
            Kind::Tet4 => (tet::points(1), tet::points(4)),
            Kind::Tet10 => (tet::points(4), tet::points(24)),
            Kind::Hex8 => (hex::points(2), hex::points(3)),
            _ => (hex::points(3), hex::points(4)),
        };
        let table = |points: Vec<([f64; 3], f64)>| {
            points
                .into_iter()
                .map(|(xi, weight)| {
                    let (n, dn) = shape(xi);
                    Point { weight, n, dn }
                })
                .collect()
        };
        Some(Element {
            kind,
            points: table(points),
            mass_points: table(mass_points),
        })
    }
}

/// Reference positions of the nodes of a kind of cell.
#[cfg(test)]
pub(crate) fn reference_nodes(kind: Kind) -> Vec<[f64; 3]> {
    let n = kind.node_count();
    if matches!(kind, Kind::Tet4 | Kind::Tet10) {
        tet::nodes(n)
    } else {
        hex::nodes(n)
    }
}

/// Values and derivatives of all shape functions of a cell at a point.
type Shape = (Vec<f64>, Vec<[f64; 3]>);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shape_functions_sum_to_one_and_their_derivatives_to_zero() {
        for info in ELEMENTS {
            let element = Element::of(info.kind).unwrap();
            let volume: f64 = element.points.iter().map(|p| p.weight).sum();
            let want = if matches!(info.kind, Kind::Tet4 | Kind::Tet10) {
                1.0 / 6.0
            } else {
                8.0
            };
            assert!((volume - want).abs() < 1e-13, "{:?}", info.kind);
            for p in element.points.iter().chain(&element.mass_points) {
                assert_eq!(p.n.len(), info.kind.node_count());
                assert!((p.n.iter().sum::<f64>() - 1.0).abs() < 1e-14);
                for k in 0..3 {
                    assert!(p.dn.iter().map(|d| d[k]).sum::<f64>().abs() < 1e-13);
                }
            }
        }
    }

    #[test]
    fn shape_functions_are_one_at_their_own_node_and_derivatives_match_differences() {
        type Case = (fn([f64; 3]) -> Shape, Vec<[f64; 3]>);
        let cases: [Case; 5] = [
            (tet::linear, tet::nodes(4)),
            (tet::quadratic, tet::nodes(10)),
            (hex::linear, hex::nodes(8)),
            (hex::serendipity, hex::nodes(20)),
            (hex::quadratic, hex::nodes(27)),
        ];
        for (shape, nodes) in cases {
            for (a, xi) in nodes.iter().enumerate() {
                for (b, n) in shape(*xi).0.iter().enumerate() {
                    assert!(
                        (n - f64::from(u8::from(a == b))).abs() < 1e-14,
                        "{} nodes, {a} {b}",
                        nodes.len()
                    );
                }
            }
            let (at, eps) = ([0.21, 0.17, 0.3], 1e-6);
            let dn = shape(at).1;
            for k in 0..3 {
                let (mut plus, mut minus) = (at, at);
                plus[k] += eps;
                minus[k] -= eps;
                let (p, m) = (shape(plus).0, shape(minus).0);
                for a in 0..nodes.len() {
                    assert!((dn[a][k] - (p[a] - m[a]) / (2.0 * eps)).abs() < 1e-8);
                }
            }
        }
    }

    #[test]
    fn quadrature_is_exact_to_its_degree() {
        // ∫ x^i y^j z^k over the reference tetrahedron is i! j! k! / (i + j + k + 3)!.
        let factorial = |n: u32| (1..=n).map(f64::from).product::<f64>();
        for (points, degree) in [(1, 1), (4, 2), (24, 6)] {
            for (i, j, k) in (0..=degree)
                .flat_map(|i| (0..=degree).flat_map(move |j| (0..=degree).map(move |k| (i, j, k))))
            {
                if i + j + k > degree {
                    continue;
                }
                let want = factorial(i) * factorial(j) * factorial(k) / factorial(i + j + k + 3);
                let sum: f64 = tet::points(points)
                    .iter()
                    .map(|([x, y, z], w)| {
                        w * x.powi(i as i32) * y.powi(j as i32) * z.powi(k as i32)
                    })
                    .sum();
                assert!(
                    (sum - want).abs() < 1e-15,
                    "{points} points, {i} {j} {k}: {sum} {want}"
                );
            }
        }
        for n in 1..=4 {
            for degree in 0..2 * n {
                let want = if degree % 2 == 1 {
                    0.0
                } else {
                    8.0 / f64::from(degree as i32 + 1)
                };
                let sum: f64 = hex::points(n)
                    .iter()
                    .map(|([x, _, _], w)| w * x.powi(degree as i32))
                    .sum();
                assert!((sum - want).abs() < 1e-13, "{n} points, degree {degree}");
            }
        }
    }
}
