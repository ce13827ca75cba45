//! Shape functions and quadrature of pyramids, as hexahedra whose top face has collapsed to a point.

use super::ShapeValues;
use super::hex;

/// Linear shape functions of the five-node pyramid: the base, then the apex, where the four corners of the
/// hexahedron's top face coincide.
pub fn linear(x: [f64; 3]) -> ShapeValues {
    let (n, dn) = hex::linear(x);
    let add = |a: [f64; 3], b: &[f64; 3]| [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
    let apex = dn[4..].iter().fold([0.0; 3], add);
    (
        n[..4]
            .iter()
            .copied()
            .chain([n[4..].iter().sum()])
            .collect(),
        dn[..4].iter().copied().chain([apex]).collect(),
    )
}

/// Points where the Jacobian is checked: 2×2×2 Gauss points of the hexahedron, then the corners of the base with
/// weight 0. The apex is left out because det J vanishes there.
pub fn jacobian_points() -> Vec<([f64; 3], f64)> {
    let corners = hex::NODES[..4].iter().map(|s| (s.map(f64::from), 0.0));
    hex::gauss_points_exact(2)
        .into_iter()
        .chain(corners)
        .collect()
}
