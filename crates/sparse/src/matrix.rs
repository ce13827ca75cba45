//! Symmetric matrices on a fixed [`Pattern`]: values, products, norms, a few entries off the pattern, and an optional
//! antisymmetric part.

use crate::error::FactorError;
use crate::pattern::Pattern;
use std::sync::Arc;

/// A symmetric sparse matrix that stores the lower triangle in the order of its pattern. It can list a few additional
/// entries off the pattern.
///
/// A matrix without symmetry is the sum of its symmetric part and an antisymmetric part W = −Wᵀ on the same pattern
/// ([`Matrix::antisymmetric_mut`]). Only [`crate::Lu`] solves with it; other solvers refuse it.
#[derive(Debug, Clone)]
pub struct Matrix {
    pattern: Arc<Pattern>,
    values: Vec<f64>,
    off_pattern: Vec<OffPatternEntry>,
    /// The lower triangle of the antisymmetric part in the order of the pattern; empty if the matrix is symmetric.
    antisymmetric: Vec<f64>,
}

/// An entry of the lower triangle of a matrix at a place that its pattern does not have.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OffPatternEntry {
    /// The row, greater than the column.
    pub row: usize,
    /// The column.
    pub column: usize,
    /// The value.
    pub value: f64,
}

impl Matrix {
    /// Creates the zero matrix on a pattern.
    pub fn new(pattern: Arc<Pattern>) -> Matrix {
        let values = vec![0.0; pattern.nnz()];
        Matrix {
            pattern,
            values,
            off_pattern: Vec::new(),
            antisymmetric: Vec::new(),
        }
    }

    /// Creates the identity matrix on a pattern.
    pub fn identity(pattern: Arc<Pattern>) -> Matrix {
        let mut one = Matrix::new(pattern);
        one.add_diagonal(1.0);
        one
    }

    /// Creates a diagonal matrix.
    pub fn from_diagonal(diagonal: &[f64]) -> Matrix {
        Matrix {
            pattern: Pattern::new(diagonal.len(), []),
            values: diagonal.to_vec(),
            off_pattern: Vec::new(),
            antisymmetric: Vec::new(),
        }
    }

    /// Creates the matrix whose entry (i, j), i ≥ j, is `dense[i * n + j]`; exact zeros below the diagonal are not
    /// stored.
    ///
    /// # Panics
    /// If `dense` does not have n² entries.
    pub fn from_dense(n: usize, dense: &[f64]) -> Matrix {
        assert_eq!(
            dense.len(),
            n * n,
            "a dense {n} × {n} matrix has {} entries",
            n * n
        );
        let entries = (0..n)
            .flat_map(|i| (0..i).map(move |j| (i, j)))
            .filter(|&(i, j)| dense[i * n + j] != 0.0);
        let mut a = Matrix::new(Pattern::new(n, entries));
        for j in 0..n {
            for k in a.pattern.column_starts()[j]..a.pattern.column_starts()[j + 1] {
                a.values[k] = dense[a.pattern.row_indices()[k] * n + j];
            }
        }
        a
    }

    /// Returns the sparsity pattern.
    pub fn pattern(&self) -> &Arc<Pattern> {
        &self.pattern
    }

    /// Returns the stored values in the order of the pattern.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Returns the stored values in the order of the pattern, for writing.
    pub fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// Resets this to the zero matrix on the given pattern if it is on another one, compared by stamp. Returns whether
    /// it was.
    pub fn ensure_pattern(&mut self, pattern: &Arc<Pattern>) -> bool {
        let other = self.pattern.stamp() != pattern.stamp();
        if other {
            *self = Matrix::new(pattern.clone());
        }
        other
    }

    /// Returns whether the matrix has no antisymmetric part.
    pub fn is_symmetric(&self) -> bool {
        self.antisymmetric.is_empty()
    }

    /// Returns the lower triangle of the antisymmetric part in the order of the pattern; empty if there is none.
    pub fn antisymmetric(&self) -> &[f64] {
        &self.antisymmetric
    }

    /// Returns the lower triangle of the antisymmetric part in the order of the pattern, for writing; a zero part is
    /// added if there is none. Values on the diagonal must stay zero.
    pub fn antisymmetric_mut(&mut self) -> &mut [f64] {
        self.antisymmetric.resize(self.values.len(), 0.0);
        &mut self.antisymmetric
    }

    /// Removes the antisymmetric part.
    pub fn make_symmetric(&mut self) {
        self.antisymmetric.clear();
    }

    /// Returns the entries off the pattern.
    pub fn off_pattern(&self) -> &[OffPatternEntry] {
        &self.off_pattern
    }

    /// Replaces the entries off the pattern; each is listed once and lies below the diagonal.
    ///
    /// # Panics
    /// If an entry lies on or above the diagonal, outside the matrix or on the pattern.
    pub fn set_off_pattern(&mut self, entries: impl IntoIterator<Item = OffPatternEntry>) {
        self.off_pattern.clear();
        self.off_pattern.extend(entries);
        for e in &self.off_pattern {
            assert!(
                e.row > e.column
                    && e.row < self.n()
                    && self.pattern.find(e.row, e.column).is_none(),
                "entry ({}, {}) is not a below-diagonal entry off the pattern of {} unknowns",
                e.row,
                e.column,
                self.n()
            );
        }
    }

    /// Returns the same matrix on an extended pattern that has all of its entries.
    pub fn on_extended_pattern(&self) -> Matrix {
        let places = self.off_pattern.iter().map(|e| (e.row, e.column));
        let pattern = Pattern::extended(&self.pattern, places, Some(&self.pattern));
        let mut out = Matrix::new(pattern);
        let rest = Matrix {
            off_pattern: Vec::new(),
            ..self.clone()
        };
        out.add_scaled(1.0, &rest);
        for e in &self.off_pattern {
            if let Some(k) = out.pattern.find(e.row, e.column) {
                out.values[k] += e.value;
            }
        }
        out
    }

    /// Returns the number of unknowns n.
    pub fn n(&self) -> usize {
        self.pattern.n()
    }

    /// Returns entry (i, j), zero if it is neither on nor off the pattern.
    pub fn entry(&self, i: usize, j: usize) -> f64 {
        let (row, column) = (i.max(j), i.min(j));
        match self.pattern.find(i, j) {
            Some(k) => {
                let w = self.antisymmetric.get(k).copied().unwrap_or(0.0);
                self.values[k] + if i >= j { w } else { -w }
            }
            None => {
                let same = |e: &&OffPatternEntry| e.row == row && e.column == column;
                self.off_pattern.iter().find(same).map_or(0.0, |e| e.value)
            }
        }
    }

    /// Sets all entries on the pattern to `value` and removes those off it and the antisymmetric part.
    pub fn fill(&mut self, value: f64) {
        self.antisymmetric.clear();
        self.off_pattern.clear();
        self.values.fill(value);
    }

    /// Computes A ← A + s I.
    pub fn add_diagonal(&mut self, s: f64) {
        for j in 0..self.pattern.n() {
            self.values[self.pattern.column_starts()[j]] += s;
        }
    }

    /// Returns the diagonal entries.
    pub fn diagonal(&self) -> impl ExactSizeIterator<Item = f64> + '_ {
        let starts = self.pattern.column_starts();
        starts[..self.n()].iter().map(|&k| self.values[k])
    }

    /// Computes A ← Σ sᵢ Aᵢ for symmetric matrices on the pattern of A.
    ///
    /// # Panics
    /// If a term is on another pattern or not symmetric.
    pub fn set_linear_combination(&mut self, terms: &[(f64, &Matrix)]) {
        self.fill(0.0);
        for &(s, term) in terms {
            assert!(
                self.pattern.has_same_structure(&term.pattern)
                    && term.off_pattern.is_empty()
                    && term.is_symmetric(),
                "matrices on different patterns cannot be combined"
            );
            if s != 0.0 {
                for (a, b) in self.values.iter_mut().zip(&term.values) {
                    *a += s * b;
                }
            }
        }
    }

    /// Computes A ← A + s B, where the pattern of B is a subset of that of A.
    ///
    /// # Panics
    /// If B has an entry off the pattern of A, or another size.
    pub fn add_scaled(&mut self, s: f64, b: &Matrix) {
        assert_eq!(
            self.n(),
            b.n(),
            "matrices of different size cannot be added"
        );
        assert!(
            b.off_pattern.is_empty(),
            "a matrix with entries off its pattern cannot be added"
        );
        add_on_pattern(&self.pattern, &mut self.values, s, &b.pattern, &b.values);
        if !b.is_symmetric() {
            self.antisymmetric_mut();
            let w = &mut self.antisymmetric;
            add_on_pattern(&self.pattern, w, s, &b.pattern, &b.antisymmetric);
        }
    }

    /// Computes y ← A x.
    pub fn times(&self, x: &[f64], y: &mut [f64]) {
        y.fill(0.0);
        self.add_times(1.0, x, y);
    }

    /// Computes y ← y + s A x.
    ///
    /// # Panics
    /// If x or y does not have n entries.
    pub fn add_times(&self, s: f64, x: &[f64], y: &mut [f64]) {
        let n = self.n();
        assert!(
            x.len() == n && y.len() == n,
            "a matrix of {n} unknowns times {} into {} entries",
            x.len(),
            y.len()
        );
        let (starts, rows) = (self.pattern.column_starts(), self.pattern.row_indices());
        for j in 0..n {
            let (from, to) = (starts[j], starts[j + 1]);
            let xj = s * x[j];
            let mut sum = self.values[from] * x[j];
            for (&i, &a) in rows[from + 1..to].iter().zip(&self.values[from + 1..to]) {
                y[i] += a * xj;
                sum += a * x[i];
            }
            y[j] += s * sum;
        }
        for e in &self.off_pattern {
            y[e.row] += s * e.value * x[e.column];
            y[e.column] += s * e.value * x[e.row];
        }
        self.for_each_antisymmetric(|i, j, w| {
            y[i] += s * w * x[j];
            y[j] -= s * w * x[i];
        });
    }

    /// Computes xᵀ A y.
    ///
    /// # Panics
    /// If x or y does not have n entries.
    pub fn bilinear_form(&self, x: &[f64], y: &[f64]) -> f64 {
        let n = self.n();
        assert!(
            x.len() == n && y.len() == n,
            "a form of {n} unknowns of {} and {} entries",
            x.len(),
            y.len()
        );
        let (starts, rows) = (self.pattern.column_starts(), self.pattern.row_indices());
        let mut total = 0.0;
        for j in 0..n {
            let (from, to) = (starts[j], starts[j + 1]);
            let (mut ax, mut ay) = (0.0, 0.0);
            for (&i, &a) in rows[from + 1..to].iter().zip(&self.values[from + 1..to]) {
                ax += a * x[i];
                ay += a * y[i];
            }
            total += x[j] * (self.values[from] * y[j] + ay) + y[j] * ax;
        }
        for e in &self.off_pattern {
            total += e.value * (x[e.row] * y[e.column] + x[e.column] * y[e.row]);
        }
        self.for_each_antisymmetric(|i, j, w| total += w * (x[i] * y[j] - x[j] * y[i]));
        total
    }

    /// Calls `visit` with row, column and value of each entry of the antisymmetric part below the diagonal.
    fn for_each_antisymmetric(&self, mut visit: impl FnMut(usize, usize, f64)) {
        if self.is_symmetric() {
            return;
        }
        let (starts, rows) = (self.pattern.column_starts(), self.pattern.row_indices());
        for j in 0..self.n() {
            for k in starts[j] + 1..starts[j + 1] {
                visit(rows[k], j, self.antisymmetric[k]);
            }
        }
    }

    /// Returns ‖A‖∞, the largest row sum of magnitudes, which bounds every eigenvalue.
    pub fn norm_inf(&self) -> f64 {
        self.norm_inf_with(&mut vec![0.0; self.n()])
    }

    /// Returns ‖A‖∞, using `sums` (n numbers) as scratch memory.
    pub(crate) fn norm_inf_with(&self, sums: &mut [f64]) -> f64 {
        sums.fill(0.0);
        for j in 0..self.n() {
            let from = self.pattern.column_starts()[j];
            sums[j] += self.values[from].abs();
            for k in from + 1..self.pattern.column_starts()[j + 1] {
                let w = self.antisymmetric.get(k).copied().unwrap_or(0.0);
                sums[j] += (self.values[k] - w).abs();
                sums[self.pattern.row_indices()[k]] += (self.values[k] + w).abs();
            }
        }
        for e in &self.off_pattern {
            sums[e.row] += e.value.abs();
            sums[e.column] += e.value.abs();
        }
        sums.iter().copied().fold(0.0, f64::max)
    }

    /// Returns an error that names the first entry that is NaN or infinite.
    pub(crate) fn check_finite(&self) -> Result<(), FactorError> {
        if let Some(e) = self.off_pattern.iter().find(|e| !e.value.is_finite()) {
            return Err(FactorError::NotFinite {
                row: e.row,
                column: e.column,
                value: e.value,
            });
        }
        for values in [&self.values, &self.antisymmetric] {
            if let Some(k) = values.iter().position(|v| !v.is_finite()) {
                return Err(FactorError::NotFinite {
                    row: self.pattern.row_indices()[k],
                    column: self.pattern.column_starts().partition_point(|&s| s <= k) - 1,
                    value: values[k],
                });
            }
        }
        Ok(())
    }

    /// Returns an error if the matrix has an antisymmetric part.
    pub(crate) fn check_symmetric(&self) -> Result<(), FactorError> {
        match self.is_symmetric() {
            true => Ok(()),
            false => Err(FactorError::Unsymmetric { unknowns: self.n() }),
        }
    }
}

/// Adds s times the values on a pattern to the values on a pattern that contains it.
fn add_on_pattern(to: &Pattern, values: &mut [f64], s: f64, from: &Pattern, added: &[f64]) {
    for j in 0..to.n() {
        let mut k = to.column_starts()[j];
        let end = to.column_starts()[j + 1];
        for q in from.column_starts()[j]..from.column_starts()[j + 1] {
            let row = from.row_indices()[q];
            while k < end && to.row_indices()[k] < row {
                k += 1;
            }
            assert!(
                k < end && to.row_indices()[k] == row,
                "entry ({row}, {j}) is not in the pattern"
            );
            values[k] += s * added[q];
        }
    }
}
