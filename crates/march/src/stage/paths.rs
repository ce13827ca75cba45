//! Admissible paths of an iteration in systems with forbidden states.
//!
//! Whether a state is admissible depends on the path to it: beyond a forbidden state there are others of finite energy
//! that no motion reaches. Every state at which something is evaluated is therefore reached from the last admissible
//! one by straight free segments, checked by [`AdmissiblePaths::max_step`](crate::AdmissiblePaths::max_step): the start
//! of Newton's method, each trial of the line search, and the stage itself. Systems without forbidden states skip these
//! checks.

use super::newton::NewtonSolver;
use super::{Newton, Stage};
use crate::vector::combine;
use crate::{Positions, StepError, System};

/// Fraction of the free part of a blocked path that is taken, because its end is next to a forbidden state.
const SAFE_FRACTION: f64 = 0.9;

/// Returns the fraction of a path that an iteration takes: all of it if it is free, otherwise most of its free part.
pub(crate) fn usable(free: f64) -> f64 {
    if free < 1.0 {
        SAFE_FRACTION * free.max(0.0)
    } else {
        1.0
    }
}

impl NewtonSolver {
    /// Returns the fraction of the displacement increment d, at most 1, that the line search may take.
    pub(super) fn usable_increment(&mut self, sys: &mut dyn System, stage: &Stage) -> f64 {
        if !sys.has_forbidden_states() {
            return 1.0;
        }
        let end = &mut self.path_end;
        combine(end, &self.point.u, 1.0, &self.d);
        usable(sys.max_step(
            Positions::new(stage.t, &self.point.u),
            Positions::new(stage.t, end),
        ))
    }

    /// Returns `true` if the path from the fraction `from` to the fraction `to` of the direction d at `a` is free.
    pub(super) fn is_free_between(
        &mut self,
        sys: &mut dyn System,
        stage: &Stage,
        a: &[f64],
        [from, to]: [f64; 2],
    ) -> bool {
        if !sys.has_forbidden_states() {
            return true;
        }
        self.point.place(stage, a);
        let start = &mut self.point.u;
        for (u, d) in start.iter_mut().zip(&self.d) {
            *u += from * stage.c_u * d;
        }
        let end = &mut self.path_end;
        combine(end, start, (to - from) * stage.c_u, &self.d);
        let free = sys.max_step(Positions::new(stage.t, start), Positions::new(stage.t, end));
        free >= 1.0
    }

    /// Returns the fraction of the path from the nearby position to the current start that may be taken.
    pub(super) fn usable_start(&mut self, sys: &mut dyn System, stage: &Stage) -> f64 {
        let near = Positions::new(stage.t, stage.near.u);
        usable(sys.max_step(near, Positions::new(stage.t, &self.point.base.u)))
    }

    /// Checks that the solution is reached by a free path from the last state of its iteration, or from the nearby
    /// state if there was no line search.
    pub(super) fn check_stage(
        &mut self,
        sys: &mut dyn System,
        stage: &Stage,
        a: &[f64],
    ) -> Result<(), StepError> {
        if !sys.has_forbidden_states() {
            return Ok(());
        }
        let searched = matches!(
            stage.newton,
            Newton::Minimise | Newton::Residual | Newton::LeastSquares
        );
        let from = if searched {
            &self.point.u[..]
        } else {
            stage.near.u
        };
        let end = &mut self.path_end;
        combine(end, stage.u0, stage.c_u, a);
        let (from, to) = (Positions::new(stage.t, from), Positions::new(stage.t, end));
        if sys.max_step(from, to) >= 1.0 {
            return Ok(());
        }
        Err(StepError::ForbiddenStage {
            t: stage.t,
            blocker: sys.blocker(from, to),
        })
    }
}
