//! The coarse level: the matrix Pᵀ A P on the functions of the aggregates, factored by Cholesky.

use crate::cholesky::Cholesky;
use crate::error::{FactorError, SolveError};
use crate::matrix::Matrix;
use crate::pattern::Pattern;
use crate::solver::LinearSolver;

use super::aggregates::{Aggregates, FUNCTIONS};
use super::block_rows::{BlockRows, Vec3};

/// The coarse matrix and its factor.
#[derive(Default)]
pub(super) struct Coarse {
    matrix: Option<Matrix>,
    solver: Cholesky,
    /// The first coarse unknown of each aggregate, and the end: three for each function.
    first: Vec<u32>,
    /// A coarse vector.
    x: Vec<f64>,
    /// The aggregates that a row is coupled with, and the row's blocks times the functions on each of them.
    touched: Vec<u32>,
    sums: Vec<[[f64; 9]; FUNCTIONS]>,
    slot: Vec<u32>,
}

impl Coarse {
    /// Creates the pattern for other aggregates.
    pub fn reshape(&mut self, a: &BlockRows, aggregates: &Aggregates) {
        let count = aggregates.functions.len();
        self.first.clear();
        self.first.push(0);
        for f in &aggregates.functions {
            self.first.push(self.first[self.first.len() - 1] + 3 * f);
        }
        let of = |v: usize| aggregates.of_vertex[v] as usize;
        let mut edges = Vec::new();
        self.slot.clear();
        self.slot.resize(count, u32::MAX);
        for v in 0..aggregates.of_vertex.len() {
            for &w in &a.columns[a.starts[v] as usize..a.starts[v + 1] as usize] {
                let (p, q) = (of(v), of(w as usize));
                // Most neighbours of a row are in few aggregates.
                if p != q && self.slot[q] != v as u32 {
                    self.slot[q] = v as u32;
                    edges.push((p.max(q), p.min(q)));
                }
            }
        }
        edges.sort_unstable();
        edges.dedup();
        let groups = (0..count)
            .flat_map(|g| std::iter::repeat_n(g as u32, 3 * aggregates.functions[g] as usize));
        self.matrix = Some(Matrix::new(Pattern::blocks(groups.collect(), edges)));
        self.x.clear();
        self.x.resize(self.first[count] as usize, 0.0);
        self.slot.fill(u32::MAX);
    }

    /// Computes Pᵀ A P and factors it.
    pub fn factor(&mut self, a: &BlockRows, aggregates: &Aggregates) -> Result<(), FactorError> {
        let Some(mut matrix) = self.matrix.take() else {
            return Ok(());
        };
        matrix.fill(0.0);
        for v in 0..aggregates.of_vertex.len() {
            self.sum_row(v, a, aggregates);
            self.add_row(v, aggregates, &mut matrix);
            add_diagonal(v, a, aggregates, &self.first, &mut matrix);
        }
        let done = self.solver.factor(&matrix);
        self.matrix = Some(matrix);
        done
    }

    /// Sums the blocks of a row times the functions at their columns, for each aggregate.
    fn sum_row(&mut self, v: usize, a: &BlockRows, aggregates: &Aggregates) {
        self.touched.clear();
        self.sums.clear();
        let own = a.starts[v] as usize..a.starts[v + 1] as usize;
        for (&w, b) in a.columns[own.clone()].iter().zip(&a.blocks[own]) {
            let q = aggregates.of_vertex[w as usize];
            let slot = &mut self.slot[q as usize];
            if *slot == u32::MAX {
                *slot = self.touched.len() as u32;
                self.touched.push(q);
                self.sums.push([[0.0; 9]; FUNCTIONS]);
            }
            let sums = &mut self.sums[*slot as usize];
            let weights = &aggregates.weights[w as usize];
            for f in 0..FUNCTIONS {
                (0..9).for_each(|k| sums[f][k] += weights[f] * b[k]);
            }
        }
        for q in &self.touched {
            self.slot[*q as usize] = u32::MAX;
        }
    }

    /// Adds the sums of a row, and their transposes, to the lower triangle of the coarse matrix.
    fn add_row(&self, v: usize, aggregates: &Aggregates, matrix: &mut Matrix) {
        let p = aggregates.of_vertex[v] as usize;
        let weights = &aggregates.weights[v];
        for (&q, sums) in self.touched.iter().zip(&self.sums) {
            let q = q as usize;
            let (row, column) = (self.first[p.max(q)] as usize, self.first[p.min(q)] as usize);
            let pattern = matrix.pattern().clone();
            let starts = pattern.column_starts();
            let Some(found) = pattern.find(row, column) else {
                continue;
            };
            let offset = found - starts[column];
            let values = matrix.values_mut();
            for f in 0..aggregates.functions[p] as usize {
                for g in 0..aggregates.functions[q] as usize {
                    for r in 0..3 {
                        for c in 0..3 {
                            let value = weights[f] * sums[g][3 * r + c];
                            // Rows of the upper aggregate are shorter by one with each column.
                            let (i, j) = (3 * f + r, 3 * g + c);
                            let (low, high) = if p >= q { (j, i) } else { (i, j) };
                            if p != q {
                                values[starts[column + low] + offset - low + high] += value;
                            } else {
                                // Both A and its transpose are inside the block.
                                let (low, high) = (i.min(j), i.max(j));
                                let twice = if i == j { 2.0 } else { 1.0 };
                                values[starts[column + low] + high - low] += twice * value;
                            }
                        }
                    }
                }
            }
        }
    }

    /// Computes z ← z + P (Pᵀ A P)⁻¹ Pᵀ r.
    pub fn add_correction(
        &mut self,
        aggregates: &Aggregates,
        r: &[Vec3],
        z: &mut [Vec3],
    ) -> Result<(), SolveError> {
        self.x.fill(0.0);
        for (v, r) in r.iter().enumerate() {
            let g = aggregates.of_vertex[v] as usize;
            let first = self.first[g] as usize;
            for f in 0..aggregates.functions[g] as usize {
                (0..3).for_each(|k| self.x[first + 3 * f + k] += aggregates.weights[v][f] * r[k]);
            }
        }
        self.solver.solve(&mut self.x)?;
        for (v, z) in z.iter_mut().enumerate() {
            let g = aggregates.of_vertex[v] as usize;
            let first = self.first[g] as usize;
            for f in 0..aggregates.functions[g] as usize {
                (0..3).for_each(|k| z[k] += aggregates.weights[v][f] * self.x[first + 3 * f + k]);
            }
        }
        Ok(())
    }
}

/// Adds the diagonal block of a vertex to the coarse matrix.
fn add_diagonal(
    v: usize,
    a: &BlockRows,
    aggregates: &Aggregates,
    first: &[u32],
    matrix: &mut Matrix,
) {
    let g = aggregates.of_vertex[v] as usize;
    let (column, n) = (first[g] as usize, 3 * aggregates.functions[g] as usize);
    let pattern = matrix.pattern().clone();
    let starts = pattern.column_starts();
    let (weights, d) = (&aggregates.weights[v], &a.diagonal[v]);
    for j in 0..n {
        for i in j..n {
            let value = weights[i / 3] * weights[j / 3] * d[3 * (i % 3) + j % 3];
            matrix.values_mut()[starts[column + j] + i - j] += value;
        }
    }
}
