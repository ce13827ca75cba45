//! Newton's direction d = −A⁻¹ r and the choice of the matrix A.
//!
//! The matrices are tried in this order: factors of an earlier state of this step or of the previous one
//! ([`super::factor_reuse`]), while they still contract; the exact tangent; if Cholesky fails on it, the exact tangent
//! with a multiple of its diagonal added; then, for one iteration, the positive semi-definite part of each stencil; and
//! the exact tangent again. The last two alternate because they fail in different situations: far from the solution the
//! projected one makes longer steps, while in curved valleys it zigzags because it ignores the negative curvature along
//! which the shifted one leaves them. If no Φ is minimised, an indefinite matrix is factored by LU, and if LU is the chosen
//! solver, the tangent keeps its antisymmetric part.
//! [`HessianProjection`] can require projection always or never.

use sparse::{FactorError, SolveError};

use super::factor_reuse::CachedFactor;
use super::newton::{NewtonSolver, ResidualNorm};
use super::trace::{NewtonIteration, TangentKind};
use super::{HessianProjection, Newton, Stage};
use crate::vector::{dot, max_abs, norm};
use crate::{Curvature, StepError, System};

/// Smallest multiple of the largest diagonal entry that is added to a tangent that cannot be factored.
const MIN_SHIFT: f64 = 1e-10;
/// Largest number of multiples that are tried.
const MAX_SHIFTS: u32 = 12;
/// Ratio of successive multiples.
const SHIFT_GROWTH: f64 = 10.0;

impl NewtonSolver {
    /// Computes a direction; the line search completes the returned row.
    pub(super) fn direction(
        &mut self,
        sys: &mut dyn System,
        stage: &Stage,
        merit: Option<f64>,
        balance: &ResidualNorm,
    ) -> Result<NewtonIteration, StepError> {
        let tangent = self.choose_matrix(sys, stage, merit.is_some())?;
        let scaled = stage.newton == Newton::LeastSquares;
        Ok(NewtonIteration {
            residual: balance.residual,
            wanted: balance.wanted,
            merit: match merit {
                Some(merit) => merit,
                None if scaled => norm(&self.d),
                None => balance.residual,
            },
            tangent,
            increment: stage.c_u * max_abs(&self.d),
            fraction: 0.0,
            backtracks: 0,
        })
    }

    fn choose_matrix(
        &mut self,
        sys: &mut dyn System,
        stage: &Stage,
        minimises: bool,
    ) -> Result<TangentKind, StepError> {
        let t = stage.t;
        self.cache.select_slot(stage.weights());
        if minimises
            && self.cache.current.state.fits(stage.weights())
            && self.cache.ensure_current_factors()
        {
            self.solve_for_direction(t)?;
            if dot(&self.r, &self.d) < 0.0 {
                return Ok(TangentKind::Reused);
            }
        }
        self.cache.current.state.drop_factors();
        if minimises && self.options.projection != HessianProjection::OnDemand {
            return self.direction_by_options(sys, stage);
        }
        if minimises && std::mem::take(&mut self.cache.current.state.projected_next) {
            let tangent = self.factor_definite(sys, stage, Curvature::Definite)?;
            self.solve_for_direction(t)?;
            return Ok(tangent);
        }
        let exact = match minimises {
            true => Curvature::Exact,
            false => self.options.exact_curvature(),
        };
        match self.factor_here(sys, stage, exact) {
            Ok(()) => {
                let solved = self.solve_for_direction(t);
                let indefinite = matches!(
                    solved,
                    Err(StepError::Solve {
                        why: SolveError::Indefinite { .. },
                        ..
                    })
                );
                if !(indefinite && minimises) {
                    solved?;
                    if !minimises || dot(&self.r, &self.d) < 0.0 {
                        self.cache.current.state.cached = Some(CachedFactor::new(stage.weights()));
                        return Ok(TangentKind::Exact);
                    }
                }
            }
            Err(FactorError::Indefinite { .. }) if minimises => {}
            Err(FactorError::Indefinite { .. }) => {
                self.cache
                    .factor_lu(&mut self.report)
                    .map_err(|why| StepError::Factor { t, why })?;
                self.solve_for_direction(t)?;
                return Ok(TangentKind::Indefinite);
            }
            Err(why) => return Err(StepError::Factor { t, why }),
        }
        self.cache.current.state.projected_next = true;
        self.regularise(sys, t)?;
        self.solve_for_direction(t)?;
        Ok(TangentKind::Regularised)
    }

    /// Computes the direction of a matrix whose kind is fixed by the options: projected, or exact.
    fn direction_by_options(
        &mut self,
        sys: &mut dyn System,
        stage: &Stage,
    ) -> Result<TangentKind, StepError> {
        let curvature = match self.options.projection {
            HessianProjection::Never => Curvature::Exact,
            HessianProjection::Always | HessianProjection::OnDemand => Curvature::Definite,
        };
        // The smallest possible shift, at any cost: without a second matrix to alternate with, a larger one stalls.
        self.cache.current.state.shift = 0.0;
        let tangent = self.factor_definite(sys, stage, curvature)?;
        if tangent != TangentKind::Regularised {
            self.cache.current.state.cached = Some(CachedFactor::new(stage.weights()));
        }
        self.solve_for_direction(stage.t)?;
        Ok(tangent)
    }

    /// Drops the matrix whose direction led to no progress; returns `true` if another can be tried.
    pub(super) fn escalate(&mut self, failed: TangentKind, minimises: bool) -> bool {
        self.cache.current.state.drop_factors();
        if failed == TangentKind::Reused {
            return true;
        }
        if failed == TangentKind::Exact {
            self.cache.current.state.projected_next = true;
        }
        let last_resort = std::mem::replace(&mut self.cache.current.state.stuck, true);
        minimises && self.options.projection == HessianProjection::OnDemand && !last_resort
    }

    fn factor_here(
        &mut self,
        sys: &mut dyn System,
        stage: &Stage,
        c: Curvature,
    ) -> Result<(), FactorError> {
        let at = self.point.at(stage.t);
        self.cache
            .factor(sys, at, stage.weights(), c, &mut self.report)
    }

    /// Factors a positive definite tangent, adding a multiple of its diagonal if necessary.
    fn factor_definite(
        &mut self,
        sys: &mut dyn System,
        stage: &Stage,
        c: Curvature,
    ) -> Result<TangentKind, StepError> {
        let mut tangent = match c {
            Curvature::Definite => TangentKind::Projected,
            Curvature::Exact | Curvature::Unsymmetric => TangentKind::Exact,
        };
        self.report.projections += u64::from(tangent == TangentKind::Projected);
        match self.factor_here(sys, stage, c) {
            Err(FactorError::Indefinite { .. }) => {
                self.regularise(sys, stage.t)?;
                tangent = TangentKind::Regularised;
            }
            other => other.map_err(|why| StepError::Factor { t: stage.t, why })?,
        }
        Ok(tangent)
    }

    /// Adds to the diagonal of the matrix assembled last until it can be factored, starting with the last successful
    /// shift.
    fn regularise(&mut self, sys: &dyn System, t: f64) -> Result<(), StepError> {
        let first = self.cache.current.state.shift.max(MIN_SHIFT);
        let mut shift = first;
        let mut factored = self
            .cache
            .factor_shifted(sys.mass(), shift, &mut self.report);
        for _ in 1..MAX_SHIFTS {
            if !matches!(factored, Err(FactorError::Indefinite { .. })) {
                break;
            }
            shift *= SHIFT_GROWTH;
            factored = self
                .cache
                .factor_shifted(sys.mass(), shift, &mut self.report);
        }
        self.cache.current.state.shift = if shift == first {
            shift / SHIFT_GROWTH
        } else {
            shift
        };
        factored.map_err(|why| StepError::Factor { t, why })
    }

    fn solve_for_direction(&mut self, t: f64) -> Result<(), StepError> {
        for (d, r) in self.d.iter_mut().zip(&self.r) {
            *d = -r;
        }
        self.cache.solve(t, &mut self.d, &mut self.report)
    }
}
