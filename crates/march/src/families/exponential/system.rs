//! A system and its solver as the φ-functions see them.

use ::exponential::{At as StateAt, Failure, Mechanics, SecondOrder};
use sparse::{Matrix, counted_eigenpairs};

use super::super::check_explicit_stage;
use crate::error::ModesFailure;
use crate::vector::{add, not_finite};
use crate::{
    At, Curvature, DampingUpdate, Positions, StageSolver, State, StepError, System, Weights,
};

/// Relative residual of the modes.
const EIGEN_TOLERANCE: f64 = 1e-9;

/// Memory that is kept from step to step.
#[derive(Default)]
pub(super) struct Buffers {
    /// State of the last tangent.
    pub linearised_at: State,
    /// Target of assemblies outside the solver.
    matrix: Option<Matrix>,
    zero: Vec<f64>,
}

/// System with the matrices of its last [`System::tangent`].
pub(super) struct LinearisedSystem<'a> {
    system: &'a mut dyn System,
    solver: &'a mut StageSolver,
    buffers: &'a mut Buffers,
}

impl<'a> LinearisedSystem<'a> {
    pub fn new(
        system: &'a mut dyn System,
        solver: &'a mut StageSolver,
        buffers: &'a mut Buffers,
    ) -> LinearisedSystem<'a> {
        buffers.zero.resize(system.dofs(), 0.0);
        LinearisedSystem {
            system,
            solver,
            buffers,
        }
    }

    /// Assembles a matrix outside the solver: the tangent that products then use.
    pub fn assemble(&mut self, at: At, weights: Weights) -> &Matrix {
        self.remember(at);
        let Buffers { matrix, .. } = &mut *self.buffers;
        let matrix = matrix.get_or_insert_with(|| self.system.zero_matrix());
        self.system.tangent(at, weights, Curvature::Exact, matrix);
        self.solver.newton.report.assemblies += 1;
        matrix
    }

    /// Evaluates ∂f/∂t at the state of the last assembly.
    pub fn force_rate_here(&mut self, rate: &mut [f64]) {
        let at = self.buffers.linearised_at.at();
        self.system.force_rate(at, rate);
    }

    fn remember(&mut self, at: At) {
        let state = &mut self.buffers.linearised_at;
        state.t = at.t;
        for (kept, new) in [(&mut state.u, at.u), (&mut state.v, at.v)] {
            kept.clear();
            kept.extend_from_slice(new);
        }
    }
}

fn here(at: StateAt) -> At {
    At {
        t: at.t,
        u: at.u,
        v: at.v,
    }
}

impl SecondOrder for LinearisedSystem<'_> {
    type Error = StepError;

    fn stiffness_times(&mut self, x: &[f64], y: &mut [f64]) {
        self.system.tangent_times(x, &self.buffers.zero, y);
    }

    fn damping_times(&mut self, x: &[f64], y: &mut [f64]) {
        self.system.tangent_times(&self.buffers.zero, x, y);
    }

    fn add_position_damping(&mut self, x: &[f64], scratch: &mut [f64], y: &mut [f64]) {
        let at = self.buffers.linearised_at.at();
        if self.system.damping_derivative(at, x, scratch) {
            add(y, 1.0, scratch);
        }
    }

    fn mass_times(&mut self, x: &[f64], y: &mut [f64]) {
        self.system.mass().times(x, y);
    }

    fn solve_mass(&mut self, x: &mut [f64]) -> Result<(), StepError> {
        let t = self.buffers.linearised_at.t;
        self.solver.solve_mass(self.system, t, x)
    }
}

impl Mechanics for LinearisedSystem<'_> {
    fn dofs(&self) -> usize {
        self.system.dofs()
    }

    fn force(&mut self, at: StateAt, f: &mut [f64]) -> Result<(), StepError> {
        let at = here(at);
        self.system.update_damping(at, DampingUpdate::Whole);
        self.solver.newton.report.forces += 1;
        self.system.force(at, f);
        match not_finite(f) {
            Some((dof, value)) => Err(StepError::NotFinite {
                t: at.t,
                what: "force",
                dof,
                value,
            }),
            None => Ok(()),
        }
    }

    fn force_scale(&self) -> f64 {
        self.system.force_scale()
    }

    fn force_rate(&mut self, at: StateAt, rate: &mut [f64]) {
        self.system.force_rate(here(at), rate);
    }

    fn factor(&mut self, at: StateAt, c: f64) -> Result<(), StepError> {
        let at = here(at);
        self.remember(at);
        self.system.update_damping(at, DampingUpdate::Whole);
        let weights = Weights {
            mass: 1.0,
            damping: c,
            stiffness: c * c,
        };
        self.solver.factor_exact(self.system, at, weights)
    }

    fn solve(&mut self, t: f64, x: &mut [f64]) -> Result<(), StepError> {
        self.solver.solve_factored(t, x)
    }

    fn squared_norm(&self, x: &[f64]) -> f64 {
        self.system.mass().bilinear_form(x, x)
    }

    fn has_position_damping(&mut self) -> bool {
        self.system.position_damping().is_some()
    }

    fn lowest_modes(&mut self, at: StateAt, count: usize) -> Result<Vec<Vec<f64>>, StepError> {
        let stiffness_only = Weights {
            mass: 0.0,
            damping: 0.0,
            stiffness: 1.0,
        };
        self.assemble(here(at), stiffness_only);
        let (system, buffers) = (&*self.system, &*self.buffers);
        let Some(k) = &buffers.matrix else {
            return Ok(Vec::new());
        };
        let found = counted_eigenpairs(k, system.mass(), count, EIGEN_TOLERANCE);
        let found = found.map_err(|why| StepError::Modes {
            t: at.t,
            why: ModesFailure::Eigen(why),
        })?;
        let counts = &mut self.solver.newton.report;
        counts.factorizations += found.factorizations;
        counts.solves += found.solves;
        Ok(found.pairs.into_iter().map(|(_, x)| x).collect())
    }

    fn max_step(&mut self, from: (f64, &[f64]), to: (f64, &[f64])) -> f64 {
        let positions = |(t, u)| Positions::new(t, u);
        self.system.max_step(positions(from), positions(to))
    }

    fn check_stage(&mut self, from: (f64, &[f64]), to: (f64, &[f64])) -> Result<(), StepError> {
        let from = Positions::new(from.0, from.1);
        check_explicit_stage(self.system, Positions::new(to.0, to.1), &[from])
    }

    fn newton_limits(&self) -> (f64, u32) {
        let options = self.solver.options();
        let limit = u32::try_from(options.max_iterations).unwrap_or(u32::MAX);
        (options.tolerance, limit)
    }

    fn count(&mut self, iteration: bool) {
        let counts = &mut self.solver.newton.report;
        match iteration {
            true => counts.newton += 1,
            false => counts.stages += 1,
        }
    }

    fn failure(&self, t: f64, failure: Failure) -> StepError {
        match failure {
            Failure::Stalled {
                iterations,
                residual,
                wanted,
            } => StepError::Newton {
                t,
                iterations: u64::from(iterations),
                residual,
                wanted,
            },
            Failure::Damping { iterations, change } => StepError::DampingIteration {
                t,
                iterations,
                change,
            },
            Failure::SingularWithoutModes => StepError::Modes {
                t,
                why: ModesFailure::Singular,
            },
        }
    }
}
