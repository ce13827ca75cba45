//! Newton's iteration on a stage.
//!
//! One algorithm for every method and merit function: choose a matrix and compute a direction ([`super::direction`]),
//! search a fraction of it that lowers the merit ([`super::search`]), until the residual force is small relative to the
//! forces that balance, or the increments show that the error of the step itself is larger ([`super::accuracy`]). The
//! iteration fails if neither the residual nor the decrease predicted by the quadratic model has halved for
//! `max_iterations`.

use sparse::Matrix;

use super::accuracy::Increments;
use super::damping::{Converged, FixedPoint};
use super::evaluation::Evaluation;
use super::factor_reuse::FactorCache;
use super::{DampingTerm, NewtonTrace, Options, Stage};
use crate::vector::{add, combine, dot, max_abs};
use crate::{At, Counts, DampingUpdate, StepError, System, Weights};

/// Residual norm and the norm that the tolerance accepts, N.
#[derive(Clone, Copy)]
pub(super) struct ResidualNorm {
    pub residual: f64,
    pub wanted: f64,
}

impl ResidualNorm {
    fn converged(&self) -> Converged {
        Converged {
            wanted: self.wanted,
            accurate_at_once: false,
        }
    }
}

/// Rows of a trace that are allocated in advance.
const MAX_RESERVED_ROWS: usize = 256;
/// Increments smaller than this fraction of the displacements are round-off.
const ROUNDOFF: f64 = 16.0 * f64::EPSILON;
/// Largest ratio of the residual to the tolerance that is explained by round-off.
const MAX_ROUNDOFF_RESIDUAL: f64 = 1e3;
/// Largest number of iterations, as a multiple of those allowed without progress.
const MAX_ITERATIONS_FACTOR: u64 = 20;

/// Detector of stagnation.
struct Progress {
    best: [f64; 2],
    since: u64,
}

impl Progress {
    fn new() -> Progress {
        Progress {
            best: [f64::INFINITY; 2],
            since: 0,
        }
    }

    /// Returns `true` if one of the two measures has halved within the last `limit` calls.
    fn advances(&mut self, measures: [f64; 2], limit: u64) -> bool {
        self.since += 1;
        for (best, now) in self.best.iter_mut().zip(measures) {
            if now <= 0.5 * *best {
                *best = now;
                self.since = 0;
            }
        }
        self.since < limit
    }
}

/// Newton solver: settings, factors, and all buffers.
pub(crate) struct NewtonSolver {
    pub(super) options: Options,
    pub(super) cache: FactorCache,
    pub(super) trace: NewtonTrace,
    /// Work of the attempt.
    pub(crate) report: Counts,
    /// State at which the stage is evaluated.
    pub(super) point: Evaluation,
    /// Residual.
    pub(super) r: Vec<f64>,
    /// Direction.
    pub(super) d: Vec<f64>,
    /// Change of the acceleration at the trial point of the line search.
    pub(super) trial: Vec<f64>,
    /// Residual at the trial point; solution before a correction.
    pub(super) spare: Vec<f64>,
    /// Displacements at the end of a path.
    pub(super) path_end: Vec<f64>,
    /// Direction or start with shortened parts.
    pub(super) parts: Vec<f64>,
    /// Whether a barrier acted, without friction, at some state of the stage.
    pub(super) touched: bool,
    pub(super) fixed_point: FixedPoint,
}

impl NewtonSolver {
    /// Creates a solver with these settings.
    pub fn new(options: Options) -> NewtonSolver {
        NewtonSolver {
            options,
            cache: FactorCache::new(&options),
            trace: NewtonTrace::default(),
            report: Counts::default(),
            point: Evaluation::default(),
            r: Vec::new(),
            d: Vec::new(),
            trial: Vec::new(),
            spare: Vec::new(),
            path_end: Vec::new(),
            parts: Vec::new(),
            touched: false,
            fixed_point: FixedPoint::default(),
        }
    }

    /// Begins a stage of a system with this number of unknowns.
    pub(super) fn begin_stage(&mut self, n: usize, stage: &Stage) {
        self.report.stages += 1;
        self.point.reserve(n);
        let rows = usize::try_from(self.options.max_iterations).unwrap_or(MAX_RESERVED_ROWS);
        self.trace.iterations.reserve(rows.min(MAX_RESERVED_ROWS));
        let Self {
            r,
            d,
            trial,
            spare,
            path_end,
            parts,
            ..
        } = self;
        for x in [r, d, trial, spare, path_end, parts] {
            x.resize(n, 0.0);
        }
        self.trace.iterations.clear();
        self.touched = false;
        (self.trace.t, self.trace.c_u, self.trace.c_v) = (stage.t, stage.c_u, stage.c_v);
    }

    /// Takes one Newton iteration from the nearby state: (M + c_v D + c_u K) a = f(t, u, v) − K (u₀ − u) − D (v₀ − v),
    /// with K the full −∂f/∂u.
    pub(super) fn single_iteration(
        &mut self,
        sys: &mut dyn System,
        stage: &Stage,
        a: &mut [f64],
    ) -> Result<(), StepError> {
        super::boundary_path::check_boundary(sys, stage)?;
        let at = At {
            t: stage.t,
            ..stage.near
        };
        let positional = sys.update_damping(at, DampingUpdate::Whole).is_some();
        let (point, counts) = (&mut self.point, &mut self.report);
        point.force_at(sys, at, counts)?;
        self.cache.factor_exact(sys, at, stage.weights(), counts)?;
        combine(&mut point.u, stage.u0, -1.0, at.u);
        combine(&mut point.v, stage.v0, -1.0, at.v);
        sys.tangent_times(&point.u, &point.v, &mut self.r);
        combine(a, &point.f, -1.0, &self.r);
        counts.newton += 1;
        if !positional {
            return self.cache.solve(stage.t, a, counts);
        }
        let term = DampingTerm {
            at,
            scale: 1.0,
            offset: &point.u,
            slope: stage.c_u,
        };
        self.fixed_point
            .solve(sys, &mut self.cache, term, a, counts)
    }

    /// Iterates to convergence on the change of the acceleration from the start. Positions near the start keep all
    /// their digits even if u₀ is far away.
    pub(super) fn converge(
        &mut self,
        sys: &mut dyn System,
        stage: &Stage,
        a: &mut [f64],
    ) -> Result<(), StepError> {
        let merit = self.start(sys, stage)?;
        a.fill(0.0);
        self.settle_damping(sys, stage, merit, a)?;
        add(a, 1.0, &self.point.base.a);
        Ok(())
    }

    /// Iterates until the residual is at most the tolerance or `slack`, N.
    pub(super) fn iterate(
        &mut self,
        sys: &mut dyn System,
        stage: &Stage,
        mut merit: Option<f64>,
        slack: f64,
        a: &mut [f64],
    ) -> Result<Converged, StepError> {
        let mut norms = self.evaluate(sys, stage, a)?;
        let mut progress = Progress::new();
        let mut increments = Increments::default();
        let limit = self.options.max_iterations;
        for iteration in 0..MAX_ITERATIONS_FACTOR * limit {
            if sys.has_lagged_potential() && merit.is_some() {
                merit = self.merit(sys, stage, a);
            }
            if norms.residual <= norms.wanted.max(slack) {
                return Ok(norms.converged());
            }
            let mut row = self.direction(sys, stage, merit, &norms)?;
            if self.next_is_negligible(stage, &row, &norms) {
                return Ok(norms.converged());
            }
            self.report.newton += 1;
            // At rest without loads all forces are round-off, and so is the scale of the residual.
            if row.increment <= ROUNDOFF * max_abs(&self.point.u) {
                add(a, 1.0, &self.d);
                return Ok(norms.converged());
            }
            let predicted = dot(&self.r, &self.d).abs();
            self.search(sys, stage, a, &mut merit, &mut row)?;
            self.trace.iterations.push(row);
            let s = row.fraction;
            if s == 0.0 {
                if self.escalate(row.tangent, merit.is_some()) {
                    self.point.place(stage, a);
                    continue;
                }
                return Err(self.stalled(stage.t, iteration + 1, &norms));
            }
            add(a, s, &self.d);
            let before = norms;
            norms = self.evaluate(sys, stage, a)?;
            self.touched |= sys.frictionless_barriers_act();
            let first = self.trace.iterations.len() == 1;
            let state = &mut self.cache.current.state;
            state.update_reuse(&row, first, &before, &norms);
            let remaining = increments.remaining_error(&row);
            if self.accurate(stage, &row, remaining, &norms) {
                return Ok(Converged {
                    accurate_at_once: iteration == 0,
                    ..norms.converged()
                });
            }
            // The line search found a change within round-off: converged near the solution, a stall far from it.
            let moved = s * row.increment;
            if moved <= ROUNDOFF * max_abs(&self.point.u) && norms.residual <= before.residual {
                if norms.residual <= MAX_ROUNDOFF_RESIDUAL * norms.wanted {
                    return Ok(norms.converged());
                }
                return Err(self.stalled(stage.t, iteration + 1, &norms));
            }
            if !progress.advances([norms.residual, predicted], limit) {
                return Err(self.stalled(stage.t, iteration + 1, &norms));
            }
        }
        Err(self.stalled(stage.t, MAX_ITERATIONS_FACTOR * limit, &norms))
    }

    fn stalled(&self, t: f64, iterations: u64, b: &ResidualNorm) -> StepError {
        StepError::Newton {
            t,
            iterations,
            residual: b.residual,
            wanted: b.wanted,
        }
    }

    /// Returns Φ at a change `a` of the acceleration, or `None` if the system has no potential.
    pub(super) fn merit(&mut self, sys: &mut dyn System, stage: &Stage, a: &[f64]) -> Option<f64> {
        self.point.merit(sys, stage, a)
    }

    /// Computes the residual at a change `a` of the acceleration.
    pub(super) fn evaluate(
        &mut self,
        sys: &mut dyn System,
        stage: &Stage,
        a: &[f64],
    ) -> Result<ResidualNorm, StepError> {
        let tolerance = self.options.tolerance;
        self.point
            .residual(sys, stage, a, tolerance, &mut self.report, &mut self.r)
    }
}

impl Stage<'_> {
    /// Computes the inertial force μ M a.
    pub(super) fn inertial_force(&self, mass: &Matrix, a: &[f64], out: &mut [f64]) {
        if self.inertia == 0.0 {
            return out.fill(0.0);
        }
        mass.times(a, out);
        if self.inertia != 1.0 {
            out.iter_mut().for_each(|x| *x *= self.inertia);
        }
    }

    /// Returns the weights of Newton's matrix of this stage, μ M + c_v D + c_u K.
    pub(super) fn weights(&self) -> Weights {
        Weights {
            mass: self.inertia,
            damping: self.c_v,
            stiffness: self.c_u,
        }
    }
}
