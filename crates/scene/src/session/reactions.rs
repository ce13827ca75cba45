//! Reactions of the supports at the current state.

use march::{DampingUpdate, StepError, System};
use solid::model::Reaction;
use sparse::{Cg, Cholesky, LinearSolver, Preconditioner};

use super::Session;

/// Force and moment that a support exerts on its body.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct SupportReaction {
    /// Name of the support, such as `bar.fix[0]`.
    pub name: String,
    /// Force, N.
    pub force: [f64; 3],
    /// Moment about the origin, N m.
    pub moment: [f64; 3],
}

/// Relative residual of the initial acceleration.
const START_TOLERANCE: f64 = 1e-12;

/// Solvers with the mass matrix and buffers, for accelerations at states that are no stages of the method.
///
/// Methods that end on a stage need the acceleration of the initial state only. Conjugate gradients give it at less cost
/// than a factorization, because the diagonal of M bounds its eigenvalues on any mesh [Wathen 1987]. Other methods need one
/// in every step and factor M. Which of the two is used depends on the state alone, so a resumed run has the same bytes.
#[derive(Default)]
pub(super) struct ReactionSolver {
    factor: Option<Box<Cholesky>>,
    a: Vec<f64>,
    sums: Vec<Reaction>,
}

impl Session {
    /// Returns the force and the moment about the origin that each fix and each tether exerts on its body at the current
    /// state, in the order of [`Session::supports`].
    ///
    /// A support of prescribed motion adds M a + D v − f to the components that it holds, where the unknowns have the
    /// acceleration M a = f of the current state. If the step ended on a stage, whose acceleration is known, this costs
    /// nothing; otherwise one force and one solve with the mass matrix.
    pub fn reactions(&mut self) -> Result<Vec<SupportReaction>, StepError> {
        let sums = self.reaction_sums()?;
        let sums: Vec<Reaction> = sums.to_vec();
        let named = |(name, r): (&String, Reaction)| SupportReaction {
            name: name.clone(),
            force: r.force,
            moment: r.moment,
        };
        Ok(self.supports.iter().zip(sums).map(named).collect())
    }

    /// Returns the reactions without their names and without allocating after the first call.
    pub(crate) fn reaction_sums(&mut self) -> Result<&[Reaction], StepError> {
        let at = self.time.state().at();
        let (model, solver) = (&mut self.model, &mut self.reaction_solver);
        if !model.knows_reactions(at) {
            solver.a.resize(model.dofs(), 0.0);
            solver.a.fill(0.0);
            if !self.method.is_static() {
                let system: &mut dyn System = model;
                system.update_damping(at, DampingUpdate::Whole);
                system.force(at, &mut solver.a);
                match self.totals.steps {
                    0 => solver.solve_at_start(system, at.t)?,
                    _ => solver.solve_factored(system, at.t)?,
                }
            }
            model.evaluate_reactions(at, &solver.a);
        }
        model.reactions(at, &mut solver.sums);
        Ok(&solver.sums)
    }
}

impl ReactionSolver {
    /// Solves with the mass matrix by conjugate gradients; the work is not in the counts of the run.
    fn solve_at_start(&mut self, system: &dyn System, t: f64) -> Result<(), StepError> {
        let mut solver = Cg::with_preconditioner(Preconditioner::BlockJacobi);
        solver.tolerance = START_TOLERANCE;
        let prepared = solver.factor(system.mass());
        prepared.map_err(|why| StepError::Factor { t, why })?;
        let solved = solver.solve(&mut self.a);
        solved.map_err(|why| StepError::Solve { t, why })
    }

    /// Solves with the factored mass matrix; the work is not in the counts of the run.
    fn solve_factored(&mut self, system: &dyn System, t: f64) -> Result<(), StepError> {
        if self.factor.is_none() {
            let mut cholesky = Cholesky::default();
            let factored = cholesky.factor(system.mass());
            factored.map_err(|why| StepError::Factor { t, why })?;
            self.factor = Some(Box::new(cholesky));
        }
        match &mut self.factor {
            Some(factor) => factor
                .solve(&mut self.a)
                .map_err(|why| StepError::Solve { t, why }),
            None => Ok(()),
        }
    }
}
