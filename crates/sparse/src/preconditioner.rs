//! Preconditioners B ≈ A⁻¹ for conjugate gradients.
//!
//! *Block Jacobi* inverts the diagonal blocks, one block per vertex. *Incomplete Cholesky* IC(0) restricts L in L Lᵀ ≈
//! A to the pattern of A (Meijerink & van der Vorst 1977); if a pivot breaks down it restarts on A + α diag A with
//! growing α (Manteuffel 1980).

use crate::error::FactorError;
use crate::matrix::Matrix;

/// The smallest pivot relative to its diagonal entry; a smaller one is a breakdown.
const MIN_RELATIVE_PIVOT: f64 = 1e-8;

/// The shift α after the first breakdown; it doubles from there.
const FIRST_SHIFT: f64 = 1e-3;

/// The largest shift α tried. No diagonally dominant matrix needs a larger one.
const MAX_SHIFT: f64 = 1e3;

/// Returns the error for a matrix whose pivot in `column` is not positive.
fn indefinite(a: &Matrix, column: usize, pivot: f64) -> FactorError {
    FactorError::Indefinite {
        column,
        pivot,
        diagonal: a.entry(column, column),
        unknowns: a.n(),
    }
}

/// The block Jacobi preconditioner: Cholesky factors of the diagonal blocks.
#[derive(Default)]
pub(crate) struct BlockJacobi {
    /// The first unknown of each block, followed by n.
    first: Vec<usize>,
    /// The index of each block's b × b factor, stored by rows.
    starts: Vec<usize>,
    factors: Vec<f64>,
}

impl BlockJacobi {
    /// Allocates the blocks of a pattern's groups.
    pub fn allocate(&mut self, a: &Matrix) {
        let groups = a.pattern().groups();
        self.first = (0..groups.len())
            .filter(|&i| i == 0 || groups[i] != groups[i - 1])
            .collect();
        self.first.push(groups.len());
        self.starts.clear();
        self.starts.push(0);
        let mut total = 0;
        for w in self.first.windows(2) {
            total += (w[1] - w[0]).pow(2);
            self.starts.push(total);
        }
        self.factors = vec![0.0; total];
    }

    /// Factors the diagonal blocks of a matrix on that pattern.
    pub fn factor(&mut self, a: &Matrix) -> Result<(), FactorError> {
        let (starts, rows) = (a.pattern().column_starts(), a.pattern().row_indices());
        for v in 0..self.first.len() - 1 {
            let (from, to) = (self.first[v], self.first[v + 1]);
            let b = to - from;
            let l = &mut self.factors[self.starts[v]..self.starts[v + 1]];
            l.fill(0.0);
            for j in from..to {
                for k in starts[j]..starts[j + 1] {
                    if rows[k] >= to {
                        break;
                    }
                    l[(rows[k] - from) * b + j - from] = a.values()[k];
                }
            }
            for j in 0..b {
                for i in j..b {
                    let sum: f64 = (0..j).map(|k| l[i * b + k] * l[j * b + k]).sum();
                    let rest = l[i * b + j] - sum;
                    if i > j {
                        l[i * b + j] = rest / l[j * b + j];
                    } else if rest > 0.0 {
                        l[j * b + j] = rest.sqrt();
                    } else {
                        return Err(indefinite(a, from + j, rest));
                    }
                }
            }
        }
        Ok(())
    }

    /// Computes z ← B r.
    pub fn apply(&self, r: &[f64], z: &mut [f64]) {
        for v in 0..self.first.len() - 1 {
            let (from, to) = (self.first[v], self.first[v + 1]);
            let b = to - from;
            let l = &self.factors[self.starts[v]..self.starts[v + 1]];
            let z = &mut z[from..to];
            for i in 0..b {
                let sum: f64 = (0..i).map(|k| l[i * b + k] * z[k]).sum();
                z[i] = (r[from + i] - sum) / l[i * b + i];
            }
            for i in (0..b).rev() {
                let sum: f64 = (i + 1..b).map(|k| l[k * b + i] * z[k]).sum();
                z[i] = (z[i] - sum) / l[i * b + i];
            }
        }
    }
}

/// The incomplete Cholesky preconditioner: a factor on the pattern of the matrix.
#[derive(Default)]
pub(crate) struct IncompleteCholesky {
    values: Vec<f64>,
    /// Linked lists of finished columns by the row of their next entry: the first column of each row and the next one of each column.
    head: Vec<usize>,
    next: Vec<usize>,
    /// The next entry to be used of each finished column.
    cursor: Vec<usize>,
    /// The index of row i in the current column.
    place: Vec<usize>,
}

/// The end of a linked list.
const NONE: usize = usize::MAX;

impl IncompleteCholesky {
    /// Allocates the factor of a pattern.
    pub fn allocate(&mut self, a: &Matrix) {
        let n = a.n();
        self.values = vec![0.0; a.pattern().nnz()];
        self.head = vec![NONE; n];
        self.next = vec![NONE; n];
        self.cursor = vec![0; n];
        self.place = vec![NONE; n];
    }

    /// Factors a matrix on that pattern with the smallest shift that succeeds; returns the shift α.
    pub fn factor(&mut self, a: &Matrix) -> Result<f64, FactorError> {
        if let Some((column, d)) = a.diagonal().enumerate().find(|(_, d)| *d <= 0.0) {
            return Err(indefinite(a, column, d));
        }
        let mut shift = 0.0;
        loop {
            match self.attempt(a, shift) {
                Ok(()) => return Ok(shift),
                Err((column, pivot)) if shift > MAX_SHIFT => {
                    return Err(indefinite(a, column, pivot));
                }
                Err(_) => shift = f64::max(2.0 * shift, FIRST_SHIFT),
            }
        }
    }

    /// Runs one left-looking factorization; fails with the column and pivot of a breakdown.
    fn attempt(&mut self, a: &Matrix, shift: f64) -> Result<(), (usize, f64)> {
        let (starts, rows) = (a.pattern().column_starts(), a.pattern().row_indices());
        self.values.copy_from_slice(a.values());
        self.head.fill(NONE);
        self.place.fill(NONE);
        for j in 0..a.n() {
            let (from, to) = (starts[j], starts[j + 1]);
            for k in from..to {
                self.place[rows[k]] = k;
            }
            self.values[from] *= 1.0 + shift;
            let mut column = std::mem::replace(&mut self.head[j], NONE);
            while column != NONE {
                let following = self.next[column];
                let (at, end) = (self.cursor[column], starts[column + 1]);
                let factor = self.values[at];
                for k in at..end {
                    let place = self.place[rows[k]];
                    if place != NONE {
                        self.values[place] -= factor * self.values[k];
                    }
                }
                self.enqueue_column(column, at + 1, end, rows);
                column = following;
            }
            let pivot = self.values[from];
            let sound = pivot > MIN_RELATIVE_PIVOT * a.values()[from];
            for k in from..to {
                self.place[rows[k]] = NONE;
            }
            if !sound {
                return Err((j, pivot));
            }
            let root = pivot.sqrt();
            self.values[from] = root;
            for value in &mut self.values[from + 1..to] {
                *value /= root;
            }
            self.enqueue_column(j, from + 1, to, rows);
        }
        Ok(())
    }

    /// Appends a finished column to the list of the row of its next entry.
    fn enqueue_column(&mut self, column: usize, at: usize, end: usize, rows: &[usize]) {
        if at < end {
            self.cursor[column] = at;
            self.next[column] = std::mem::replace(&mut self.head[rows[at]], column);
        }
    }

    /// Computes z ← (L Lᵀ)⁻¹ r.
    pub fn apply(&self, a: &Matrix, r: &[f64], z: &mut [f64]) {
        let (starts, rows) = (a.pattern().column_starts(), a.pattern().row_indices());
        z.copy_from_slice(r);
        for j in 0..a.n() {
            let (from, to) = (starts[j], starts[j + 1]);
            let zj = z[j] / self.values[from];
            z[j] = zj;
            for (&i, &l) in rows[from + 1..to].iter().zip(&self.values[from + 1..to]) {
                z[i] -= l * zj;
            }
        }
        for j in (0..a.n()).rev() {
            let (from, to) = (starts[j], starts[j + 1]);
            let mut sum = z[j];
            for (&i, &l) in rows[from + 1..to].iter().zip(&self.values[from + 1..to]) {
                sum -= l * z[i];
            }
            z[j] = sum / self.values[from];
        }
    }
}
