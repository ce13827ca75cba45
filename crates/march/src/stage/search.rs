//! Line search along a direction.
//!
//! Armijo's rule by halving from the full step [Armijo 1966]. If the matrix was projected, the full step is often too
//! short (Newton's step on a potential of degree p covers 1/(p − 1) of the distance), so it is doubled while the merit
//! decreases.

use super::newton::NewtonSolver;
use super::parts::BlockedDirection;
use super::trace::{NewtonIteration, TangentKind};
use super::{Newton, Stage};
use crate::vector::{combine, dot, max_abs, norm};
use crate::{StepError, System};

/// Sufficient-decrease constant of Armijo's rule.
pub(super) const ARMIJO: f64 = 1e-4;
/// Increments smaller than this fraction of the displacements change a merit by less than its round-off.
const MERIT_RESOLUTION: f64 = 1e-6;
/// Largest number of halvings.
const MAX_HALVINGS: u64 = 40;
/// Largest number of doublings of a full step.
const MAX_DOUBLINGS: u32 = 6;

impl NewtonSolver {
    /// Searches along d; completes the row with the accepted fraction, 0 if no fraction lowers the merit.
    pub(super) fn search(
        &mut self,
        sys: &mut dyn System,
        stage: &Stage,
        a: &[f64],
        merit: &mut Option<f64>,
        row: &mut NewtonIteration,
    ) -> Result<(), StepError> {
        let slope = dot(&self.r, &self.d);
        self.point.place(stage, a);
        let below_resolution = row.increment <= MERIT_RESOLUTION * max_abs(&self.point.u);
        if let Some(after) = self.settled_step(sys, stage, a, *merit, slope, row) {
            *merit = Some(after);
            return Ok(());
        }
        let mut s = self.admissible(sys, stage);
        if let Some(before) = *merit
            && s < 1.0
            && let Some((fraction, after)) = self.search_parts(
                sys,
                stage,
                a,
                BlockedDirection {
                    fraction: s,
                    merit: before,
                    slope,
                },
            )
        {
            row.fraction = fraction;
            *merit = Some(after);
            return Ok(());
        }
        while s > 0.0 && row.backtracks < MAX_HALVINGS {
            combine(&mut self.trial, a, s, &self.d);
            let accepted = match *merit {
                Some(before) => {
                    let after = self.point.merit(sys, stage, &self.trial);
                    let after = after.unwrap_or(f64::NAN);
                    let inertia = dot(&self.trial, &self.point.ma);
                    let noise = 64.0 * f64::EPSILON * (before.abs() + inertia.abs());
                    let decreases = after <= before + ARMIJO * s * slope + noise
                        || (below_resolution
                            && after.is_finite()
                            && self.falls_below(0.5 * row.residual, sys, stage)?);
                    if decreases {
                        *merit = Some(after);
                    }
                    decreases
                }
                None => self.falls_below((1.0 - ARMIJO * s) * row.merit, sys, stage)?,
            };
            if accepted {
                row.fraction = s;
                break;
            }
            self.report.backtracks += 1;
            row.backtracks += 1;
            s *= 0.5;
        }
        if row.fraction == 1.0
            && matches!(
                row.tangent,
                TangentKind::Projected | TangentKind::Regularised
            )
        {
            self.extend(sys, stage, a, merit, row);
        }
        Ok(())
    }

    /// Doubles the full step while Φ decreases and the path is free.
    fn extend(
        &mut self,
        sys: &mut dyn System,
        stage: &Stage,
        a: &[f64],
        merit: &mut Option<f64>,
        row: &mut NewtonIteration,
    ) {
        for _ in 0..MAX_DOUBLINGS {
            let Some(best) = *merit else { return };
            let s = 2.0 * row.fraction;
            if !self.is_free_between(sys, stage, a, [row.fraction, s]) {
                return;
            }
            combine(&mut self.trial, a, s, &self.d);
            let further = self.point.merit(sys, stage, &self.trial);
            let further = further.unwrap_or(f64::NAN);
            if further.is_nan() || further >= best {
                return;
            }
            *merit = Some(further);
            row.fraction = s;
        }
    }

    /// Returns the fraction of d with which the search begins: 1 if its path is free.
    fn admissible(&mut self, sys: &mut dyn System, stage: &Stage) -> f64 {
        self.d.iter_mut().for_each(|d| *d *= stage.c_u);
        let most = self.usable_increment(sys, stage);
        self.d.iter_mut().for_each(|d| *d /= stage.c_u);
        most
    }

    /// Returns `true` if the residual norm at the trial point is at most `bound`; keeps the current residual.
    fn falls_below(
        &mut self,
        bound: f64,
        sys: &mut dyn System,
        stage: &Stage,
    ) -> Result<bool, StepError> {
        let tolerance = self.options.tolerance;
        let (trial, r, counts) = (&self.trial, &mut self.spare, &mut self.report);
        let balance = self.point.residual(sys, stage, trial, tolerance, counts, r);
        match balance {
            Ok(_) if stage.newton == Newton::LeastSquares => {
                self.cache.solve(stage.t, r, counts)?;
                Ok(norm(r) <= bound)
            }
            Ok(balance) => Ok(balance.residual <= bound),
            Err(StepError::NotFinite { .. }) => Ok(false),
            Err(other) => Err(other),
        }
    }
}
