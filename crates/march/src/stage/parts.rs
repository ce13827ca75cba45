//! Directions whose parts are shortened where a path is blocked.
//!
//! One blocked pair ends the free part of a whole path. Where contacts are many, a line search along the direction then stops
//! after a few percent of it, again and again, each time at another pair. So a second trial is made of a blocked direction: its
//! parts go different fractions of it ([`AdmissiblePaths::shorten_parts`](crate::AdmissiblePaths::shorten_parts)), such as
//! bodies that meet nothing, which go all of their ways. Its path is checked as every other path, and it is taken if it fulfils
//! Armijo's rule and its merit is smaller than that of the free fraction of the whole direction.

use super::Stage;
use super::newton::NewtonSolver;
use super::paths::usable;
use super::search::ARMIJO;
use crate::vector::{combine, dot};
use crate::{Positions, System};

/// Largest share of the predicted decrease that counts for a direction with shortened parts; a full step has all of it.
const MAX_SHARE: f64 = 0.99;
/// Least share of it.
const MIN_SHARE: f64 = 1e-9;

/// A direction of which only a fraction is free.
pub(super) struct BlockedDirection {
    /// Fraction that may be taken.
    pub fraction: f64,
    /// Merit before the iteration.
    pub merit: f64,
    /// Slope of the merit along the direction.
    pub slope: f64,
}

impl NewtonSolver {
    /// Replaces the direction d, which is blocked, by one with shortened parts if that has a smaller merit. Returns the
    /// fraction of the new direction to take and the merit there, or `None` if d remains. The new direction is scaled so
    /// that its fraction is the share of the predicted decrease.
    pub(super) fn search_parts(
        &mut self,
        sys: &mut dyn System,
        stage: &Stage,
        a: &[f64],
        blocked: BlockedDirection,
    ) -> Option<(f64, f64)> {
        let end = &mut self.path_end;
        combine(end, &self.point.u, stage.c_u, &self.d);
        let from = Positions::new(stage.t, &self.point.u);
        if !sys.shorten_parts(from, end) {
            return None;
        }
        let s = usable(sys.max_step(from, Positions::new(stage.t, end)));
        combine(&mut self.parts, end, -1.0, from.u);
        self.parts.iter_mut().for_each(|d| *d *= s / stage.c_u);
        let slope = dot(&self.r, &self.parts);
        combine(&mut self.trial, a, 1.0, &self.parts);
        let merit = self.point.merit(sys, stage, &self.trial)?;
        let mut better = slope < 0.0 && merit <= blocked.merit + ARMIJO * slope;
        if better {
            combine(&mut self.trial, a, blocked.fraction, &self.d);
            let whole = self.point.merit(sys, stage, &self.trial)?;
            better = merit < whole || whole.is_nan();
        }
        self.point.place(stage, a);
        if !better {
            return None;
        }
        let share = (slope / blocked.slope).clamp(MIN_SHARE, MAX_SHARE);
        for (d, part) in self.d.iter_mut().zip(&self.parts) {
            *d = part / share;
        }
        Some((share, merit))
    }
}
