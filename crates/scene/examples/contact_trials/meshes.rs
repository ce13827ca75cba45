//! Meshes of the trials as texts of files.

use std::fmt::Write;

/// An open funnel around the y axis as an OBJ file: rings of vertices and the triangles between them.
pub fn funnel_mesh(around: usize) -> String {
    // Radius and height of each ring, m.
    let rings = [(0.075, -0.12), (0.075, 0.0), (0.16, 0.1), (0.25, 0.2)];
    let mut text = String::new();
    for (radius, y) in rings {
        for k in 0..around {
            let (s, c) = (std::f64::consts::TAU * k as f64 / around as f64).sin_cos();
            // Writing into a String cannot fail.
            let _ = writeln!(text, "v {} {y} {}", radius * c, radius * s);
        }
    }
    for ring in 0..rings.len() - 1 {
        for k in 0..around {
            let at = |r: usize, k: usize| r * around + k % around + 1;
            let [a, b] = [at(ring, k), at(ring, k + 1)];
            let [c, d] = [at(ring + 1, k), at(ring + 1, k + 1)];
            let _ = writeln!(text, "f {a} {b} {c}\nf {b} {d} {c}");
        }
    }
    text
}

/// A cube of hexahedra around the origin as a Medit file: `cells` cells a side.
pub fn die_mesh(cells: usize, size: f64) -> String {
    let side = cells + 1;
    let mut text = format!(
        "MeshVersionFormatted 2\nDimension 3\nVertices\n{}\n",
        side.pow(3)
    );
    // Writing into a String cannot fail.
    for n in 0..side.pow(3) {
        let [x, y, z] = [n % side, n / side % side, n / (side * side)]
            .map(|i| size * (i as f64 / cells as f64 - 0.5));
        let _ = writeln!(text, "{x} {y} {z} 0");
    }
    let _ = writeln!(text, "Hexahedra\n{}", cells.pow(3));
    for n in 0..cells.pow(3) {
        let [i, j, k] = [n % cells, n / cells % cells, n / (cells * cells)];
        let low = i + side * (j + side * k) + 1;
        let quad = [0, 1, side + 1, side].map(|offset| low + offset);
        let high = quad.map(|v| v + side * side);
        for v in quad.iter().chain(&high) {
            let _ = write!(text, "{v} ");
        }
        let _ = writeln!(text, "0");
    }
    text + "End\n"
}

/// A ball as a Medit file: a grid of `cells` cells a side whose cubes are mapped radially onto spheres, each cell cut into six
/// tetrahedra around its diagonal.
pub fn ball_mesh(cells: usize, radius: f64) -> String {
    let side = cells + 1;
    let mut text = format!(
        "MeshVersionFormatted 2\nDimension 3\nVertices\n{}\n",
        side.pow(3)
    );
    for n in 0..side.pow(3) {
        let p = [n % side, n / side % side, n / (side * side)]
            .map(|i| 2.0 * i as f64 / cells as f64 - 1.0);
        let largest = p.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        let length = p.iter().map(|x| x * x).sum::<f64>().sqrt();
        let scale = radius * if length > 0.0 { largest / length } else { 0.0 };
        let [x, y, z] = p.map(|x| scale * x);
        // Writing into a String cannot fail.
        let _ = writeln!(text, "{x} {y} {z} 0");
    }
    let _ = writeln!(text, "Tetrahedra\n{}", 6 * cells.pow(3));
    // Steps along the axes from the first corner of a cell to the opposite one, and the orientation of the tetrahedron.
    let strides = [1, side, side * side];
    let orders = [
        [0, 1, 2],
        [1, 2, 0],
        [2, 0, 1],
        [1, 0, 2],
        [0, 2, 1],
        [2, 1, 0],
    ];
    for n in 0..cells.pow(3) {
        let [i, j, k] = [n % cells, n / cells % cells, n / (cells * cells)];
        let first = i + side * (j + side * k) + 1;
        for (number, [a, b, _]) in orders.into_iter().enumerate() {
            let second = first + strides[a];
            let third = second + strides[b];
            let last = first + strides.iter().sum::<usize>();
            let [second, third] = if number < 3 {
                [second, third]
            } else {
                [third, second]
            };
            let _ = writeln!(text, "{first} {second} {third} {last} 0");
        }
    }
    text + "End\n"
}
