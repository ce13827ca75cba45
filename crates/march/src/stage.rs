//! The stage equation and Newton's method on it.
//!
//! Find **a** with M a = f(t, u₀ + c_u a, v₀ + c_v a). Newton's matrix is M + c_v D + c_u K. Where the forces have a
//! potential Π(u) and a dissipation function R(v) the equation is the stationarity of
//! Φ(a) = ½ aᵀM a + Π(u₀ + c_u a)/c_u + R(v₀ + c_v a)/c_v, whose descent makes the iteration safe
//! (003 eqs. 13–14 for backward Euler and the midpoint rule; here for every stage).

use sparse::{Backend, FactorError, LinearSolver, Matrix, solver};

use crate::vector::{combine, not_finite};
use crate::{At, Change, Counts, Curvature, DampingUpdate, StepError, System, Weights};

mod accuracy;
mod base;
mod boundary_path;
mod carry;
mod damping;
mod direction;
mod factor_slots;
mod force_error;
mod local_global;
mod newton;
mod options;
mod paths;
mod patterns;
mod polish;
mod rollback;
mod search;
mod trace;

use base::Base;
pub use carry::{CarriedFactor, SolverMemory};
pub use damping::DampingTerm;
use factor_slots::FactorSlot;
use force_error::ForceError;
pub use options::{Accuracy, Life, Newton, Options, Projection};
use paths::Paths;
pub(crate) use paths::usable;
use rollback::Rollback;
pub use trace::{Iteration, Tangent, Trace};

/// Rows of a trace for which room is made in advance.
const MOST_ROWS: usize = 256;

/// One stage equation.
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
    /// An admissible state close to the answer, with its own time: where Newton starts.
    pub near: At<'a>,
    /// An acceleration that may be closer.
    pub hint: Option<&'a [f64]>,
    /// How far to iterate.
    pub newton: Newton,
}

/// Solves stage equations; owns the matrix, the factors and every buffer of the iteration.
pub struct StageSolver {
    options: Options,
    /// The matrix and factors in use.
    current: FactorSlot,
    /// Those of other steps.
    parked: Vec<FactorSlot>,
    /// Counts uses of slots.
    clock: u64,
    lu: Box<dyn LinearSolver + Send>,
    mass: Box<dyn LinearSolver + Send>,
    mass_stamp: Option<u64>,
    /// Whether the factorization of the mass is part of some step's counts.
    mass_counted: bool,
    used_lu: bool,
    /// Whether the factors of this step are of no use to the next, however well they do.
    fleeting: bool,
    base: Base,
    trace: Trace,
    constant: local_global::Factors,
    rollback: Rollback,
    force_error: ForceError,
    /// Work of the attempt.
    pub(crate) report: Counts,
    u: Vec<f64>,
    v: Vec<f64>,
    f: Vec<f64>,
    r: Vec<f64>,
    ma: Vec<f64>,
    d: Vec<f64>,
    trial: Vec<f64>,
    spare: Vec<f64>,
    fixed_point: damping::FixedPoint,
    paths: Paths,
}

impl StageSolver {
    /// A solver with these settings.
    pub fn new(options: Options) -> StageSolver {
        StageSolver {
            options,
            current: FactorSlot::new(&options),
            parked: Vec::new(),
            clock: 0,
            lu: solver(Backend::Lu),
            mass: solver(Backend::Cholesky),
            mass_stamp: None,
            mass_counted: false,
            used_lu: false,
            fleeting: false,
            base: Base::default(),
            trace: Trace::default(),
            constant: local_global::Factors::default(),
            rollback: Rollback::default(),
            force_error: ForceError::default(),
            report: Counts::default(),
            u: Vec::new(),
            v: Vec::new(),
            f: Vec::new(),
            r: Vec::new(),
            ma: Vec::new(),
            d: Vec::new(),
            trial: Vec::new(),
            spare: Vec::new(),
            fixed_point: damping::FixedPoint::default(),
            paths: Paths::default(),
        }
    }

    /// The settings.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Symbolic analyses of the system matrix so far; one as long as its pattern stays.
    pub fn analyses(&self) -> u64 {
        self.slots().map(|s| s.linear.counts().analyses).sum()
    }

    /// Fill-reducing orders of the system matrix found so far; the others were taken over from an earlier pattern.
    pub fn orderings(&self) -> u64 {
        self.slots().map(|s| s.linear.counts().orderings).sum()
    }

    /// Largest residual that was left before the last local/global iteration of a stage of the attempt, relative to the
    /// forces: no less than their distance from the converged solution.
    pub fn local_global_residual(&self) -> f64 {
        self.constant.residual()
    }

    /// Constant matrices factored for local/global iterations so far: one for each pair of weights in use. They are
    /// no step's work, so they are not in the counts.
    pub fn prefactored(&self) -> u64 {
        self.constant.made()
    }

    /// Work of the attempt so far.
    pub fn attempt_counts(&self) -> Counts {
        self.report
    }

    /// How the iteration on the last stage went.
    pub fn trace(&self) -> &Trace {
        &self.trace
    }

    /// Largest diagonal entry of the matrix assembled last over the smallest of it and of the mass, which is what is left
    /// of it where nothing is stiff; 1 before the first.
    pub fn contrast(&self, mass: &Matrix) -> f64 {
        let Some(matrix) = &self.current.matrix else {
            return 1.0;
        };
        let most = matrix.diagonal().fold(0.0, |m: f64, x| m.max(x.abs()));
        let both = matrix.diagonal().chain(mass.diagonal());
        most / both.fold(f64::INFINITY, |l, x| l.min(x.abs()))
    }

    /// Begins a step at this state: announces it to the system and forgets what was learnt in the step before, but for
    /// factors that are worth keeping. Answers whether accelerations known so far are stale.
    pub fn begin(&mut self, sys: &mut dyn System, at: At) -> bool {
        let change = sys.prepare(at);
        self.forget_other_patterns(sys);
        // Conjugate gradients have no factors that would be worth keeping.
        let Options { life, linear, .. } = self.options;
        let fleeting = change == Change::Law || linear == Backend::Cg || life == Life::Step;
        let forget = std::mem::replace(&mut self.fleeting, fleeting) || fleeting;
        for slot in self.slots_mut() {
            match forget {
                true => slot.factors.forget(),
                false => slot.factors.begin(),
            }
        }
        if self.watches_force_error() {
            self.linearise_forces(sys, at);
        }
        change != Change::Nothing
    }

    /// Solves M a = f(t, u, v), with damping of these very positions.
    pub fn acceleration(
        &mut self,
        sys: &mut dyn System,
        at: At,
        a: &mut [f64],
    ) -> Result<(), StepError> {
        sys.update_damping(at, DampingUpdate::Whole);
        self.force(sys, at)?;
        a.copy_from_slice(&self.f);
        self.solve_mass(sys, at.t, a)
    }

    /// x ← M⁻¹ x.
    pub fn solve_mass(&mut self, sys: &dyn System, t: f64, x: &mut [f64]) -> Result<(), StepError> {
        let stamp = sys.mass().pattern().stamp();
        if self.mass_stamp != Some(stamp) {
            self.mass
                .factor(sys.mass())
                .map_err(|why| StepError::Factor { t, why })?;
            self.mass_stamp = Some(stamp);
        }
        self.report.factorizations += u64::from(!std::mem::replace(&mut self.mass_counted, true));
        self.report.solves += 1;
        self.mass
            .solve(x)
            .map_err(|why| StepError::Solve { t, why })
    }

    /// Assembles and factors M + c_v D + c_u K, exact, for any number of [`StageSolver::solve_factored`].
    pub fn factor_exact(
        &mut self,
        sys: &mut dyn System,
        at: At,
        w: Weights,
    ) -> Result<(), StepError> {
        let t = at.t;
        match self.factor(sys, at, w, Curvature::Exact) {
            Err(FactorError::Indefinite { .. }) => self.factor_lu(),
            other => other,
        }
        .map_err(|why| StepError::Factor { t, why })
    }

    /// x ← (factored matrix)⁻¹ x.
    pub fn solve_factored(&mut self, t: f64, x: &mut [f64]) -> Result<(), StepError> {
        self.report.solves += 1;
        let linear = if self.used_lu {
            &mut self.lu
        } else {
            &mut self.current.linear
        };
        linear.solve(x).map_err(|why| StepError::Solve { t, why })
    }

    /// Solves a stage; `a` holds the answer.
    pub fn solve(
        &mut self,
        sys: &mut dyn System,
        stage: &Stage,
        a: &mut [f64],
    ) -> Result<(), StepError> {
        self.report.stages += 1;
        self.reserve(sys.dofs());
        self.trace.iterations.clear();
        (self.trace.t, self.trace.c_u, self.trace.c_v) = (stage.t, stage.c_u, stage.c_v);
        self.paths.moves = 0;
        self.solve_equation(sys, stage, a)?;
        self.check_stage(sys, stage, a)?;
        if self.watches_force_error() {
            let (mut u, mut v) = (std::mem::take(&mut self.u), std::mem::take(&mut self.v));
            combine(&mut u, stage.u0, stage.c_u, a);
            combine(&mut v, stage.v0, stage.c_v, a);
            let at = At {
                t: stage.t,
                u: &u,
                v: &v,
            };
            let measured = self.measure_force_error(sys, at, stage.c_u);
            (self.u, self.v) = (u, v);
            measured?;
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
            Newton::Once => self.once(sys, stage, a),
            Newton::LocalGlobal { iterations } => {
                a.fill(0.0);
                self.local_global(sys, stage, iterations, a)
            }
            Newton::Polish => {
                local_global::start_near(stage, a);
                self.local_global(sys, stage, 1, a)
            }
            _ => {
                self.converge(sys, stage, a)?;
                if self.options.to_rounding {
                    self.polish(sys, stage, a)?;
                }
                Ok(())
            }
        }
    }

    fn force(&mut self, sys: &mut dyn System, at: At) -> Result<(), StepError> {
        // Not `reserve`: callers have taken buffers out, which it would replace.
        self.f.resize(sys.dofs(), 0.0);
        self.report.forces += 1;
        sys.force(at, &mut self.f);
        match not_finite(&self.f) {
            Some((dof, value)) => Err(StepError::NotFinite {
                t: at.t,
                what: "force",
                dof,
                value,
            }),
            None => Ok(()),
        }
    }

    /// f where the buffers u and v are.
    fn force_here(&mut self, sys: &mut dyn System, t: f64) -> Result<(), StepError> {
        let (u, v) = (std::mem::take(&mut self.u), std::mem::take(&mut self.v));
        let forced = self.force(sys, At { t, u: &u, v: &v });
        (self.u, self.v) = (u, v);
        forced
    }

    fn factor(
        &mut self,
        sys: &mut dyn System,
        at: At,
        w: Weights,
        c: Curvature,
    ) -> Result<(), FactorError> {
        self.preserve_matrix(sys);
        let FactorSlot {
            linear,
            matrix,
            factors,
            ..
        } = &mut self.current;
        let matrix = matrix.get_or_insert_with(|| sys.blank());
        sys.tangent(at, w, c, matrix);
        self.report.assemblies += 1;
        self.report.factorizations += 1;
        self.used_lu = false;
        factors.give_up();
        linear.factor(matrix)
    }

    /// Factors the matrix assembled last although it is indefinite.
    fn factor_lu(&mut self) -> Result<(), FactorError> {
        let Some(matrix) = &self.current.matrix else {
            return Ok(());
        };
        self.report.factorizations += 1;
        self.used_lu = true;
        self.lu.factor(matrix)
    }

    /// Factors the matrix assembled last with a multiple of its largest diagonal entry, or of the mass where stiffness
    /// has eaten that up, added to the diagonal.
    fn factor_shifted(&mut self, mass: &Matrix, multiple: f64) -> Result<(), FactorError> {
        let FactorSlot { linear, matrix, .. } = &mut self.current;
        let Some(matrix) = matrix else {
            return Ok(());
        };
        let both = matrix.diagonal().chain(mass.diagonal());
        let top = both.fold(0.0, |top: f64, x| top.max(x.abs()));
        matrix.add_diagonal(multiple * top);
        self.report.factorizations += 1;
        linear.factor(matrix)
    }

    fn reserve(&mut self, n: usize) {
        self.base.reserve(n);
        self.paths.reserve(n);
        let rows = usize::try_from(self.options.max_iterations).unwrap_or(MOST_ROWS);
        self.trace.iterations.reserve(rows.min(MOST_ROWS));
        let Self {
            u,
            v,
            f,
            r,
            ma,
            d,
            trial,
            spare,
            ..
        } = self;
        for x in [u, v, f, r, ma, d, trial, spare] {
            x.resize(n, 0.0);
        }
    }
}
