//! Dual active-set method for min ½ wᵀC w subject to G w ≥ b, on the rows of A = G C⁻¹Gᵀ.
//!
//! The optimality conditions are w = C⁻¹Gᵀλ, λ ≥ 0, G w − b ≥ 0 and λᵀ(G w − b) = 0. The method of [Goldfarb & Idnani
//! 1983] starts from the unconstrained minimum w = 0, adds the most violated row, and drops rows whose multiplier would
//! become negative. It ends after finitely many steps at the exact solution. Only rows that were added need their column of
//! A, which costs a solve with the factor of C.
//!
//! What we changed: the method works on A only, with a Cholesky factor of its active part that grows and shrinks by rows. It
//! may start from a set of rows that is expected to be active. Rows that depend on the active ones are never added: they are
//! satisfied with them, or contradict them, which is counted.

/// Relative size of the pivot below which a row counts as linearly dependent on the active ones.
const DEPENDENT: f64 = 1e-10;
/// Violation that counts as rounding, in the largest right-hand side.
const ROUNDING: f64 = 1e-10;
/// Index of a column that is not known yet.
const UNKNOWN: u32 = u32::MAX;

/// Source of the columns of A = G C⁻¹Gᵀ.
pub trait Delassus {
    /// Error of a solve.
    type Error;

    /// Computes column `j`: an entry for every row.
    fn column(&mut self, j: usize, out: &mut [f64]) -> Result<(), Self::Error>;
}

/// Work and quality of a solution.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ActiveSetCounts {
    /// Rows added or dropped.
    pub pivots: u64,
    /// Rows that contradict the others and remain violated.
    pub infeasible: u64,
    /// Whether the limit on pivots was reached.
    pub unfinished: bool,
}

/// Solver with its buffers. Columns are kept between solves of the same rows.
#[derive(Clone, Debug, Default)]
pub struct ActiveSet {
    rows: usize,
    /// Known columns of A, one after another, and the number of the column of each row.
    columns: Vec<f64>,
    column_of: Vec<u32>,
    /// Active rows, in the order of the factor.
    active: Vec<u32>,
    is_active: Vec<bool>,
    /// Lower triangle of the Cholesky factor of the active part of A, row by row.
    factor: Vec<f64>,
    lambda: Vec<f64>,
    slack: Vec<f64>,
    /// Change of the active multipliers for a unit of the added one.
    direction: Vec<f64>,
    contradicts: Vec<bool>,
    /// Buffer of the rows behind a removed one.
    tail: Vec<u32>,
}

impl ActiveSet {
    /// Begins a problem with this number of rows: columns and active rows are forgotten.
    pub fn begin(&mut self, rows: usize) {
        self.rows = rows;
        self.columns.clear();
        self.column_of.clear();
        self.column_of.resize(rows, UNKNOWN);
        self.lambda.clear();
        self.lambda.resize(rows, 0.0);
        self.slack.clear();
        self.slack.resize(rows, 0.0);
        self.is_active.clear();
        self.is_active.resize(rows, false);
        self.contradicts.clear();
        self.contradicts.resize(rows, false);
        self.drop_active();
    }

    /// Empties the set of active rows; the next solve starts from no row.
    pub fn drop_active(&mut self) {
        self.active.clear();
        self.factor.clear();
        self.is_active.fill(false);
    }

    /// Returns the multipliers of all rows; zero for rows that are not active.
    pub fn multipliers(&self) -> &[f64] {
        &self.lambda
    }

    /// Returns the active rows.
    pub fn active(&self) -> &[u32] {
        &self.active
    }

    /// Returns the slack G w − b of all rows.
    pub fn slack(&self) -> &[f64] {
        &self.slack
    }

    /// Makes a row active before a solve, if it does not depend on the active ones: a guess of the solution.
    pub fn activate<D: Delassus>(&mut self, rows: &mut D, row: usize) -> Result<(), D::Error> {
        if !self.is_active[row] {
            self.prepare(rows, row)?;
            self.append(row);
        }
        Ok(())
    }

    /// Finds the multipliers for the right-hand side `b`, starting from the active rows.
    pub fn solve<D: Delassus>(
        &mut self,
        rows: &mut D,
        b: &[f64],
    ) -> Result<ActiveSetCounts, D::Error> {
        assert_eq!(b.len(), self.rows, "a right-hand side for every row");
        let mut counts = ActiveSetCounts::default();
        self.contradicts.fill(false);
        self.solve_active(b, &mut counts);
        let largest = b.iter().fold(0.0, |most: f64, b| match b.is_finite() {
            true => most.max(b.abs()),
            false => most,
        });
        let tolerance = ROUNDING * largest;
        let limit = 20 * self.rows as u64 + 100;
        self.measure_slack(b);
        while let Some(row) = self.most_violated(tolerance) {
            self.prepare(rows, row)?;
            self.add(row, &mut counts);
            self.measure_slack(b);
            if counts.pivots > limit {
                counts.unfinished = true;
                break;
            }
        }
        self.refine(b);
        counts.infeasible = self.contradicts.iter().filter(|c| **c).count() as u64;
        Ok(counts)
    }

    /// Computes the column of a row if it is not known.
    fn prepare<D: Delassus>(&mut self, rows: &mut D, row: usize) -> Result<(), D::Error> {
        if self.column_of[row] == UNKNOWN {
            let number = self.columns.len() / self.rows;
            self.columns.resize((number + 1) * self.rows, 0.0);
            rows.column(row, &mut self.columns[number * self.rows..])?;
            self.column_of[row] = number as u32;
        }
        Ok(())
    }

    /// Returns an entry of A whose column is known.
    fn entry(&self, row: usize, column: usize) -> f64 {
        self.columns[self.column_of[column] as usize * self.rows + row]
    }

    /// Solves for the active multipliers with their rows as equations.
    fn solve_equations(&mut self, b: &[f64]) {
        self.direction.clear();
        let given = self.active.iter().map(|&i| b[i as usize]);
        self.direction.extend(given);
        forward(&self.factor, &mut self.direction);
        backward(&self.factor, &mut self.direction);
    }

    /// Solves the equations of the final active rows once more: the multipliers then do not carry the rounding of the way to
    /// them.
    fn refine(&mut self, b: &[f64]) {
        self.solve_equations(b);
        if self.direction.iter().all(|x| *x >= 0.0) {
            for (&row, value) in self.active.iter().zip(&self.direction) {
                self.lambda[row as usize] = *value;
            }
            self.measure_slack(b);
        }
    }

    /// Solves for the active multipliers, and drops rows until none is negative.
    fn solve_active(&mut self, b: &[f64], counts: &mut ActiveSetCounts) {
        self.lambda.fill(0.0);
        loop {
            self.solve_equations(b);
            let values = self.direction.iter().copied().enumerate();
            let least = values.fold((0, f64::INFINITY), |l, v| if v.1 < l.1 { v } else { l });
            if self.active.is_empty() || least.1 > 0.0 {
                break;
            }
            self.remove(least.0);
            counts.pivots += 1;
        }
        for (&row, value) in self.active.iter().zip(&self.direction) {
            self.lambda[row as usize] = *value;
        }
    }

    fn measure_slack(&mut self, b: &[f64]) {
        for (slack, b) in self.slack.iter_mut().zip(b) {
            *slack = -b;
        }
        for &row in &self.active {
            let (row, at) = (row as usize, self.column_of[row as usize] as usize);
            let column = &self.columns[at * self.rows..(at + 1) * self.rows];
            for (slack, a) in self.slack.iter_mut().zip(column) {
                *slack += self.lambda[row] * a;
            }
        }
    }

    fn most_violated(&self, tolerance: f64) -> Option<usize> {
        let mut worst = None;
        let mut least = -tolerance;
        for (row, slack) in self.slack.iter().enumerate() {
            if *slack < least && !self.is_active[row] && !self.contradicts[row] {
                (worst, least) = (Some(row), *slack);
            }
        }
        worst
    }

    /// Increases the multiplier of a violated row until it is satisfied, dropping rows whose multiplier reaches zero.
    fn add(&mut self, row: usize, counts: &mut ActiveSetCounts) {
        let (mut multiplier, mut slack) = (0.0, self.slack[row]);
        loop {
            let own = self.entry(row, row);
            self.direction.clear();
            for k in 0..self.active.len() {
                let a = self.entry(self.active[k] as usize, row);
                self.direction.push(a);
            }
            forward(&self.factor, &mut self.direction);
            let pivot = own - self.direction.iter().map(|x| x * x).sum::<f64>();
            backward(&self.factor, &mut self.direction);
            let independent = pivot > DEPENDENT * own;
            let to_satisfy = if independent {
                -slack / pivot
            } else {
                f64::INFINITY
            };
            let (mut blocking, mut to_block) = (None, f64::INFINITY);
            for (k, (&i, d)) in self.active.iter().zip(&self.direction).enumerate() {
                if *d > 0.0 && self.lambda[i as usize] < to_block * d {
                    (blocking, to_block) = (Some(k), self.lambda[i as usize] / d);
                }
            }
            let step = to_satisfy.min(to_block);
            if step == f64::INFINITY {
                self.contradicts[row] = true;
                return;
            }
            counts.pivots += 1;
            multiplier += step;
            for (&i, d) in self.active.iter().zip(&self.direction) {
                self.lambda[i as usize] -= step * d;
            }
            if to_satisfy <= to_block {
                self.lambda[row] = multiplier;
                self.append(row);
                return;
            }
            if independent {
                slack += step * pivot;
            }
            if let Some(k) = blocking {
                self.lambda[self.active[k] as usize] = 0.0;
                self.remove(k);
            }
        }
    }

    /// Appends a row to the factor, unless it depends on the active rows.
    fn append(&mut self, row: usize) {
        let begin = self.factor.len();
        for k in 0..self.active.len() {
            let a = self.entry(self.active[k] as usize, row);
            self.factor.push(a);
        }
        let (known, new) = self.factor.split_at_mut(begin);
        forward(known, new);
        let own = self.entry(row, row);
        let pivot = own - self.factor[begin..].iter().map(|x| x * x).sum::<f64>();
        if pivot > DEPENDENT * own {
            self.factor.push(pivot.sqrt());
            self.active.push(row as u32);
            self.is_active[row] = true;
        } else {
            self.factor.truncate(begin);
            self.lambda[row] = 0.0;
        }
    }

    /// Removes an active row and rebuilds the factor behind it.
    fn remove(&mut self, k: usize) {
        self.tail.clear();
        self.tail.extend_from_slice(&self.active[k..]);
        self.active.truncate(k);
        self.factor.truncate(k * (k + 1) / 2);
        for at in 0..self.tail.len() {
            let row = self.tail[at] as usize;
            self.is_active[row] = false;
            if at > 0 {
                self.append(row);
            }
        }
    }
}

/// Solves L x = b in place; L is the lower triangle, row by row.
fn forward(l: &[f64], x: &mut [f64]) {
    let mut start = 0;
    for i in 0..x.len() {
        let (row, done) = (&l[start..=start + i], &x[..i]);
        let sum: f64 = row[..i].iter().zip(done).map(|(l, x)| l * x).sum();
        x[i] = (x[i] - sum) / row[i];
        start += i + 1;
    }
}

/// Solves Lᵀ x = b in place.
fn backward(l: &[f64], x: &mut [f64]) {
    for i in (0..x.len()).rev() {
        let row = &l[i * (i + 1) / 2..=i * (i + 1) / 2 + i];
        x[i] /= row[i];
        let (now, before) = (x[i], &mut x[..i]);
        for (x, l) in before.iter_mut().zip(row) {
            *x -= now * l;
        }
    }
}
