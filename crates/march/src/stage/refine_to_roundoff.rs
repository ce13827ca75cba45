//! Refinement of stage solutions to round-off, for systems of a few unknowns.
//!
//! The tolerance of Newton's method limits the cost. For a system of a few unknowns the cost is negligible, and
//! quantities that a method conserves exactly, such as the angular momentum under the midpoint rule, are then conserved
//! to round-off: a residual of 10⁻⁸ of the force changes the angular momentum of a stiff spring by 10⁻⁶ in fifty steps.
//! Plain Newton iterations with the exact tangent are taken while the residual decreases.

use super::Stage;
use super::newton::NewtonSolver;
use crate::vector::{add, norm};
use crate::{StepError, System};

/// Residuals below this fraction of the forces are round-off.
const ROUNDOFF: f64 = 4.0 * f64::EPSILON;
/// Largest number of corrections.
const MAX_CORRECTIONS: u32 = 8;

impl NewtonSolver {
    /// Refines the solution of a converged stage.
    pub(super) fn refine_to_roundoff(
        &mut self,
        sys: &mut dyn System,
        stage: &Stage,
        a: &mut [f64],
    ) -> Result<(), StepError> {
        let mut wanted = ROUNDOFF * self.full_residual(sys, stage, a)?;
        let mut before = norm(&self.r);
        for _ in 0..MAX_CORRECTIONS {
            if before <= wanted {
                return Ok(());
            }
            self.correction(sys, stage)?;
            self.spare.copy_from_slice(a);
            add(a, -1.0, &self.d);
            if self.check_stage(sys, stage, a).is_err() {
                a.copy_from_slice(&self.spare);
                return Ok(());
            }
            wanted = match self.full_residual(sys, stage, a) {
                Ok(scale) => ROUNDOFF * scale,
                Err(_) => f64::NAN,
            };
            let after = norm(&self.r);
            // NaN is no improvement either.
            if wanted.is_nan() || after.is_nan() || after >= 0.5 * before {
                if wanted.is_nan() || after.is_nan() || after >= before {
                    a.copy_from_slice(&self.spare);
                }
                return Ok(());
            }
            before = after;
        }
        Ok(())
    }

    /// Computes d = (M + c_v D + c_u K)⁻¹ r at the state of the last residual.
    fn correction(&mut self, sys: &mut dyn System, stage: &Stage) -> Result<(), StepError> {
        let (at, counts) = (self.point.at(stage.t), &mut self.report);
        self.cache.factor_exact(sys, at, stage.weights(), counts)?;
        self.d.copy_from_slice(&self.r);
        self.cache.solve(stage.t, &mut self.d, counts)
    }

    /// Computes r = M a − f at the acceleration `a`; returns the norm of the forces.
    fn full_residual(
        &mut self,
        sys: &mut dyn System,
        stage: &Stage,
        a: &[f64],
    ) -> Result<f64, StepError> {
        self.point
            .full_residual(sys, stage, a, &mut self.report, &mut self.r)
    }
}
