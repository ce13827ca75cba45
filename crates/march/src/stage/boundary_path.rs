//! Path of the boundary from the nearby state to the stage.
//!
//! Prescribed nodes are at their positions of the time of the stage, while the unknowns start at an earlier time.
//! Moving the boundary in one jump may pass a forbidden state: a plate that moves by more than the thickness of the
//! elements behind it inverts them. Then the boundary moves as far as its path is free, to an earlier time; the
//! unknowns are moved near the minimum of Φ of the stage with the boundary there; and so on until the rest of the path
//! is free (continuation in the motion of the boundary). A path between two times is straight, for prescribed nodes as
//! for others.

use super::newton::NewtonSolver;
use super::{Newton, Stage, usable};
use crate::{At, Positions, StepError, System};

/// Largest number of partial moves of the boundary in a stage.
const MAX_MOVES: u32 = 64;
/// Largest number of halvings of a partial move whose straight path is blocked because the motion of the boundary is
/// curved.
const MAX_HALVINGS: u32 = 20;
/// Smallest fraction of the whole motion that a partial move covers.
const MIN_MOVE: f64 = 1e-6;
/// Residual at which the unknowns are near enough to the minimum, relative to the forces at the start of the partial
/// move.
const RESIDUAL_PER_FORCE: f64 = 1e-2;

/// Continuation of the boundary motion in a stage, with its buffers.
#[derive(Default)]
pub(super) struct BoundaryPath {
    /// Displacements that the unknowns have reached.
    pub reached: Vec<f64>,
    /// Change of the acceleration in a partial move.
    change: Vec<f64>,
    /// Number of partial moves in the last stage.
    pub moves: u32,
}

impl BoundaryPath {
    /// Begins a stage of a system with this number of unknowns.
    pub fn begin_stage(&mut self, n: usize) {
        self.reached.resize(n, 0.0);
        self.change.resize(n, 0.0);
        self.moves = 0;
    }

    /// Moves the boundary from the time of the nearby state to that of the stage. Returns `true` if the unknowns had to
    /// move, to `reached`, and `false` if they can start where they are.
    pub fn move_to_stage(
        &mut self,
        newton: &mut NewtonSolver,
        sys: &mut dyn System,
        stage: &Stage,
    ) -> Result<bool, StepError> {
        if !sys.has_forbidden_states() || stage.near.t == stage.t {
            return Ok(false);
        }
        let whole = stage.t - stage.near.t;
        self.reached.copy_from_slice(stage.near.u);
        let mut now = stage.near.t;
        loop {
            let here = Positions::new(now, &self.reached);
            let free = sys.max_step(here, Positions::new(stage.t, &self.reached));
            if free >= 1.0 {
                break;
            }
            if self.moves == 0 && sys.max_step(here, here) < 1.0 {
                return Err(StepError::InadmissibleStart { t: now });
            }
            let next = free_time(sys, here, now + usable(free) * (stage.t - now));
            let next = next.filter(|next| (next - now).abs() >= MIN_MOVE * whole.abs());
            let Some(next) = next.filter(|_| self.moves < MAX_MOVES) else {
                return Err(blocked(sys, stage, here, self.moves));
            };
            self.moves += 1;
            self.follow(newton, sys, stage, next)?;
            now = next;
        }
        Ok(self.moves > 0)
    }

    /// Moves the unknowns towards the minimum of Φ with the boundary of an earlier time.
    fn follow(
        &mut self,
        newton: &mut NewtonSolver,
        sys: &mut dyn System,
        stage: &Stage,
        t: f64,
    ) -> Result<(), StepError> {
        let near = At {
            t,
            u: &self.reached,
            v: stage.near.v,
        };
        let partial = Stage {
            t,
            near,
            hint: None,
            ..*stage
        };
        self.change.fill(0.0);
        let moved = newton.follow(sys, &partial, &mut self.change);
        newton.point.place(&partial, &self.change);
        moved?;
        self.reached.copy_from_slice(&newton.point.u);
        // These are not iterations on the stage itself.
        newton.trace.iterations.clear();
        Ok(())
    }
}

impl NewtonSolver {
    /// Iterates on a stage with the boundary of an earlier time until the unknowns are near its minimum.
    fn follow(
        &mut self,
        sys: &mut dyn System,
        partial: &Stage,
        change: &mut [f64],
    ) -> Result<(), StepError> {
        self.point.base.begin_near(sys.mass(), partial);
        let merit = match partial.newton {
            Newton::Minimise => self.merit(sys, partial, change),
            _ => None,
        };
        let forces = self.evaluate(sys, partial, change)?.wanted / self.options.tolerance;
        self.iterate(sys, partial, merit, RESIDUAL_PER_FORCE * forces, change)?;
        Ok(())
    }
}

/// Checks that the jump of the boundary to the stage is free, for iterations that evaluate the nearby state only.
pub(super) fn check_boundary(sys: &mut dyn System, stage: &Stage) -> Result<(), StepError> {
    if !sys.has_forbidden_states() || stage.near.t == stage.t {
        return Ok(());
    }
    let here = Positions::new(stage.near.t, stage.near.u);
    if sys.max_step(here, Positions::new(stage.t, stage.near.u)) >= 1.0 {
        return Ok(());
    }
    if sys.max_step(here, here) < 1.0 {
        return Err(StepError::InadmissibleStart { t: stage.near.t });
    }
    Err(blocked(sys, stage, here, 0))
}

fn blocked(sys: &mut dyn System, stage: &Stage, here: Positions, moves: u32) -> StepError {
    StepError::BlockedBoundary {
        t: stage.t,
        moves,
        done: (here.t - stage.near.t) / (stage.t - stage.near.t),
        blocker: sys.blocker(here, Positions::new(stage.t, here.u)),
    }
}

/// Returns the time nearest to `wanted` to which the boundary can move from `here` while the unknowns stay fixed.
fn free_time(sys: &mut dyn System, here: Positions, wanted: f64) -> Option<f64> {
    let mut time = wanted;
    for _ in 0..MAX_HALVINGS {
        if sys.max_step(here, Positions::new(time, here.u)) >= 1.0 {
            return Some(time);
        }
        time = here.t + 0.5 * (time - here.t);
    }
    None
}
