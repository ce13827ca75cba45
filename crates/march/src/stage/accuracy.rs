//! Stopping as early as the error of the step itself allows.
//!
//! A method of order p leaves out terms of the motion's Taylor series from h^{p+1} on. The first two terms are at hand,
//! δ₁ = max|u − u_near| ~ h |v| and δ₂ = max|u − u₀| ~ h² |a|; if terms go on shrinking as these two do, by
//! r = δ₂/δ₁, the step's own error is about δ₁ rᵖ, in metres, and vanishes as h^{p+1} like the error itself. Where
//! r > ½ (a start from rest, a stiff fall, a stage beside another) the series says nothing and the tolerance on the force
//! stays the only way out.
//!
//! What is left after a whole increment Δ whose predecessor was Δ/θ is at most Δ θ/(1 − θ) while the iteration contracts
//! (P. Deuflhard, "Newton Methods for Nonlinear Problems", 2004, §2.1).

use super::Stage;
use super::newton::NewtonSolver;
use super::trace::{NewtonIteration, TangentKind};

/// Largest ratio of Taylor terms that tells of the next.
const MAX_TERM_RATIO: f64 = 0.5;
/// Slowest contraction from which what is left is foretold.
const MAX_CONTRACTION: f64 = 0.5;

/// Weight of what an iteration with old factors leaves.
const REUSED_FACTOR_WEIGHT: f64 = 3.0;

/// Increments of an iteration, for what they foretell.
#[derive(Default)]
pub(super) struct Increments {
    last: Option<f64>,
}

impl Increments {
    /// Notes an iteration; an upper bound of what is left, m, if one is known.
    pub fn remaining_error(&mut self, row: &NewtonIteration) -> Option<f64> {
        if row.fraction != 1.0 {
            self.last = None;
            return None;
        }
        let increment = row.increment;
        // Old factors err the same way step after step, and that adds up.
        let weight = match row.tangent {
            TangentKind::Reused => REUSED_FACTOR_WEIGHT,
            _ => 1.0,
        };
        let Some(before) = self.last.replace(increment) else {
            return Some(weight * increment);
        };
        let theta = increment / before;
        (theta < MAX_CONTRACTION).then(|| weight * increment * theta / (1.0 - theta))
    }
}

impl NewtonSolver {
    /// Whether an error of `left` metres is a small enough share of the step's own, where u is.
    pub(super) fn accurate(&self, stage: &Stage, left: Option<f64>) -> bool {
        let (Some(accuracy), Some(left)) = (self.options.accuracy, left) else {
            return false;
        };
        let apart = |from: &[f64]| {
            let pairs = self.point.u.iter().zip(from);
            pairs.fold(0.0, |most: f64, (x, y)| most.max((x - y).abs()))
        };
        let (first, second) = (apart(stage.near.u), apart(stage.u0));
        let ratio = second / first;
        ratio <= MAX_TERM_RATIO
            && left <= accuracy.share * first * ratio.powi(accuracy.order as i32)
    }
}
