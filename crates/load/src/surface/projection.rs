//! Positive semi-definite part of the symmetric matrix of a face: negative eigenvalues become zero.
//!
//! The eigenvalues come from cyclic Jacobi rotations [Golub & Van Loan 2013, §8.5]. The matrix of a face has 9 to 27 rows;
//! a body has far fewer faces than elements, and projected matrices are needed only where the exact one fails.

use mesh::element::MAX_FACE_NODES;

use sparse::blocks::Block;

/// Largest number of rows.
const N: usize = 3 * MAX_FACE_NODES;

/// Largest number of sweeps; five to eight are enough for full accuracy.
const MAX_SWEEPS: usize = 30;

/// Returns the positive semi-definite part of a symmetric matrix of `nodes` × `nodes` blocks as a function of the block.
pub(super) fn positive_part(
    nodes: usize,
    block: impl Fn(usize, usize) -> Block,
) -> impl Fn(usize, usize) -> Block {
    let n = 3 * nodes;
    let mut a = [[0.0; N]; N];
    for (i, row) in a.iter_mut().enumerate().take(n) {
        for (j, entry) in row.iter_mut().enumerate().take(n) {
            *entry = block(i / 3, j / 3)[3 * (i % 3) + j % 3];
        }
    }
    let mut vectors = [[0.0; N]; N];
    (0..n).for_each(|i| vectors[i][i] = 1.0);
    diagonalize(n, &mut a, &mut vectors);
    // a ← V max(Λ, 0) Vᵀ; the rows of `vectors` are the eigenvectors.
    let values: [f64; N] = std::array::from_fn(|i| a[i][i].max(0.0));
    move |p, q| {
        std::array::from_fn(|at| {
            let (i, j) = (3 * p + at / 3, 3 * q + at % 3);
            let term = |k: usize| values[k] * vectors[k][i] * vectors[k][j];
            (0..n).map(term).sum()
        })
    }
}

/// Diagonalizes the leading n × n part of a symmetric matrix by Jacobi rotations and applies them to the rows of `vectors`.
fn diagonalize(n: usize, a: &mut [[f64; N]; N], vectors: &mut [[f64; N]; N]) {
    let square: f64 = a.as_flattened().iter().map(|x| x * x).sum();
    for _ in 0..MAX_SWEEPS {
        let lower = (0..n).flat_map(|i| (0..i).map(move |j| (i, j)));
        let off: f64 = lower.map(|(i, j)| a[i][j] * a[i][j]).sum();
        if off <= f64::EPSILON * f64::EPSILON * square {
            return;
        }
        for p in 0..n {
            for q in p + 1..n {
                if a[p][q] != 0.0 {
                    rotate(n, a, vectors, p, q);
                }
            }
        }
    }
}

/// Applies the rotation that annihilates a_pq.
fn rotate(n: usize, a: &mut [[f64; N]; N], vectors: &mut [[f64; N]; N], p: usize, q: usize) {
    let tau = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
    let t = 1.0f64.copysign(tau) / (tau.abs() + tau.hypot(1.0));
    let c = 1.0 / t.hypot(1.0);
    let s = t * c;
    for k in 0..n {
        let (x, y) = (a[k][p], a[k][q]);
        (a[k][p], a[k][q]) = (c * x - s * y, s * x + c * y);
    }
    for rows in [a, vectors] {
        for k in 0..n {
            let (x, y) = (rows[p][k], rows[q][k]);
            (rows[p][k], rows[q][k]) = (c * x - s * y, s * x + c * y);
        }
    }
}
