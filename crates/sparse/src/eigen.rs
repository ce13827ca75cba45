//! The ends of the spectrum of K x = λ M x: squared circular frequencies of a body, λ = ω².
//!
//! The lowest come from shift-and-invert: (K + σM)⁻¹M x = θ x with λ = 1/θ − σ (Ericsson & Ruhe 1980), σ > 0 so small that it
//! only serves to make the stiffness of a free body definite. The iteration works on blocks, so both bending modes of a square
//! section and the six rigid motions of a free body are found; a second iteration from other vectors, orthogonal to what was
//! found, then looks for anything missed. The highest comes from M⁻¹K directly.

use crate::cholesky::Cholesky;
use crate::error::{EigenError, FactorError};
use crate::krylov::{Ask, Pair, dominant};
use crate::matrix::Matrix;
use crate::pattern::Pattern;
use crate::solver::LinearSolver;

/// The shift σ as a share of the mean of kᵢᵢ/mᵢᵢ, itself near a third of the largest eigenvalue.
const SHIFT: f64 = 1e-10;

/// Vectors in a block: more than the six rigid motions of a free body.
const BLOCK: usize = 8;

/// Looks for missed eigenvalues at most so often.
const CHECKS: usize = 12;

/// Relative residual, so a bound of the relative error, of the highest eigenvalue.
const HIGHEST: f64 = 1e-4;

/// The `count` smallest eigenvalues of K x = λ M x, ascending, each with its M-normal eigenvector: K positive semi-definite
/// (rigid motions have λ = 0 up to rounding, and rounding below zero is cut), M positive definite. `tolerance` is the
/// relative residual of eigenvectors; eigenvalues are about its square, and never better than rounding, ε λ_max.
pub fn lowest(
    k: &Matrix,
    m: &Matrix,
    count: usize,
    tolerance: f64,
) -> Result<Vec<(f64, Vec<f64>)>, EigenError> {
    let n = k.n();
    if m.n() != n || count > n {
        return Err(EigenError::Size {
            count,
            stiffness: n,
            mass: m.n(),
        });
    }
    if count == 0 {
        return Ok(Vec::new());
    }
    let (mut cholesky, shift, semidefinite) = shifted(k, m)?;
    let mut op = |q: &[f64], w: &mut [f64]| -> Result<(), EigenError> {
        m.times(q, w);
        Ok(cholesky.solve(w)?)
    };
    let ask = Ask {
        count,
        block: BLOCK.min(n),
        tolerance,
        seed: 1,
    };
    let mut pairs = dominant(m, &mut op, ask, &[])?;
    for check in 0..CHECKS as u64 {
        if pairs.len() == n {
            break;
        }
        let block = BLOCK.min(n - pairs.len());
        let last = pairs[count - 1].0;
        let rough = Ask {
            count: 1,
            block,
            tolerance: 1e-3,
            seed: 2 + check,
        };
        let missed = dominant(m, &mut op, rough, &pairs)?;
        if missed
            .iter()
            .all(|(theta, _)| *theta <= last * (1.0 + 1e-6))
        {
            break;
        }
        let more = dominant(
            m,
            &mut op,
            Ask {
                count: block,
                tolerance,
                ..rough
            },
            &pairs,
        )?;
        pairs.extend(more);
        pairs.sort_by(|a, b| b.0.total_cmp(&a.0));
    }
    pairs.truncate(count);
    let floor = if semidefinite { 0.0 } else { f64::NEG_INFINITY };
    let unshifted = |(theta, x): Pair| ((1.0 / theta - shift).max(floor), x);
    Ok(pairs.into_iter().map(unshifted).collect())
}

/// The largest eigenvalue of K x = λ M x, to four digits: K positive semi-definite, M positive definite. An explicit method
/// is stable while h √λ stays below its bound.
pub fn highest(k: &Matrix, m: &Matrix) -> Result<f64, EigenError> {
    let n = k.n();
    if m.n() != n || n == 0 {
        return Err(EigenError::Size {
            count: 1,
            stiffness: n,
            mass: m.n(),
        });
    }
    k.finite()?;
    let mut cholesky = Cholesky::default();
    cholesky.factor(m)?;
    if k.values().iter().all(|&v| v == 0.0) {
        return Ok(0.0);
    }
    let op = |q: &[f64], w: &mut [f64]| -> Result<(), EigenError> {
        k.times(q, w);
        Ok(cholesky.solve(w)?)
    };
    let ask = Ask {
        count: 1,
        block: 2.min(n),
        tolerance: HIGHEST,
        seed: 1,
    };
    Ok(dominant(m, op, ask, &[])?[0].0)
}

/// A Cholesky of K + σM, σ, and whether the first, smallest σ sufficed, so that K is positive semi-definite.
fn shifted(k: &Matrix, m: &Matrix) -> Result<(Cholesky, f64, bool), EigenError> {
    k.finite()?;
    m.finite()?;
    let mut sum = on_union(k, m);
    let ratios: f64 = k
        .diagonal()
        .zip(m.diagonal())
        .map(|(k, m)| if m > 0.0 { k / m } else { 0.0 })
        .sum();
    let scale = ratios / k.n() as f64;
    let mut shift = if scale > 0.0 { SHIFT * scale } else { 1.0 };
    let mut cholesky = Cholesky::default();
    let mut first = true;
    loop {
        sum.fill(0.0);
        sum.add_scaled(1.0, k);
        sum.add_scaled(shift, m);
        match cholesky.factor(&sum) {
            Ok(()) => return Ok((cholesky, shift, first)),
            // A K with a few negative eigenvalues, of a body about to buckle, is still answered.
            Err(FactorError::Indefinite { .. }) if scale > 0.0 && shift < scale => shift *= 100.0,
            Err(e) => return Err(e.into()),
        }
        first = false;
    }
}

/// The zero matrix where K or M may be non-zero.
fn on_union(k: &Matrix, m: &Matrix) -> Matrix {
    if k.pattern().same_as(m.pattern()) {
        return Matrix::new(k.pattern().clone());
    }
    let entries = |a: &Matrix| {
        let pattern = a.pattern().clone();
        (0..a.n()).flat_map(move |j| {
            let column = pattern.starts()[j]..pattern.starts()[j + 1];
            pattern.rows()[column]
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
