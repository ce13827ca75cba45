//! The lowest eigenpairs and the highest eigenvalue of K x = λ M x, the squared angular frequencies λ = ω² of a body.
//!
//! The lowest eigenpairs come from shift-and-invert: (K + σM)⁻¹M x = θ x with λ = 1/θ − σ (Ericsson & Ruhe 1980), where
//! σ > 0 is just large enough to make the stiffness of a free body positive definite. Rigid motions, whose θ is ten
//! orders of magnitude above the others, are found first by inverse iteration on blocks of random vectors and locked.
//! The block Krylov iteration for the others finds both bending modes of a square section. A second iteration from
//! other start vectors, orthogonal to the eigenvectors found, then searches for missed ones. The highest eigenvalue
//! comes from M⁻¹K directly.

use crate::cholesky::Cholesky;
use crate::error::{EigenError, FactorError};
use crate::krylov::{Eigenpair, KrylovOptions, dominant_eigenpairs, near_null_pairs};
use crate::matrix::Matrix;
use crate::pattern::Pattern;
use crate::solver::LinearSolver;

/// The shift σ relative to the mean of kᵢᵢ/mᵢᵢ, which is near a third of the largest eigenvalue.
const RELATIVE_SHIFT: f64 = 1e-10;

/// The number of vectors in a block: more than the three equal frequencies of a cube.
const BLOCK_SIZE: usize = 4;

/// The number of random vectors among which rigid motions are searched, more than the six of a free body.
const RIGID_BLOCK_SIZE: usize = 7;

/// The number of vectors in a block of the search for missed eigenvalues, whose result is not an eigenvector.
const CHECK_BLOCK_SIZE: usize = 2;

/// The relative residual at which the search for missed eigenvalues ends.
const CHECK_TOLERANCE: f64 = 1e-2;

/// The largest number of searches for missed eigenvalues.
const MAX_CHECKS: usize = 12;

/// The relative residual of the highest eigenvalue, which bounds its relative error.
const HIGHEST_TOLERANCE: f64 = 1e-4;

/// The lowest eigenpairs of K x = λ M x with the work they took.
#[derive(Debug, Clone, PartialEq)]
pub struct Eigenpairs {
    /// Eigenvalues, ascending, each with its eigenvector of unit M-norm.
    pub pairs: Vec<(f64, Vec<f64>)>,
    /// ‖K x − λ M x‖ / ‖(K + σM) x‖ of each pair, in the Euclidean norm, computed from the pairs themselves.
    pub residuals: Vec<f64>,
    /// The number of factorizations: one, unless K is indefinite and needs larger shifts.
    pub factorizations: u64,
    /// The number of solves with the factor, those of the search for missed eigenvalues included.
    pub solves: u64,
}

/// Computes the `count` smallest eigenvalues of K x = λ M x, ascending, each with its eigenvector of unit M-norm.
///
/// K is positive semi-definite and M positive definite. Rigid motions have λ = 0 up to rounding; negative rounding
/// errors are set to zero. `tolerance` is the relative residual of the eigenvectors. The relative error of an
/// eigenvalue is about its square, but never better than rounding, ε λ_max.
pub fn lowest_eigenpairs(
    k: &Matrix,
    m: &Matrix,
    count: usize,
    tolerance: f64,
) -> Result<Vec<(f64, Vec<f64>)>, EigenError> {
    Ok(counted_eigenpairs(k, m, count, tolerance)?.pairs)
}

/// Computes the lowest eigenpairs as [`lowest_eigenpairs`] does, with their residuals and the work.
pub fn counted_eigenpairs(
    k: &Matrix,
    m: &Matrix,
    count: usize,
    tolerance: f64,
) -> Result<Eigenpairs, EigenError> {
    let n = k.n();
    if m.n() != n || count > n {
        return Err(EigenError::Size {
            count,
            stiffness: n,
            mass: m.n(),
        });
    }
    if count == 0 {
        return Ok(Eigenpairs {
            pairs: Vec::new(),
            residuals: Vec::new(),
            factorizations: 0,
            solves: 0,
        });
    }
    let (mut cholesky, shift, semidefinite) = shifted(k, m)?;
    let mut op = |q: &[f64], w: &mut [f64]| -> Result<(), EigenError> {
        m.times(q, w);
        Ok(cholesky.solve(w)?)
    };
    // The larger shift of an indefinite K does not set rigid motions apart from the others.
    let mut pairs = match semidefinite {
        true => near_null_pairs(m, &mut op, 0.5 / shift, RIGID_BLOCK_SIZE)?,
        false => Vec::new(),
    };
    if pairs.len() < count {
        let options = KrylovOptions {
            count: count - pairs.len(),
            block: BLOCK_SIZE.min(n - pairs.len()),
            tolerance,
            seed: 1,
        };
        let elastic = dominant_eigenpairs(m, &mut op, options, &pairs)?;
        pairs.extend(elastic);
        find_missed(m, &mut op, KrylovOptions { count, ..options }, &mut pairs)?;
    }
    pairs.truncate(count);
    let floor = if semidefinite { 0.0 } else { f64::NEG_INFINITY };
    let unshifted = |(theta, x): Eigenpair| ((1.0 / theta - shift).max(floor), x);
    let pairs: Vec<_> = pairs.into_iter().map(unshifted).collect();
    let counts = cholesky.counts();
    Ok(Eigenpairs {
        residuals: residuals(k, m, shift, &pairs),
        pairs,
        factorizations: counts.factorizations,
        solves: counts.solves,
    })
}

/// Searches for eigenvalues that the first iteration missed, and adds them.
fn find_missed(
    m: &Matrix,
    op: &mut impl FnMut(&[f64], &mut [f64]) -> Result<(), EigenError>,
    options: KrylovOptions,
    pairs: &mut Vec<Eigenpair>,
) -> Result<(), EigenError> {
    let n = m.n();
    for check in 0..MAX_CHECKS as u64 {
        if pairs.len() == n {
            break;
        }
        let block = CHECK_BLOCK_SIZE.min(n - pairs.len());
        let last = pairs[options.count - 1].0;
        let rough = KrylovOptions {
            count: 1,
            block,
            tolerance: CHECK_TOLERANCE,
            seed: 2 + check,
        };
        let missed = dominant_eigenpairs(m, &mut *op, rough, pairs)?;
        if missed
            .iter()
            .all(|(theta, _)| *theta <= last * (1.0 + 1e-6))
        {
            break;
        }
        let block = BLOCK_SIZE.min(n - pairs.len());
        let more = KrylovOptions {
            count: block,
            block,
            tolerance: options.tolerance,
            ..rough
        };
        let more = dominant_eigenpairs(m, &mut *op, more, pairs)?;
        pairs.extend(more);
        pairs.sort_by(|a, b| b.0.total_cmp(&a.0));
    }
    Ok(())
}

/// Computes ‖K x − λ M x‖ / ‖(K + σM) x‖ of each pair.
fn residuals(k: &Matrix, m: &Matrix, shift: f64, pairs: &[(f64, Vec<f64>)]) -> Vec<f64> {
    let (mut kx, mut mx) = (vec![0.0; k.n()], vec![0.0; k.n()]);
    let mut one = |(lambda, x): &(f64, Vec<f64>)| {
        k.times(x, &mut kx);
        m.times(x, &mut mx);
        let norm = |c: f64| {
            let sum = kx.iter().zip(&mx).map(|(k, m)| (k + c * m).powi(2));
            sum.sum::<f64>().sqrt()
        };
        norm(-lambda) / norm(shift).max(f64::MIN_POSITIVE)
    };
    pairs.iter().map(&mut one).collect()
}

/// Computes the largest eigenvalue of K x = λ M x to four digits, for K positive semi-definite and M positive definite.
/// An explicit method is stable if h √λ is below its stability bound.
pub fn highest_eigenvalue(k: &Matrix, m: &Matrix) -> Result<f64, EigenError> {
    let n = k.n();
    if m.n() != n || n == 0 {
        return Err(EigenError::Size {
            count: 1,
            stiffness: n,
            mass: m.n(),
        });
    }
    k.check_finite()?;
    let mut cholesky = Cholesky::default();
    cholesky.factor(m)?;
    if k.values().iter().all(|&v| v == 0.0) {
        return Ok(0.0);
    }
    let op = |q: &[f64], w: &mut [f64]| -> Result<(), EigenError> {
        k.times(q, w);
        Ok(cholesky.solve(w)?)
    };
    let options = KrylovOptions {
        count: 1,
        block: 2.min(n),
        tolerance: HIGHEST_TOLERANCE,
        seed: 1,
    };
    Ok(dominant_eigenpairs(m, op, options, &[])?[0].0)
}

/// Factors K + σM and returns the factor, σ, and whether the first, smallest σ sufficed, which means that K is positive
/// semi-definite.
fn shifted(k: &Matrix, m: &Matrix) -> Result<(Cholesky, f64, bool), EigenError> {
    k.check_finite()?;
    m.check_finite()?;
    let mut sum = on_union(k, m);
    let ratios: f64 = k
        .diagonal()
        .zip(m.diagonal())
        .map(|(k, m)| if m > 0.0 { k / m } else { 0.0 })
        .sum();
    let scale = ratios / k.n() as f64;
    let mut shift = if scale > 0.0 {
        RELATIVE_SHIFT * scale
    } else {
        1.0
    };
    let mut cholesky = Cholesky::default();
    let mut first = true;
    loop {
        sum.fill(0.0);
        sum.add_scaled(1.0, k);
        sum.add_scaled(shift, m);
        match cholesky.factor(&sum) {
            Ok(()) => return Ok((cholesky, shift, first)),
            // A body about to buckle has a K with a few negative eigenvalues: a larger shift handles it.
            Err(FactorError::Indefinite { .. }) if scale > 0.0 && shift < scale => shift *= 100.0,
            Err(e) => return Err(e.into()),
        }
        first = false;
    }
}

/// Returns the zero matrix on the union of the patterns of K and M.
fn on_union(k: &Matrix, m: &Matrix) -> Matrix {
    if k.pattern().has_same_structure(m.pattern()) {
        return Matrix::new(k.pattern().clone());
    }
    let entries = |a: &Matrix| {
        let pattern = a.pattern().clone();
        (0..a.n()).flat_map(move |j| {
            let column = pattern.column_starts()[j]..pattern.column_starts()[j + 1];
            pattern.row_indices()[column]
                .iter()
                .map(|&i| (i, j))
                .collect::<Vec<_>>()
        })
    };
    let groups = k.pattern().groups().to_vec();
    Matrix::new(Pattern::grouped(
        k.n(),
        entries(k).chain(entries(m)),
        groups,
    ))
}
