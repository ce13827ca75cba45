//! Block Krylov iteration for the largest eigenpairs of an operator that is self-adjoint in the inner product of M.
//!
//! Two Gram–Schmidt passes over the whole basis keep the blocks of the basis Q, each the operator applied to the one
//! before, M-orthonormal (Golub & Underwood 1977 with full reorthogonalisation). The Ritz pairs are the eigenpairs of H
//! = QᵀM·OP·Q, and the part of OP q outside the basis, OP q − Q H, gives their residuals. Blocks find multiple
//! eigenvalues. Start vectors come from a fixed sequence, so results repeat to the bit.

use crate::error::EigenError;
use crate::matrix::Matrix;
use base::random::Random;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::{Mat, Par, Spec};

/// The options of the block Krylov iteration.
#[derive(Clone, Copy)]
pub(crate) struct KrylovOptions {
    /// The number of eigenpairs to compute.
    pub count: usize,
    /// The number of vectors in a block.
    pub block: usize,
    /// The relative residual ‖OP x − θ x‖ / θ at which a pair has converged, in the norm of M.
    pub tolerance: f64,
    /// The seed of the start vectors.
    pub seed: u64,
}

/// An eigenvalue and its eigenvector of unit M-norm.
pub(crate) type Eigenpair = (f64, Vec<f64>);

/// A Ritz value, its coefficients in the basis and its residual.
type RitzPair = (f64, Vec<f64>, f64);

/// The number of restarts after which the iteration fails.
const MAX_RESTARTS: usize = 60;

/// The relative length after orthogonalisation below which a vector counts as linearly dependent on the basis.
const DEPENDENCE_TOLERANCE: f64 = 1e-12;

/// The M-orthonormal basis and the projection of the operator onto it.
struct Basis<'a> {
    m: &'a Matrix,
    locked: &'a [Eigenpair],
    vectors: Vec<Vec<f64>>,
    /// `h[j][i]` = qᵢᵀ M OP qⱼ for the first columns j, as far as they are known.
    h: Vec<Vec<f64>>,
    mw: Vec<f64>,
    random: Random,
}

impl<'a> Basis<'a> {
    fn new(m: &'a Matrix, locked: &'a [Eigenpair], seed: u64) -> Basis<'a> {
        Basis {
            m,
            locked,
            vectors: Vec::new(),
            h: Vec::new(),
            mw: vec![0.0; m.n()],
            random: Random::new(seed),
        }
    }

    /// Returns how many more independent vectors the basis can take.
    fn remaining_dimension(&self) -> usize {
        self.m.n() - self.locked.len() - self.vectors.len()
    }

    /// Makes w M-orthogonal to the basis and the locked vectors and scales it to unit length. Writes the coefficients
    /// removed to `taken` and returns the length before scaling; 0 if w is linearly dependent.
    fn orthonormalise(&mut self, w: &mut [f64], taken: &mut Vec<f64>) -> f64 {
        taken.clear();
        taken.resize(self.vectors.len(), 0.0);
        self.m.times(w, &mut self.mw);
        let before = dot(w, &self.mw).max(0.0).sqrt();
        for _pass in 0..2 {
            for (_, q) in self.locked {
                let c = dot(q, &self.mw);
                subtract(w, c, q);
            }
            for (q, t) in self.vectors.iter().zip(taken.iter_mut()) {
                let c = dot(q, &self.mw);
                *t += c;
                subtract(w, c, q);
            }
            self.m.times(w, &mut self.mw);
        }
        let length = dot(w, &self.mw).max(0.0).sqrt();
        if length <= DEPENDENCE_TOLERANCE * before || !length.is_normal() {
            return 0.0;
        }
        w.iter_mut().for_each(|w| *w /= length);
        length
    }

    /// Appends up to `count` random orthonormal vectors.
    fn append_random(&mut self, count: usize) {
        let mut taken = Vec::new();
        let mut tries = 0;
        let goal = self.vectors.len() + count.min(self.remaining_dimension());
        while self.vectors.len() < goal && tries < 4 * count + 8 {
            tries += 1;
            let mut w: Vec<f64> = (0..self.m.n()).map(|_| self.random.signed()).collect();
            // Repeated on the unit vector: a random vector loses many digits to a large locked space.
            if self.orthonormalise(&mut w, &mut taken) > 0.0
                && self.orthonormalise(&mut w, &mut taken) > 0.0
            {
                self.vectors.push(w);
            }
        }
    }

    /// Applies the operator to the vectors it has not been applied to; new directions join the basis.
    fn extend<E>(
        &mut self,
        op: &mut impl FnMut(&[f64], &mut [f64]) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut w = vec![0.0; self.m.n()];
        let mut taken = Vec::new();
        for j in self.h.len()..self.vectors.len() {
            op(&self.vectors[j], &mut w)?;
            let length = self.orthonormalise(&mut w, &mut taken);
            let mut column = taken.clone();
            if length > 0.0 && self.remaining_dimension() > 0 {
                column.push(length);
                self.vectors.push(w.clone());
            }
            self.h.push(column);
        }
        Ok(())
    }

    /// Returns the Ritz pairs, largest first: value, coefficients in the basis, residual.
    fn ritz(&self) -> Option<Vec<RitzPair>> {
        let k = self.h.len();
        let entry = |i: usize, j: usize| self.h[j].get(i).copied().unwrap_or(0.0);
        let a = Mat::from_fn(k, k, |i, j| 0.5 * (entry(i, j) + entry(j, i)));
        let mut u = Mat::<f64>::zeros(k, k);
        let mut s = Mat::<f64>::zeros(k, 1);
        let need =
            self_adjoint_evd_scratch::<f64>(k, ComputeEigenvectors::Yes, Par::Seq, Spec::default());
        let mut buffer = MemBuffer::try_new(need).ok()?;
        self_adjoint_evd(
            a.as_ref(),
            s.as_mut().col_mut(0).as_diagonal_mut(),
            Some(u.as_mut()),
            Par::Seq,
            MemStack::new(&mut buffer),
            Spec::default(),
        )
        .ok()?;
        let pair = |c: usize| {
            let y: Vec<f64> = (0..k).map(|i| u[(i, c)]).collect();
            let residual = self.outside(&y).map(|r| r * r).sum::<f64>().sqrt();
            (s[(c, 0)], y, residual)
        };
        Some((0..k).rev().map(pair).collect())
    }

    /// Replaces the basis by these Ritz vectors followed by the vectors that the operator has not been applied to.
    /// The Ritz vectors keep their projections, so no product is repeated (thick restart, Wu & Simon 2000).
    fn restart(&mut self, ritz: &[RitzPair]) {
        let applied = self.h.len();
        let kept: Vec<Vec<f64>> = ritz.iter().map(|r| self.ritz_vector(&r.1)).collect();
        let columns = ritz.iter().enumerate().map(|(i, (theta, y, _))| {
            let mut column = vec![0.0; ritz.len()];
            column[i] = *theta;
            column.extend(self.outside(y));
            column
        });
        let columns: Vec<Vec<f64>> = columns.collect();
        self.vectors.splice(..applied, kept);
        self.h = columns;
    }

    /// Returns the coefficients of OP Q y in the vectors that the operator has not been applied to.
    fn outside(&self, y: &[f64]) -> impl Iterator<Item = f64> {
        let row = move |i: usize| {
            let terms = self.h.iter().zip(y);
            terms
                .map(|(column, y)| column.get(i).copied().unwrap_or(0.0) * y)
                .sum::<f64>()
        };
        (self.h.len()..self.vectors.len()).map(row)
    }

    /// Computes OP Q y from the projections, which is one more inverse iteration without a solve.
    fn image(&self, y: &[f64]) -> Vec<f64> {
        let mut hy = vec![0.0; self.vectors.len()];
        for (column, y) in self.h.iter().zip(y) {
            subtract(&mut hy, -y, column);
        }
        self.ritz_vector(&hy)
    }

    /// Returns a Ritz value θ with x = OP Q y / θ. If OP is (K + σM)⁻¹M, then ‖K x − λM x‖ is below the residual times
    /// (λ + σ) ‖M x‖, while in Q y the share of stiff motion that the iteration tolerates is multiplied by K.
    fn eigenpair(&self, (theta, y, _): &RitzPair) -> Eigenpair {
        if *theta == 0.0 {
            return (0.0, self.ritz_vector(y));
        }
        let mut x = self.image(y);
        x.iter_mut().for_each(|x| *x /= theta);
        (*theta, x)
    }

    /// Computes Q y.
    fn ritz_vector(&self, y: &[f64]) -> Vec<f64> {
        let mut x = vec![0.0; self.m.n()];
        for (q, y) in self.vectors.iter().zip(y) {
            subtract(&mut x, -y, q);
        }
        x
    }
}

/// Bound of the part of a random unit vector in the space of rigid motions, times √n.
const LEAST_RANDOM_PART: f64 = 0.01;

/// Computes the eigenpairs of `op` above `least`, which are the rigid motions if `least` is between the elastic part of
/// the spectrum and the inverse of the shift. A random vector shows whether there are any. Two inverse iterations on
/// blocks of random vectors then make them exact to rounding, until a block has a vector below `least`.
pub(crate) fn near_null_pairs(
    m: &Matrix,
    mut op: impl FnMut(&[f64], &mut [f64]) -> Result<(), EigenError>,
    least: f64,
    block: usize,
) -> Result<Vec<Eigenpair>, EigenError> {
    let n = m.n();
    let mut found: Vec<Eigenpair> = Vec::new();
    let mut y = vec![0.0; n];
    let mut probe = Basis::new(m, &[], u64::MAX);
    probe.append_random(1);
    if let Some(x) = probe.vectors.first() {
        op(x, &mut y)?;
        if m.bilinear_form(&y, &y).sqrt() < LEAST_RANDOM_PART / (n as f64).sqrt() * least {
            return Ok(found);
        }
    }
    for round in 1..=n as u64 {
        let mut basis = Basis::new(m, &found, u64::MAX - round);
        let wanted = block.min(basis.remaining_dimension());
        basis.append_random(wanted);
        for _iteration in 0..2 {
            for x in std::mem::take(&mut basis.vectors) {
                op(&x, &mut y)?;
                if basis.orthonormalise(&mut y, &mut Vec::new()) > 0.0 {
                    basis.vectors.push(y.clone());
                }
            }
        }
        basis.extend(&mut op)?;
        let ritz = basis.ritz().unwrap_or_default();
        let above: Vec<&RitzPair> = ritz.iter().filter(|r| r.0 >= least).collect();
        let images: Vec<_> = above.iter().map(|r| basis.image(&r.1)).collect();
        let complete = above.len() < wanted;
        basis.vectors.clear();
        let mut more = Vec::new();
        for (ritz, mut x) in above.into_iter().zip(images) {
            if basis.orthonormalise(&mut x, &mut Vec::new()) > 0.0 {
                basis.vectors.push(x.clone());
                more.push((ritz.0, x));
            }
        }
        found.extend(more);
        if complete || found.len() == n {
            break;
        }
    }
    Ok(found)
}

/// Computes the eigenpairs of the largest eigenvalues of `op` that are M-orthogonal to the locked ones, in descending
/// order.
pub(crate) fn dominant_eigenpairs(
    m: &Matrix,
    mut op: impl FnMut(&[f64], &mut [f64]) -> Result<(), EigenError>,
    options: KrylovOptions,
    locked: &[Eigenpair],
) -> Result<Vec<Eigenpair>, EigenError> {
    let mut basis = Basis::new(m, locked, options.seed);
    let count = options.count.min(basis.remaining_dimension());
    let most = 4 * count + (16 * options.block).max(60);
    basis.append_random(options.block);
    let (mut steps, mut found, mut worst) = (0, 0, f64::INFINITY);
    for _restart in 0..MAX_RESTARTS {
        loop {
            basis.extend(&mut op)?;
            steps += 1;
            let Some(ritz) = basis.ritz() else { break };
            let bad =
                |(theta, _, residual): &&RitzPair| *residual > options.tolerance * theta.abs();
            let wanted = &ritz[..count.min(ritz.len())];
            found = wanted.iter().filter(|r| !bad(r)).count();
            worst = wanted
                .iter()
                .fold(0.0, |w: f64, (theta, _, r)| w.max(r / theta.abs()));
            if found == count {
                return Ok(wanted.iter().map(|pair| basis.eigenpair(pair)).collect());
            }
            if basis.h.len() >= most {
                break;
            }
            if basis.h.len() == basis.vectors.len() {
                // The basis is invariant but has too few eigenpairs.
                if basis.remaining_dimension() == 0 {
                    break;
                }
                basis.append_random(options.block);
            }
        }
        let Some(ritz) = basis.ritz() else { break };
        basis.restart(&ritz[..(count + options.block).min(ritz.len())]);
    }
    Err(EigenError::NotConverged {
        found,
        wanted: count,
        iterations: steps,
        residual: worst,
        tolerance: options.tolerance,
    })
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(a, b)| a * b).sum()
}

/// Computes x ← x − c y.
fn subtract(x: &mut [f64], c: f64, y: &[f64]) {
    for (x, y) in x.iter_mut().zip(y) {
        *x -= c * y;
    }
}
