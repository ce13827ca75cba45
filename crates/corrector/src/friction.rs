//! Coulomb friction with given normal impulses: the second half of a staggered projection [Kaufman et al. 2008].
//!
//! With the bounds rᵢ = μᵢ λᵢ, the tangential impulses f dissipate as much as they can:
//! min ½ fᵀA f + fᵀs over all |fᵢ| ≤ rᵢ, where s are the sliding velocities without friction and A f is the change by f.
//! Where the minimum is inside a disc, the contact sticks: (s + A f)ᵢ = 0. Elsewhere the impulse opposes sliding.
//!
//! What we changed: the friction cone is round, not a polyhedron. If sticking everywhere is admissible, it is found by one
//! factorization. Otherwise the discs are visited in turn (projected Gauss–Seidel), until nothing changes.

/// Largest number of sweeps over all contacts.
const MAX_SWEEPS: usize = 4000;
/// Change in a sweep at which the impulses count as converged, relative to the largest bound.
const CONVERGED: f64 = 1e-12;
/// Relative size of a pivot that counts as zero.
const SINGULAR: f64 = 1e-12;

/// Friction problem of some contacts, two rows for each.
#[derive(Clone, Debug, Default)]
pub struct FrictionProblem {
    /// Symmetric matrix A, row by row.
    pub matrix: Vec<f64>,
    /// Sliding velocities without friction.
    pub sliding: Vec<f64>,
    /// Bounds of the impulses, one for each contact.
    pub bounds: Vec<f64>,
    /// Impulses: the start on entry, the solution on return.
    pub impulses: Vec<f64>,
    factor: Vec<f64>,
    trial: Vec<f64>,
}

impl FrictionProblem {
    /// Creates a problem that starts without impulses.
    pub fn new(matrix: Vec<f64>, sliding: Vec<f64>, bounds: Vec<f64>) -> FrictionProblem {
        FrictionProblem {
            matrix,
            sliding,
            bounds,
            ..FrictionProblem::default()
        }
    }

    /// Solves for the impulses; returns `false` if they did not converge.
    pub fn solve(&mut self) -> bool {
        let n = self.sliding.len();
        assert_eq!(n, 2 * self.bounds.len(), "two rows for each contact");
        assert_eq!(self.matrix.len(), n * n, "a square matrix");
        self.impulses.resize(n, 0.0);
        if self.stick() {
            return true;
        }
        let largest = self.bounds.iter().fold(0.0, |m: f64, b| m.max(*b));
        (0..MAX_SWEEPS).any(|_| self.sweep() <= CONVERGED * largest)
    }

    /// Tries to stop all sliding; returns `false` if an impulse would exceed its bound.
    fn stick(&mut self) -> bool {
        let n = self.sliding.len();
        self.factor.clear();
        self.factor.extend_from_slice(&self.matrix);
        self.trial.clear();
        self.trial.extend(self.sliding.iter().map(|s| -s));
        // Cholesky; a row that depends on those before gets no impulse.
        for i in 0..n {
            for j in 0..=i {
                let dot: f64 = (0..j)
                    .map(|k| self.factor[i * n + k] * self.factor[j * n + k])
                    .sum();
                let rest = self.factor[i * n + j] - dot;
                self.factor[i * n + j] = if i == j {
                    match rest > SINGULAR * self.matrix[i * n + i] {
                        true => rest.sqrt(),
                        false => f64::INFINITY,
                    }
                } else {
                    rest / self.factor[j * n + j]
                };
            }
        }
        for i in 0..n {
            let row = &self.factor[i * n..i * n + i];
            let sum: f64 = row.iter().zip(&self.trial).map(|(l, x)| l * x).sum();
            self.trial[i] = (self.trial[i] - sum) / self.factor[i * n + i];
        }
        for i in (0..n).rev() {
            self.trial[i] /= self.factor[i * n + i];
            for j in 0..i {
                self.trial[j] -= self.factor[i * n + j] * self.trial[i];
            }
        }
        let inside = self.trial.chunks_exact(2).zip(&self.bounds);
        let sticks = inside
            .into_iter()
            .all(|(f, bound)| f[0].hypot(f[1]) <= *bound);
        if sticks {
            self.impulses.copy_from_slice(&self.trial);
        }
        sticks
    }

    /// Visits every contact once; returns the largest change of an impulse.
    fn sweep(&mut self) -> f64 {
        let n = self.sliding.len();
        let mut change: f64 = 0.0;
        for c in 0..self.bounds.len() {
            let [i, j] = [2 * c, 2 * c + 1];
            let velocity = [i, j].map(|row| {
                let a = &self.matrix[row * n..(row + 1) * n];
                let sum: f64 = a.iter().zip(&self.impulses).map(|(a, f)| a * f).sum();
                self.sliding[row] + sum
            });
            let (p, q, r) = (
                self.matrix[i * n + i],
                self.matrix[i * n + j],
                self.matrix[j * n + j],
            );
            // Largest eigenvalue of the block of this contact.
            let size = 0.5 * (p + r) + (0.25 * (p - r).powi(2) + q * q).sqrt();
            if size <= 0.0 {
                continue;
            }
            let before = [self.impulses[i], self.impulses[j]];
            let mut new = [0, 1].map(|k| before[k] - velocity[k] / size);
            let length = new[0].hypot(new[1]);
            if length > self.bounds[c] {
                new = new.map(|f| f * self.bounds[c] / length);
            }
            [self.impulses[i], self.impulses[j]] = new;
            change = change.max((new[0] - before[0]).hypot(new[1] - before[1]));
        }
        change
    }
}
