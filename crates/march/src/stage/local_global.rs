//! Local/global iterations on a stage [Dinev et al. 2018, §4.2, eqs. 27–30].
//!
//! If the energy is Σ w/2 min_p ‖G x − p‖², the local step finds the projections p and the global step solves a linear
//! system with a constant matrix. With r = M a − f the pair is the quasi-Newton iteration a ← a − (M + c_v D + c_u L)⁻¹
//! r(a), L = Σ w GᵀG (docs/references.md, E14): the force evaluation includes the projections, and the factors are
//! reused while (c_u, c_v) do not change. L bounds the true stiffness from above (that of `corotated` up to a stretch
//! of three), so full steps descend and no line search is needed. For backward Euler it is eq. 28, for the midpoint
//! rule eq. 30; here it applies to every stage.
//!
//! Contacts come and go, and their stiffness is along their normals only; the springs of hands come and go too. They are not
//! part of L: every iteration asks for those that act and adds them to the factors as stiff rows ([`sparse::stiff_rows`]).

use sparse::inverted_panels::{InvertedPanelCholesky, RIGHT_HAND_SIDES};
use sparse::stiff_rows::{StiffRow, StiffRows};
use sparse::{Cholesky, LinearSolver, SolveError};

use super::newton::NewtonSolver;
use super::{Newton, Stage, StageSolver};
use crate::vector::{add, combine, norm};
use crate::{ConstantMatrix, StepError, System, Weights};

/// Factors of M + c_v D + c_u L for the weights used last.
#[derive(Default)]
pub struct ConstantFactors {
    factors: Vec<ConstantFactor>,
    /// Number of lookups, by which the time of last use is measured.
    clock: u64,
    factorizations: u64,
    largest_residual: f64,
    /// Stiff rows of an iteration.
    rows: Vec<StiffRow>,
}

struct ConstantFactor {
    c_u: f64,
    c_v: f64,
    /// [`ConstantMatrix::constant_stamp`] of the matrix.
    stamp: Option<u64>,
    solver: Cholesky,
    /// Factors of a matrix that acts on x, y and z alike, for all three at once.
    products: Option<InvertedPanelCholesky>,
    stiff: StiffRows,
    used: u64,
}

impl ConstantFactor {
    /// Solves with the constant matrix plus stiff rows. Returns the number of solves without those for columns, which are kept
    /// and would make the count depend on the past.
    fn solve(&mut self, rows: &[StiffRow], x: &mut [f64]) -> Result<u64, SolveError> {
        let (products, solver) = (&mut self.products, &mut self.solver);
        let mut solve = |x: &mut [f64]| match products {
            Some(products) => products.solve(x),
            None => solver.solve(x),
        };
        self.stiff.set(rows, &mut solve)?;
        solve(x)?;
        Ok(1 + self.stiff.correct(x, solve)?)
    }
}

/// Pairs of weights kept for each step length: a method and the two Euler methods that it may be blended with need no
/// more, and one is left for a last step of another length.
const PAIRS_PER_STEP: usize = 4;

impl ConstantFactors {
    /// Returns the largest relative residual of the attempt.
    pub fn residual(&self) -> f64 {
        self.largest_residual
    }

    /// Begins an attempt.
    pub fn begin_attempt(&mut self) {
        self.largest_residual = 0.0;
    }

    /// Records a residual relative to the forces.
    fn note(&mut self, residual: f64, scale: f64) {
        if residual > 0.0 {
            self.largest_residual = self.largest_residual.max(residual / scale);
        }
    }

    /// Returns the number of factorizations so far.
    pub fn factorizations(&self) -> u64 {
        self.factorizations
    }

    /// Returns the index of the factors for these weights, and computes them if necessary.
    fn find_or_factor(
        &mut self,
        sys: &mut dyn System,
        t: f64,
        w: Weights,
        max_count: usize,
    ) -> Result<usize, StepError> {
        let constant = sys
            .constant_matrix()
            .ok_or(StepError::NoConstantMatrix { t })?;
        self.clock += 1;
        let stamp = constant.constant_stamp();
        let same =
            |k: &ConstantFactor| k.c_u == w.stiffness && k.c_v == w.damping && k.stamp == stamp;
        let index = match self.factors.iter().position(same) {
            Some(index) => index,
            None => self.factor(constant, t, w, max_count)?,
        };
        self.factors[index].used = self.clock;
        Ok(index)
    }

    /// Computes the factors for these weights, in place of those unused for longest if `max_count` are kept.
    fn factor(
        &mut self,
        constant: &mut dyn ConstantMatrix,
        t: f64,
        w: Weights,
        max_count: usize,
    ) -> Result<usize, StepError> {
        let mut blank = constant.zero_constant_matrix();
        constant.constant_tangent(w, &mut blank);
        let index = if self.factors.len() < max_count {
            self.factors.push(ConstantFactor {
                c_u: 0.0,
                c_v: 0.0,
                stamp: None,
                solver: Cholesky::default(),
                products: None,
                stiff: StiffRows::default(),
                used: 0,
            });
            self.factors.len() - 1
        } else {
            let oldest = (0..self.factors.len()).min_by_key(|&i| self.factors[i].used);
            oldest.unwrap_or(0)
        };
        self.factorizations += 1;
        let factors = &mut self.factors[index];
        // NaN weights match no request, in case the factorization fails.
        (factors.c_u, factors.c_v) = (f64::NAN, f64::NAN);
        factors
            .solver
            .factor(&blank.matrix)
            .map_err(|why| StepError::Factor { t, why })?;
        factors.products = match blank.copies {
            RIGHT_HAND_SIDES => Some(
                InvertedPanelCholesky::new(&mut factors.solver)
                    .map_err(|why| StepError::Solve { t, why })?,
            ),
            _ => None,
        };
        factors
            .stiff
            .reset(blank.matrix.pattern().n(), blank.copies);
        (factors.c_u, factors.c_v) = (w.stiffness, w.damping);
        factors.stamp = constant.constant_stamp();
        Ok(index)
    }
}

/// Sets the acceleration for which the displacements are those of the nearby state.
pub fn start_near(stage: &Stage, a: &mut [f64]) {
    combine(a, stage.near.u, -1.0, stage.u0);
    a.iter_mut().for_each(|a| *a /= stage.c_u);
}

impl StageSolver {
    /// Computes the factors for local/global iterations with these weights in advance; does nothing for other
    /// iterations.
    pub fn prefactor(
        &mut self,
        sys: &mut dyn System,
        t: f64,
        newton: Newton,
        weights: Weights,
    ) -> Result<(), StepError> {
        if matches!(
            newton,
            Newton::LocalGlobal { .. } | Newton::SingleLocalGlobal
        ) {
            let max_count = self.constant_pairs();
            self.constant.find_or_factor(sys, t, weights, max_count)?;
        }
        Ok(())
    }

    /// Returns the number of pairs of weights whose factors are kept.
    fn constant_pairs(&self) -> usize {
        PAIRS_PER_STEP * self.newton.options.factor_slots.max(1)
    }

    /// Runs a fixed number of iterations from `a` and records the residual before the last one; the final residual
    /// would need another force evaluation.
    pub(super) fn local_global(
        &mut self,
        sys: &mut dyn System,
        stage: &Stage,
        iterations: u64,
        a: &mut [f64],
    ) -> Result<(), StepError> {
        let max_count = self.constant_pairs();
        let index = self
            .constant
            .find_or_factor(sys, stage.t, stage.weights(), max_count)?;
        let NewtonSolver {
            point, r, report, ..
        } = &mut self.newton;
        self.constant.factors[index].stiff.forget_rows();
        for iteration in 1..=iterations {
            let scale = point.full_residual(sys, stage, a, report, r)?;
            if iteration == iterations && stage.newton != Newton::SingleLocalGlobal {
                self.constant.note(norm(r), scale);
            }
            let ConstantFactors { rows, factors, .. } = &mut self.constant;
            rows.clear();
            if let Some(constant) = sys.constant_matrix() {
                constant.stiff_rows(point.at(stage.t), rows);
            }
            rows.iter_mut().for_each(|row| row.stiffness *= stage.c_u);
            report.newton += 1;
            report.solves += factors[index]
                .solve(rows, r)
                .map_err(|why| StepError::Solve { t: stage.t, why })?;
            add(a, -1.0, r);
        }
        Ok(())
    }
}
