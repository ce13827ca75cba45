//! Closing minimisation: ends a step of an extrapolating method outside contact.
//!
//! The end u_e of such a step is extrapolated from its stages and may lie beyond a barrier that all stages respect. If no
//! shorter step is allowed, the end becomes the minimum of
//!
//! ½ (u − u_e)ᵀ M (u − u_e) + h² B(t, u)
//!
//! reached by a free path from the start of the step, where B is the potential of the barriers alone. This is a stage with
//! u₀ = u_e, c_u = h² and no other force, M a = −∂B/∂u at u = u_e + h² a, so Newton's method, line search and boundary
//! motion are those of all stages. The velocity changes by the impulse of the same force, v = v_e + h a, which keeps
//! linear momentum because the forces of barriers sum to zero.

use crate::system::Forces;
use crate::vector::add;
use crate::{At, Newton, Stage, StageSolver, State, StepContext, StepError};

/// Closing minimisation with a solver of its own: its matrices are not those of the stages.
#[derive(Default)]
pub(super) struct Closing {
    solver: Option<Box<StageSolver>>,
    /// Extrapolated end of the step.
    end: Vec<f64>,
    a: Vec<f64>,
}

impl Closing {
    /// Moves the end of a step of length `h` out of contact if it was refused as `why` and the time loop asks for it;
    /// returns `true` if the end was moved. `from` is the free state at the start.
    pub fn close(
        &mut self,
        cx: &mut StepContext,
        why: StepError,
        from: At,
        h: f64,
        to: &mut State,
    ) -> Result<bool, StepError> {
        let refused = matches!(why, StepError::ForbiddenEnd { .. });
        if !refused || !cx.closes_end || !cx.system.select_forces(Forces::Barriers) {
            return Err(why);
        }
        let solved = self.minimise(cx, from, h, to);
        cx.system.select_forces(Forces::All);
        solved?;
        add(&mut to.u, h * h, &self.a);
        add(&mut to.v, h, &self.a);
        Ok(true)
    }

    /// Finds the acceleration that the barriers add.
    fn minimise(
        &mut self,
        cx: &mut StepContext,
        from: At,
        h: f64,
        to: &State,
    ) -> Result<(), StepError> {
        let options = *cx.solver.options();
        let solver = self
            .solver
            .get_or_insert_with(|| Box::new(StageSolver::new(options)));
        self.a.resize(to.u.len(), 0.0);
        self.end.clone_from(&to.u);
        // The result depends on the step only, not on factors of an earlier one.
        solver.discard_factors();
        solver.begin_attempt();
        let stage = Stage {
            t: to.t,
            u0: &self.end,
            v0: &to.v,
            c_u: h * h,
            c_v: 0.0,
            inertia: 1.0,
            near: from,
            hint: None,
            newton: Newton::Minimise,
        };
        let solved = solver.solve(cx.system, &stage, &mut self.a);
        cx.solver.newton.report.add(&solver.attempt_counts());
        solved
    }
}
