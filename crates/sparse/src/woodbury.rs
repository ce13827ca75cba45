//! Woodbury's formula: a Cholesky factor of A corrected for A + S E Sᵀ, where E holds a few entries on the rows that S
//! selects (Woodbury 1950).
//!
//! With A = L Lᵀ, G = SᵀA⁻¹S = R Rᵀ and W = I + RᵀE R, (A + S E Sᵀ)⁻¹ = A⁻¹ − A⁻¹S C SᵀA⁻¹, C = E − E R W⁻¹ RᵀE.
//! Neither E nor R is inverted, so E may be singular or indefinite. The eigenvalues of A^(−½)(A + S E Sᵀ)A^(−½) are
//! ones and those of W: the matrix is positive definite exactly if the Cholesky factorization of W succeeds.
//!
//! G needs only the entries of A⁻¹ between the rows of S. They, and the correction of a solve, are computed on the
//! panels from these rows up to the root of the elimination tree.

use faer::sparse::linalg::cholesky::supernodal::SymbolicSupernodalCholesky;
use pulp::Arch;

use crate::matrix::OffPatternEntry;
use crate::substitution::{solve_lower, solve_upper};

/// A reference to the Cholesky factor of A.
pub(crate) struct FactorRef<'a> {
    /// The vector instructions of the machine.
    pub arch: Arch,
    /// The supernodal structure of the factor.
    pub symbolic: &'a SymbolicSupernodalCholesky<usize>,
    /// The values of the factor, panel by panel.
    pub values: &'a [f64],
    /// The unknown eliminated in each step.
    pub permutation: &'a [usize],
}

impl FactorRef<'_> {
    fn panel_of(&self, row: usize) -> usize {
        let begin = self.symbolic.supernode_begin();
        begin.partition_point(|&b| b <= row) - 1
    }

    /// Returns the panels of these rows and all their ancestors, ascending.
    fn panels_above(&self, rows: &[usize]) -> Vec<usize> {
        let mut seen = vec![false; self.symbolic.n_supernodes()];
        for &row in rows {
            let mut s = self.panel_of(row);
            while !std::mem::replace(&mut seen[s], true) {
                let from = self.symbolic.col_ptr_for_row_idx()[s];
                if self.symbolic.nnz_per_super()[s] > 0 {
                    s = self.panel_of(self.symbolic.row_idx()[from]);
                }
            }
        }
        (0..seen.len()).filter(|&s| seen[s]).collect()
    }

    fn columns(&self, panel: usize) -> std::ops::Range<usize> {
        self.symbolic.supernode_begin()[panel]..self.symbolic.supernode_end()[panel]
    }
}

/// The reason why a factor could not be corrected.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum WoodburyError {
    /// A + S E Sᵀ is not positive definite: a row of W, in the caller's numbering, has this pivot.
    Indefinite { row: usize, pivot: f64 },
    /// G is singular to working precision.
    Inaccurate,
}

/// The Woodbury correction of a factor, with scratch memory for solves.
#[derive(Default)]
pub(crate) struct Woodbury {
    /// The rows of S, in elimination order.
    rows: Vec<usize>,
    panels: Vec<usize>,
    /// The matrix C, by rows.
    c: Vec<f64>,
    t: Vec<f64>,
    scratch: Vec<f64>,
    at_rows: Vec<f64>,
}

impl Woodbury {
    /// Computes the correction of a factor for entries off the pattern of its matrix.
    pub fn new(factor: &FactorRef, entries: &[OffPatternEntry]) -> Result<Woodbury, WoodburyError> {
        let n = factor.permutation.len();
        let mut place = vec![0; n];
        for (k, &i) in factor.permutation.iter().enumerate() {
            place[i] = k;
        }
        let mut rows: Vec<usize> = entries
            .iter()
            .flat_map(|e| [place[e.row], place[e.column]])
            .collect();
        rows.sort_unstable();
        rows.dedup();
        let m = rows.len();
        let mut e = vec![0.0; m * m];
        for entry in entries {
            // Both rows are in the list.
            let i = rows.partition_point(|&r| r < place[entry.row]);
            let j = rows.partition_point(|&r| r < place[entry.column]);
            e[i * m + j] += entry.value;
            e[j * m + i] += entry.value;
        }
        let mut out = Woodbury {
            panels: factor.panels_above(&rows),
            rows,
            c: Vec::new(),
            t: vec![0.0; n],
            scratch: vec![0.0; n],
            at_rows: vec![0.0; m],
        };
        let mut r = out.inverse_at_rows(factor);
        cholesky(m, &mut r).map_err(|_| WoodburyError::Inaccurate)?;
        // E R and then W = I + Rᵀ(E R); R is lower triangular.
        let er = dense_matrix(m, |i, j| (j..m).map(|k| e[i * m + k] * r[k * m + j]).sum());
        let mut w = dense_matrix(m, |i, j| {
            let sum: f64 = (i..m).map(|k| r[k * m + i] * er[k * m + j]).sum();
            sum + f64::from(u8::from(i == j))
        });
        cholesky(m, &mut w).map_err(|(k, pivot)| WoodburyError::Indefinite {
            row: factor.permutation[out.rows[k]],
            pivot,
        })?;
        // T = V⁻¹(E R)ᵀ with W = V Vᵀ, so that E R W⁻¹ RᵀE = TᵀT.
        let mut t = vec![0.0; m * m];
        for i in 0..m {
            for j in 0..m {
                let sum: f64 = (0..i).map(|k| w[i * m + k] * t[k * m + j]).sum();
                t[i * m + j] = (er[j * m + i] - sum) / w[i * m + i];
            }
        }
        out.c = dense_matrix(m, |i, j| {
            let sum: f64 = (0..m).map(|k| t[k * m + i] * t[k * m + j]).sum();
            e[i * m + j] - sum
        });
        Ok(out)
    }

    /// Computes G = SᵀA⁻¹S.
    fn inverse_at_rows(&mut self, factor: &FactorRef) -> Vec<f64> {
        let m = self.rows.len();
        let mut g = vec![0.0; m * m];
        for j in 0..m {
            self.clear(factor);
            self.t[self.rows[j]] = 1.0;
            self.lower(factor);
            self.upper(factor);
            for i in 0..m {
                g[i * m + j] = self.t[self.rows[i]];
            }
        }
        // Symmetric but for rounding.
        dense_matrix(m, |i, j| 0.5 * (g[i * m + j] + g[j * m + i]))
    }

    fn clear(&mut self, factor: &FactorRef) {
        for &s in &self.panels {
            self.t[factor.columns(s)].fill(0.0);
        }
    }

    fn lower(&mut self, factor: &FactorRef) {
        solve_lower(
            factor.arch,
            factor.symbolic,
            factor.values,
            self.panels.iter().copied(),
            &mut self.t,
            &mut self.scratch,
        );
    }

    fn upper(&mut self, factor: &FactorRef) {
        solve_upper(
            factor.arch,
            factor.symbolic,
            factor.values,
            self.panels.iter().rev().copied(),
            &mut self.t,
            &mut self.scratch,
        );
    }

    /// Computes x ← (A + S E Sᵀ)⁻¹ x, with x in elimination order.
    pub fn solve(&mut self, factor: &FactorRef, x: &mut [f64]) {
        let all = 0..factor.symbolic.n_supernodes();
        let (symbolic, values) = (factor.symbolic, factor.values);
        solve_lower(
            factor.arch,
            symbolic,
            values,
            all.clone(),
            x,
            &mut self.scratch,
        );
        // SᵀA⁻¹x, from the panels above the rows.
        for &s in &self.panels {
            let columns = factor.columns(s);
            self.t[columns.clone()].copy_from_slice(&x[columns]);
        }
        self.upper(factor);
        for (y, &row) in self.at_rows.iter_mut().zip(&self.rows) {
            *y = self.t[row];
        }
        // L⁻¹S C SᵀA⁻¹x is subtracted before the backward substitution.
        self.clear(factor);
        let m = self.rows.len();
        for (c, &row) in self.c.chunks_exact(m).zip(&self.rows) {
            self.t[row] = c.iter().zip(&self.at_rows).map(|(c, y)| c * y).sum();
        }
        self.lower(factor);
        for &s in &self.panels {
            for k in factor.columns(s) {
                x[k] -= self.t[k];
            }
        }
        solve_upper(
            factor.arch,
            symbolic,
            values,
            all.rev(),
            x,
            &mut self.scratch,
        );
    }
}

/// Returns an m × m matrix by rows from its entries.
fn dense_matrix(m: usize, entry: impl Fn(usize, usize) -> f64) -> Vec<f64> {
    let pairs = (0..m).flat_map(|i| (0..m).map(move |j| (i, j)));
    pairs.map(|(i, j)| entry(i, j)).collect()
}

/// Replaces the lower triangle of a symmetric m × m matrix by its Cholesky factor and the upper one by zeros. Fails
/// with the column and value of the first pivot that is not positive.
fn cholesky(m: usize, a: &mut [f64]) -> Result<(), (usize, f64)> {
    for j in 0..m {
        let pivot = a[j * m + j] - (0..j).map(|k| a[j * m + k].powi(2)).sum::<f64>();
        if pivot.is_nan() || pivot <= 0.0 {
            return Err((j, pivot));
        }
        let root = pivot.sqrt();
        a[j * m + j] = root;
        for i in j + 1..m {
            let sum: f64 = (0..j).map(|k| a[i * m + k] * a[j * m + k]).sum();
            a[i * m + j] = (a[i * m + j] - sum) / root;
            a[j * m + i] = 0.0;
        }
    }
    Ok(())
}
