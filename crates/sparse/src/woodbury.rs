//! A factor that serves a matrix with a few entries more: A + S E Sᵀ, E on the rows that S picks (Woodbury 1950).
//!
//! With A = L Lᵀ, G = SᵀA⁻¹S = R Rᵀ and W = I + RᵀE R,
//! (A + S E Sᵀ)⁻¹ = A⁻¹ − A⁻¹S C SᵀA⁻¹, C = E − E R W⁻¹ RᵀE.
//! Neither E nor R is inverted, so E may be singular or indefinite. A^(−½)(A + S E Sᵀ)A^(−½) has, but for ones, the
//! eigenvalues of W: the matrix is positive definite exactly if the Cholesky factorization of W succeeds.
//!
//! G needs the entries of A⁻¹ between the rows of S only. Those are found on the panels from these rows up to the root of
//! the elimination tree, and so is the correction of a solve.

use faer::sparse::linalg::cholesky::supernodal::SymbolicSupernodalCholesky;
use pulp::Arch;

use crate::matrix::OffPattern;
use crate::substitution::{solve_lower, solve_upper};

/// The factor of A, as it is stored.
pub(crate) struct FactorRef<'a> {
    pub arch: Arch,
    pub symbolic: &'a SymbolicSupernodalCholesky<usize>,
    pub values: &'a [f64],
    /// The unknown eliminated as the k-th.
    pub eliminated: &'a [usize],
}

impl FactorRef<'_> {
    fn panel_of(&self, row: usize) -> usize {
        let begin = self.symbolic.supernode_begin();
        begin.partition_point(|&b| b <= row) - 1
    }

    /// The panels of these rows and all their ancestors, ascending.
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

/// Why the correction could not be made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Failure {
    /// A + S E Sᵀ is not positive definite; the row at which W showed it, in the caller's numbering, and the pivot.
    Indefinite { row: usize, pivot: f64 },
    /// G is singular to working precision.
    Inaccurate,
}

/// The correction of a factor, and room for solves.
#[derive(Default)]
pub(crate) struct Woodbury {
    /// Rows of S, in the order of elimination.
    rows: Vec<usize>,
    panels: Vec<usize>,
    /// C, row by row.
    c: Vec<f64>,
    t: Vec<f64>,
    room: Vec<f64>,
    at_rows: Vec<f64>,
}

impl Woodbury {
    /// Makes the correction of a factor for entries that its matrix lacks.
    pub fn of(factor: &FactorRef, entries: &[OffPattern]) -> Result<Woodbury, Failure> {
        let n = factor.eliminated.len();
        let mut place = vec![0; n];
        for (k, &i) in factor.eliminated.iter().enumerate() {
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
            room: vec![0.0; n],
            at_rows: vec![0.0; m],
        };
        let mut r = out.inverse_at_rows(factor);
        cholesky(m, &mut r).map_err(|_| Failure::Inaccurate)?;
        // E R and then W = I + Rᵀ(E R); R is lower triangular.
        let er = product(m, |i, j| (j..m).map(|k| e[i * m + k] * r[k * m + j]).sum());
        let mut w = product(m, |i, j| {
            let sum: f64 = (i..m).map(|k| r[k * m + i] * er[k * m + j]).sum();
            sum + f64::from(u8::from(i == j))
        });
        cholesky(m, &mut w).map_err(|(k, pivot)| Failure::Indefinite {
            row: factor.eliminated[out.rows[k]],
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
        out.c = product(m, |i, j| {
            let sum: f64 = (0..m).map(|k| t[k * m + i] * t[k * m + j]).sum();
            e[i * m + j] - sum
        });
        Ok(out)
    }

    /// G = SᵀA⁻¹S.
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
        product(m, |i, j| 0.5 * (g[i * m + j] + g[j * m + i]))
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
            &mut self.room,
        );
    }

    fn upper(&mut self, factor: &FactorRef) {
        solve_upper(
            factor.arch,
            factor.symbolic,
            factor.values,
            self.panels.iter().rev().copied(),
            &mut self.t,
            &mut self.room,
        );
    }

    /// x ← (A + S E Sᵀ)⁻¹ x, x in the order of elimination.
    pub fn solve(&mut self, factor: &FactorRef, x: &mut [f64]) {
        let all = 0..factor.symbolic.n_supernodes();
        let (symbolic, values) = (factor.symbolic, factor.values);
        solve_lower(
            factor.arch,
            symbolic,
            values,
            all.clone(),
            x,
            &mut self.room,
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
        // L⁻¹S C SᵀA⁻¹x is taken away before the second half of the solve.
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
        solve_upper(factor.arch, symbolic, values, all.rev(), x, &mut self.room);
    }
}

fn product(m: usize, entry: impl Fn(usize, usize) -> f64) -> Vec<f64> {
    let pairs = (0..m).flat_map(|i| (0..m).map(move |j| (i, j)));
    pairs.map(|(i, j)| entry(i, j)).collect()
}

/// The lower triangle of a symmetric m × m matrix becomes its Cholesky factor, the upper one zero; or the column of the
/// first pivot that is not positive, and the pivot.
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
