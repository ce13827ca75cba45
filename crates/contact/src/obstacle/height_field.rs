//! Triangles of a height field.

use super::Frame;
use crate::Point;

/// Triangulates a height field: `heights[j * columns + i]` is the local z above the grid point (i, j), which is at
/// (i · spacing₀, j · spacing₁, 0) from the frame's origin. Triangles turn counter-clockwise seen from above.
///
/// Returns no triangles if there are fewer than two rows or columns. An incomplete last row is left out.
pub fn height_field(
    frame: &Frame,
    heights: &[f64],
    columns: usize,
    spacing: [f64; 2],
) -> (Vec<Point>, Vec<[u32; 3]>) {
    let rows = heights.len().checked_div(columns).unwrap_or(0);
    let mut points = Vec::with_capacity(rows * columns);
    for (k, &z) in heights.iter().take(rows * columns).enumerate() {
        let (i, j) = ((k % columns) as f64, (k / columns) as f64);
        points.push(frame.to_world([i * spacing[0], j * spacing[1], z]));
    }
    let mut triangles = Vec::new();
    let at = |i: usize, j: usize| (j * columns + i) as u32;
    for j in 1..rows {
        for i in 1..columns {
            let [a, b, c, d] = [at(i - 1, j - 1), at(i, j - 1), at(i, j), at(i - 1, j)];
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    (points, triangles)
}
