//! Matrices for tests: seeded random ones, and a block of vertices with the couplings of a tetrahedral mesh.
#![allow(dead_code)] // every test file uses its own part

use std::ops::{Deref, DerefMut};

use sparse::{Matrix, Pattern};

/// The seeded generator, with random vectors and matrices.
pub struct Random(base::random::Random);

impl Deref for Random {
    type Target = base::random::Random;

    fn deref(&self) -> &base::random::Random {
        &self.0
    }
}

impl DerefMut for Random {
    fn deref_mut(&mut self) -> &mut base::random::Random {
        &mut self.0
    }
}

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(base::random::Random::new(seed))
    }

    /// A vector in [-1, 1)ⁿ.
    pub fn vector(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.signed()).collect()
    }

    /// A random diagonally dominant matrix, sparse and dense.
    pub fn definite(&mut self, n: usize, density: f64) -> (Matrix, Vec<f64>) {
        let mut dense = vec![0.0; n * n];
        for i in 0..n {
            for j in 0..i {
                if self.unit() < density {
                    let value = self.signed();
                    dense[i * n + j] = value;
                    dense[j * n + i] = value;
                }
            }
        }
        for i in 0..n {
            let sum: f64 = (0..n).map(|j| dense[i * n + j].abs()).sum();
            dense[i * n + i] = sum + 0.1 + self.unit();
        }
        (Matrix::from_dense(n, &dense), dense)
    }
}

/// Gaussian elimination with partial pivoting.
pub fn dense_solve(n: usize, a: &[f64], b: &[f64]) -> Vec<f64> {
    let (mut a, mut x) = (a.to_vec(), b.to_vec());
    for k in 0..n {
        let p = (k..n)
            .max_by(|&i, &j| a[i * n + k].abs().total_cmp(&a[j * n + k].abs()))
            .unwrap();
        for j in 0..n {
            a.swap(k * n + j, p * n + j);
        }
        x.swap(k, p);
        for i in k + 1..n {
            let f = a[i * n + k] / a[k * n + k];
            for j in k..n {
                a[i * n + j] -= f * a[k * n + j];
            }
            x[i] -= f * x[k];
        }
    }
    for k in (0..n).rev() {
        for j in k + 1..n {
            x[k] -= a[k * n + j] * x[j];
        }
        x[k] /= a[k * n + k];
    }
    x
}

/// The edges of an a × b × c grid cut into tetrahedra around the long diagonal (Kuhn): 14 neighbours inside.
pub fn tet_edges(a: usize, b: usize, c: usize) -> Vec<(usize, usize)> {
    let at = |x: usize, y: usize, z: usize| (x * b + y) * c + z;
    let steps = [
        (1, 0, 0),
        (0, 1, 0),
        (0, 0, 1),
        (1, 1, 0),
        (0, 1, 1),
        (1, 0, 1),
        (1, 1, 1),
    ];
    let mut edges = Vec::new();
    for x in 0..a {
        for y in 0..b {
            for z in 0..c {
                for (dx, dy, dz) in steps {
                    if x + dx < a && y + dy < b && z + dz < c {
                        edges.push((at(x, y, z), at(x + dx, y + dy, z + dz)));
                    }
                }
            }
        }
    }
    edges
}

/// I + s K with K a network of springs along the edges of a grid of tetrahedra plus some shear: 3 unknowns a vertex.
pub fn elastic_block(a: usize, b: usize, c: usize, s: f64) -> Matrix {
    sheared_block(a, b, c, s, 0.1)
}

/// The same with a chosen stiffness across the edges; without any only rigid motions cost nothing.
pub fn sheared_block(a: usize, b: usize, c: usize, s: f64, shear: f64) -> Matrix {
    let edges = tet_edges(a, b, c);
    let vertices = a * b * c;
    let groups = (0..3 * vertices as u32).map(|i| i / 3).collect();
    let mut matrix = Matrix::identity(Pattern::blocks(groups, edges.iter().copied()));
    let place = |v: usize| [(v / (b * c)) as f64, (v / c % b) as f64, (v % c) as f64];
    for &(v, w) in &edges {
        let (p, q) = (place(v), place(w));
        let d = [q[0] - p[0], q[1] - p[1], q[2] - p[2]];
        let l2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        for i in 0..3 {
            for j in 0..3 {
                let k = s * (d[i] * d[j] / l2 + if i == j { shear } else { 0.0 });
                for (p, q, sign) in [(v, v, 1.0), (w, w, 1.0), (v, w, -1.0), (w, v, -1.0)] {
                    if 3 * p + i >= 3 * q + j {
                        let at = matrix.pattern().find(3 * p + i, 3 * q + j).unwrap();
                        matrix.values_mut()[at] += sign * k;
                    }
                }
            }
        }
    }
    matrix
}

/// The Laplacian of a grid with the neighbours outside held at zero: Σ 2 − δ, eigenvalues Σ 4 sin²(πk / 2(n + 1)).
pub fn laplacian(size: &[usize]) -> Matrix {
    let n: usize = size.iter().product();
    let mut edges = Vec::new();
    let mut stride = 1;
    for &m in size {
        edges.extend(
            (0..n)
                .filter(|i| i / stride % m + 1 < m)
                .map(|i| (i, i + stride)),
        );
        stride *= m;
    }
    let mut a = Matrix::new(Pattern::new(n, edges.iter().copied()));
    a.add_diagonal(2.0 * size.len() as f64);
    for &(i, j) in &edges {
        let k = a.pattern().find(i, j).unwrap();
        a.values_mut()[k] = -1.0;
    }
    a
}

/// The eigenvalues of [`laplacian`], ascending.
pub fn laplacian_eigenvalues(size: &[usize]) -> Vec<f64> {
    let mut all = vec![0.0];
    for &m in size {
        let axis = (1..=m).map(|k| {
            4.0 * (std::f64::consts::PI * k as f64 / (2.0 * (m as f64 + 1.0)))
                .sin()
                .powi(2)
        });
        let axis: Vec<f64> = axis.collect();
        all = all
            .iter()
            .flat_map(|a| axis.iter().map(move |b| a + b))
            .collect();
    }
    all.sort_by(f64::total_cmp);
    all
}
