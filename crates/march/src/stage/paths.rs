//! Paths of an iteration between admissible states.
//!
//! Where a system forbids states, whether a state may be looked at is a question of the path that leads there: beyond a
//! forbidden state lie others of finite energy that no motion reaches. So every state at which something is evaluated is
//! reached from the last admissible one by straight pieces that are free, each asked of [`AdmissiblePaths::max_step`](crate::AdmissiblePaths::max_step): Newton's
//! start, each trial of the line search, and the stage itself. Nothing is asked, and nothing changes, where a system
//! forbids nothing.

use super::newton::NewtonSolver;
use super::{Newton, Stage};
use crate::vector::combine;
use crate::{Positions, StepError, System};

/// Share of the free part of a blocked path that is taken: its very end is next to a forbidden state.
const SHARE_OF_FREE_PART: f64 = 0.9;

/// The fraction of a path that an iteration takes: all of it if it is free, and otherwise most of its free part.
pub(crate) fn usable(free: f64) -> f64 {
    if free < 1.0 {
        SHARE_OF_FREE_PART * free.max(0.0)
    } else {
        1.0
    }
}

impl NewtonSolver {
    /// The fraction of the displacement increment d, at most all of it, that the line search may take.
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

    /// Whether the path from the fraction `from` to the fraction `to` of the direction d at `a` is free.
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

    /// The fraction of the path from the nearby position to the start at hand that may be taken.
    pub(super) fn usable_start(&mut self, sys: &mut dyn System, stage: &Stage) -> f64 {
        let near = Positions::new(stage.t, stage.near.u);
        usable(sys.max_step(near, Positions::new(stage.t, &self.point.base.u)))
    }

    /// Checks that the stage solved is reached from the last state of its iteration, or from the nearby state if there
    /// was no line search, by a free path.
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
            element: sys.blocking_element(from, to),
        })
    }
}
