//! The stage equation and Newton's method on it.
//!
//! Find **a** with M a = f(t, u₀ + c_u a, v₀ + c_v a). Newton's matrix is M + c_v D + c_u K. Where the forces have a
//! potential Π(u) and a dissipation function R(v) the equation is the stationarity of
//! Φ(a) = ½ aᵀM a + Π(u₀ + c_u a)/c_u + R(v₀ + c_v a)/c_v, whose descent makes the iteration safe
//! (003 eqs. 13–14 for backward Euler and the midpoint rule; here for every stage).

use sparse::{Backend, FactorError, LinearSolver, Matrix, solver};

use crate::vector::{add, combine, dot, max_abs, norm, not_finite};
use crate::{At, Curvature, StepError, StepReport, System, Weights};

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
    /// An admissible state close to the answer: where Newton starts.
    pub near: At<'a>,
    /// An acceleration that may be closer.
    pub hint: Option<&'a [f64]>,
    /// How far to iterate.
    pub newton: Newton,
}

/// How a stage equation is iterated on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Newton {
    /// Descend Φ to convergence; falls back on [`Newton::Residual`] where the forces have no potential.
    Minimise,
    /// Descend the norm of the residual to convergence (000 §3.2.1).
    Residual,
    /// One iteration from the nearby state and no questions asked: the semi-implicit methods (003 eq. 6).
    Once,
}

/// Settings of the nonlinear and linear solvers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Merit of the full Newton iteration.
    pub newton: Newton,
    /// Residual force accepted, relative to the force scale of the stage.
    pub tolerance: f64,
    /// Newton iterations before giving up.
    pub max_iterations: u64,
    /// Linear solver.
    pub linear: Backend,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            newton: Newton::Minimise,
            tolerance: 1e-8,
            max_iterations: 50,
            linear: Backend::Auto,
        }
    }
}

/// Solves stage equations; owns the matrix, the factors and every buffer of the iteration.
pub struct StageSolver {
    options: Options,
    linear: Box<dyn LinearSolver + Send>,
    lu: Box<dyn LinearSolver + Send>,
    mass: Box<dyn LinearSolver + Send>,
    mass_stamp: Option<u64>,
    matrix: Option<Matrix>,
    used_lu: bool,
    /// Work since the counts were last taken.
    pub report: StepReport,
    u: Vec<f64>,
    v: Vec<f64>,
    f: Vec<f64>,
    r: Vec<f64>,
    ma: Vec<f64>,
    d: Vec<f64>,
    trial: Vec<f64>,
    spare: Vec<f64>,
}

/// Where an iteration stands: residual norm and the norm that would do.
struct Balance {
    residual: f64,
    wanted: f64,
}

/// Sufficient-decrease constant of Armijo's rule.
const ARMIJO: f64 = 1e-4;
/// Increments smaller than this share of the displacements change a merit by less than its own rounding.
const BLIND: f64 = 1e-6;
/// Increments smaller than this share of the displacements are rounding.
const ROUNDING: f64 = 16.0 * f64::EPSILON;
/// Halvings before a search direction is given up.
const HALVINGS: u32 = 40;

impl StageSolver {
    /// A solver with these settings.
    pub fn new(options: Options) -> StageSolver {
        StageSolver {
            options,
            linear: solver(options.linear),
            lu: solver(Backend::Lu),
            mass: solver(Backend::Cholesky),
            mass_stamp: None,
            matrix: None,
            used_lu: false,
            report: StepReport::default(),
            u: Vec::new(),
            v: Vec::new(),
            f: Vec::new(),
            r: Vec::new(),
            ma: Vec::new(),
            d: Vec::new(),
            trial: Vec::new(),
            spare: Vec::new(),
        }
    }

    /// The settings.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Counts since the last call, and starts anew.
    pub fn take_report(&mut self) -> StepReport {
        std::mem::take(&mut self.report)
    }

    /// Solves M a = f(t, u, v).
    pub fn acceleration(
        &mut self,
        sys: &mut dyn System,
        at: At,
        a: &mut [f64],
    ) -> Result<(), StepError> {
        self.force(sys, at)?;
        a.copy_from_slice(&self.f);
        self.solve_mass(sys, at.t, a)
    }

    /// x ← M⁻¹ x.
    pub fn solve_mass(&mut self, sys: &dyn System, t: f64, x: &mut [f64]) -> Result<(), StepError> {
        let stamp = sys.mass().pattern().stamp();
        if self.mass_stamp != Some(stamp) {
            self.report.factorizations += 1;
            self.mass
                .factor(sys.mass())
                .map_err(|why| StepError::Factor { t, why })?;
            self.mass_stamp = Some(stamp);
        }
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
            &mut self.linear
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
        match stage.newton {
            Newton::Once => self.once(sys, stage, a),
            _ => self.converge(sys, stage, a),
        }
    }

    /// One Newton iteration from the nearby state:
    /// (M + c_v D + c_u K) a = f(t, u, v) − K (u₀ − u) − D (v₀ − v).
    fn once(
        &mut self,
        sys: &mut dyn System,
        stage: &Stage,
        a: &mut [f64],
    ) -> Result<(), StepError> {
        let at = At {
            t: stage.t,
            ..stage.near
        };
        self.force(sys, at)?;
        let w = Weights {
            mass: 1.0,
            damping: stage.c_v,
            stiffness: stage.c_u,
        };
        self.factor_exact(sys, at, w)?;
        combine(&mut self.u, stage.u0, -1.0, at.u);
        combine(&mut self.v, stage.v0, -1.0, at.v);
        sys.tangent_times(&self.u, &self.v, &mut self.r);
        combine(a, &self.f, -1.0, &self.r);
        self.report.newton += 1;
        self.solve_factored(stage.t, a)
    }

    fn converge(
        &mut self,
        sys: &mut dyn System,
        stage: &Stage,
        a: &mut [f64],
    ) -> Result<(), StepError> {
        let mut merit = self.start(sys, stage, a)?;
        let mut balance = self.evaluate(sys, stage, a)?;
        if sys.lags() && merit.is_some() {
            merit = self.merit(sys, stage, a);
        }
        let mut curvature = Curvature::Exact;
        for iteration in 0..=self.options.max_iterations {
            if balance.residual <= balance.wanted {
                return Ok(());
            }
            if iteration == self.options.max_iterations {
                break;
            }
            self.report.newton += 1;
            curvature = self.direction(sys, stage, merit.is_some(), curvature)?;
            // At rest without loads all forces are rounding, and so is any scale to measure the residual by.
            if stage.c_u * max_abs(&self.d) <= ROUNDING * max_abs(&self.u) {
                add(a, 1.0, &self.d);
                return Ok(());
            }
            let Some(s) = self.search(sys, stage, a, &mut merit, balance.residual)? else {
                if curvature == Curvature::Exact && merit.is_some() {
                    curvature = Curvature::Definite;
                    continue;
                }
                return Err(self.stalled(stage.t, iteration + 1, &balance));
            };
            add(a, s, &self.d);
            let before = balance.residual;
            balance = self.evaluate(sys, stage, a)?;
            if sys.lags() && merit.is_some() {
                merit = self.merit(sys, stage, a);
            }
            if s == 1.0 {
                curvature = Curvature::Exact;
            }
            // The search found no more than rounding.
            let moved = s * stage.c_u * max_abs(&self.d);
            if moved <= ROUNDING * max_abs(&self.u) && balance.residual <= before {
                return Ok(());
            }
        }
        Err(self.stalled(stage.t, self.options.max_iterations, &balance))
    }

    fn stalled(&self, t: f64, iterations: u64, b: &Balance) -> StepError {
        StepError::Newton {
            t,
            iterations,
            residual: b.residual,
            wanted: b.wanted,
        }
    }

    /// Chooses the start: the candidate of least merit among the nearby position, the inertial position (a = 0) and
    /// the stepper's hint. Answers the merit, or nothing where the system has none.
    fn start(
        &mut self,
        sys: &mut dyn System,
        stage: &Stage,
        a: &mut [f64],
    ) -> Result<Option<f64>, StepError> {
        combine(a, stage.near.u, -1.0, stage.u0);
        a.iter_mut().for_each(|a| *a /= stage.c_u);
        if self.options.newton == Newton::Residual {
            return Ok(None);
        }
        let Some(mut best) = self.merit(sys, stage, a) else {
            return Ok(None);
        };
        for candidate in [stage.hint, None] {
            match candidate {
                Some(hint) => self.trial.copy_from_slice(hint),
                None => self.trial.fill(0.0),
            }
            let trial = std::mem::take(&mut self.trial);
            let merit = self.merit(sys, stage, &trial).unwrap_or(f64::INFINITY);
            if merit < best || (best.is_nan() && merit.is_finite()) {
                best = merit;
                a.copy_from_slice(&trial);
            }
            self.trial = trial;
        }
        if best.is_finite() {
            Ok(Some(best))
        } else {
            Err(StepError::Inadmissible { t: stage.t })
        }
    }

    /// Φ(a), or nothing where the system has no potential.
    fn merit(&mut self, sys: &mut dyn System, stage: &Stage, a: &[f64]) -> Option<f64> {
        combine(&mut self.u, stage.u0, stage.c_u, a);
        combine(&mut self.v, stage.v0, stage.c_v, a);
        let potential = sys.potential(stage.t, &self.u)?;
        let dissipation = sys.dissipation(stage.t, &self.v)?;
        sys.mass().times(a, &mut self.ma);
        Some(0.5 * dot(a, &self.ma) + potential / stage.c_u + dissipation / stage.c_v)
    }

    /// Residual r = M a − f at `a`.
    fn evaluate(
        &mut self,
        sys: &mut dyn System,
        stage: &Stage,
        a: &[f64],
    ) -> Result<Balance, StepError> {
        combine(&mut self.u, stage.u0, stage.c_u, a);
        combine(&mut self.v, stage.v0, stage.c_v, a);
        let (u, v) = (std::mem::take(&mut self.u), std::mem::take(&mut self.v));
        let forced = self.force(
            sys,
            At {
                t: stage.t,
                u: &u,
                v: &v,
            },
        );
        (self.u, self.v) = (u, v);
        forced?;
        sys.mass().times(a, &mut self.ma);
        combine(&mut self.r, &self.ma, -1.0, &self.f);
        let scale = sys.force_scale().max(norm(&self.ma));
        Ok(Balance {
            residual: norm(&self.r),
            wanted: self.options.tolerance * scale,
        })
    }

    /// Newton's direction d = −(M + c_v D + c_u K)⁻¹ r, with the exact tangent if it will do, else the projected
    /// one (where a potential is descended) or an indefinite factorization (where the residual is).
    fn direction(
        &mut self,
        sys: &mut dyn System,
        stage: &Stage,
        descends: bool,
        first: Curvature,
    ) -> Result<Curvature, StepError> {
        let t = stage.t;
        let w = Weights {
            mass: 1.0,
            damping: stage.c_v,
            stiffness: stage.c_u,
        };
        let mut curvature = first;
        loop {
            let (u, v) = (std::mem::take(&mut self.u), std::mem::take(&mut self.v));
            let mut factored = self.factor(sys, At { t, u: &u, v: &v }, w, curvature);
            (self.u, self.v) = (u, v);
            if curvature == Curvature::Definite {
                self.report.projections += 1;
            }
            if let Err(FactorError::Indefinite { .. }) = factored {
                if descends && curvature == Curvature::Exact {
                    curvature = Curvature::Definite;
                    continue;
                }
                factored = self.factor_lu();
            }
            factored.map_err(|why| StepError::Factor { t, why })?;
            let mut d = std::mem::take(&mut self.d);
            for (d, r) in d.iter_mut().zip(&self.r) {
                *d = -r;
            }
            let solved = self.solve_factored(t, &mut d);
            self.d = d;
            solved?;
            if descends && curvature == Curvature::Exact && dot(&self.r, &self.d) >= 0.0 {
                curvature = Curvature::Definite;
                continue;
            }
            return Ok(curvature);
        }
    }

    /// Backtracks along d; the fraction taken, or nothing when no fraction descends.
    fn search(
        &mut self,
        sys: &mut dyn System,
        stage: &Stage,
        a: &[f64],
        merit: &mut Option<f64>,
        residual: f64,
    ) -> Result<Option<f64>, StepError> {
        let slope = dot(&self.r, &self.d);
        combine(&mut self.u, stage.u0, stage.c_u, a);
        self.d.iter_mut().for_each(|d| *d *= stage.c_u);
        let blind = max_abs(&self.d) <= BLIND * max_abs(&self.u);
        let mut s = sys.max_step(stage.t, &self.u, &self.d).min(1.0);
        self.d.iter_mut().for_each(|d| *d /= stage.c_u);
        for _ in 0..HALVINGS {
            combine(&mut self.trial, a, s, &self.d);
            let trial = std::mem::take(&mut self.trial);
            let accepted = match *merit {
                Some(before) => {
                    let after = self.merit(sys, stage, &trial).unwrap_or(f64::NAN);
                    let noise = 64.0 * f64::EPSILON * (before.abs() + dot(&trial, &self.ma).abs());
                    let fine = after <= before + ARMIJO * s * slope + noise
                        || (blind
                            && after.is_finite()
                            && self.falls_below(0.5 * residual, sys, stage, &trial)?);
                    if fine {
                        *merit = Some(after);
                    }
                    fine
                }
                None => self.falls_below((1.0 - ARMIJO * s) * residual, sys, stage, &trial)?,
            };
            self.trial = trial;
            if accepted {
                return Ok(Some(s));
            }
            self.report.backtracks += 1;
            s *= 0.5;
        }
        Ok(None)
    }

    /// Whether the norm of the residual at a trial point is no more than `bound`; leaves the current residual alone.
    fn falls_below(
        &mut self,
        bound: f64,
        sys: &mut dyn System,
        stage: &Stage,
        trial: &[f64],
    ) -> Result<bool, StepError> {
        let r = std::mem::take(&mut self.r);
        self.r = std::mem::take(&mut self.spare);
        let balance = self.evaluate(sys, stage, trial);
        self.spare = std::mem::replace(&mut self.r, r);
        match balance {
            Ok(balance) => Ok(balance.residual <= bound),
            Err(StepError::NotFinite { .. }) => Ok(false),
            Err(other) => Err(other),
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

    fn factor(
        &mut self,
        sys: &mut dyn System,
        at: At,
        w: Weights,
        c: Curvature,
    ) -> Result<(), FactorError> {
        let matrix = self.matrix.get_or_insert_with(|| sys.blank());
        sys.tangent(at, w, c, matrix);
        self.report.assemblies += 1;
        self.report.factorizations += 1;
        self.used_lu = false;
        self.linear.factor(matrix)
    }

    /// Factors the matrix assembled last although it is indefinite.
    fn factor_lu(&mut self) -> Result<(), FactorError> {
        let Some(matrix) = &self.matrix else {
            return Ok(());
        };
        self.report.factorizations += 1;
        self.used_lu = true;
        self.lu.factor(matrix)
    }

    fn reserve(&mut self, n: usize) {
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
