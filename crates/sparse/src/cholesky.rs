//! Sparse Cholesky factorization, P A Pᵀ = L Lᵀ.
//!
//! Supernodal and left-looking on faer's dense kernels (Chen, Davis, Hager & Rajamanickam 2008): columns of L with the same
//! structure are stored and updated as dense panels. The order P, the supernodes and all memory belong to the pattern and are
//! made once; a factorization of new values then writes into the same buffers. One thread, one order of operations: the same
//! matrix gives the same bytes.

use crate::error::{FactorError, SolveError};
use crate::matrix::Matrix;
use crate::order::{Order, Ordering};
use crate::pattern::Pattern;
use crate::permuted::Permuted;
use crate::solver::{Counts, LinearSolver, finite_solution, right_length};
use crate::substitution;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::LltError;
use faer::sparse::linalg::cholesky::supernodal::{
    SupernodalLltRef, SymbolicSupernodalCholesky, factorize_supernodal_numeric_llt,
    factorize_supernodal_numeric_llt_scratch,
};
use faer::{Par, Spec};
use pulp::Arch;
use std::sync::Arc;

/// Neighbouring supernodes are merged when together they have at most so many columns and at most this share of padding
/// zeros: wider panels run faster than the padding costs. Measured on bodies of 2k to 60k unknowns with 3 to a vertex.
pub(crate) const RELAX: &[(usize, f64)] = &[(4, 1.0), (16, 0.8), (48, 0.1), (usize::MAX, 0.05)];

/// Sparse Cholesky: the solver for positive definite matrices.
#[derive(Default)]
pub struct Cholesky {
    ordering: Ordering,
    arch: Arch,
    factor: Option<Factor>,
    ready: bool,
    counts: Counts,
}

/// All that belongs to one pattern.
struct Factor {
    a: Permuted,
    symbolic: SymbolicSupernodalCholesky<usize>,
    values: Vec<f64>,
    x: Vec<f64>,
    room: Vec<f64>,
    memory: MemBuffer,
}

impl Cholesky {
    /// A solver bound to one way of ordering.
    pub fn with_ordering(ordering: Ordering) -> Cholesky {
        Cholesky {
            ordering,
            ..Cholesky::default()
        }
    }

    /// The order of elimination in use, with its cost; `None` before the first factorization.
    pub fn order(&self) -> Option<&Order> {
        self.factor.as_ref().map(|f| &f.a.order)
    }

    /// Numbers stored for the factor, padding included.
    pub fn stored(&self) -> usize {
        self.factor.as_ref().map_or(0, |f| f.values.len())
    }

    /// Size of the matrix last factored.
    pub(crate) fn unknowns(&self) -> Option<usize> {
        let factor = self.factor.as_ref().filter(|_| self.ready)?;
        Some(factor.x.len())
    }

    /// Structure and numbers of L, panel by panel.
    pub(crate) fn panels(&self) -> Option<(&SymbolicSupernodalCholesky<usize>, &[f64])> {
        let factor = self.factor.as_ref().filter(|_| self.ready)?;
        Some((&factor.symbolic, &factor.values))
    }

    /// The diagonal of L² in the caller's numbering: the pivots, whose product is det A. `None` unless factored.
    pub fn pivots(&self) -> Option<Vec<f64>> {
        let factor = self.factor.as_ref().filter(|_| self.ready)?;
        let mut pivots = vec![0.0; factor.x.len()];
        let l = SupernodalLltRef::new(&factor.symbolic, &factor.values);
        for s in 0..factor.symbolic.n_supernodes() {
            let panel = l.supernode(s);
            for c in 0..panel.val().ncols() {
                pivots[factor.a.order.eliminated[panel.start() + c]] = panel.val()[(c, c)].powi(2);
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
        let a = Permuted::new(pattern, ordering);
        let symbolic = a.supernodes(RELAX)?;
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
            room: vec![0.0; pattern.n()],
            a,
            symbolic,
            values,
            memory: buffer,
        })
    }

    /// Refactors in place.
    fn numeric(&mut self, a: &Matrix) -> Result<(), FactorError> {
        self.a.take(a);
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

    /// Says which unknown of the caller stopped the elimination.
    fn indefinite(&self, a: &Matrix, at: usize) -> FactorError {
        let at = at.min(self.x.len() - 1);
        let column = self.a.order.eliminated[at];
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

impl LinearSolver for Cholesky {
    fn factor(&mut self, a: &Matrix) -> Result<(), FactorError> {
        self.ready = false;
        a.finite()?;
        let factor = match &mut self.factor {
            Some(factor) if factor.a.pattern.same_as(a.pattern()) => factor,
            stale => {
                self.counts.analyses += 1;
                stale.insert(Factor::new(a.pattern(), self.ordering)?)
            }
        };
        self.counts.factorizations += 1;
        factor.numeric(a)?;
        self.ready = true;
        Ok(())
    }

    fn solve(&mut self, x: &mut [f64]) -> Result<(), SolveError> {
        let factor = self
            .factor
            .as_mut()
            .filter(|_| self.ready)
            .ok_or(SolveError::NotFactored)?;
        right_length(x, factor.x.len())?;
        self.counts.solves += 1;
        factor.a.gather(x, &mut factor.x);
        substitution::solve(
            self.arch,
            &factor.symbolic,
            &factor.values,
            &mut factor.x,
            &mut factor.room,
        );
        factor.a.scatter(&factor.x, x);
        finite_solution(x)
    }

    fn counts(&self) -> Counts {
        self.counts
    }
}
