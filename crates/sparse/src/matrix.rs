//! A symmetric matrix on a fixed [`Pattern`].

use crate::error::FactorError;
use crate::pattern::Pattern;
use std::sync::Arc;

/// A symmetric matrix; only the lower triangle is stored, in the order of its pattern. A few entries that the pattern lacks
/// may be listed beside it.
#[derive(Debug, Clone)]
pub struct Matrix {
    pattern: Arc<Pattern>,
    values: Vec<f64>,
    off_pattern: Vec<OffPattern>,
}

/// An entry of the lower triangle that the pattern of its matrix lacks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OffPattern {
    /// Its row, greater than its column.
    pub row: usize,
    /// Its column.
    pub column: usize,
    /// Its value.
    pub value: f64,
}

impl Matrix {
    /// The zero matrix on a pattern.
    pub fn new(pattern: Arc<Pattern>) -> Matrix {
        let values = vec![0.0; pattern.nnz()];
        Matrix {
            pattern,
            values,
            off_pattern: Vec::new(),
        }
    }

    /// The unit matrix on a pattern.
    pub fn identity(pattern: Arc<Pattern>) -> Matrix {
        let mut one = Matrix::new(pattern);
        one.add_diagonal(1.0);
        one
    }

    /// The matrix with this diagonal and nothing else.
    pub fn from_diagonal(diagonal: &[f64]) -> Matrix {
        Matrix {
            pattern: Pattern::new(diagonal.len(), []),
            values: diagonal.to_vec(),
            off_pattern: Vec::new(),
        }
    }

    /// The matrix whose entry (i, j), i ≥ j, is `dense[i * n + j]`; exact zeros below the diagonal are left out.
    ///
    /// # Panics
    /// When `dense` has not n² entries.
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
            for k in a.pattern.starts()[j]..a.pattern.starts()[j + 1] {
                a.values[k] = dense[a.pattern.rows()[k] * n + j];
            }
        }
        a
    }

    /// Where it may be non-zero.
    pub fn pattern(&self) -> &Arc<Pattern> {
        &self.pattern
    }

    /// The stored values, in the order of the pattern.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The stored values, to write.
    pub fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// Makes this a matrix on the given pattern: compares the stamps and, if they differ, becomes the zero matrix there.
    /// Returns whether the pattern was another one.
    pub fn fit(&mut self, pattern: &Arc<Pattern>) -> bool {
        let other = self.pattern.stamp() != pattern.stamp();
        if other {
            *self = Matrix::new(pattern.clone());
        }
        other
    }

    /// The entries that the pattern lacks.
    pub fn off_pattern(&self) -> &[OffPattern] {
        &self.off_pattern
    }

    /// Lists the entries that the pattern lacks, each once and below the diagonal.
    ///
    /// # Panics
    /// If an entry lies on or above the diagonal, outside the matrix or on the pattern.
    pub fn set_off_pattern(&mut self, entries: impl IntoIterator<Item = OffPattern>) {
        self.off_pattern.clear();
        self.off_pattern.extend(entries);
        for e in &self.off_pattern {
            assert!(
                e.row > e.column
                    && e.row < self.n()
                    && self.pattern.find(e.row, e.column).is_none(),
                "entry ({}, {}) is none that the pattern of {} unknowns lacks",
                e.row,
                e.column,
                self.n()
            );
        }
    }

    /// The same matrix on a pattern that has all of its entries.
    pub fn merged(&self) -> Matrix {
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

    /// Unknowns.
    pub fn n(&self) -> usize {
        self.pattern.n()
    }

    /// Entry (i, j); zero where the pattern has none.
    pub fn entry(&self, i: usize, j: usize) -> f64 {
        let (row, column) = (i.max(j), i.min(j));
        match self.pattern.find(i, j) {
            Some(k) => self.values[k],
            None => {
                let same = |e: &&OffPattern| e.row == row && e.column == column;
                self.off_pattern.iter().find(same).map_or(0.0, |e| e.value)
            }
        }
    }

    /// Sets every entry of the pattern; those that it lacks are zero from here on.
    pub fn fill(&mut self, value: f64) {
        self.off_pattern.clear();
        self.values.fill(value);
    }

    /// A ← A + s I.
    pub fn add_diagonal(&mut self, s: f64) {
        for j in 0..self.pattern.n() {
            self.values[self.pattern.starts()[j]] += s;
        }
    }

    /// The diagonal.
    pub fn diagonal(&self) -> impl ExactSizeIterator<Item = f64> + '_ {
        let starts = self.pattern.starts();
        starts[..self.n()].iter().map(|&k| self.values[k])
    }

    /// A ← Σ sᵢ Aᵢ, all on the pattern of A.
    ///
    /// # Panics
    /// When a term lives on another pattern.
    pub fn combine(&mut self, terms: &[(f64, &Matrix)]) {
        self.off_pattern.clear();
        self.values.fill(0.0);
        for &(s, term) in terms {
            assert!(
                self.pattern.same_as(&term.pattern) && term.off_pattern.is_empty(),
                "matrices on different patterns cannot be combined"
            );
            if s != 0.0 {
                for (a, b) in self.values.iter_mut().zip(&term.values) {
                    *a += s * b;
                }
            }
        }
    }

    /// A ← A + s B where every entry of B has a place in the pattern of A; B may live on a smaller pattern.
    ///
    /// # Panics
    /// When B has an entry that the pattern of A lacks, or another size.
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
        for j in 0..self.n() {
            let mut k = self.pattern.starts()[j];
            let end = self.pattern.starts()[j + 1];
            for q in b.pattern.starts()[j]..b.pattern.starts()[j + 1] {
                let row = b.pattern.rows()[q];
                while k < end && self.pattern.rows()[k] < row {
                    k += 1;
                }
                assert!(
                    k < end && self.pattern.rows()[k] == row,
                    "entry ({row}, {j}) has no place in the pattern"
                );
                self.values[k] += s * b.values[q];
            }
        }
    }

    /// y ← A x.
    pub fn times(&self, x: &[f64], y: &mut [f64]) {
        y.fill(0.0);
        self.add_times(1.0, x, y);
    }

    /// y ← y + s A x.
    ///
    /// # Panics
    /// When x or y has not n entries.
    pub fn add_times(&self, s: f64, x: &[f64], y: &mut [f64]) {
        let n = self.n();
        assert!(
            x.len() == n && y.len() == n,
            "a matrix of {n} unknowns times {} into {} entries",
            x.len(),
            y.len()
        );
        let (starts, rows) = (self.pattern.starts(), self.pattern.rows());
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
    }

    /// xᵀ A y.
    ///
    /// # Panics
    /// When x or y has not n entries.
    pub fn quadratic(&self, x: &[f64], y: &[f64]) -> f64 {
        let n = self.n();
        assert!(
            x.len() == n && y.len() == n,
            "a form of {n} unknowns of {} and {} entries",
            x.len(),
            y.len()
        );
        let (starts, rows) = (self.pattern.starts(), self.pattern.rows());
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
        total
    }

    /// The largest sum of magnitudes in a row, ‖A‖∞: a bound of every eigenvalue.
    pub fn norm(&self) -> f64 {
        self.norm_with(&mut vec![0.0; self.n()])
    }

    /// The same with memory of n numbers lent.
    pub(crate) fn norm_with(&self, sums: &mut [f64]) -> f64 {
        sums.fill(0.0);
        for j in 0..self.n() {
            let from = self.pattern.starts()[j];
            sums[j] += self.values[from].abs();
            for k in from + 1..self.pattern.starts()[j + 1] {
                sums[j] += self.values[k].abs();
                sums[self.pattern.rows()[k]] += self.values[k].abs();
            }
        }
        for e in &self.off_pattern {
            sums[e.row] += e.value.abs();
            sums[e.column] += e.value.abs();
        }
        sums.iter().copied().fold(0.0, f64::max)
    }

    /// The first entry that is NaN or infinite, as an error.
    pub(crate) fn finite(&self) -> Result<(), FactorError> {
        if let Some(e) = self.off_pattern.iter().find(|e| !e.value.is_finite()) {
            return Err(FactorError::NotFinite {
                row: e.row,
                column: e.column,
                value: e.value,
            });
        }
        match self.values.iter().position(|v| !v.is_finite()) {
            None => Ok(()),
            Some(k) => Err(FactorError::NotFinite {
                row: self.pattern.rows()[k],
                column: self.pattern.starts().partition_point(|&s| s <= k) - 1,
                value: self.values[k],
            }),
        }
    }
}
