//! Shape functions and quadrature of triangular prisms: a triangle in barycentric coordinates times −1 ≤ z ≤ 1.

use super::ShapeValues;
use super::tet;

/// Linear shape functions of the six-node prism: the triangle at z = −1, then the one at z = 1.
pub fn linear(x: [f64; 3]) -> ShapeValues {
    let l = [1.0 - x[0] - x[1], x[0], x[1]];
    let d = tet::linear(x).1;
    let (mut n, mut dn) = (Vec::new(), Vec::new());
    for side in [-1.0, 1.0] {
        for i in 0..3 {
            let h = 0.5 * (1.0 + side * x[2]);
            n.push(l[i] * h);
            dn.push([d[i][0] * h, d[i][1] * h, 0.5 * side * l[i]]);
        }
    }
    (n, dn)
}

/// Points of a prism where the Jacobian is checked: three points of a triangle times two Gauss points of a line, then the
/// corners with weight 0.
pub fn jacobian_points() -> Vec<([f64; 3], f64)> {
    let (a, b) = (1.0 / 6.0, 2.0 / 3.0);
    let gauss2 = (1.0f64 / 3.0).sqrt();
    let mut p = Vec::new();
    for z in [-gauss2, gauss2] {
        p.extend([[a, a], [b, a], [a, b]].map(|[r, s]| ([r, s, z], 1.0 / 6.0)));
    }
    for z in [-1.0, 1.0] {
        p.extend([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]].map(|[r, s]| ([r, s, z], 0.0)));
    }
    p
}

/// Reference positions of the nodes.
#[cfg(test)]
pub fn nodes() -> Vec<[f64; 3]> {
    jacobian_points()[6..].iter().map(|(x, _)| *x).collect()
}
