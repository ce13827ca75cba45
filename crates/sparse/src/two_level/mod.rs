//! Conjugate gradients on 3×3 blocks with a two-level preconditioner, for matrices M + c K of bodies whose particles have many
//! neighbours.
//!
//! A dense neighbourhood makes factors expensive and products cheap: a body of peridynamic bonds has about a hundred blocks
//! in each row, and its factors fill up almost entirely. Conjugate gradients with the inverses of the diagonal blocks need more
//! iterations the longer the step is, because the error of long waves decays slowly. The preconditioner
//!
//! > z = D⁻¹ r + P (Pᵀ A P)⁻¹ Pᵀ r
//!
//! adds a direct solve on a coarse space, the additive two-level method [Dryja & Widlund 1987] with the aggregates and rigid
//! motions of [Vaněk et al. 1996]. We changed the following: the functions on aggregates are discontinuous and quadratic instead of
//! smoothed rigid motions, so they stay right when the body rotates, and plates bend; and aggregates end at cracks, so every fragment's rigid
//! motions are in the coarse space.
//!
//! The coarse level has a price: its matrix is computed and factored with every matrix, and a body in many pieces has many
//! aggregates. By default it is left out while steps are short, that is, while the mass holds its own against the stiffness
//! (file `pieces.rs`); then only the translations of the connected pieces are corrected.
//!
//! After the last iteration one more coarse correction makes the residual orthogonal to the coarse space. The translations of
//! fragments are part of it: momentum is conserved to rounding, whatever the tolerance of the solve is.

mod aggregates;
mod block_rows;
mod coarse;
mod pieces;

use std::sync::Arc;

use crate::error::{FactorError, SolveError};
use crate::matrix::Matrix;
use crate::pattern::{Pattern, Placement};
use crate::solver::{LinearSolver, SolverCounts, check_finite, check_length};
use aggregates::Aggregates;
use block_rows::{BlockRows, Vec3};
use coarse::Coarse;
use pieces::Pieces;

/// The number of vertices up to which bodies with dense neighbourhoods are solved by factors.
pub const MAX_DIRECT_VERTICES: usize = 400;

/// The preconditioner of [`BlockCg`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BlockPreconditioner {
    /// None.
    Identity,
    /// Inverses of the diagonal blocks.
    Jacobi,
    /// Inverses of the diagonal blocks and a coarse level.
    TwoLevel,
    /// [`BlockPreconditioner::TwoLevel`] if K outweighs M, as in long steps; otherwise [`BlockPreconditioner::Jacobi`] with
    /// exact resultants of the connected pieces.
    #[default]
    Auto,
}

/// Conjugate gradients on 3×3 blocks. The pattern must have a [`Placement`].
pub struct BlockCg {
    /// The relative residual ‖b − Ax‖ / ‖b‖ at which the iteration stops.
    pub tolerance: f64,
    /// The number of iterations after which the solve fails.
    pub max_iterations: usize,
    preconditioner: BlockPreconditioner,
    pattern: Option<Arc<Pattern>>,
    ready: bool,
    rows: BlockRows,
    /// The inverses of the diagonal blocks.
    inverses: Vec<[f64; 9]>,
    aggregates: Aggregates,
    coarse: Coarse,
    /// Whether the coarse level is used for the current matrix.
    two_levels: bool,
    pieces: Pieces,
    work: Work,
    counts: SolverCounts,
}

/// The vectors of the iteration.
#[derive(Default)]
struct Work {
    b: Vec<Vec3>,
    x: Vec<Vec3>,
    r: Vec<Vec3>,
    z: Vec<Vec3>,
    p: Vec<Vec3>,
    ap: Vec<Vec3>,
}

impl Default for BlockCg {
    fn default() -> BlockCg {
        BlockCg::with_preconditioner(BlockPreconditioner::default())
    }
}

impl BlockCg {
    /// Creates a solver with the given preconditioner, tolerance 1e-10 and at most 20 000 iterations.
    pub fn with_preconditioner(preconditioner: BlockPreconditioner) -> BlockCg {
        BlockCg {
            tolerance: 1e-10,
            max_iterations: 20_000,
            preconditioner,
            pattern: None,
            ready: false,
            rows: BlockRows::default(),
            inverses: Vec::new(),
            aggregates: Aggregates::default(),
            coarse: Coarse::default(),
            two_levels: false,
            pieces: Pieces::default(),
            work: Work::default(),
            counts: SolverCounts::default(),
        }
    }

    fn reshape(&mut self, pattern: &Arc<Pattern>, placement: &Placement) {
        self.counts.analyses += 1;
        self.rows.allocate(pattern, placement);
        self.aggregates.allocate(pattern, placement);
        let vertices = placement.points.len();
        self.inverses = vec![[0.0; 9]; vertices];
        let Work { b, x, r, z, p, ap } = &mut self.work;
        for v in [b, x, r, z, p, ap] {
            v.clear();
            v.resize(vertices, [0.0; 3]);
        }
        self.pattern = Some(pattern.clone());
    }

    /// Computes z ← B r.
    fn precondition(&mut self) -> Result<(), SolveError> {
        let Work { r, z, .. } = &mut self.work;
        if self.preconditioner == BlockPreconditioner::Identity {
            z.copy_from_slice(r);
            return Ok(());
        }
        for (z, (d, r)) in z.iter_mut().zip(self.inverses.iter().zip(r.iter())) {
            *z = [0, 1, 2].map(|k| d[3 * k] * r[0] + d[3 * k + 1] * r[1] + d[3 * k + 2] * r[2]);
        }
        match self.two_levels {
            true => self.coarse.add_correction(&self.aggregates, r, z),
            false => Ok(()),
        }
    }

    /// Adds a last correction to the solution: the residual in `r` becomes orthogonal to the coarse space, or to the
    /// translations of the pieces. Returns the norm of the residual.
    fn correct(&mut self) -> Result<f64, SolveError> {
        let Work { x, r, .. } = &mut self.work;
        match (self.two_levels, self.preconditioner) {
            (true, _) => self.coarse.add_correction(&self.aggregates, r, x)?,
            (false, BlockPreconditioner::Auto) => self.pieces.add_translations(r, x),
            _ => return Ok(dot(r, r).sqrt()),
        }
        Ok(self.residual())
    }

    /// Iterates from the residual in `r` until its norm is below the target; `done` counts.
    fn descend(&mut self, target: f64, done: &mut usize) -> Result<(), SolveError> {
        self.precondition()?;
        self.work.p.copy_from_slice(&self.work.z);
        let mut rz = dot(&self.work.r, &self.work.z);
        let mut norm = dot(&self.work.r, &self.work.r).sqrt();
        while norm > target && *done < self.max_iterations {
            *done += 1;
            let Work { x, r, p, ap, .. } = &mut self.work;
            self.rows.times(p, ap);
            let curvature = dot(p, ap);
            if curvature <= 0.0 {
                return Err(SolveError::Indefinite {
                    iteration: *done,
                    curvature: curvature / dot(p, p),
                });
            }
            let alpha = rz / curvature;
            add_scaled(x, alpha, p);
            add_scaled(r, -alpha, ap);
            norm = dot(r, r).sqrt();
            if !norm.is_finite() {
                break;
            }
            self.precondition()?;
            let Work { r, z, p, .. } = &mut self.work;
            let before = std::mem::replace(&mut rz, dot(r, z));
            let beta = rz / before;
            for (p, z) in p.iter_mut().zip(z.iter()) {
                *p = [0, 1, 2].map(|k| z[k] + beta * p[k]);
            }
        }
        Ok(())
    }

    /// Computes r ← b − A x and returns its norm.
    fn residual(&mut self) -> f64 {
        let Work { b, x, r, ap, .. } = &mut self.work;
        self.rows.times(x, ap);
        for (r, (b, a)) in r.iter_mut().zip(b.iter().zip(ap.iter())) {
            *r = [0, 1, 2].map(|k| b[k] - a[k]);
        }
        dot(r, r).sqrt()
    }

    /// Tries the translations of the pieces alone, which are the solution in free flight without rotation and vibration. Returns
    /// the norm of the residual if it is below the target; otherwise nothing has changed.
    fn translate(&mut self, target: f64) -> Option<f64> {
        if self.preconditioner != BlockPreconditioner::Auto
            || self.pieces.residual_of_translations(&self.work.b) > target
        {
            return None;
        }
        self.pieces.add_translations(&self.work.b, &mut self.work.x);
        let residual = self.residual();
        if residual <= target {
            return Some(residual);
        }
        self.work.x.fill([0.0; 3]);
        self.work.r.copy_from_slice(&self.work.b);
        None
    }

    /// Iterates until the true residual is below the target; returns the norm reached.
    fn iterate(&mut self, size: f64, done: &mut usize) -> Result<f64, SolveError> {
        let target = self.tolerance * size;
        let mut last = size;
        loop {
            self.descend(target, done)?;
            // The recursive residual drifts from the true one: restart from the true one while it still shrinks.
            self.residual();
            let residual = self.correct()?;
            let spent = *done >= self.max_iterations;
            if residual <= target || spent || residual.is_nan() || residual > 0.5 * last {
                return Ok(residual);
            }
            last = residual;
        }
    }
}

impl LinearSolver for BlockCg {
    fn factor(&mut self, a: &Matrix) -> Result<(), FactorError> {
        self.ready = false;
        a.check_finite()?;
        a.check_symmetric()?;
        let Some(placement) = a.pattern().placement().cloned() else {
            return Err(FactorError::Unplaced { unknowns: a.n() });
        };
        let same = |kept: &Arc<Pattern>| {
            kept.has_same_structure(a.pattern()) && kept.placement() == Some(&placement)
        };
        if !self.pattern.as_ref().is_some_and(same) {
            self.reshape(a.pattern(), &placement);
        }
        self.counts.factorizations += 1;
        self.rows.load(a);
        for v in 0..self.inverses.len() {
            let d = &self.rows.diagonal[v];
            let Some(inverse) = inverse_of_definite(d) else {
                let column = self.rows.places.partition_point(|p| (*p as usize) < 3 * v);
                return Err(FactorError::Indefinite {
                    column,
                    pivot: 0.0,
                    diagonal: a.entry(column, column),
                    unknowns: a.n(),
                });
            };
            self.inverses[v] = inverse;
        }
        self.two_levels = match self.preconditioner {
            BlockPreconditioner::Identity | BlockPreconditioner::Jacobi => false,
            BlockPreconditioner::TwoLevel => true,
            BlockPreconditioner::Auto => self.pieces.update(&self.rows),
        };
        if self.two_levels {
            if self.aggregates.update(&self.rows, &placement) {
                self.coarse.reshape(&self.rows, &self.aggregates);
            }
            self.coarse.factor(&self.rows, &self.aggregates)?;
        }
        self.ready = true;
        Ok(())
    }

    fn solve(&mut self, x: &mut [f64]) -> Result<(), SolveError> {
        if !self.ready {
            return Err(SolveError::NotFactored);
        }
        check_length(x, self.rows.places.len())?;
        check_finite(x)?;
        self.counts.solves += 1;
        self.work.b.fill([0.0; 3]);
        self.work.x.fill([0.0; 3]);
        for (&place, x) in self.rows.places.iter().zip(x.iter()) {
            self.work.b[place as usize / 3][place as usize % 3] = *x;
        }
        self.work.r.copy_from_slice(&self.work.b);
        let size = dot(&self.work.b, &self.work.b).sqrt();
        if size == 0.0 {
            return Ok(());
        }
        let mut done = 0;
        let outcome = match self.translate(self.tolerance * size) {
            Some(residual) => Ok(residual),
            None => self.iterate(size, &mut done),
        };
        self.counts.iterations += done as u64;
        let residual = outcome?;
        for (&place, x) in self.rows.places.iter().zip(x.iter_mut()) {
            *x = self.work.x[place as usize / 3][place as usize % 3];
        }
        check_finite(x)?;
        match residual <= self.tolerance * size {
            true => Ok(()),
            false => Err(SolveError::NotConverged {
                iterations: done,
                residual: residual / size,
                wanted: self.tolerance,
            }),
        }
    }

    fn counts(&self) -> SolverCounts {
        self.counts
    }
}

/// Returns the inverse of a symmetric 3×3 block; `None` if it is not positive definite.
fn inverse_of_definite(a: &[f64; 9]) -> Option<[f64; 9]> {
    let minor = |i: usize, j: usize, k: usize, l: usize| a[i] * a[l] - a[j] * a[k];
    let cofactors = [minor(4, 5, 7, 8), minor(5, 3, 8, 6), minor(3, 4, 6, 7)];
    let second = minor(0, 1, 3, 4);
    let determinant = a[0] * cofactors[0] + a[1] * cofactors[1] + a[2] * cofactors[2];
    let definite = a[0] > 0.0 && second > 0.0 && determinant > 0.0;
    let d = 1.0 / determinant;
    let inverse = [
        cofactors[0] * d,
        minor(2, 1, 8, 7) * d,
        minor(1, 2, 4, 5) * d,
        cofactors[1] * d,
        minor(0, 2, 6, 8) * d,
        minor(2, 0, 5, 3) * d,
        cofactors[2] * d,
        minor(1, 0, 7, 6) * d,
        second * d,
    ];
    (definite && inverse.iter().all(|x| x.is_finite())).then_some(inverse)
}

fn dot(x: &[Vec3], y: &[Vec3]) -> f64 {
    let terms = x.as_flattened().iter().zip(y.as_flattened());
    terms.map(|(a, b)| a * b).sum()
}

/// Computes x ← x + s y.
fn add_scaled(x: &mut [Vec3], s: f64, y: &[Vec3]) {
    for (x, y) in x.as_flattened_mut().iter_mut().zip(y.as_flattened()) {
        *x += s * y;
    }
}
