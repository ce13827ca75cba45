//! Order of points and cells along Morton's Z-curve (G. M. Morton 1966), for locality in memory.

use super::Mesh;

/// Permutation that sorts points along the Z-curve of their bounding box: `order[k]` is the k-th point on the curve.
/// Points with equal codes keep their order, so the result is the same on every machine.
pub fn morton_order(points: &[[f64; 3]]) -> Vec<u32> {
    let mut low = [f64::INFINITY; 3];
    let mut high = [f64::NEG_INFINITY; 3];
    for p in points {
        for k in 0..3 {
            low[k] = low[k].min(p[k]);
            high[k] = high[k].max(p[k]);
        }
    }
    // One scale for the three axes keeps the cells of the curve cubic.
    let side = (0..3).map(|k| high[k] - low[k]).fold(0.0, f64::max);
    let scale = if side > 0.0 && side.is_finite() {
        f64::from((1u32 << 21) - 1) / side
    } else {
        0.0
    };
    let mut keyed: Vec<(u64, u32)> = points
        .iter()
        .enumerate()
        .map(|(i, p)| {
            let code = |k: usize| spread(((p[k] - low[k]) * scale) as u64);
            (code(0) | code(1) << 1 | code(2) << 2, i as u32)
        })
        .collect();
    keyed.sort_unstable();
    keyed.into_iter().map(|(_, i)| i).collect()
}

/// Permutation that sorts the cells of a mesh along the Z-curve of their centroids.
pub fn morton_cell_order(mesh: &Mesh) -> Vec<u32> {
    let centroids: Vec<[f64; 3]> = mesh
        .cells()
        .map(|(_, cell)| {
            let mut sum = [0.0; 3];
            for &n in cell {
                for k in 0..3 {
                    sum[k] += mesh.points[n as usize][k];
                }
            }
            sum.map(|s| s / cell.len() as f64)
        })
        .collect();
    morton_order(&centroids)
}

/// Spreads the low 21 bits, with two zero bits between neighbours.
fn spread(x: u64) -> u64 {
    let mut x = x & 0x1f_ffff;
    x = (x | x << 32) & 0x001f_0000_0000_ffff;
    x = (x | x << 16) & 0x001f_0000_ff00_00ff;
    x = (x | x << 8) & 0x100f_00f0_0f00_f00f;
    x = (x | x << 4) & 0x10c3_0c30_c30c_30c3;
    (x | x << 2) & 0x1249_2492_4924_9249
}
