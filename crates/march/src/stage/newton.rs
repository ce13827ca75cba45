//! Newton's iteration on a stage.

use sparse::FactorError;

use super::{Newton, Stage, StageSolver};
use crate::vector::{add, combine, dot, max_abs, norm};
use crate::{At, Curvature, StepError, System, Weights};

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
/// A residual this many times the wanted one is the floor of rounding, not a failure.
const NEARLY: f64 = 1e3;

impl StageSolver {
    /// One Newton iteration from the nearby state:
    /// (M + c_v D + c_u K) a = f(t, u, v) − K (u₀ − u) − D (v₀ − v).
    pub(super) fn once(
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

    pub(super) fn converge(
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
            // The search found no more than rounding: good enough near the answer, a stall far from it.
            let moved = s * stage.c_u * max_abs(&self.d);
            if moved <= ROUNDING * max_abs(&self.u) && balance.residual <= before {
                if balance.residual <= NEARLY * balance.wanted {
                    return Ok(());
                }
                return Err(self.stalled(stage.t, iteration + 1, &balance));
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
}
