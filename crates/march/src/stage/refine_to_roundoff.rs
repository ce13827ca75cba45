//! Stages solved to rounding, for systems that can afford it.
//!
//! The tolerance says when to stop paying. A system of a few unknowns pays next to nothing, and what a method keeps exactly, such
//! as the angular momentum under the midpoint rule, then shows to rounding: a residual of 10⁻⁸ of the force turns a stiff
//! spring by 10⁻⁶ of its momentum in fifty steps. Plain Newton with the exact tangent does it, as long as the residual
//! falls.

use super::Stage;
use super::newton::NewtonSolver;
use crate::vector::{add, norm};
use crate::{StepError, System};

/// Residuals below this share of the forces are rounding.
const ROUNDOFF: f64 = 4.0 * f64::EPSILON;
/// Corrections at most.
const MAX_CORRECTIONS: u32 = 8;

impl NewtonSolver {
    /// Corrects the answer of a converged stage.
    pub(super) fn refine_to_roundoff(
        &mut self,
        sys: &mut dyn System,
        stage: &Stage,
        a: &mut [f64],
    ) -> Result<(), StepError> {
        let mut wanted = ROUNDOFF * self.imbalance(sys, stage, a)?;
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
            wanted = match self.imbalance(sys, stage, a) {
                Ok(scale) => ROUNDOFF * scale,
                Err(_) => f64::NAN,
            };
            let after = norm(&self.r);
            // Not a number is no improvement either.
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

    /// d = (M + c_v D + c_u K)⁻¹ r where the residual was evaluated.
    fn correction(&mut self, sys: &mut dyn System, stage: &Stage) -> Result<(), StepError> {
        let (at, counts) = (self.point.at(stage.t), &mut self.report);
        self.cache.factor_exact(sys, at, stage.weights(), counts)?;
        self.d.copy_from_slice(&self.r);
        self.cache.solve(stage.t, &mut self.d, counts)
    }

    /// r = M a − f at the acceleration `a`; returns the size of the forces.
    fn imbalance(
        &mut self,
        sys: &mut dyn System,
        stage: &Stage,
        a: &[f64],
    ) -> Result<f64, StepError> {
        self.point
            .imbalance(sys, stage, a, &mut self.report, &mut self.r)
    }
}
