//! Preconditioned conjugate gradients (Hestenes & Stiefel 1952).
//!
//! The method minimises ½xᵀAx − bᵀx over growing Krylov spaces. It stores a few vectors instead of a factor, and on
//! large solids with a loose tolerance it takes less work than a factorization. It reports a direction with pᵀAp ≤ 0 as
//! an error, because the matrix is then not positive definite. It iterates until ‖b − Ax‖ ≤ tolerance ‖b‖ and verifies
//! that on the true residual.

use crate::error::{FactorError, SolveError};
use crate::matrix::Matrix;
use crate::preconditioner::{BlockJacobi, IncompleteCholesky};
use crate::solver::{LinearSolver, SolverCounts, check_finite, check_length};

/// The preconditioner of conjugate gradients, an approximation of A⁻¹.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Preconditioner {
    /// Incomplete Cholesky on the pattern of A: fewer iterations, and the faster of the two on sheets and solids.
    #[default]
    IncompleteCholesky,
    /// Inverses of the diagonal blocks of the pattern's groups: cheap to set up, for a single solve with a loose tolerance.
    BlockJacobi,
}

/// An iterative solver for symmetric positive definite matrices: preconditioned conjugate gradients.
pub struct Cg {
    /// The relative residual ‖b − Ax‖ / ‖b‖ at which the iteration stops.
    pub tolerance: f64,
    /// The number of iterations after which the solve fails.
    pub max_iterations: usize,
    preconditioner: Preconditioner,
    jacobi: BlockJacobi,
    incomplete: IncompleteCholesky,
    matrix: Option<Matrix>,
    ready: bool,
    work: Work,
    counts: SolverCounts,
}

/// The vectors of the iteration.
#[derive(Default)]
struct Work {
    b: Vec<f64>,
    r: Vec<f64>,
    z: Vec<f64>,
    p: Vec<f64>,
    ap: Vec<f64>,
}

impl Default for Cg {
    fn default() -> Cg {
        Cg::with_preconditioner(Preconditioner::default())
    }
}

impl Cg {
    /// Creates a solver with the given preconditioner, tolerance 1e-10 and at most 20 000 iterations.
    pub fn with_preconditioner(preconditioner: Preconditioner) -> Cg {
        Cg {
            tolerance: 1e-10,
            max_iterations: 20_000,
            preconditioner,
            jacobi: BlockJacobi::default(),
            incomplete: IncompleteCholesky::default(),
            matrix: None,
            ready: false,
            work: Work::default(),
            counts: SolverCounts::default(),
        }
    }

    fn reshape(&mut self, a: &Matrix) {
        self.counts.analyses += 1;
        match self.preconditioner {
            Preconditioner::BlockJacobi => self.jacobi.allocate(a),
            Preconditioner::IncompleteCholesky => self.incomplete.allocate(a),
        }
        for v in [
            &mut self.work.b,
            &mut self.work.r,
            &mut self.work.z,
            &mut self.work.p,
            &mut self.work.ap,
        ] {
            v.clear();
            v.resize(a.n(), 0.0);
        }
        self.matrix = Some(a.clone());
    }
}

/// The state of one solve on borrowed vectors.
struct Iteration<'a> {
    matrix: &'a Matrix,
    work: &'a mut Work,
    target: f64,
    left: usize,
    done: usize,
}

impl Iteration<'_> {
    /// Iterates from the residual in `r` until the recursive residual is below the target; returns its norm.
    /// `precondition` computes z ← B r.
    fn descend(
        &mut self,
        x: &mut [f64],
        precondition: impl Fn(&[f64], &mut [f64]),
    ) -> Result<f64, SolveError> {
        let Work { r, z, p, ap, .. } = &mut *self.work;
        precondition(r, z);
        p.copy_from_slice(z);
        let mut rz = dot(r, z);
        let mut norm = dot(r, r).sqrt();
        while norm > self.target && self.left > 0 {
            self.left -= 1;
            self.done += 1;
            self.matrix.times(p, ap);
            let curvature = dot(p, ap);
            if curvature <= 0.0 {
                return Err(SolveError::Indefinite {
                    iteration: self.done,
                    curvature: curvature / dot(p, p),
                });
            }
            let alpha = rz / curvature;
            for i in 0..x.len() {
                x[i] += alpha * p[i];
                r[i] -= alpha * ap[i];
            }
            norm = dot(r, r).sqrt();
            if !norm.is_finite() {
                break;
            }
            precondition(r, z);
            let before = std::mem::replace(&mut rz, dot(r, z));
            let beta = rz / before;
            for (p, z) in p.iter_mut().zip(z.iter()) {
                *p = z + beta * *p;
            }
        }
        Ok(norm)
    }
}

impl LinearSolver for Cg {
    fn factor(&mut self, a: &Matrix) -> Result<(), FactorError> {
        if !a.off_pattern().is_empty() {
            return self.factor(&a.on_extended_pattern());
        }
        self.ready = false;
        a.check_finite()?;
        a.check_symmetric()?;
        match &mut self.matrix {
            Some(kept) if kept.pattern().has_same_structure(a.pattern()) => {
                kept.values_mut().copy_from_slice(a.values())
            }
            _ => self.reshape(a),
        }
        self.counts.factorizations += 1;
        match self.preconditioner {
            Preconditioner::BlockJacobi => self.jacobi.factor(a)?,
            Preconditioner::IncompleteCholesky => {
                self.incomplete.factor(a)?;
            }
        }
        self.ready = true;
        Ok(())
    }

    fn solve(&mut self, x: &mut [f64]) -> Result<(), SolveError> {
        let matrix = self
            .matrix
            .as_ref()
            .filter(|_| self.ready)
            .ok_or(SolveError::NotFactored)?;
        check_length(x, matrix.n())?;
        check_finite(x)?;
        self.counts.solves += 1;
        self.work.b.copy_from_slice(x);
        self.work.r.copy_from_slice(x);
        x.fill(0.0);
        let size = dot(&self.work.b, &self.work.b).sqrt();
        let (left, target) = (self.max_iterations, self.tolerance * size);
        let mut cg = Iteration {
            matrix,
            work: &mut self.work,
            target,
            left,
            done: 0,
        };
        let mut last = size;
        loop {
            let outcome = match self.preconditioner {
                Preconditioner::BlockJacobi => cg.descend(x, |r, z| self.jacobi.apply(r, z)),
                Preconditioner::IncompleteCholesky => {
                    cg.descend(x, |r, z| self.incomplete.apply(matrix, r, z))
                }
            };
            if let Err(e) = outcome {
                self.counts.iterations += cg.done as u64;
                return Err(e);
            }
            // The recursive residual drifts from the true one: restart from the true one while it still shrinks.
            let Work { b, r, .. } = &mut *cg.work;
            r.copy_from_slice(b);
            matrix.add_times(-1.0, x, r);
            let residual = dot(r, r).sqrt();
            let (reached, spent) = (residual <= target, cg.left == 0);
            if reached || spent || residual.is_nan() || residual > 0.5 * last {
                self.counts.iterations += cg.done as u64;
                check_finite(x)?;
                let (iterations, wanted) = (cg.done, self.tolerance);
                return if reached {
                    Ok(())
                } else {
                    Err(SolveError::NotConverged {
                        iterations,
                        residual: residual / size,
                        wanted,
                    })
                };
            }
            last = residual;
        }
    }

    fn counts(&self) -> SolverCounts {
        self.counts
    }
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(a, b)| a * b).sum()
}
