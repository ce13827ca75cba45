//! Small dense matrices by rows: LU factorization with row exchanges and the exponential.

/// LU factorization of a small matrix with row exchanges.
#[derive(Clone, Debug, Default)]
pub struct DenseLu {
    n: usize,
    lu: Vec<f64>,
    pivots: Vec<usize>,
}

impl DenseLu {
    /// Factors the n×n matrix `a`, given by rows; returns `false` if it is singular to working precision.
    pub fn factor(&mut self, n: usize, a: &[f64]) -> bool {
        self.n = n;
        self.lu.clear();
        self.lu.extend_from_slice(a);
        self.pivots.clear();
        let lu = &mut self.lu;
        let scale = a.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        for k in 0..n {
            let size = |i: usize| lu[i * n + k].abs();
            let pivot = (k..n).fold(k, |best, i| if size(i) > size(best) { i } else { best });
            let usable = size(pivot) > f64::EPSILON * scale;
            if !usable {
                return false;
            }
            self.pivots.push(pivot);
            if pivot != k {
                (0..n).for_each(|j| lu.swap(k * n + j, pivot * n + j));
            }
            for i in k + 1..n {
                let factor = lu[i * n + k] / lu[k * n + k];
                lu[i * n + k] = factor;
                for j in k + 1..n {
                    lu[i * n + j] -= factor * lu[k * n + j];
                }
            }
        }
        true
    }

    /// Solves with the factored matrix: x ← A⁻¹ x.
    pub fn solve(&self, x: &mut [f64]) {
        let (n, lu) = (self.n, &self.lu);
        // Rows of L are exchanged with those of the matrix, so all exchanges come first.
        (0..n).for_each(|k| x.swap(k, self.pivots[k]));
        for k in 0..n {
            for i in k + 1..n {
                x[i] -= lu[i * n + k] * x[k];
            }
        }
        for k in (0..n).rev() {
            for j in k + 1..n {
                x[k] -= lu[k * n + j] * x[j];
            }
            x[k] /= lu[k * n + k];
        }
    }
}

/// Degree of the Padé approximant; with norms of at most ½ its error is below round-off.
const PADE_DEGREE: usize = 8;

/// Exponential of small matrices by scaling and squaring with diagonal Padé approximants (Moler & Van Loan 2003, method
/// 3). The buffers are kept.
#[derive(Clone, Debug, Default)]
pub struct DenseExponential {
    a: Vec<f64>,
    power: Vec<f64>,
    product: Vec<f64>,
    numerator: Vec<f64>,
    denominator: Vec<f64>,
    column: Vec<f64>,
    lu: DenseLu,
}

impl DenseExponential {
    /// Computes the exponential of the n×n matrix `a`, by rows, into `out`.
    pub fn exp(&mut self, n: usize, a: &[f64], out: &mut Vec<f64>) {
        let row_sum = |i: usize| a[i * n..(i + 1) * n].iter().map(|x| x.abs()).sum::<f64>();
        let norm = (0..n).map(row_sum).fold(0.0, f64::max);
        let halvings = if norm > 0.5 {
            (2.0 * norm).log2().ceil().min(1000.0) as i32
        } else {
            0
        };
        let scale = 0.5f64.powi(halvings);
        self.a.clear();
        self.a.extend(a.iter().map(|x| scale * x));
        for x in [&mut self.numerator, &mut self.denominator, &mut self.power] {
            x.clear();
            x.resize(n * n, 0.0);
            (0..n).for_each(|i| x[i * n + i] = 1.0);
        }
        let (q, mut c) = (PADE_DEGREE as f64, 1.0);
        for k in 1..=PADE_DEGREE {
            let kf = k as f64;
            c *= (q - kf + 1.0) / ((2.0 * q - kf + 1.0) * kf);
            multiply(n, &self.a, &self.power, &mut self.product);
            std::mem::swap(&mut self.power, &mut self.product);
            let sign = if k % 2 == 0 { c } else { -c };
            for (i, x) in self.power.iter().enumerate() {
                self.numerator[i] += c * x;
                self.denominator[i] += sign * x;
            }
        }
        // The denominator is close to the identity.
        self.lu.factor(n, &self.denominator);
        out.clear();
        out.resize(n * n, 0.0);
        self.column.resize(n, 0.0);
        for j in 0..n {
            (0..n).for_each(|i| self.column[i] = self.numerator[i * n + j]);
            self.lu.solve(&mut self.column);
            (0..n).for_each(|i| out[i * n + j] = self.column[i]);
        }
        for _ in 0..halvings {
            multiply(n, out, out, &mut self.product);
            std::mem::swap(out, &mut self.product);
        }
    }
}

fn multiply(n: usize, a: &[f64], b: &[f64], out: &mut Vec<f64>) {
    out.clear();
    out.resize(n * n, 0.0);
    for i in 0..n {
        for k in 0..n {
            let x = a[i * n + k];
            if x == 0.0 {
                continue;
            }
            for j in 0..n {
                out[i * n + j] += x * b[k * n + j];
            }
        }
    }
}

/// Largest number of sweeps of Jacobi's method; it converges quadratically.
const MAX_SWEEPS: u32 = 30;
/// Off-diagonal entries relative to the largest diagonal one that count as zero.
const DIAGONAL: f64 = 1e-14;

/// Diagonalises the symmetric n×n matrix `a` by Jacobi's rotations (Golub & Van Loan 2013, sec. 8.5); the columns of `w`
/// become its eigenvectors, the diagonal of `a` its eigenvalues. Returns `false` and the identity if `a` is already
/// diagonal.
pub fn diagonalise(n: usize, a: &mut [f64], w: &mut Vec<f64>) -> bool {
    w.clear();
    w.resize(n * n, 0.0);
    (0..n).for_each(|i| w[i * n + i] = 1.0);
    let top = a.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    let mut rotated = false;
    for _ in 0..MAX_SWEEPS {
        let mut done = true;
        for p in 0..n {
            for q in p + 1..n {
                let off = a[p * n + q];
                if off.abs() <= DIAGONAL * top {
                    continue;
                }
                (done, rotated) = (false, true);
                let theta = (a[q * n + q] - a[p * n + p]) / (2.0 * off);
                let t = theta.signum() / (theta.abs() + (1.0 + theta * theta).sqrt());
                let c = 1.0 / (1.0 + t * t).sqrt();
                rotate(n, a, w, [p, q], [c, t * c]);
            }
        }
        if done {
            break;
        }
    }
    rotated
}

/// Applies the rotation by (c, s) in the plane (p, q) to a from both sides and to w from the right.
fn rotate(n: usize, a: &mut [f64], w: &mut [f64], [p, q]: [usize; 2], [c, s]: [f64; 2]) {
    for k in 0..n {
        for m in [&mut *a, &mut *w] {
            let (x, y) = (m[k * n + p], m[k * n + q]);
            (m[k * n + p], m[k * n + q]) = (c * x - s * y, s * x + c * y);
        }
    }
    for k in 0..n {
        let (x, y) = (a[p * n + k], a[q * n + k]);
        (a[p * n + k], a[q * n + k]) = (c * x - s * y, s * x + c * y);
    }
}
