//! A direct solver for symmetric indefinite matrices, L B Lᵀ with a fallback to sparse LU, and for unsymmetric ones.
//!
//! Near buckling, or with an exact tangent and a large step, M + c_u K has negative eigenvalues and Cholesky fails. We
//! first factor P S A S Pᵀ = L B Lᵀ with 1 × 1 and 2 × 2 pivots chosen inside each supernode (Bunch & Kaufman 1977),
//! with the order, supernodes and cost of Cholesky; S = diag(max |aᵢⱼ|)^−½ makes pivots comparable. Pivots restricted
//! to their supernode can be bad. So every factorization is tested on a known solution, and if iterative refinement
//! does not repair it, a sparse LU with free row exchanges replaces it. A matrix with an antisymmetric part is factored
//! by that LU at once. A matrix is rejected as singular if its scaled condition number is estimated above 10¹⁵.

use crate::error::{FactorError, SolveError};
use crate::matrix::Matrix;
use crate::ordering::Ordering;
use crate::pattern::Pattern;
use crate::permuted_matrix::PermutedMatrix;
use crate::pivoted_lu::PivotedLu;
use crate::solver::{LinearSolver, SolverCounts, check_finite, check_length};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::perm::PermRef;
use faer::sparse::linalg::cholesky::supernodal::{
    SupernodalIntranodeLbltRef, SymbolicSupernodalCholesky,
    factorize_supernodal_numeric_intranode_lblt,
    factorize_supernodal_numeric_intranode_lblt_scratch,
};
use faer::{Conj, MatMut, Par, Spec};
use std::sync::Arc;

/// The largest relative residual accepted after iterative refinement.
const MAX_RESIDUAL: f64 = 1e-9;

/// The relative residual at which iterative refinement stops.
const REFINED_RESIDUAL: f64 = 1e-14;

/// The largest estimated condition number of the scaled matrix; a larger one means a singular matrix.
const MAX_CONDITION: f64 = 1e15;

/// The largest number of refinement steps of a solve.
const MAX_REFINEMENTS: usize = 3;

/// A direct solver for symmetric indefinite matrices, L B Lᵀ with a fallback to sparse LU, and for unsymmetric ones.
#[derive(Default)]
pub struct Lu {
    factor: Option<ScaledFactor>,
    ready: bool,
    counts: SolverCounts,
}

/// The factorization of the scaled matrix `a` = S A S and its buffers.
struct ScaledFactor {
    a: Matrix,
    scale: Vec<f64>,
    /// The L B Lᵀ factorization, created for the first symmetric matrix.
    lblt: Option<SupernodalLblt>,
    /// The LU factorization with free row exchanges, created when first needed.
    free: Option<PivotedLu>,
    use_free: bool,
    b: Vec<f64>,
    r: Vec<f64>,
    trial: Vec<f64>,
}

impl ScaledFactor {
    fn new(a: &Matrix) -> ScaledFactor {
        let zeros = vec![0.0; a.n()];
        ScaledFactor {
            a: a.clone(),
            lblt: None,
            free: None,
            use_free: false,
            scale: zeros.clone(),
            b: zeros.clone(),
            r: zeros.clone(),
            trial: zeros,
        }
    }

    /// Returns the number of symbolic analyses so far.
    fn analyses(&self) -> u64 {
        u64::from(self.lblt.is_some()) + u64::from(self.free.is_some())
    }

    /// Computes the scaling S and copies S A S.
    fn scale_and_copy(&mut self, a: &Matrix) {
        let (starts, rows) = (a.pattern().column_starts(), a.pattern().row_indices());
        let w = a.antisymmetric();
        self.scale.fill(0.0);
        for j in 0..a.n() {
            for k in starts[j]..starts[j + 1] {
                // The larger of |s + w| and |s − w|.
                let size = a.values()[k].abs() + w.get(k).map_or(0.0, |w| w.abs());
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
        self.a.make_symmetric();
        if a.is_symmetric() {
            return;
        }
        let scaled = self.a.antisymmetric_mut();
        for j in 0..a.n() {
            for k in starts[j]..starts[j + 1] {
                scaled[k] = self.scale[rows[k]] * w[k] * self.scale[j];
            }
        }
    }

    fn factor(&mut self) -> Result<(), FactorError> {
        self.use_free = !self.a.is_symmetric();
        let mut inverse = f64::INFINITY;
        if !self.use_free {
            let lblt = match &mut self.lblt {
                Some(lblt) => lblt,
                none => none.insert(SupernodalLblt::new(self.a.pattern())?),
            };
            lblt.numeric(&self.a);
            inverse = self.inverse_size();
            self.use_free = self.trial() > MAX_RESIDUAL;
        }
        if self.use_free {
            let free = match &mut self.free {
                Some(free) => free,
                none => none.insert(PivotedLu::new(&self.a)?),
            };
            if !free.numeric(&self.a)? {
                inverse = f64::INFINITY;
            } else {
                inverse = self.inverse_size();
                if self.trial() > MAX_RESIDUAL {
                    inverse = f64::INFINITY;
                }
            }
        }
        let largest = self.a.norm_inf_with(&mut self.r);
        if inverse * largest < MAX_CONDITION {
            Ok(())
        } else {
            Err(FactorError::Singular {
                pivot: 1.0 / inverse,
                largest,
                unknowns: self.a.n(),
            })
        }
    }

    /// Estimates ‖A⁻¹‖ from below by four steps of inverse iteration from a fixed vector.
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

    /// Solves with the right-hand side A·(1, −1, 1, …)ᵀ and returns the relative residual.
    fn trial(&mut self) -> f64 {
        let mut x = std::mem::take(&mut self.trial);
        for (i, x) in x.iter_mut().enumerate() {
            *x = if i % 2 == 0 { 1.0 } else { -1.0 };
        }
        self.a.times(&x, &mut self.b);
        x.copy_from_slice(&self.b);
        let residual = self.refined(&mut x).1;
        self.trial = x;
        residual
    }

    fn direct(&mut self, x: &mut [f64]) {
        match (&mut self.lblt, &mut self.free) {
            (_, Some(free)) if self.use_free => free.solve(x),
            (Some(lblt), _) => lblt.solve(x),
            _ => x.fill(f64::NAN),
        }
    }

    /// Computes x ← A⁻¹ x with iterative refinement; returns the number of steps and the relative residual, infinite if
    /// NaN.
    fn refined(&mut self, x: &mut [f64]) -> (u64, f64) {
        self.b.copy_from_slice(x);
        let size = norm(&self.b).max(f64::MIN_POSITIVE);
        self.direct(x);
        let mut steps = 0;
        let mut last = f64::INFINITY;
        loop {
            self.r.copy_from_slice(&self.b);
            self.a.add_times(-1.0, x, &mut self.r);
            // A backward error, relative to |A||x| + |b|; entries of S A S are at most one.
            let reached = norm(&self.r) / (size + norm(x));
            let stalled = reached > 0.5 * last;
            last = if reached.is_nan() {
                f64::INFINITY
            } else {
                last.min(reached)
            };
            if reached <= REFINED_RESIDUAL
                || stalled
                || last.is_infinite()
                || steps == MAX_REFINEMENTS as u64
            {
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

/// An L B Lᵀ factorization with pivots restricted to their supernode.
struct SupernodalLblt {
    a: PermutedMatrix,
    symbolic: SymbolicSupernodalCholesky<usize>,
    values: Vec<f64>,
    subdiagonal: Vec<f64>,
    forward: Vec<usize>,
    inverse: Vec<usize>,
    x: Vec<f64>,
    y: Vec<f64>,
    memory: MemBuffer,
}

impl SupernodalLblt {
    fn new(pattern: &Arc<Pattern>) -> Result<SupernodalLblt, FactorError> {
        let n = pattern.n();
        let memory = FactorError::Memory {
            unknowns: n,
            entries: pattern.nnz(),
        };
        let a = PermutedMatrix::new(pattern, Ordering::Best);
        let symbolic = a.supernodes(crate::cholesky::SUPERNODE_RELAXATION)?;
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
        Ok(SupernodalLblt {
            a,
            symbolic,
            values,
            subdiagonal: zeros.clone(),
            forward: vec![0; n],
            inverse: vec![0; n],
            x: zeros.clone(),
            y: zeros,
            memory: buffer,
        })
    }

    fn numeric(&mut self, a: &Matrix) {
        self.a.copy_values(a);
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

impl SupernodalLblt {
    /// Counts the negative eigenvalues of B: by Sylvester's law of inertia those of the matrix. A 2 × 2 pivot has a
    /// negative determinant, and so exactly one negative eigenvalue, unless rounding has made it definite.
    fn negative_eigenvalues(&self) -> usize {
        let n = self.subdiagonal.len();
        let exchanges = PermRef::new_checked(&self.forward, &self.inverse, n);
        let l = SupernodalIntranodeLbltRef::new(
            &self.symbolic,
            &self.values,
            &self.subdiagonal,
            exchanges,
        );
        let mut count = 0;
        for s in 0..self.symbolic.n_supernodes() {
            let panel = l.supernode(s);
            let (b, start) = (panel.val(), panel.start());
            let mut c = 0;
            while c < b.ncols() {
                let below = self.subdiagonal[start + c];
                if below == 0.0 {
                    count += usize::from(b[(c, c)] < 0.0);
                    c += 1;
                    continue;
                }
                let (p, q) = (b[(c, c)], b[(c + 1, c + 1)]);
                count += match p * q - below * below < 0.0 {
                    true => 1,
                    false => 2 * usize::from(p < 0.0),
                };
                c += 2;
            }
        }
        count
    }
}

impl Lu {
    /// Returns the number of negative eigenvalues of the matrix factored last, which is that of the pivots of
    /// L B Lᵀ. Returns `None` if nothing is factored, or if an LU with free row exchanges was needed, which shows no
    /// inertia.
    pub fn negative_eigenvalues(&self) -> Option<usize> {
        let factor = self.factor.as_ref().filter(|_| self.ready)?;
        let lblt = factor.lblt.as_ref().filter(|_| !factor.use_free)?;
        Some(lblt.negative_eigenvalues())
    }
}

impl LinearSolver for Lu {
    fn factor(&mut self, a: &Matrix) -> Result<(), FactorError> {
        if !a.off_pattern().is_empty() {
            return self.factor(&a.on_extended_pattern());
        }
        self.ready = false;
        a.check_finite()?;
        let factor = match &mut self.factor {
            Some(factor) if factor.a.pattern().has_same_structure(a.pattern()) => factor,
            stale => stale.insert(ScaledFactor::new(a)),
        };
        self.counts.factorizations += 1;
        if a.n() > 0 {
            factor.scale_and_copy(a);
            let (known, ordered) = (factor.analyses(), factor.lblt.is_some());
            let outcome = factor.factor();
            self.counts.analyses += factor.analyses() - known;
            let orders = !ordered && factor.lblt.is_some() && !a.pattern().inherits_order();
            self.counts.orderings += u64::from(orders);
            outcome?;
        }
        self.ready = true;
        Ok(())
    }

    fn solve(&mut self, x: &mut [f64]) -> Result<(), SolveError> {
        let factor = self
            .factor
            .as_mut()
            .filter(|_| self.ready)
            .ok_or(SolveError::NotFactored)?;
        check_length(x, factor.scale.len())?;
        if x.is_empty() {
            return Ok(());
        }
        self.counts.solves += 1;
        for (x, s) in x.iter_mut().zip(&factor.scale) {
            *x *= s;
        }
        let (steps, residual) = factor.refined(x);
        self.counts.iterations += steps;
        for (x, s) in x.iter_mut().zip(&factor.scale) {
            *x *= s;
        }
        check_finite(x)?;
        if residual > MAX_RESIDUAL {
            return Err(SolveError::NotConverged {
                iterations: MAX_REFINEMENTS,
                residual,
                wanted: MAX_RESIDUAL,
            });
        }
        Ok(())
    }

    fn counts(&self) -> SolverCounts {
        self.counts
    }
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|v| v * v).sum::<f64>().sqrt()
}
