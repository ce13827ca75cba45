//! Early termination of Newton's method, controlled by the error of the step itself.
//!
//! A method of order p omits terms of the Taylor series of the motion from h^{p+1} on. The first two terms are known,
//! δ₁ = max|u − u_near| ~ h |v| and δ₂ = max|u − u₀| ~ h² |a|. If later terms shrink by the same ratio r = δ₂/δ₁, the
//! error of the step is about δ₁ rᵖ, in metres, and is O(h^{p+1}) like the true error. For r > ½ (a start from rest, a
//! stiff fall, neighbouring stages) the series gives no information, and only the tolerance on the force ends the
//! iteration.
//!
//! In contact r is near or above 1: an impact changes velocities within a step, whatever its length, and the error of the
//! step is of the size of its displacement. In a stage in which a barrier without friction has acted, r counts as at most ½
//! ([`Options::contact_accuracy`](super::Options)). The forces of barriers change much over small distances, so the residual
//! force must be small too ([`CONTACT_FORCE_TOLERANCE`]). The iteration then ends with a full step of an exact tangent, of
//! this state or an earlier one. Such a step leaves no resultant force on a free body, because stiffness matrices do not
//! resist translations: linear momentum is kept to rounding errors however early the iteration ends.
//!
//! After a full increment Δ whose predecessor was Δ/θ the remaining error is at most Δ θ/(1 − θ) while the iteration
//! contracts [Deuflhard 2004, §2.1].

use super::Stage;
use super::newton::{NewtonSolver, ResidualNorm};
use super::trace::{NewtonIteration, TangentKind};
use crate::vector::max_abs_difference;

/// Largest ratio of Taylor terms from which the next term is extrapolated.
const MAX_TERM_RATIO: f64 = 0.5;
/// Largest contraction from which the remaining error is estimated.
const MAX_CONTRACTION: f64 = 0.5;

/// Residual force at which an iteration in contact may end, relative to the force scale of the stage.
const CONTACT_FORCE_TOLERANCE: f64 = 3e-3;

/// Weight of the remaining error of an iteration with reused factors.
const REUSED_FACTOR_WEIGHT: f64 = 3.0;

/// Factor of the remaining error after an iteration with this matrix. Reused factors have a similar error in every step, and these
/// errors add up.
fn weight_of(tangent: TangentKind) -> f64 {
    match tangent {
        TangentKind::Reused => REUSED_FACTOR_WEIGHT,
        _ => 1.0,
    }
}

/// Increments of an iteration, which give an estimate of the remaining error.
#[derive(Default)]
pub(super) struct Increments {
    last: Option<f64>,
}

impl Increments {
    /// Records an iteration; returns an upper bound of the remaining error, m, if one is known.
    pub fn remaining_error(&mut self, row: &NewtonIteration) -> Option<f64> {
        if row.fraction != 1.0 {
            self.last = None;
            return None;
        }
        let increment = row.increment;
        let weight = weight_of(row.tangent);
        let Some(before) = self.last.replace(increment) else {
            return Some(weight * increment);
        };
        let theta = increment / before;
        (theta < MAX_CONTRACTION).then(|| weight * increment * theta / (1.0 - theta))
    }
}

impl NewtonSolver {
    /// Returns `true` if an iteration in contact may end before this direction is taken, because its increment shows that the
    /// last one left a small enough error. The increment is that of the simplified Newton method: the direction of the new
    /// residual with the factors of the last iteration [Deuflhard 2004, §2.1].
    pub(super) fn next_is_negligible(
        &self,
        stage: &Stage,
        next: &NewtonIteration,
        norms: &ResidualNorm,
    ) -> bool {
        let Some(last) = self.trace.iterations.last() else {
            return false;
        };
        let theta = next.increment / last.increment;
        let known = last.fraction == 1.0 && theta < MAX_CONTRACTION;
        if !self.touched || next.tangent != TangentKind::Reused || !known {
            return false;
        }
        let weight = weight_of(last.tangent);
        self.accurate(stage, last, Some(weight * next.increment / (1.0 - theta)), norms)
    }

    /// Returns `true` if the iteration may end before its residual is at the tolerance: because the remaining error, m, is
    /// a small enough fraction of the error of the step and, in contact, the residual force is small too.
    pub(super) fn accurate(
        &self,
        stage: &Stage,
        row: &NewtonIteration,
        remaining: Option<f64>,
        norms: &ResidualNorm,
    ) -> bool {
        let contact = self.options.contact_accuracy.filter(|_| self.touched);
        let (Some(accuracy), Some(remaining)) = (contact.or(self.options.accuracy), remaining)
        else {
            return false;
        };
        let u = &self.point.u;
        let first = max_abs_difference(u, stage.near.u);
        let second = max_abs_difference(u, stage.u0);
        let mut ratio = second / first;
        if contact.is_some() {
            let exact = matches!(row.tangent, TangentKind::Exact | TangentKind::Reused);
            let forces = norms.wanted / self.options.tolerance;
            if !exact || norms.residual > CONTACT_FORCE_TOLERANCE * forces {
                return false;
            }
            ratio = ratio.min(MAX_TERM_RATIO);
        }
        ratio <= MAX_TERM_RATIO
            && remaining <= accuracy.share * first * ratio.powi(accuracy.order as i32)
    }
}
