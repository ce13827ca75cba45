//! Finite elements: shape functions and quadrature on reference cells, tabulated for each kind of cell.

mod face;
pub(crate) mod hex;
pub(crate) mod prism;
pub(crate) mod pyramid;
pub(crate) mod tet;

pub use face::{FaceElement, FacePoint, MAX_FACE_NODES};

use crate::{CELL_KINDS, CellKind, CellShape};

/// Quadrature point of a reference cell: its weight, and values and derivatives of the shape functions there.
#[derive(Clone, Debug)]
pub struct QuadraturePoint {
    /// Quadrature weight in the reference cell.
    pub weight: f64,
    /// Values N_a of the shape functions.
    pub n: Vec<f64>,
    /// Derivatives ∂N_a/∂ξ of the shape functions.
    pub dn: Vec<[f64; 3]>,
}

/// Finite element of a kind of cell: shape functions tabulated at its quadrature points.
#[derive(Clone, Debug)]
pub struct Element {
    /// The kind of cell.
    pub kind: CellKind,
    /// Quadrature points of the strain energy.
    pub points: Vec<QuadraturePoint>,
    /// Quadrature points of the mass matrix, exact for products of two shape functions on undistorted cells.
    pub mass_points: Vec<QuadraturePoint>,
}

/// Quadrature rules of a finite element, as listed in the table of cell kinds.
#[derive(Clone, Copy, Debug)]
pub struct ElementQuadrature {
    /// One-line description of the element for listings.
    pub description: &'static str,
    /// Points and weights that integrate the strain energy.
    pub energy: fn() -> Vec<([f64; 3], f64)>,
    /// Points and weights that integrate products of two shape functions exactly on undistorted cells.
    pub mass: fn() -> Vec<([f64; 3], f64)>,
}

/// Values and derivatives of all shape functions of a cell at a reference point.
pub type ShapeValues = (Vec<f64>, Vec<[f64; 3]>);

/// Function that evaluates the shape functions of a cell at a reference point.
pub type ShapeFunctions = fn([f64; 3]) -> ShapeValues;

/// Lists the cell kinds that have a finite element, with their quadrature rules.
pub fn elements() -> impl Iterator<Item = (CellKind, &'static ElementQuadrature)> {
    CELL_KINDS
        .iter()
        .filter_map(|c| Some((c.kind, c.quadrature.as_ref()?)))
}

/// Names of all [`elements`] as a phrase for messages: "a, b or c".
pub fn element_names() -> String {
    let names: Vec<&str> = elements().map(|(kind, _)| kind.name()).collect();
    match names.as_slice() {
        [rest @ .., last] if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => names.concat(),
    }
}

impl Element {
    /// Builds the finite element of a kind of cell. Returns `None` if the kind has none.
    pub fn of(kind: CellKind) -> Option<Element> {
        let quadrature = kind.info().quadrature?;
        let shape = kind.info().reference_map?.functions;
        let table = |points: Vec<([f64; 3], f64)>| {
            points
                .into_iter()
                .map(|(xi, weight)| {
                    let (n, dn) = shape(xi);
                    QuadraturePoint { weight, n, dn }
                })
                .collect()
        };
        Some(Element {
            kind,
            points: table((quadrature.energy)()),
            mass_points: table((quadrature.mass)()),
        })
    }
}

/// Reference positions of the nodes of a kind of cell. Returns `None` if the kind has no finite element.
pub fn reference_nodes(kind: CellKind) -> Option<Vec<[f64; 3]>> {
    kind.info().quadrature?;
    let n = kind.node_count();
    Some(match kind.has_shape(CellShape::Tetrahedron) {
        true => tet::nodes(n),
        false => hex::nodes(n),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shape_functions_sum_to_one_and_their_derivatives_to_zero() {
        for (kind, _) in elements() {
            let element = Element::of(kind).unwrap();
            let volume: f64 = element.points.iter().map(|p| p.weight).sum();
            let want = if kind.has_shape(CellShape::Tetrahedron) {
                1.0 / 6.0
            } else {
                8.0
            };
            assert!((volume - want).abs() < 1e-13, "{kind:?}");
            for p in element.points.iter().chain(&element.mass_points) {
                assert_eq!(p.n.len(), kind.node_count());
                assert!((p.n.iter().sum::<f64>() - 1.0).abs() < 1e-14);
                for k in 0..3 {
                    assert!(p.dn.iter().map(|d| d[k]).sum::<f64>().abs() < 1e-13);
                }
            }
        }
    }

    #[test]
    fn shape_functions_are_one_at_their_own_node_and_derivatives_match_differences() {
        let cases: [(ShapeFunctions, Vec<[f64; 3]>); 6] = [
            (tet::linear, tet::nodes(4)),
            (tet::quadratic, tet::nodes(10)),
            (hex::linear, hex::nodes(8)),
            (hex::serendipity, hex::nodes(20)),
            (hex::quadratic, hex::nodes(27)),
            (prism::linear, prism::nodes()),
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
                let sum: f64 = tet::quadrature_points(points)
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
                let sum: f64 = hex::gauss_points(n)
                    .iter()
                    .map(|([x, _, _], w)| w * x.powi(degree as i32))
                    .sum();
                assert!((sum - want).abs() < 1e-13, "{n} points, degree {degree}");
            }
        }
    }
}
