//! Solves with a factored matrix plus a few stiff rows: (A ⊗ I + Σ kᵢ cᵢ cᵢᵀ)⁻¹ b by Woodbury's formula [Woodbury 1950].
//!
//! With C = [c₁ …] and K = diag(kᵢ) the solution is x − (A ⊗ I)⁻¹ C (K⁻¹ + Cᵀ(A ⊗ I)⁻¹C)⁻¹ Cᵀx, where x solves the system
//! without the rows. The rows change from solve to solve, A does not: the columns of A⁻¹ that rows have needed are kept, so
//! that a change of rows costs a small dense factorization and no solve.

use std::ops::Range;

use crate::error::SolveError;

/// Largest number of entries of a row.
pub const MAX_ENTRIES: usize = 12;
/// Number of columns above which the correction of a solve is another solve instead of a sum of columns.
const MAX_SUMMED_COLUMNS: usize = 32;
/// Numbers in all kept columns, above which they are dropped and computed again: 256 MB.
const MAX_KEPT: usize = 1 << 25;
/// Cosine of the angle up to which rows on the same unknowns may turn before their small matrix is factored again.
const SAME_DIRECTION: f64 = 0.9999;
/// Pivots below this part of their diagonal entry belong to rows that repeat others; their part is left to those.
const REDUNDANT: f64 = 1e-5;

/// A row c with its stiffness k.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StiffRow {
    /// Unknowns and coefficients; entries with coefficient 0 are unused.
    pub entries: [(u32, f64); MAX_ENTRIES],
    /// Stiffness k, times its weight in the matrix.
    pub stiffness: f64,
}

impl StiffRow {
    fn used(&self) -> impl Iterator<Item = (u32, f64)> + '_ {
        self.entries.iter().copied().filter(|(_, c)| *c != 0.0)
    }

    /// Whether another row differs by a small rotation only.
    fn resembles(&self, other: &StiffRow) -> bool {
        let (mut along, mut own, mut theirs) = (0.0, 0.0, 0.0);
        for (a, b) in self.entries.iter().zip(&other.entries) {
            if a.0 != b.0 {
                return false;
            }
            along += a.1 * b.1;
            own += a.1 * a.1;
            theirs += b.1 * b.1;
        }
        self.stiffness == other.stiffness && along >= SAME_DIRECTION * (own * theirs).sqrt()
    }
}

/// Correction of the solves of one factored matrix for stiff rows.
#[derive(Clone, Debug, Default)]
pub struct StiffRows {
    copies: usize,
    sets: usize,
    /// Number of each set of unknowns among the kept columns; `u32::MAX` if its column is not kept.
    column_of: Vec<u32>,
    /// Columns of A⁻¹, one after another, and the set of each.
    columns: Vec<f64>,
    kept: Vec<u32>,
    /// Entries of A⁻¹ between the sets of the columns: its lower triangle, by rows. Small, so that sums over pairs of rows do not
    /// reach into all columns.
    between: Vec<f64>,
    rows: Vec<StiffRow>,
    /// Coefficients of the rows by sets: where the parts of each row begin, the column of each part, its coefficients.
    part_starts: Vec<u32>,
    part_columns: Vec<u32>,
    coefficients: Vec<f64>,
    /// Lower triangle of the Cholesky factor of K⁻¹ + Cᵀ(A ⊗ I)⁻¹C, by rows.
    factor: Vec<f64>,
    /// Sets of unknowns of the rows, ascending.
    used: Vec<u32>,
    missing: Vec<u32>,
    z: Vec<f64>,
    buffer: Vec<f64>,
}

impl StiffRows {
    /// Drops all columns, as for another matrix A over `sets` sets of `copies` interleaved unknowns.
    pub fn reset(&mut self, sets: usize, copies: usize) {
        (self.sets, self.copies) = (sets, copies);
        self.column_of.clear();
        self.column_of.resize(sets, u32::MAX);
        self.drop_columns();
        self.rows.clear();
        self.buffer.clear();
        self.buffer.resize(sets * copies, 0.0);
    }

    fn drop_columns(&mut self) {
        self.column_of.fill(u32::MAX);
        self.columns.clear();
        self.kept.clear();
        self.between.clear();
    }

    /// Forgets the rows of earlier solves, so that the next ones do not depend on them.
    pub fn forget_rows(&mut self) {
        self.rows.clear();
    }

    /// Sets the rows; `solve` computes x ← (A ⊗ I)⁻¹ x.
    pub fn set(
        &mut self,
        rows: &[StiffRow],
        mut solve: impl FnMut(&mut [f64]) -> Result<(), SolveError>,
    ) -> Result<(), SolveError> {
        let same = rows.len() == self.rows.len()
            && rows.iter().zip(&self.rows).all(|(a, b)| a.resembles(b));
        if same {
            return Ok(());
        }
        self.rows.clear();
        self.rows.extend_from_slice(rows);
        let copies = self.copies as u32;
        self.used.clear();
        let sets = rows.iter().flat_map(StiffRow::used);
        self.used.extend(sets.map(|(unknown, _)| unknown / copies));
        self.used.sort_unstable();
        self.used.dedup();
        self.find_columns(&mut solve)?;
        self.factor_small_matrix();
        Ok(())
    }

    /// Computes the columns of A⁻¹ that are needed and not kept; as many in one solve as A is repeated.
    fn find_columns(
        &mut self,
        solve: &mut impl FnMut(&mut [f64]) -> Result<(), SolveError>,
    ) -> Result<(), SolveError> {
        if self.columns.len() + self.used.len() * self.sets > MAX_KEPT {
            self.drop_columns();
        }
        self.missing.clear();
        let known = &self.column_of;
        let missing = (self.used.iter()).filter(|&&s| known[s as usize] == u32::MAX);
        self.missing.extend(missing);
        let first = self.kept.len();
        for group in self.missing.chunks(self.copies) {
            self.buffer.fill(0.0);
            for (lane, &set) in group.iter().enumerate() {
                self.buffer[self.copies * set as usize + lane] = 1.0;
            }
            solve(&mut self.buffer)?;
            for (lane, &set) in group.iter().enumerate() {
                self.column_of[set as usize] = self.kept.len() as u32;
                self.kept.push(set);
                let column = self.buffer[lane..].iter().step_by(self.copies);
                self.columns.extend(column);
            }
        }
        self.append_between(first);
        Ok(())
    }

    /// Appends the entries of A⁻¹ between the sets of columns from this number on and all sets before.
    fn append_between(&mut self, first: usize) {
        for k in first..self.kept.len() {
            for l in 0..=k {
                // Single precision makes the columns slightly unsymmetric.
                let (new, old) = (self.kept[k], self.kept[l]);
                let (a, b) = (
                    self.column(new)[old as usize],
                    self.column(old)[new as usize],
                );
                self.between.push(0.5 * (a + b));
            }
        }
    }

    /// Sorts the coefficients of the rows by sets.
    fn split_rows(&mut self) {
        let copies = self.copies;
        self.part_starts.clear();
        self.part_columns.clear();
        self.coefficients.clear();
        self.part_starts.push(0);
        for row in &self.rows {
            let first = self.part_columns.len();
            for (unknown, c) in row.used() {
                let (set, lane) = (unknown as usize / copies, unknown as usize % copies);
                let column = self.column_of[set];
                let own = self.part_columns[first..].iter().position(|k| *k == column);
                let part = own.map_or(self.part_columns.len(), |k| first + k);
                if own.is_none() {
                    self.part_columns.push(column);
                    self.coefficients.resize(copies * (part + 1), 0.0);
                }
                self.coefficients[copies * part + lane] += c;
            }
            self.part_starts.push(self.part_columns.len() as u32);
        }
    }

    fn column(&self, set: u32) -> &[f64] {
        let from = self.column_of[set as usize] as usize * self.sets;
        &self.columns[from..from + self.sets]
    }

    fn parts(&self, row: usize) -> Range<usize> {
        self.part_starts[row] as usize..self.part_starts[row + 1] as usize
    }

    /// cᵢᵀ (A ⊗ I)⁻¹ cⱼ.
    fn coupling(&self, i: usize, j: usize) -> f64 {
        let coefficients = |part: usize| &self.coefficients[self.copies * part..][..self.copies];
        let mut sum = 0.0;
        for p in self.parts(i) {
            for q in self.parts(j) {
                let [k, l] = [p, q].map(|part| self.part_columns[part] as usize);
                let (low, high) = (k.min(l), k.max(l));
                let inverse = self.between[high * (high + 1) / 2 + low];
                sum += inverse * dot(coefficients(p), coefficients(q));
            }
        }
        sum
    }

    fn factor_small_matrix(&mut self) {
        self.split_rows();
        let n = self.rows.len();
        let mut factor = std::mem::take(&mut self.factor);
        factor.clear();
        factor.resize(n * n, 0.0);
        for i in 0..n {
            for j in 0..=i {
                factor[i * n + j] = self.coupling(i, j);
            }
            factor[i * n + i] += 1.0 / self.rows[i].stiffness;
        }
        for i in 0..n {
            let (above, own) = factor.split_at_mut(i * n);
            let diagonal = own[i];
            for j in 0..i {
                let other = &above[j * n..j * n + j];
                let sum = own[j] - dot(&own[..j], other);
                let pivot = above[j * n + j];
                own[j] = if pivot.is_finite() { sum / pivot } else { 0.0 };
            }
            let pivot = diagonal - dot(&own[..i], &own[..i]);
            own[i] = match pivot > REDUNDANT * diagonal {
                true => pivot.sqrt(),
                false => f64::INFINITY,
            };
        }
        self.factor = factor;
    }

    /// Corrects x, which solves the system without the rows; returns the number of further solves.
    pub fn correct(
        &mut self,
        x: &mut [f64],
        solve: impl FnOnce(&mut [f64]) -> Result<(), SolveError>,
    ) -> Result<u64, SolveError> {
        let n = self.rows.len();
        if n == 0 {
            return Ok(0);
        }
        self.z.clear();
        let rows = self.rows.iter();
        self.z
            .extend(rows.map(|row| row.used().map(|(p, c)| c * x[p as usize]).sum::<f64>()));
        let (z, l) = (&mut self.z, &self.factor);
        for i in 0..n {
            z[i] = (z[i] - dot(&l[i * n..i * n + i], &z[..i])) / l[i * n + i];
        }
        for i in (0..n).rev() {
            z[i] /= l[i * n + i];
            let zi = z[i];
            let (before, row) = (&mut z[..i], &l[i * n..i * n + i]);
            before.iter_mut().zip(row).for_each(|(z, l)| *z -= l * zi);
        }
        self.buffer.fill(0.0);
        for (row, z) in self.rows.iter().zip(&self.z) {
            for (p, c) in row.used() {
                self.buffer[p as usize] += z * c;
            }
        }
        if self.used.len() > MAX_SUMMED_COLUMNS {
            solve(&mut self.buffer)?;
            x.iter_mut().zip(&self.buffer).for_each(|(x, y)| *x -= y);
            return Ok(1);
        }
        for &set in &self.used {
            let own = self.copies * set as usize;
            let load = &self.buffer[own..own + self.copies];
            let column = self.column(set);
            for (x, a) in x.chunks_exact_mut(self.copies).zip(column) {
                x.iter_mut().zip(load).for_each(|(x, f)| *x -= a * f);
            }
        }
        Ok(0)
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
