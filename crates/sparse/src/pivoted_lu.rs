//! Sparse LU factorization with free row exchanges: for matrices that are not symmetric, and the last resort for
//! symmetric indefinite ones.
//!
//! It fails for singular matrices only. The columns are ordered for AᵀA (COLAMD: Davis, Gilbert, Larimore & Ng 2004),
//! so that no row exchange can spoil the structure; the factors are larger than those of L B Lᵀ.

use crate::error::FactorError;
use crate::matrix::Matrix;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::linalg::LuError;
use faer::sparse::linalg::lu::{LuRef, NumericLu, SymbolicLu, factorize_symbolic_lu};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, MatMut, Par, Spec};

/// An LU factorization with its symbolic analysis and buffers.
pub(crate) struct PivotedLu {
    starts: Vec<usize>,
    rows: Vec<usize>,
    source: Vec<usize>,
    values: Vec<f64>,
    symbolic: SymbolicLu<usize>,
    numeric: NumericLu<usize, f64>,
    memory: MemBuffer,
}

impl PivotedLu {
    /// Analyses the pattern of a matrix.
    pub fn new(a: &Matrix) -> Result<PivotedLu, FactorError> {
        let n = a.n();
        let memory = FactorError::Memory {
            unknowns: n,
            entries: a.pattern().nnz(),
        };
        let (starts, rows, source) = both_triangles(a);
        let structure = SymbolicSparseColMatRef::new_checked(n, n, &starts, None, &rows);
        let symbolic =
            factorize_symbolic_lu(structure, Default::default()).map_err(|_| memory.clone())?;
        let need = symbolic
            .factorize_numeric_lu_scratch::<f64>(Par::Seq, Spec::default())
            .or(symbolic.solve_in_place_scratch::<f64>(1, Par::Seq));
        let buffer = MemBuffer::try_new(need).map_err(|_| memory)?;
        let values = vec![0.0; rows.len()];
        Ok(PivotedLu {
            starts,
            rows,
            source,
            values,
            symbolic,
            numeric: NumericLu::new(),
            memory: buffer,
        })
    }

    /// Factors a matrix on the analysed pattern. Returns `false` if it is structurally singular.
    pub fn numeric(&mut self, a: &Matrix) -> Result<bool, FactorError> {
        let n = a.n();
        for (value, &k) in self.values.iter_mut().zip(&self.source) {
            *value = a.values()[k];
        }
        if !a.is_symmetric() {
            for j in 0..n {
                for at in self.starts[j]..self.starts[j + 1] {
                    let w = a.antisymmetric()[self.source[at]];
                    self.values[at] += if self.rows[at] >= j { w } else { -w };
                }
            }
        }
        let structure = SymbolicSparseColMatRef::new_checked(n, n, &self.starts, None, &self.rows);
        let done = self.symbolic.factorize_numeric_lu(
            &mut self.numeric,
            SparseColMatRef::new(structure, &self.values),
            Par::Seq,
            MemStack::new(&mut self.memory),
            Spec::default(),
        );
        match done {
            Ok(_) => Ok(true),
            Err(LuError::SymbolicSingular { .. }) => Ok(false),
            Err(LuError::Generic(_)) => Err(FactorError::Memory {
                unknowns: n,
                entries: a.pattern().nnz(),
            }),
        }
    }

    /// Computes x ← A⁻¹ x after a successful factorization.
    pub fn solve(&mut self, x: &mut [f64]) {
        let n = x.len();
        LuRef::new_unchecked(&self.symbolic, &self.numeric).solve_in_place_with_conj(
            Conj::No,
            MatMut::from_column_major_slice_mut(x, n, 1),
            Par::Seq,
            MemStack::new(&mut self.memory),
        );
    }
}

/// Returns both triangles in compressed columns with ascending rows, and the index of each value in the lower triangle.
fn both_triangles(a: &Matrix) -> (Vec<usize>, Vec<usize>, Vec<usize>) {
    let n = a.n();
    let (lower_starts, lower_rows) = (a.pattern().column_starts(), a.pattern().row_indices());
    let mut columns: Vec<Vec<(usize, usize)>> = vec![Vec::new(); n];
    for j in 0..n {
        for k in lower_starts[j]..lower_starts[j + 1] {
            columns[j].push((lower_rows[k], k));
            if lower_rows[k] != j {
                columns[lower_rows[k]].push((j, k));
            }
        }
    }
    let mut starts = vec![0];
    let (mut rows, mut source) = (Vec::new(), Vec::new());
    for mut column in columns {
        column.sort_unstable();
        rows.extend(column.iter().map(|e| e.0));
        source.extend(column.iter().map(|e| e.1));
        starts.push(rows.len());
    }
    (starts, rows, source)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exchanges_rows_of_a_matrix_without_a_diagonal() {
        // A cycle of couplings alone: no pivot on the diagonal anywhere.
        let n = 41;
        let mut dense = vec![0.0; n * n];
        for i in 0..n {
            let j = (i + 1) % n;
            dense[i * n + j] = 1.0 + i as f64 / n as f64;
            dense[j * n + i] = dense[i * n + j];
        }
        let a = Matrix::from_dense(n, &dense);
        let mut lu = PivotedLu::new(&a).unwrap();
        for _ in 0..2 {
            assert!(lu.numeric(&a).unwrap());
            let b: Vec<f64> = (0..n).map(|i| (i as f64).sin()).collect();
            let mut x = b.clone();
            lu.solve(&mut x);
            let mut ax = vec![0.0; n];
            a.times(&x, &mut ax);
            assert!(
                ax.iter().zip(&b).all(|(ax, b)| (ax - b).abs() < 1e-11),
                "{ax:?}"
            );
        }
    }
}
