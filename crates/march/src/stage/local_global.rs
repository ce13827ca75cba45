//! Local/global iterations on a stage (004 §4.2, eqs. 27–30).
//!
//! Where the energy is Σ w/2 min_p ‖G x − p‖² the local step finds the projections p and the global step solves a linear
//! system whose matrix never changes. With r = M a − f the pair is the quasi-Newton iteration
//! a ← a − (M + c_v D + c_u L)⁻¹ r(a), L = Σ w GᵀG: the force evaluates the projections, the factors are factors as long
//! as (c_u, c_v) stay. L bounds the true stiffness from above (that of `corotated` up to three
//! times a length), so full steps descend and no line search is needed. For
//! backward Euler it is eq. (28), for the midpoint rule eq. (30); here it serves every stage.

use sparse::products::{Products, SIDES};
use sparse::{Cholesky, LinearSolver, SolveError};

use super::newton::NewtonSolver;
use super::{Newton, Stage, StageSolver};
use crate::vector::{add, combine, norm};
use crate::{ConstantMatrix, StepError, System, Weights};

/// Factors of M + c_v D + c_u L for the weights used last.
#[derive(Default)]
pub struct ConstantFactors {
    factors: Vec<ConstantFactor>,
    /// Looks into the factors, to know which was used last.
    clock: u64,
    factorizations: u64,
    largest_residual: f64,
}

struct ConstantFactor {
    c_u: f64,
    c_v: f64,
    /// [`ConstantMatrix::constant_stamp`] of the matrix.
    stamp: Option<u64>,
    solver: Cholesky,
    /// The factors of a matrix that acts on x, y and z alike, for all three at once.
    products: Option<Products>,
    used: u64,
}

impl ConstantFactor {
    fn solve(&mut self, x: &mut [f64]) -> Result<(), SolveError> {
        match &mut self.products {
            Some(products) => products.solve(x),
            None => self.solver.solve(x),
        }
    }
}

/// Pairs of weights factors for each length of step: a method and the two poles it may be blended with need no more, and a
/// last step of another length finds room.
const PAIRS_PER_STEP: usize = 4;

impl ConstantFactors {
    /// Largest relative residual of the attempt.
    pub fn residual(&self) -> f64 {
        self.largest_residual
    }

    /// Forgets all factors.
    pub fn forget(&mut self) {
        self.factors.clear();
    }

    /// Another attempt begins.
    pub fn begin_attempt(&mut self) {
        self.largest_residual = 0.0;
    }

    /// Notes a residual, against the forces.
    fn note(&mut self, residual: f64, scale: f64) {
        if residual > 0.0 {
            self.largest_residual = self.largest_residual.max(residual / scale);
        }
    }

    /// Factorizations so far.
    pub fn factorizations(&self) -> u64 {
        self.factorizations
    }

    /// Factors for these weights, found or made.
    fn ready(
        &mut self,
        sys: &mut dyn System,
        t: f64,
        w: Weights,
        most: usize,
    ) -> Result<usize, StepError> {
        let constant = sys
            .constant_matrix()
            .ok_or(StepError::NoConstantMatrix { t })?;
        self.clock += 1;
        let stamp = constant.constant_stamp();
        let same =
            |k: &ConstantFactor| k.c_u == w.stiffness && k.c_v == w.damping && k.stamp == stamp;
        let place = match self.factors.iter().position(same) {
            Some(place) => place,
            None => self.make(constant, t, w, most)?,
        };
        self.factors[place].used = self.clock;
        Ok(place)
    }

    /// Factors for these weights, in place of the pair unused for longest.
    fn make(
        &mut self,
        constant: &mut dyn ConstantMatrix,
        t: f64,
        w: Weights,
        most: usize,
    ) -> Result<usize, StepError> {
        let mut blank = constant.zero_constant_matrix();
        constant.constant_tangent(w, &mut blank);
        let place = if self.factors.len() < most {
            self.factors.push(ConstantFactor {
                c_u: 0.0,
                c_v: 0.0,
                stamp: None,
                solver: Cholesky::default(),
                products: None,
                used: 0,
            });
            self.factors.len() - 1
        } else {
            let oldest = (0..self.factors.len()).min_by_key(|&i| self.factors[i].used);
            oldest.unwrap_or(0)
        };
        self.factorizations += 1;
        let factors = &mut self.factors[place];
        // Nothing answers to weights that are not numbers, should the factorization fail.
        (factors.c_u, factors.c_v) = (f64::NAN, f64::NAN);
        factors
            .solver
            .factor(&blank.matrix)
            .map_err(|why| StepError::Factor { t, why })?;
        factors.products = match blank.copies {
            SIDES => {
                Some(Products::of(&mut factors.solver).map_err(|why| StepError::Solve { t, why })?)
            }
            _ => None,
        };
        (factors.c_u, factors.c_v) = (w.stiffness, w.damping);
        factors.stamp = constant.constant_stamp();
        Ok(place)
    }
}

/// The acceleration whose displacements are those nearby.
pub fn start_near(stage: &Stage, a: &mut [f64]) {
    combine(a, stage.near.u, -1.0, stage.u0);
    a.iter_mut().for_each(|a| *a /= stage.c_u);
}

impl StageSolver {
    /// Makes the factors that local/global iterations on stages of these weights will ask for, so that no step has to stop
    /// for them; nothing where stages are solved in another way.
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
            let most = self.constant_pairs();
            self.constant.ready(sys, t, weights, most)?;
        }
        Ok(())
    }

    /// Pairs of weights whose constant matrices are factors factored.
    fn constant_pairs(&self) -> usize {
        PAIRS_PER_STEP * self.newton.options.factor_slots.max(1)
    }

    /// Runs a fixed number of iterations from `a` and records the residual before the last one: that of the last one
    /// itself costs another force.
    pub(super) fn local_global(
        &mut self,
        sys: &mut dyn System,
        stage: &Stage,
        iterations: u64,
        a: &mut [f64],
    ) -> Result<(), StepError> {
        let most = self.constant_pairs();
        let place = self.constant.ready(sys, stage.t, stage.weights(), most)?;
        let NewtonSolver {
            point, r, report, ..
        } = &mut self.newton;
        for iteration in 1..=iterations {
            let scale = point.imbalance(sys, stage, a, report, r)?;
            if iteration == iterations && stage.newton != Newton::SingleLocalGlobal {
                self.constant.note(norm(r), scale);
            }
            self.constant.factors[place]
                .solve(r)
                .map_err(|why| StepError::Solve { t: stage.t, why })?;
            report.newton += 1;
            report.solves += 1;
            add(a, -1.0, r);
        }
        Ok(())
    }
}
