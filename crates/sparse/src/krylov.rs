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

impl Basis<'_> {
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
    fn ritz(&self) -> Option<Vec<(f64, Vec<f64>, f64)>> {
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
            let outside = |i: usize| (0..k).map(|j| entry(i, j) * y[j]).sum::<f64>();
            let residual = (k..self.vectors.len())
                .map(|i| outside(i).powi(2))
                .sum::<f64>()
                .sqrt();
            (s[(c, 0)], y, residual)
        };
        Some((0..k).rev().map(pair).collect())
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

/// Computes the eigenpairs of the largest eigenvalues of `op` that are M-orthogonal to the locked ones, in descending
/// order.
pub(crate) fn dominant_eigenpairs(
    m: &Matrix,
    mut op: impl FnMut(&[f64], &mut [f64]) -> Result<(), EigenError>,
    options: KrylovOptions,
    locked: &[Eigenpair],
) -> Result<Vec<Eigenpair>, EigenError> {
    let n = m.n();
    let mut basis = Basis {
        m,
        locked,
        vectors: Vec::new(),
        h: Vec::new(),
        mw: vec![0.0; n],
        random: Random::new(options.seed),
    };
    let count = options.count.min(basis.remaining_dimension());
    let most = 2 * count + (8 * options.block).max(60);
    basis.append_random(options.block);
    let (mut steps, mut found, mut worst) = (0, 0, f64::INFINITY);
    for _restart in 0..MAX_RESTARTS {
        loop {
            basis.extend(&mut op)?;
            steps += 1;
            let Some(ritz) = basis.ritz() else { break };
            let bad = |(theta, _, residual): &&(f64, Vec<f64>, f64)| {
                *residual > options.tolerance * theta.abs()
            };
            let wanted = &ritz[..count.min(ritz.len())];
            found = wanted.iter().filter(|r| !bad(r)).count();
            worst = wanted
                .iter()
                .fold(0.0, |w: f64, (theta, _, r)| w.max(r / theta.abs()));
            if found == count {
                return Ok(wanted
                    .iter()
                    .map(|(theta, y, _)| (*theta, basis.ritz_vector(y)))
                    .collect());
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
        let keep = (count + options.block).min(ritz.len());
        let vectors: Vec<Vec<f64>> = ritz[..keep]
            .iter()
            .map(|(_, y, _)| basis.ritz_vector(y))
            .collect();
        basis.h.clear();
        basis.vectors.clear();
        let mut taken = Vec::new();
        for mut v in vectors {
            if basis.orthonormalise(&mut v, &mut taken) > 0.0 {
                basis.vectors.push(v);
            }
        }
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
