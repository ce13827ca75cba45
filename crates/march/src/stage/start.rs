//! Start of Newton's iteration.
//!
//! The iteration starts where the merit is smallest: at the nearby position, the acceleration suggested by the stepper, or the
//! inertial position, the last two as far as the path from the first is free. If one of them is blocked, its path is also
//! shortened part by part ([`super::parts`]): parts that meet nothing go to their places at once.

use super::base::Start;
use super::newton::NewtonSolver;
use super::paths::usable;
use super::{Newton, Stage};
use crate::vector::add;
use crate::{Positions, StepError, System};

/// Best start so far.
struct Best {
    merit: f64,
    start: Start,
    /// Fraction of the path from the nearby position; `None` if its parts are shortened, with their end in a buffer.
    fraction: Option<f64>,
}

impl Best {
    fn is_worse_than(&self, merit: f64) -> bool {
        merit < self.merit || (self.merit.is_nan() && merit.is_finite())
    }
}

impl NewtonSolver {
    /// Chooses the start. Returns the merit there, or `None` if the system has none or the iteration does not use one.
    pub(super) fn start(
        &mut self,
        sys: &mut dyn System,
        stage: &Stage,
    ) -> Result<Option<f64>, StepError> {
        let best = match stage.newton {
            Newton::Minimise => self.best_start(sys, stage),
            _ => None,
        };
        let Some(best) = best else {
            self.point.base.begin(sys.mass(), stage, Start::Near);
            return Ok(None);
        };
        if !best.merit.is_finite() {
            return Err(StepError::InadmissibleStart { t: stage.t });
        }
        let base = &mut self.point.base;
        match best.fraction {
            Some(fraction) => {
                base.begin(sys.mass(), stage, best.start);
                base.shorten(sys.mass(), stage, fraction);
            }
            None => base.begin_at(sys.mass(), stage, &self.parts),
        }
        Ok(Some(best.merit - base.inertia))
    }

    fn best_start(&mut self, sys: &mut dyn System, stage: &Stage) -> Option<Best> {
        let mut best: Option<Best> = None;
        let mut blocked = None;
        for start in [Start::Near, Start::Hint, Start::Inertial] {
            if !self.point.base.begin(sys.mass(), stage, start) {
                continue;
            }
            let mut fraction = 1.0;
            if start != Start::Near && sys.has_forbidden_states() {
                fraction = self.usable_start(sys, stage);
                self.point.base.shorten(sys.mass(), stage, fraction);
            }
            if fraction < 1.0 {
                blocked = blocked.or(Some(start));
            }
            let merit = self.merit_of_start(sys, stage)?;
            if best.as_ref().is_none_or(|b| b.is_worse_than(merit)) {
                best = Some(Best {
                    merit,
                    start,
                    fraction: Some(fraction),
                });
            }
        }
        if let (Some(start), Some(best)) = (blocked, &mut best) {
            self.start_in_parts(sys, stage, start, best);
        }
        best
    }

    /// Replaces the best start by a blocked one whose parts are shortened if that has a smaller merit.
    fn start_in_parts(
        &mut self,
        sys: &mut dyn System,
        stage: &Stage,
        start: Start,
        best: &mut Best,
    ) {
        let near = Positions::new(stage.t, stage.near.u);
        self.point.base.begin(sys.mass(), stage, start);
        let end = &mut self.path_end;
        end.copy_from_slice(&self.point.base.u);
        if !sys.shorten_parts(near, end) {
            return;
        }
        let s = usable(sys.max_step(near, Positions::new(stage.t, end)));
        end.iter_mut().for_each(|u| *u *= s);
        add(end, 1.0 - s, near.u);
        self.point.base.begin_at(sys.mass(), stage, &self.path_end);
        let merit = self.merit_of_start(sys, stage);
        if let Some(merit) = merit.filter(|m| best.is_worse_than(*m)) {
            self.parts.copy_from_slice(&self.path_end);
            *best = Best {
                merit,
                start,
                fraction: None,
            };
        }
    }

    /// Returns Φ at the current start, or `None` if the system has no potential.
    fn merit_of_start(&mut self, sys: &mut dyn System, stage: &Stage) -> Option<f64> {
        self.point.u.copy_from_slice(&self.point.base.u);
        self.point.v.copy_from_slice(&self.point.base.v);
        let terms = self.point.potential_terms(sys, stage)?;
        self.touched |= sys.frictionless_barriers_act();
        Some(terms + self.point.base.inertia)
    }
}
