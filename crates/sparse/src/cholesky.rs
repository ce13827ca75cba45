//! Sparse supernodal Cholesky factorization, P A Pᵀ = L Lᵀ.
//!
//! The factorization is supernodal and left-looking on faer's dense kernels (Chen, Davis, Hager & Rajamanickam 2008):
//! columns of L with the same structure are stored and updated as dense panels. Elimination order, supernodes and
//! memory belong to the pattern and are set up once; later factorizations write into the same buffers. One thread and
//! one order of operations: the same matrix gives the same bytes.

use crate::error::{FactorError, SolveError};
use crate::matrix::Matrix;
use crate::ordering::{EliminationOrder, Ordering};
use crate::pattern::Pattern;
use crate::permuted_matrix::PermutedMatrix;
use crate::solver::{LinearSolver, SolverCounts, check_finite, check_length};
use crate::substitution;
use crate::woodbury::{FactorRef, Woodbury, WoodburyError};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::LltError;
use faer::sparse::linalg::cholesky::supernodal::{
    SupernodalLltRef, SymbolicSupernodalCholesky, factorize_supernodal_numeric_llt,
    factorize_supernodal_numeric_llt_scratch,
};
use faer::{Par, Spec};
use pulp::Arch;
use std::sync::Arc;

/// The limits of relaxed supernode amalgamation as (columns, share): neighbours with at most this many columns together
/// are merged if at most this share of their entries is padding. Wider panels gain more speed than the padding costs;
/// measured on bodies of 2k to 60k unknowns, three per vertex.
pub(crate) const SUPERNODE_RELAXATION: &[(usize, f64)] =
    &[(4, 1.0), (16, 0.8), (48, 0.1), (usize::MAX, 0.05)];

/// The backward error at which iterative refinement of a Woodbury-corrected solve stops.
const REFINED_ERROR: f64 = 1e-15;

/// The largest backward error of the trial solve at which a Woodbury correction is accepted; a larger one means that
/// too many digits cancelled.
const MAX_TRIAL_ERROR: f64 = 1e-12;

/// The largest number of refinement steps of a Woodbury-corrected solve.
const MAX_REFINEMENTS: u32 = 2;

/// A direct solver for symmetric positive definite matrices: sparse Cholesky factorization.
///
/// Entries off the pattern need no new analysis: Woodbury's formula corrects the factor of the entries on the pattern,
/// and solves are refined. If that fails, because the entries on the pattern alone are not positive definite or too
/// many digits cancel, the matrix is factored on a pattern that has all entries.
#[derive(Default)]
pub struct Cholesky {
    ordering: Ordering,
    arch: Arch,
    factor: Option<Factor>,
    off_pattern: OffPatternSolver,
    ready: bool,
    counts: SolverCounts,
}

/// How a solve accounts for the off-pattern entries of the matrix factored last.
#[derive(Default)]
enum OffPatternSolver {
    /// There are no such entries.
    #[default]
    None,
    /// Woodbury's formula corrects the factor.
    Corrected(Box<Corrected>),
    /// The matrix was factored on an extended pattern.
    Merged(Box<Cholesky>),
}

/// A Woodbury correction of the factor, with the matrix and scratch vectors for iterative refinement.
struct Corrected {
    matrix: Matrix,
    norm: f64,
    woodbury: Woodbury,
    b: Vec<f64>,
    r: Vec<f64>,
}

/// The numeric and symbolic factor of one pattern, with its buffers.
struct Factor {
    a: PermutedMatrix,
    symbolic: SymbolicSupernodalCholesky<usize>,
    values: Vec<f64>,
    x: Vec<f64>,
    scratch: Vec<f64>,
    memory: MemBuffer,
}

impl Cholesky {
    /// Creates a solver that uses the given fill-reducing ordering.
    pub fn with_ordering(ordering: Ordering) -> Cholesky {
        Cholesky {
            ordering,
            ..Cholesky::default()
        }
    }

    /// Returns the elimination order in use and its cost; `None` before the first factorization.
    pub fn order(&self) -> Option<&EliminationOrder> {
        self.factor.as_ref().map(|f| &f.a.order)
    }

    /// Returns how many numbers the factor stores, padding included.
    pub fn stored_values(&self) -> usize {
        self.factor.as_ref().map_or(0, |f| f.values.len())
    }

    /// Returns the size of the matrix factored last; `None` if there is none.
    pub(crate) fn unknowns(&self) -> Option<usize> {
        let factor = self.factor.as_ref().filter(|_| self.ready)?;
        Some(factor.x.len())
    }

    /// Returns the symbolic structure and the values of L, panel by panel; `None` if nothing is factored.
    pub(crate) fn panels(&self) -> Option<(&SymbolicSupernodalCholesky<usize>, &[f64])> {
        let factor = self.factor.as_ref().filter(|_| self.ready)?;
        Some((&factor.symbolic, &factor.values))
    }

    /// Returns the pivots (the squared diagonal of L) in the caller's numbering; their product is det A. Returns `None`
    /// if nothing is factored or the matrix has entries off its pattern.
    pub fn pivots(&self) -> Option<Vec<f64>> {
        let whole = matches!(self.off_pattern, OffPatternSolver::None);
        let factor = self.factor.as_ref().filter(|_| self.ready && whole)?;
        let mut pivots = vec![0.0; factor.x.len()];
        let l = SupernodalLltRef::new(&factor.symbolic, &factor.values);
        for s in 0..factor.symbolic.n_supernodes() {
            let panel = l.supernode(s);
            for c in 0..panel.val().ncols() {
                pivots[factor.a.order.permutation[panel.start() + c]] = panel.val()[(c, c)].powi(2);
            }
        }
        Some(pivots)
    }
}

impl Factor {
    fn new(pattern: &Arc<Pattern>, ordering: Ordering) -> Result<Factor, FactorError> {
        let memory = FactorError::Memory {
            unknowns: pattern.n(),
            entries: pattern.nnz(),
        };
        let a = PermutedMatrix::new(pattern, ordering);
        let symbolic = a.supernodes(SUPERNODE_RELAXATION)?;
        let need = factorize_supernodal_numeric_llt_scratch::<usize, f64>(
            &symbolic,
            Par::Seq,
            Spec::default(),
        );
        let buffer = MemBuffer::try_new(need).map_err(|_| memory.clone())?;
        let mut values = Vec::new();
        values
            .try_reserve_exact(symbolic.len_val())
            .map_err(|_| memory)?;
        values.resize(symbolic.len_val(), 0.0);
        Ok(Factor {
            x: vec![0.0; pattern.n()],
            scratch: vec![0.0; pattern.n()],
            a,
            symbolic,
            values,
            memory: buffer,
        })
    }

    /// Refactors in place.
    fn numeric(&mut self, a: &Matrix) -> Result<(), FactorError> {
        self.a.copy_values(a);
        let done = factorize_supernodal_numeric_llt(
            &mut self.values,
            self.a.view(),
            Default::default(),
            &self.symbolic,
            Par::Seq,
            MemStack::new(&mut self.memory),
            Spec::default(),
        );
        match done {
            Ok(_) => Ok(()),
            Err(LltError::NonPositivePivot { index }) => Err(self.indefinite(a, index)),
        }
    }

    /// Returns the error that names the caller's unknown at which the elimination failed.
    fn indefinite(&self, a: &Matrix, at: usize) -> FactorError {
        let at = at.min(self.x.len() - 1);
        let column = self.a.order.permutation[at];
        let begin = self.symbolic.supernode_begin();
        let s = begin.partition_point(|&b| b <= at) - 1;
        let width = self.symbolic.supernode_end()[s] - begin[s];
        let start = self.symbolic.col_ptr_for_val()[s];
        let height = (self.symbolic.col_ptr_for_val()[s + 1] - start) / width;
        let inside = at - begin[s];
        let pivot = self.values[start + inside * height + inside];
        FactorError::Indefinite {
            column,
            pivot,
            diagonal: a.entry(column, column),
            unknowns: a.n(),
        }
    }
}

impl Factor {
    fn view(&self, arch: Arch) -> FactorRef<'_> {
        FactorRef {
            arch,
            symbolic: &self.symbolic,
            values: &self.values,
            permutation: &self.a.order.permutation,
        }
    }

    /// Computes x ← A⁻¹ x with the Woodbury-corrected factor, without refinement.
    fn solve_corrected(&mut self, arch: Arch, woodbury: &mut Woodbury, x: &mut [f64]) {
        let mut permuted = std::mem::take(&mut self.x);
        self.a.gather(x, &mut permuted);
        woodbury.solve(&self.view(arch), &mut permuted);
        self.a.scatter(&permuted, x);
        self.x = permuted;
    }
}

impl Corrected {
    /// Computes x ← A⁻¹ x with iterative refinement; returns the backward error ‖b − A x‖ / (‖A‖ ‖x‖ + ‖b‖) in the
    /// maximum norm.
    fn solve(&mut self, arch: Arch, factor: &mut Factor, x: &mut [f64]) -> f64 {
        self.b.copy_from_slice(x);
        factor.solve_corrected(arch, &mut self.woodbury, x);
        let mut last = f64::INFINITY;
        for step in 0.. {
            self.r.copy_from_slice(&self.b);
            self.matrix.add_times(-1.0, x, &mut self.r);
            let scale = self.norm * max_abs(x) + max_abs(&self.b);
            let error = max_abs(&self.r) / scale.max(f64::MIN_POSITIVE);
            let stalled = error.is_nan() || error > 0.5 * last;
            last = last.min(error);
            if error <= REFINED_ERROR || stalled || step == MAX_REFINEMENTS {
                break;
            }
            let mut r = std::mem::take(&mut self.r);
            factor.solve_corrected(arch, &mut self.woodbury, &mut r);
            x.iter_mut().zip(&r).for_each(|(x, r)| *x += r);
            self.r = r;
        }
        last
    }
}

/// Returns the largest magnitude; NaN if there is one.
fn max_abs(x: &[f64]) -> f64 {
    let larger = |m: f64, x: &f64| {
        if x.is_nan() { f64::NAN } else { m.max(x.abs()) }
    };
    x.iter().fold(0.0, larger)
}

impl Cholesky {
    /// Corrects the factor for the entries off the pattern. Factors on an extended pattern if `on_pattern` is an error
    /// or the correction is inaccurate.
    fn include_off_pattern(
        &mut self,
        a: &Matrix,
        on_pattern: Result<(), FactorError>,
    ) -> Result<(), FactorError> {
        let Some(factor) = self.factor.as_mut().filter(|_| on_pattern.is_ok()) else {
            return self.factor_merged(a);
        };
        match Woodbury::new(&factor.view(self.arch), a.off_pattern()) {
            Ok(woodbury) => {
                let mut corrected = Box::new(Corrected {
                    norm: a.norm_inf(),
                    matrix: a.clone(),
                    woodbury,
                    b: vec![0.0; a.n()],
                    r: vec![0.0; a.n()],
                });
                // A trial solve with a known, deterministic, unstructured solution: multiples of the golden ratio modulo one.
                let golden = |i: usize| (0.618_033_988_749_894_9 * (i + 1) as f64).fract() - 0.5;
                let known: Vec<f64> = (0..a.n()).map(golden).collect();
                let mut x = vec![0.0; a.n()];
                a.times(&known, &mut x);
                let error = corrected.solve(self.arch, factor, &mut x);
                if error.is_nan() || error > MAX_TRIAL_ERROR {
                    return self.factor_merged(a);
                }
                self.off_pattern = OffPatternSolver::Corrected(corrected);
                Ok(())
            }
            Err(WoodburyError::Indefinite { row, pivot }) => Err(FactorError::Indefinite {
                column: row,
                pivot,
                diagonal: a.entry(row, row),
                unknowns: a.n(),
            }),
            Err(WoodburyError::Inaccurate) => self.factor_merged(a),
        }
    }

    fn factor_merged(&mut self, a: &Matrix) -> Result<(), FactorError> {
        let mut inner = match std::mem::take(&mut self.off_pattern) {
            OffPatternSolver::Merged(inner) => inner,
            _ => Box::new(Cholesky::with_ordering(self.ordering)),
        };
        let before = inner.counts;
        let factored = inner.factor(&a.on_extended_pattern());
        self.counts.analyses += inner.counts.analyses - before.analyses;
        self.counts.orderings += inner.counts.orderings - before.orderings;
        self.off_pattern = OffPatternSolver::Merged(inner);
        factored
    }
}

impl LinearSolver for Cholesky {
    fn factor(&mut self, a: &Matrix) -> Result<(), FactorError> {
        self.ready = false;
        a.check_finite()?;
        a.check_symmetric()?;
        let factor = match &mut self.factor {
            Some(factor) if factor.a.pattern.has_same_structure(a.pattern()) => factor,
            stale => {
                self.counts.analyses += 1;
                let kept = self.ordering == Ordering::Best && a.pattern().inherits_order();
                self.counts.orderings += u64::from(!kept);
                stale.insert(Factor::new(a.pattern(), self.ordering)?)
            }
        };
        self.counts.factorizations += 1;
        let factored = factor.numeric(a);
        if a.off_pattern().is_empty() {
            self.off_pattern = OffPatternSolver::None;
            factored?;
        } else {
            self.include_off_pattern(a, factored)?;
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
        check_length(x, factor.x.len())?;
        self.counts.solves += 1;
        match &mut self.off_pattern {
            OffPatternSolver::None => {}
            OffPatternSolver::Corrected(corrected) => {
                corrected.solve(self.arch, factor, x);
                return check_finite(x);
            }
            OffPatternSolver::Merged(inner) => return inner.solve(x),
        }
        factor.a.gather(x, &mut factor.x);
        substitution::solve(
            self.arch,
            &factor.symbolic,
            &factor.values,
            &mut factor.x,
            &mut factor.scratch,
        );
        factor.a.scatter(&factor.x, x);
        check_finite(x)
    }

    fn counts(&self) -> SolverCounts {
        self.counts
    }
}
