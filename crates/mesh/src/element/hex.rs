//! Shape functions and quadrature of hexahedra on [−1, 1]³, in VTK's node order.

use super::ShapeValues;

/// Reference positions of the corners, then of the mid-edge, mid-face and centre nodes.
pub const NODES: [[i8; 3]; 27] = [
    [-1, -1, -1],
    [1, -1, -1],
    [1, 1, -1],
    [-1, 1, -1],
    [-1, -1, 1],
    [1, -1, 1],
    [1, 1, 1],
    [-1, 1, 1],
    [0, -1, -1],
    [1, 0, -1],
    [0, 1, -1],
    [-1, 0, -1],
    [0, -1, 1],
    [1, 0, 1],
    [0, 1, 1],
    [-1, 0, 1],
    [-1, -1, 0],
    [1, -1, 0],
    [1, 1, 0],
    [-1, 1, 0],
    [-1, 0, 0],
    [1, 0, 0],
    [0, -1, 0],
    [0, 1, 0],
    [0, 0, -1],
    [0, 0, 1],
    [0, 0, 0],
];

/// Product of three one-dimensional functions, each given as (value, derivative).
fn product(f: [(f64, f64); 3]) -> (f64, [f64; 3]) {
    let [(x, dx), (y, dy), (z, dz)] = f;
    (x * y * z, [dx * y * z, x * dy * z, x * y * dz])
}

/// Trilinear shape functions of the eight-node hexahedron.
pub fn linear(xi: [f64; 3]) -> ShapeValues {
    let hat = |s: i8, x: f64| (0.5 * (1.0 + f64::from(s) * x), 0.5 * f64::from(s));
    NODES[..8]
        .iter()
        .map(|node| product([0, 1, 2].map(|k| hat(node[k], xi[k]))))
        .unzip()
}

/// Serendipity shape functions of the twenty-node hexahedron.
pub fn serendipity(xi: [f64; 3]) -> ShapeValues {
    let hat = |s: i8, x: f64| (0.5 * (1.0 + f64::from(s) * x), 0.5 * f64::from(s));
    let bubble = |x: f64| (1.0 - x * x, -2.0 * x);
    let function = |node: &[i8; 3]| {
        if node.contains(&0) {
            return product([0, 1, 2].map(|k| {
                if node[k] == 0 {
                    bubble(xi[k])
                } else {
                    hat(node[k], xi[k])
                }
            }));
        }
        let (n, dn) = product([0, 1, 2].map(|k| hat(node[k], xi[k])));
        let factor: f64 = (0..3).map(|k| f64::from(node[k]) * xi[k]).sum::<f64>() - 2.0;
        (
            n * factor,
            [0, 1, 2].map(|k| dn[k] * factor + n * f64::from(node[k])),
        )
    };
    NODES[..20].iter().map(function).unzip()
}

/// Triquadratic Lagrange shape functions of the twenty-seven-node hexahedron.
pub fn quadratic(xi: [f64; 3]) -> ShapeValues {
    let lagrange = |s: i8, x: f64| match s {
        0 => (1.0 - x * x, -2.0 * x),
        _ => (0.5 * x * (x + f64::from(s)), x + 0.5 * f64::from(s)),
    };
    NODES
        .iter()
        .map(|node| product([0, 1, 2].map(|k| lagrange(node[k], xi[k]))))
        .unzip()
}

/// Gauss–Legendre points and weights, `n` in each direction.
pub fn gauss_points(n: usize) -> Vec<([f64; 3], f64)> {
    let line = gauss_line(n);
    let mut out = Vec::with_capacity(n * n * n);
    for (z, wz) in &line {
        for (y, wy) in &line {
            for (x, wx) in &line {
                out.push(([*x, *y, *z], wx * wy * wz));
            }
        }
    }
    out
}

/// Gauss–Legendre points and weights on [−1, 1], by Newton's method on the Legendre polynomial.
pub fn gauss_line(n: usize) -> Vec<(f64, f64)> {
    let degree = n as f64;
    (0..n)
        .map(|i| {
            let mut x = -(std::f64::consts::PI * (i as f64 + 0.75) / (degree + 0.5)).cos();
            let mut slope = 1.0;
            for _ in 0..20 {
                let (mut p, mut previous) = (1.0, 0.0);
                for k in 0..n {
                    let k = k as f64;
                    (p, previous) = (((2.0 * k + 1.0) * x * p - k * previous) / (k + 1.0), p);
                }
                slope = degree * (x * p - previous) / (x * x - 1.0);
                x -= p / slope;
            }
            (x, 2.0 / ((1.0 - x * x) * slope * slope))
        })
        .collect()
}

/// Points where the Jacobian is checked: `n` Gauss points in each direction (2 or 3), then the corners with weight 0.
pub fn jacobian_points(n: usize) -> Vec<([f64; 3], f64)> {
    let corners = NODES[..8].iter().map(|s| (s.map(f64::from), 0.0));
    gauss_points_exact(n).into_iter().chain(corners).collect()
}

/// Gauss–Legendre points from their closed forms, `n` in each direction; `n` is 2 or 3.
pub fn gauss_points_exact(n: usize) -> Vec<([f64; 3], f64)> {
    let gauss2 = (1.0f64 / 3.0).sqrt();
    let gauss3 = 0.6f64.sqrt();
    let two = [(-gauss2, 1.0), (gauss2, 1.0)];
    let three = [(-gauss3, 5.0 / 9.0), (0.0, 8.0 / 9.0), (gauss3, 5.0 / 9.0)];
    let rule: &[(f64, f64)] = if n == 2 { &two } else { &three };
    let mut points = Vec::new();
    for &(z, wz) in rule {
        for &(y, wy) in rule {
            for &(x, wx) in rule {
                points.push(([x, y, z], wx * wy * wz));
            }
        }
    }
    points
}

/// Reference positions of the first `count` nodes.
pub fn nodes(count: usize) -> Vec<[f64; 3]> {
    NODES[..count].iter().map(|n| n.map(f64::from)).collect()
}
