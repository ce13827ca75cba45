//! Newton's direction d = −A⁻¹ r, from the best matrix A that gives one.
//!
//! The refinement: factors kept from an earlier state of the step, or of the one before ([`super::factor_reuse`]), while they still
//! contract; the exact tangent; where
//! Cholesky fails on it, the exact tangent with a multiple of its diagonal added; then, for one iteration, each stencil's
//! positive semi-definite part; and the exact tangent again. The two take turns because they are bad at different
//! things: far away the projected one goes further, while in winding valleys it zigzags, blind to the negative
//! curvature by which the shifted one leaves them. Where no Φ is descended an indefinite matrix is factored by LU.
//! [`HessianProjection`] can ask for the projected part always or never.

use sparse::{FactorError, SolveError};

use super::factor_reuse::CachedFactor;
use super::newton::{NewtonSolver, ResidualNorm};
use super::trace::{NewtonIteration, TangentKind};
use super::{HessianProjection, Newton, Stage};
use crate::vector::{dot, max_abs, norm};
use crate::{Curvature, StepError, System};

/// Least multiple of its greatest diagonal entry added to a tangent that cannot be factored.
const MIN_SHIFT: f64 = 1e-10;
/// Multiples tried, each so many times the last.
const MAX_SHIFTS: u32 = 12;
const SHIFT_GROWTH: f64 = 10.0;

impl NewtonSolver {
    /// Finds a direction; the row lacks what the search will add.
    pub(super) fn direction(
        &mut self,
        sys: &mut dyn System,
        stage: &Stage,
        merit: Option<f64>,
        balance: &ResidualNorm,
    ) -> Result<NewtonIteration, StepError> {
        let tangent = self.descend(sys, stage, merit.is_some())?;
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

    fn descend(
        &mut self,
        sys: &mut dyn System,
        stage: &Stage,
        descends: bool,
    ) -> Result<TangentKind, StepError> {
        let t = stage.t;
        self.cache.select_slot(stage.weights());
        if descends
            && self.cache.current.state.fits(stage.weights())
            && self.cache.ensure_current_factors()
        {
            self.solve_for_direction(t)?;
            if dot(&self.r, &self.d) < 0.0 {
                return Ok(TangentKind::Reused);
            }
        }
        self.cache.current.state.give_up();
        if descends && self.options.projection != HessianProjection::OnDemand {
            return self.by_policy(sys, stage);
        }
        if descends && std::mem::take(&mut self.cache.current.state.projected_next) {
            let tangent = self.factor_definite(sys, stage, Curvature::Definite)?;
            self.solve_for_direction(t)?;
            return Ok(tangent);
        }
        match self.factor_here(sys, stage, Curvature::Exact) {
            Ok(()) => {
                let solved = self.solve_for_direction(t);
                let indefinite = matches!(
                    solved,
                    Err(StepError::Solve {
                        why: SolveError::Indefinite { .. },
                        ..
                    })
                );
                if !(indefinite && descends) {
                    solved?;
                    if !descends || dot(&self.r, &self.d) < 0.0 {
                        self.cache.current.state.cached = Some(CachedFactor::new(stage.weights()));
                        return Ok(TangentKind::Exact);
                    }
                }
            }
            Err(FactorError::Indefinite { .. }) if descends => {}
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

    /// The direction of a matrix that is the same at every state: projected, or exact.
    fn by_policy(&mut self, sys: &mut dyn System, stage: &Stage) -> Result<TangentKind, StepError> {
        let curvature = match self.options.projection {
            HessianProjection::Never => Curvature::Exact,
            HessianProjection::Always | HessianProjection::OnDemand => Curvature::Definite,
        };
        // The least that will do, whatever it costs: with nothing to take turns with, more of it stalls.
        self.cache.current.state.shift = 0.0;
        let tangent = self.factor_definite(sys, stage, curvature)?;
        if tangent != TangentKind::Regularised {
            self.cache.current.state.cached = Some(CachedFactor::new(stage.weights()));
        }
        self.solve_for_direction(stage.t)?;
        Ok(tangent)
    }

    /// Gives up the matrix whose direction led nowhere; whether another is left to try.
    pub(super) fn escalate(&mut self, failed: TangentKind, descends: bool) -> bool {
        self.cache.current.state.give_up();
        if failed == TangentKind::Reused {
            return true;
        }
        if failed == TangentKind::Exact {
            self.cache.current.state.projected_next = true;
        }
        let last_resort = std::mem::replace(&mut self.cache.current.state.stuck, true);
        descends && self.options.projection == HessianProjection::OnDemand && !last_resort
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

    /// Factors a tangent that is definite, or made so by a multiple of its diagonal.
    fn factor_definite(
        &mut self,
        sys: &mut dyn System,
        stage: &Stage,
        c: Curvature,
    ) -> Result<TangentKind, StepError> {
        let mut tangent = match c {
            Curvature::Definite => TangentKind::Projected,
            Curvature::Exact => TangentKind::Exact,
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

    /// Adds to the diagonal of the matrix assembled last until it can be factored, beginning with what did it before.
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
