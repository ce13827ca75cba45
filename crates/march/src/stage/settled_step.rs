//! Newton steps whose ends lie where barriers balance what the linear model gives them to carry.
//!
//! The force of a barrier is far from linear over a Newton step. Where a node comes near an obstacle, its linearisation is too soft:
//! the step leads through the obstacle and is cut short, each time at another node. Where a node leaves an obstacle, it is too
//! stiff: the gap at most doubles in an iteration. Both cost iterations without need, because these forces act on one gap
//! each. The elastic forces at the end of the step balance the *linearised* forces of the barriers. So the end is
//! moved along the normals to gaps at which the nonlinear forces are equally large: nonlinear elimination of the gaps
//! [Cai & Keyes 2002], one at a time. The move itself changes the other forces, by the diagonal of the matrix (without the barrier's
//! own part) times the move; that is part of the equation of each gap ([`AdmissiblePaths::settle_at_barriers`](
//! crate::AdmissiblePaths::settle_at_barriers)).
//!
//! The result is a full step if its path is free and it fulfils Armijo's rule with the slope of the direction. Otherwise the line
//! search goes along the direction itself. Only a matrix of this state is the linearisation that the moves assume, so directions of
//! reused factors and of modified matrices are searched as they are.
//!
//! Methods that extrapolate from their stages do not use it ([`Options::settled_steps`](super::Options)): with it an inner node of a ball
//! that bounces under `ilddirk22` ended 0.4 m below the floor.

use super::Stage;
use super::newton::NewtonSolver;
use super::search::ARMIJO;
use super::trace::{NewtonIteration, TangentKind};
use crate::vector::{combine, max_abs};
use crate::{Positions, System};

impl NewtonSolver {
    /// Replaces the direction d by one whose end is settled at the barriers, and completes the row. Returns the merit there, or `None`
    /// if d remains.
    pub(super) fn settled_step(
        &mut self,
        sys: &mut dyn System,
        stage: &Stage,
        a: &[f64],
        before: Option<f64>,
        slope: f64,
        row: &mut NewtonIteration,
    ) -> Option<f64> {
        let before = before.filter(|_| row.tangent == TangentKind::Exact)?;
        if !self.options.settled_steps || !sys.has_forbidden_states() {
            return None;
        }
        let resistance = &mut self.spare;
        let diagonal = self.cache.current.matrix.as_ref()?.diagonal();
        for (k, entry) in resistance.iter_mut().zip(diagonal) {
            *k = entry / stage.c_u;
        }
        let end = &mut self.path_end;
        combine(end, &self.point.u, stage.c_u, &self.d);
        let from = Positions::new(stage.t, &self.point.u);
        if !sys.settle_at_barriers(from, end, resistance)
            || sys.max_step(from, Positions::new(stage.t, end)) < 1.0
        {
            return None;
        }
        combine(&mut self.parts, end, -1.0, from.u);
        self.parts.iter_mut().for_each(|d| *d /= stage.c_u);
        combine(&mut self.trial, a, 1.0, &self.parts);
        let after = self.point.merit(sys, stage, &self.trial);
        let accepted = after.filter(|after| *after <= before + ARMIJO * slope);
        if accepted.is_none() {
            self.point.place(stage, a);
            return None;
        }
        std::mem::swap(&mut self.d, &mut self.parts);
        row.increment = stage.c_u * max_abs(&self.d);
        row.fraction = 1.0;
        accepted
    }
}
