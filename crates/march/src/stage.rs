//! Stage equation of implicit methods and its solver.
//!
//! Find **a** with μ M a = f(t, u₀ + c_u a, v₀ + c_v a). Newton's matrix is μ M + c_v D + c_u K. The factor μ of the
//! inertia is 1 for every integrator; with μ = 0, c_u = 1 and c_v = 0 the stage is a static equilibrium, and a is the
//! displacement from u₀. If the forces have a potential Π(u) and a dissipation function R(v), the equation is the
//! stationarity of the incremental potential Φ(a) = ½ μ aᵀM a + Π(u₀ + c_u a)/c_u + R(v₀ + c_v a)/c_v, and descent of Φ
//! makes the iteration robust ([Ascher et al. 2021, eqs. 13–14] for backward Euler and the midpoint rule; here for every
//! stage).

use sparse::Matrix;

use crate::{At, Change, Counts, DampingUpdate, StepError, System, Weights};

mod accuracy;
mod base;
mod boundary_path;
mod damping;
mod direction;
mod evaluation;
mod factor_reuse;
mod force_error;
mod local_global;
mod mass_factor;
mod newton;
mod options;
mod parts;
mod paths;
mod refine_to_roundoff;
mod search;
mod settled_step;
mod start;
mod trace;

use boundary_path::BoundaryPath;
pub use damping::DampingTerm;
pub use factor_reuse::{SavedFactor, SolverMemory};
use force_error::ForceError;
use mass_factor::MassFactor;
use newton::NewtonSolver;
pub use options::{Accuracy, FactorLifetime, HessianProjection, Newton, Options};
pub(crate) use paths::usable;
pub use trace::{NewtonIteration, NewtonTrace, TangentKind};

/// Stage equation of an implicit method.
#[derive(Clone, Copy, Debug)]
pub struct Stage<'a> {
    /// Time at which the forces act, s.
    pub t: f64,
    /// Displacements for a = 0.
    pub u0: &'a [f64],
    /// Velocities for a = 0.
    pub v0: &'a [f64],
    /// ∂u/∂a, s².
    pub c_u: f64,
    /// ∂v/∂a, s.
    pub c_v: f64,
    /// Factor of the inertia term M a: 1 for integrators, 0 for a static equilibrium.
    pub inertia: f64,
    /// Admissible state close to the solution, with its own time; Newton's method may start there.
    pub near: At<'a>,
    /// Acceleration that may be a better start.
    pub hint: Option<&'a [f64]>,
    /// How the equation is solved.
    pub newton: Newton,
}

/// Solver of stage equations; owns the matrix, the factors and every buffer of the iteration.
pub struct StageSolver {
    pub(crate) newton: NewtonSolver,
    mass: MassFactor,
    constant: local_global::ConstantFactors,
    force_error: ForceError,
    boundary: BoundaryPath,
}

impl StageSolver {
    /// Creates a solver with these settings.
    pub fn new(options: Options) -> StageSolver {
        StageSolver {
            newton: NewtonSolver::new(options),
            mass: MassFactor::new(),
            constant: local_global::ConstantFactors::default(),
            force_error: ForceError::default(),
            boundary: BoundaryPath::default(),
        }
    }

    /// Returns the settings.
    pub fn options(&self) -> &Options {
        &self.newton.options
    }

    /// Returns the number of symbolic analyses of the system matrix so far; one while its pattern does not change.
    pub fn analyses(&self) -> u64 {
        let slots = self.newton.cache.slots();
        slots.map(|s| s.linear.counts().analyses).sum()
    }

    /// Returns the number of fill-reducing orderings computed so far; other patterns took over the ordering of an
    /// earlier one.
    pub fn orderings(&self) -> u64 {
        let slots = self.newton.cache.slots();
        slots.map(|s| s.linear.counts().orderings).sum()
    }

    /// Returns the largest residual before the last local/global iteration of a stage of the attempt, relative to the
    /// forces: an upper bound of the distance from the converged solution.
    pub fn local_global_residual(&self) -> f64 {
        self.constant.residual()
    }

    /// Returns the number of constant matrices factored for local/global iterations so far: one for each pair of
    /// weights in use. They belong to no step and are not in the counts.
    pub fn prefactorizations(&self) -> u64 {
        self.constant.factorizations()
    }

    /// Returns the work of the attempt so far.
    pub fn attempt_counts(&self) -> Counts {
        self.newton.report
    }

    /// Adds work that a correction has done outside this solver to the counts of the attempt.
    pub fn count_work(&mut self, work: &Counts) {
        self.newton.report.add(work);
    }

    /// Returns the iterations on the last stage.
    pub fn trace(&self) -> &NewtonTrace {
        &self.newton.trace
    }

    /// Returns the number of partial moves of the boundary in the last stage; 0 if its path was free.
    pub fn boundary_moves(&self) -> u32 {
        self.boundary.moves
    }

    /// Returns the ratio of the largest diagonal entry of the matrix assembled last to the smallest diagonal entry of
    /// that matrix and the mass matrix; 1 before the first assembly. It is large if stiff and soft parts are mixed.
    pub fn diagonal_contrast(&self, mass: &Matrix) -> f64 {
        let Some(matrix) = &self.newton.cache.current.matrix else {
            return 1.0;
        };
        let largest = matrix.diagonal().fold(0.0, |m: f64, x| m.max(x.abs()));
        let both = matrix.diagonal().chain(mass.diagonal());
        largest / both.fold(f64::INFINITY, |l, x| l.min(x.abs()))
    }

    /// Begins a step at this state: announces it to the system and drops everything from the last step except factors
    /// worth reusing. Returns `true` if known accelerations are outdated.
    pub fn begin_step(&mut self, sys: &mut dyn System, at: At) -> bool {
        let change = sys.prepare(at);
        self.discard_other_patterns(sys);
        self.newton.cache.begin_step(change);
        if self.watches_force_error() {
            self.force_error.begin_step(at);
        }
        change != Change::Nothing
    }

    /// Begins an attempt; returns `true` if it begins with factors of an earlier step.
    pub(crate) fn begin_attempt(&mut self) -> bool {
        self.newton.report = Counts::default();
        self.mass.begin_attempt();
        self.constant.begin_attempt();
        self.newton.cache.begin_attempt()
    }

    /// Commits the attempt; returns the work of refactorizations on its way.
    pub(crate) fn commit_attempt(&mut self) -> Counts {
        self.newton.cache.commit_attempt()
    }

    /// Undoes the attempt; returns its work and that of refactorizations on its way.
    pub(crate) fn reject_attempt(&mut self) -> Counts {
        self.mass.reject_attempt();
        let mut work = self.newton.report;
        work.add(&self.newton.cache.reject_attempt());
        work
    }

    /// Drops factors of a matrix whose pattern is no longer that of the system.
    pub(crate) fn discard_other_patterns(&mut self, sys: &dyn System) {
        self.newton.cache.discard_other_patterns(sys);
    }

    /// Returns `true` if the next step begins with factors of an earlier one.
    pub fn keeps_factors(&self) -> bool {
        self.newton.cache.keeps_factors()
    }

    /// Drops all factors of tangents; the next step then depends only on the state and the stepper. Factors of the constant
    /// matrix of local/global iterations stay: they depend on the weights only.
    pub fn discard_factors(&mut self) {
        self.newton.cache.forget();
    }

    /// Returns what the next step takes over from this solver.
    pub fn save(&self) -> SolverMemory {
        self.newton.cache.save(self.mass.counted)
    }

    /// Restores what [`StageSolver::save`] returned; returns `false` if it belongs to another system. Factors are
    /// recomputed, identically and without being counted.
    pub fn load(&mut self, sys: &dyn System, saved: &SolverMemory) -> bool {
        self.mass.counted = saved.mass_counted;
        self.newton.cache.load(sys, saved)
    }

    /// Solves M a = f(t, u, v), with damping evaluated at these positions.
    pub fn acceleration(
        &mut self,
        sys: &mut dyn System,
        at: At,
        a: &mut [f64],
    ) -> Result<(), StepError> {
        sys.update_damping(at, DampingUpdate::Whole);
        let NewtonSolver { point, report, .. } = &mut self.newton;
        point.force_at(sys, at, report)?;
        a.copy_from_slice(&point.f);
        self.solve_mass(sys, at.t, a)
    }

    /// Solves with the mass matrix: x ← M⁻¹ x.
    pub fn solve_mass(&mut self, sys: &dyn System, t: f64, x: &mut [f64]) -> Result<(), StepError> {
        self.mass.solve(sys, t, x, &mut self.newton.report)
    }

    /// Assembles and factors the exact M + c_v D + c_u K for any number of [`StageSolver::solve_factored`].
    pub fn factor_exact(
        &mut self,
        sys: &mut dyn System,
        at: At,
        w: Weights,
    ) -> Result<(), StepError> {
        let NewtonSolver { cache, report, .. } = &mut self.newton;
        cache.factor_exact(sys, at, w, report)
    }

    /// Solves with the factored matrix: x ← A⁻¹ x.
    pub fn solve_factored(&mut self, t: f64, x: &mut [f64]) -> Result<(), StepError> {
        let NewtonSolver { cache, report, .. } = &mut self.newton;
        cache.solve(t, x, report)
    }

    /// Solves A x = b − s E (p + q x) with the current factors of A; `x` holds b on entry and the solution on return.
    pub fn solve_linearised(
        &mut self,
        sys: &mut dyn System,
        term: DampingTerm,
        x: &mut [f64],
    ) -> Result<(), StepError> {
        let NewtonSolver {
            cache,
            fixed_point,
            report,
            ..
        } = &mut self.newton;
        fixed_point.solve(sys, cache, term, x, report)
    }

    /// Solves a stage equation; `a` holds the solution on return.
    pub fn solve(
        &mut self,
        sys: &mut dyn System,
        stage: &Stage,
        a: &mut [f64],
    ) -> Result<(), StepError> {
        self.newton.begin_stage(sys.dofs(), stage);
        self.boundary.begin_stage(sys.dofs());
        self.solve_equation(sys, stage, a)?;
        self.newton.check_stage(sys, stage, a)?;
        if self.watches_force_error() {
            let NewtonSolver { point, report, .. } = &mut self.newton;
            point.place_whole(stage, a);
            let (at, mass, c_u) = (point.at(stage.t), &mut self.mass, stage.c_u);
            let error = &mut self.force_error;
            let f_near = error.is_of_stage(stage).then_some(&point.f[..]);
            error.measure(sys, mass, at, c_u, f_near, report)?;
        }
        Ok(())
    }

    fn solve_equation(
        &mut self,
        sys: &mut dyn System,
        stage: &Stage,
        a: &mut [f64],
    ) -> Result<(), StepError> {
        match stage.newton {
            Newton::SingleIteration => self.newton.single_iteration(sys, stage, a),
            Newton::LocalGlobal { iterations } => {
                a.fill(0.0);
                self.local_global(sys, stage, iterations, a)
            }
            Newton::SingleLocalGlobal => {
                local_global::start_near(stage, a);
                self.local_global(sys, stage, 1, a)
            }
            _ => {
                // The iteration starts from the nearby position or, if the boundary moves in parts, from the position
                // that the unknowns have reached.
                let moved = self.boundary.move_to_stage(&mut self.newton, sys, stage)?;
                let mut near = *stage;
                if moved {
                    near.near.u = &self.boundary.reached;
                }
                self.newton.converge(sys, &near, a)?;
                if self.newton.options.to_roundoff {
                    self.newton.refine_to_roundoff(sys, stage, a)?;
                }
                Ok(())
            }
        }
    }
}
