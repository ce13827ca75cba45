//! Solving with indefinite matrices.
//!
//! Near buckling, or with an exact tangent and a large step, M + c_u K has negative eigenvalues and Cholesky refuses it.
//! First comes P S A S Pᵀ = L B Lᵀ with 1 × 1 and 2 × 2 pivots chosen inside each supernode (Bunch & Kaufman 1977): the order,
//! supernodes and cost of Cholesky. S = diag(max |aᵢⱼ|)^−½ makes pivots comparable. Pivots that are bound to their supernode
//! can be bad, so every factorization is tried on a known solution, and where two steps of refinement do not repair it a
//! sparse LU with free row exchanges takes over. A matrix whose inverse is larger than 1/ε is refused.

use crate::error::{FactorError, SolveError};
use crate::matrix::Matrix;
use crate::order::Ordering;
use crate::pattern::Pattern;
use crate::permuted::Permuted;
use crate::pivoted::Pivoted;
use crate::solver::{Counts, LinearSolver, finite_solution, right_length};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::perm::PermRef;
use faer::sparse::linalg::cholesky::supernodal::{
    SupernodalIntranodeLbltRef, SymbolicSupernodalCholesky,
    factorize_supernodal_numeric_intranode_lblt,
    factorize_supernodal_numeric_intranode_lblt_scratch,
};
use faer::{Conj, MatMut, Par, Spec};
use std::sync::Arc;

/// A relative residual above this after refinement is not accepted.
const SOUND: f64 = 1e-9;

/// A residual below this is not refined further.
const EXACT: f64 = 1e-14;

/// Estimates of the scaled condition number above this mean a singular matrix.
const SINGULAR: f64 = 1e15;

/// Steps of refinement in a solve.
const STEPS: usize = 3;

/// LBLᵀ with an LU behind it: the solver for indefinite matrices.
#[derive(Default)]
pub struct Lu {
    kept: Option<Kept>,
    ready: bool,
    counts: Counts,
}

/// All that belongs to one pattern; `a` is S A S.
struct Kept {
    a: Matrix,
    scale: Vec<f64>,
    bound: Bound,
    /// The factorization with free row exchanges, made when it is first needed.
    free: Option<Pivoted>,
    use_free: bool,
    b: Vec<f64>,
    r: Vec<f64>,
}

impl Kept {
    fn new(a: &Matrix) -> Result<Kept, FactorError> {
        let zeros = vec![0.0; a.n()];
        Ok(Kept {
            a: a.clone(),
            bound: Bound::new(a.pattern())?,
            free: None,
            use_free: false,
            scale: zeros.clone(),
            b: zeros.clone(),
            r: zeros,
        })
    }

    /// Takes S A S.
    fn take(&mut self, a: &Matrix) {
        let (starts, rows) = (a.pattern().starts(), a.pattern().rows());
        self.scale.fill(0.0);
        for j in 0..a.n() {
            for k in starts[j]..starts[j + 1] {
                let size = a.values()[k].abs();
                self.scale[j] = self.scale[j].max(size);
                self.scale[rows[k]] = self.scale[rows[k]].max(size);
            }
        }
        for s in &mut self.scale {
            *s = if *s > 0.0 { 1.0 / s.sqrt() } else { 1.0 };
        }
        for j in 0..a.n() {
            for k in starts[j]..starts[j + 1] {
                self.a.values_mut()[k] = self.scale[rows[k]] * a.values()[k] * self.scale[j];
            }
        }
    }

    fn factor(&mut self) -> Result<(), FactorError> {
        self.use_free = false;
        self.bound.numeric(&self.a);
        let mut inverse = self.inverse_size();
        if self.trial() > SOUND {
            self.use_free = true;
            let free = match &mut self.free {
                Some(free) => free,
                none => none.insert(Pivoted::new(&self.a)?),
            };
            if !free.numeric(&self.a)? {
                inverse = f64::INFINITY;
            } else {
                inverse = self.inverse_size();
                if self.trial() > SOUND {
                    inverse = f64::INFINITY;
                }
            }
        }
        let largest = self.a.norm_with(&mut self.r);
        if inverse * largest < SINGULAR {
            Ok(())
        } else {
            Err(FactorError::Singular {
                pivot: 1.0 / inverse,
                largest,
                unknowns: self.a.n(),
            })
        }
    }

    /// A lower bound of ‖A⁻¹‖ by four steps of inverse iteration from a fixed vector.
    fn inverse_size(&mut self) -> f64 {
        let mut x = std::mem::take(&mut self.b);
        for (i, x) in x.iter_mut().enumerate() {
            *x = 1.0 + ((i * 7919) % 1009) as f64 / 1009.0;
        }
        let mut size = 0.0;
        for _ in 0..4 {
            let norm = norm(&x);
            x.iter_mut().for_each(|x| *x /= norm);
            self.direct(&mut x);
            size = self::norm(&x);
            if !size.is_finite() {
                size = f64::INFINITY;
                break;
            }
        }
        self.b = x;
        size
    }

    /// The relative residual reached for a right-hand side A·(1, −1, 1, …)ᵀ.
    fn trial(&mut self) -> f64 {
        let mut x = std::mem::take(&mut self.bound.trial);
        for (i, x) in x.iter_mut().enumerate() {
            *x = if i % 2 == 0 { 1.0 } else { -1.0 };
        }
        self.a.times(&x, &mut self.b);
        x.copy_from_slice(&self.b);
        let residual = self.refined(&mut x).1;
        self.bound.trial = x;
        residual
    }

    fn direct(&mut self, x: &mut [f64]) {
        match &mut self.free {
            Some(free) if self.use_free => free.solve(x),
            _ => self.bound.solve(x),
        }
    }

    /// x ← A⁻¹ x with refinement; returns its steps and the relative residual, NaN read as infinite.
    fn refined(&mut self, x: &mut [f64]) -> (u64, f64) {
        self.b.copy_from_slice(x);
        let size = norm(&self.b).max(f64::MIN_POSITIVE);
        self.direct(x);
        let mut steps = 0;
        let mut last = f64::INFINITY;
        loop {
            self.r.copy_from_slice(&self.b);
            self.a.add_times(-1.0, x, &mut self.r);
            // Measured against |A||x| + |b|, as a backward error is; rows of S A S have entries of at most one.
            let reached = norm(&self.r) / (size + norm(x));
            let stalled = reached > 0.5 * last;
            last = if reached.is_nan() {
                f64::INFINITY
            } else {
                last.min(reached)
            };
            if reached <= EXACT || stalled || last.is_infinite() || steps == STEPS as u64 {
                return (steps, last);
            }
            let mut r = std::mem::take(&mut self.r);
            self.direct(&mut r);
            for (x, r) in x.iter_mut().zip(&r) {
                *x += r;
            }
            self.r = r;
            steps += 1;
        }
    }
}

/// LBLᵀ with pivots bound to their supernode.
struct Bound {
    a: Permuted,
    symbolic: SymbolicSupernodalCholesky<usize>,
    values: Vec<f64>,
    subdiagonal: Vec<f64>,
    forward: Vec<usize>,
    inverse: Vec<usize>,
    x: Vec<f64>,
    y: Vec<f64>,
    trial: Vec<f64>,
    memory: MemBuffer,
}

impl Bound {
    fn new(pattern: &Arc<Pattern>) -> Result<Bound, FactorError> {
        let n = pattern.n();
        let memory = FactorError::Memory {
            unknowns: n,
            entries: pattern.nnz(),
        };
        let a = Permuted::new(pattern, Ordering::Best);
        let symbolic = a.supernodes(crate::cholesky::RELAX)?;
        let need = factorize_supernodal_numeric_intranode_lblt_scratch::<usize, f64>(
            &symbolic,
            Par::Seq,
            Spec::default(),
        )
        .or(symbolic.solve_in_place_scratch::<f64>(1, Par::Seq));
        let buffer = MemBuffer::try_new(need).map_err(|_| memory.clone())?;
        let mut values = Vec::new();
        values
            .try_reserve_exact(symbolic.len_val())
            .map_err(|_| memory)?;
        values.resize(symbolic.len_val(), 0.0);
        let zeros = vec![0.0; n];
        Ok(Bound {
            a,
            symbolic,
            values,
            subdiagonal: zeros.clone(),
            forward: vec![0; n],
            inverse: vec![0; n],
            x: zeros.clone(),
            y: zeros.clone(),
            trial: zeros,
            memory: buffer,
        })
    }

    fn numeric(&mut self, a: &Matrix) {
        self.a.take(a);
        factorize_supernodal_numeric_intranode_lblt(
            &mut self.values,
            &mut self.subdiagonal,
            &mut self.forward,
            &mut self.inverse,
            self.a.view(),
            &self.symbolic,
            Par::Seq,
            MemStack::new(&mut self.memory),
            Spec::default(),
        );
    }

    fn solve(&mut self, x: &mut [f64]) {
        let n = x.len();
        self.a.gather(x, &mut self.y);
        for (x, &i) in self.x.iter_mut().zip(&self.forward) {
            *x = self.y[i];
        }
        let exchanges = PermRef::new_checked(&self.forward, &self.inverse, n);
        SupernodalIntranodeLbltRef::new(&self.symbolic, &self.values, &self.subdiagonal, exchanges)
            .solve_in_place_no_numeric_permute_with_conj(
                Conj::No,
                MatMut::from_column_major_slice_mut(&mut self.x, n, 1),
                Par::Seq,
                MemStack::new(&mut self.memory),
            );
        for (x, &i) in self.x.iter().zip(&self.forward) {
            self.y[i] = *x;
        }
        self.a.scatter(&self.y, x);
    }
}

impl LinearSolver for Lu {
    fn factor(&mut self, a: &Matrix) -> Result<(), FactorError> {
        if !a.off_pattern().is_empty() {
            return self.factor(&a.merged());
        }
        self.ready = false;
        a.finite()?;
        let kept = match &mut self.kept {
            Some(kept) if kept.a.pattern().same_as(a.pattern()) => kept,
            stale => {
                self.counts.analyses += 1;
                self.counts.orderings += u64::from(!a.pattern().keeps_order());
                stale.insert(Kept::new(a)?)
            }
        };
        self.counts.factorizations += 1;
        if a.n() > 0 {
            kept.take(a);
            let known = kept.free.is_some();
            let outcome = kept.factor();
            self.counts.analyses += u64::from(!known && kept.free.is_some());
            outcome?;
        }
        self.ready = true;
        Ok(())
    }

    fn solve(&mut self, x: &mut [f64]) -> Result<(), SolveError> {
        let kept = self
            .kept
            .as_mut()
            .filter(|_| self.ready)
            .ok_or(SolveError::NotFactored)?;
        right_length(x, kept.scale.len())?;
        if x.is_empty() {
            return Ok(());
        }
        self.counts.solves += 1;
        for (x, s) in x.iter_mut().zip(&kept.scale) {
            *x *= s;
        }
        let (steps, residual) = kept.refined(x);
        self.counts.iterations += steps;
        for (x, s) in x.iter_mut().zip(&kept.scale) {
            *x *= s;
        }
        finite_solution(x)?;
        if residual > SOUND {
            return Err(SolveError::NotConverged {
                iterations: STEPS,
                residual,
                wanted: SOUND,
            });
        }
        Ok(())
    }

    fn counts(&self) -> Counts {
        self.counts
    }
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|v| v * v).sum::<f64>().sqrt()
}
