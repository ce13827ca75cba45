//! The permuted matrix P A Pᵀ in elimination order and the supernodal structure of its factor.

use crate::error::FactorError;
use crate::matrix::Matrix;
use crate::ordering::{EliminationOrder, Ordering, elimination_tree, postorder};
use crate::pattern::Pattern;
use faer::dyn_stack::{MemBuffer, MemStack, StackReq};
use faer::sparse::linalg::SymbolicSupernodalParams;
use faer::sparse::linalg::cholesky::simplicial::{
    prefactorize_symbolic_cholesky, prefactorize_symbolic_cholesky_scratch,
};
use faer::sparse::linalg::cholesky::supernodal::{
    SymbolicSupernodalCholesky, factorize_supernodal_symbolic_cholesky,
    factorize_supernodal_symbolic_cholesky_scratch,
};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use std::sync::Arc;

/// The lower triangle of P A Pᵀ and the index in A of each of its values.
pub(crate) struct PermutedMatrix {
    /// The pattern of A.
    pub pattern: Arc<Pattern>,
    /// The elimination order and its cost.
    pub order: EliminationOrder,
    starts: Vec<usize>,
    rows: Vec<usize>,
    source: Vec<usize>,
    values: Vec<f64>,
}

impl PermutedMatrix {
    /// Computes an elimination order for a pattern and permutes the pattern.
    pub fn new(pattern: &Arc<Pattern>, ordering: Ordering) -> PermutedMatrix {
        let mut order = match ordering {
            Ordering::Best => pattern.elimination_order().clone(),
            other => EliminationOrder::compute(pattern, other),
        };
        let scalar = Lower::of(pattern, &order.permutation);
        let (row_starts, columns) = scalar.rowwise();
        let parent = elimination_tree(pattern.n(), |k| {
            columns[row_starts[k]..row_starts[k + 1] - 1]
                .iter()
                .copied()
        });
        // Where blocks are not dense the scalar tree may branch inside a vertex: supernodes need its own postorder.
        let post = postorder(&parent, |_| 0);
        let lower = if post.is_sorted() {
            scalar
        } else {
            order.permutation = post.iter().map(|&k| order.permutation[k]).collect();
            Lower::of(pattern, &order.permutation)
        };
        PermutedMatrix {
            pattern: pattern.clone(),
            order,
            values: vec![0.0; lower.rows.len()],
            starts: lower.starts,
            rows: lower.rows,
            source: lower.source,
        }
    }

    /// Copies the values of a matrix on the same pattern.
    pub fn copy_values(&mut self, a: &Matrix) {
        assert_eq!(
            a.values().len(),
            self.source.len(),
            "the matrix has another pattern than the one analysed"
        );
        for (value, &k) in self.values.iter_mut().zip(&self.source) {
            *value = a.values()[k];
        }
    }

    /// Returns the matrix as faer's sparse column view.
    pub fn view(&self) -> SparseColMatRef<'_, usize, f64> {
        let n = self.starts.len() - 1;
        SparseColMatRef::new(
            SymbolicSparseColMatRef::new_checked(n, n, &self.starts, None, &self.rows),
            &self.values,
        )
    }

    /// Computes the supernodal structure of the factor.
    pub fn supernodes(
        &self,
        relax: &[(usize, f64)],
    ) -> Result<SymbolicSupernodalCholesky<usize>, FactorError> {
        let n = self.starts.len() - 1;
        let memory = FactorError::Memory {
            unknowns: n,
            entries: self.rows.len(),
        };
        let lower = Lower {
            starts: self.starts.clone(),
            rows: self.rows.clone(),
            source: Vec::new(),
        };
        let (starts, columns) = lower.rowwise();
        let upper = SymbolicSparseColMatRef::new_checked(n, n, &starts, None, &columns);
        let need = StackReq::any_of(&[
            prefactorize_symbolic_cholesky_scratch::<usize>(n, columns.len()),
            factorize_supernodal_symbolic_cholesky_scratch::<usize>(n),
        ]);
        let mut buffer = MemBuffer::try_new(need).map_err(|_| memory.clone())?;
        let stack = MemStack::new(&mut buffer);
        let (mut tree, mut counts) = (vec![0isize; n], vec![0usize; n]);
        let tree = prefactorize_symbolic_cholesky(&mut tree, &mut counts, upper, stack);
        let params = SymbolicSupernodalParams { relax: Some(relax) };
        factorize_supernodal_symbolic_cholesky(upper, tree, &counts, stack, params)
            .map_err(|_| memory)
    }

    /// Computes out ← P x.
    pub fn gather(&self, x: &[f64], out: &mut [f64]) {
        for (o, &i) in out.iter_mut().zip(&self.order.permutation) {
            *o = x[i];
        }
    }

    /// Computes x ← Pᵀ permuted.
    pub fn scatter(&self, permuted: &[f64], x: &mut [f64]) {
        for (p, &i) in permuted.iter().zip(&self.order.permutation) {
            x[i] = *p;
        }
    }
}

/// A lower triangle in compressed columns; `source` is the index of each entry in the original matrix.
struct Lower {
    starts: Vec<usize>,
    rows: Vec<usize>,
    source: Vec<usize>,
}

impl Lower {
    fn of(pattern: &Pattern, permutation: &[usize]) -> Lower {
        let n = pattern.n();
        let mut place = vec![0; n];
        for (k, &i) in permutation.iter().enumerate() {
            place[i] = k;
        }
        let mut entries = Vec::with_capacity(pattern.nnz());
        for j in 0..n {
            for k in pattern.column_starts()[j]..pattern.column_starts()[j + 1] {
                let (p, q) = (place[pattern.row_indices()[k]], place[j]);
                entries.push((p.max(q), p.min(q), k));
            }
        }
        // Two stable counting sorts, by row and then by column, leave rows ascending in each column.
        let (_, by_row) = counting_sort(n, &entries, |e| e.0);
        let (starts, by_column) = counting_sort(n, &by_row, |e| e.1);
        let rows = by_column.iter().map(|e| e.0).collect();
        let source = by_column.iter().map(|e| e.2).collect();
        Lower {
            starts,
            rows,
            source,
        }
    }

    /// Returns the entries by rows, which is the upper triangle by columns: row starts and ascending columns.
    fn rowwise(&self) -> (Vec<usize>, Vec<usize>) {
        let n = self.starts.len() - 1;
        let entries: Vec<(usize, usize, usize)> = (0..n)
            .flat_map(|j| {
                self.rows[self.starts[j]..self.starts[j + 1]]
                    .iter()
                    .map(move |&i| (i, j, 0))
            })
            .collect();
        let (starts, sorted) = counting_sort(n, &entries, |e| e.0);
        (starts, sorted.iter().map(|e| e.1).collect())
    }
}

type Entry = (usize, usize, usize);

/// Sorts entries by a key below n, keeping the order of equal keys; also returns where each key begins.
fn counting_sort(
    n: usize,
    entries: &[Entry],
    key: impl Fn(&Entry) -> usize,
) -> (Vec<usize>, Vec<Entry>) {
    let mut starts = vec![0; n + 1];
    for e in entries {
        starts[key(e) + 1] += 1;
    }
    for j in 0..n {
        starts[j + 1] += starts[j];
    }
    let mut fill = starts.clone();
    let mut sorted = vec![(0, 0, 0); entries.len()];
    for e in entries {
        let at = &mut fill[key(e)];
        sorted[*at] = *e;
        *at += 1;
    }
    (starts, sorted)
}
