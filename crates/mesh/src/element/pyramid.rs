//! Pyramids: hexahedra whose top has shrunk to a point.

use super::ShapeValues;
use super::hex;

/// Five nodes: the base, then the tip, which is all four corners of the hexahedron's top.
pub fn linear(x: [f64; 3]) -> ShapeValues {
    let (n, dn) = hex::linear(x);
    let add = |a: [f64; 3], b: &[f64; 3]| [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
    let tip = dn[4..].iter().fold([0.0; 3], add);
    (
        n[..4]
            .iter()
            .copied()
            .chain([n[4..].iter().sum()])
            .collect(),
        dn[..4].iter().copied().chain([tip]).collect(),
    )
}

/// 2×2×2 Gauss points of the hexahedron, and the corners of the base with weight 0; at the tip det J vanishes.
pub fn samples() -> Vec<([f64; 3], f64)> {
    let corners = hex::NODES[..4].iter().map(|s| (s.map(f64::from), 0.0));
    hex::brick(2).into_iter().chain(corners).collect()
}
