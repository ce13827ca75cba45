//! Newton's direction d = −A⁻¹ r, from the best matrix A that gives one.
//!
//! The ladder: factors kept from an earlier state of the step, or of the one before ([`super::carry`]), while they still
//! contract; the exact tangent; where
//! Cholesky fails on it, the exact tangent with a multiple of its diagonal added; then, for one iteration, each stencil's
//! positive semi-definite part; and the exact tangent again. The two take turns because they are bad at different
//! things: far away the projected one goes further, while in winding valleys it zigzags, blind to the negative
//! curvature by which the shifted one leaves them. Where no Φ is descended an indefinite matrix is factored by LU.
//! [`Projection`] can ask for the projected part always or never.

use sparse::{FactorError, SolveError};

use super::carry::Kept;
use super::newton::Balance;
use super::trace::{Iteration, Tangent};
use super::{Newton, Projection, Stage, StageSolver};
use crate::vector::{dot, max_abs, norm};
use crate::{At, Curvature, StepError, System, Weights};

/// Contraction a kept factorization must promise to be used again.
pub(super) const CONTRACTS: f64 = 0.3;
/// Solves that cost about as much as assembling and factoring anew (8 to 22 from sheets to solids).
pub(super) const WORTH: f64 = 6.0;
/// Least multiple of its greatest diagonal entry added to a tangent that cannot be factored.
const LEAST_SHIFT: f64 = 1e-10;
/// Multiples tried, each so many times the last.
const SHIFTS: u32 = 12;
const GROWTH: f64 = 10.0;

/// What is known about the factors at hand.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Factors {
    /// The matrix of which they are, at some earlier state and without anything added.
    pub kept: Option<Kept>,
    /// Whether some were given up in this step.
    given_up: bool,
    /// Whether it is the projected tangent's turn.
    projected_next: bool,
    /// Whether the last direction led nowhere.
    stuck: bool,
    /// Multiple of the diagonal to try first.
    shift: f64,
    /// When they were used last, by the solver's clock.
    pub used: u64,
}

impl Factors {
    /// Whether the factors at hand are those of this matrix; a rounding apart will do.
    pub fn serve(&self, w: Weights) -> bool {
        let near = |a: f64, b: f64| (a - b).abs() <= 1e-12 * b.abs();
        self.kept.is_some_and(|Kept { weights: k, .. }| {
            near(k.damping, w.damping) && near(k.stiffness, w.stiffness)
        })
    }

    /// Begins a step with those that are worth it.
    pub fn begin(&mut self) {
        let kept = self.carried();
        *self = Factors {
            kept,
            used: self.used,
            ..Factors::default()
        };
        if let Some(kept) = &mut self.kept {
            kept.service.begin();
        }
    }

    /// Those that the next step takes along.
    pub fn carried(&self) -> Option<Kept> {
        self.kept.filter(|k| !self.given_up && k.service.goes_on())
    }

    /// Gives up what is at hand.
    pub fn give_up(&mut self) {
        self.given_up |= self.kept.take().is_some();
    }

    /// Forgets everything.
    pub fn forget(&mut self) {
        *self = Factors::default();
    }
}

impl StageSolver {
    /// Finds a direction; the row lacks what the search will add.
    pub(super) fn direction(
        &mut self,
        sys: &mut dyn System,
        stage: &Stage,
        merit: Option<f64>,
        balance: &Balance,
    ) -> Result<Iteration, StepError> {
        let tangent = self.descend(sys, stage, merit.is_some())?;
        let scaled = stage.newton == Newton::LeastSquares;
        Ok(Iteration {
            residual: balance.residual,
            wanted: balance.wanted,
            merit: match merit {
                Some(merit) => merit,
                None if scaled => norm(&self.d),
                None => balance.residual,
            },
            tangent,
            increment: stage.c_u * max_abs(&self.d),
            fraction: 0.0,
            backtracks: 0,
        })
    }

    fn descend(
        &mut self,
        sys: &mut dyn System,
        stage: &Stage,
        descends: bool,
    ) -> Result<Tangent, StepError> {
        let t = stage.t;
        self.select_slot(stage.weights());
        if descends && self.current.factors.serve(stage.weights()) && self.ensure_current_factors()
        {
            self.solve_for_direction(t)?;
            if dot(&self.r, &self.d) < 0.0 {
                return Ok(Tangent::Kept);
            }
        }
        self.current.factors.give_up();
        if descends && self.options.projection != Projection::OnDemand {
            return self.by_policy(sys, stage);
        }
        if descends && std::mem::take(&mut self.current.factors.projected_next) {
            let tangent = self.factor_definite(sys, stage, Curvature::Definite)?;
            self.solve_for_direction(t)?;
            return Ok(tangent);
        }
        match self.factor_here(sys, stage, Curvature::Exact) {
            Ok(()) => {
                let solved = self.solve_for_direction(t);
                let indefinite = matches!(
                    solved,
                    Err(StepError::Solve {
                        why: SolveError::Indefinite { .. },
                        ..
                    })
                );
                if !(indefinite && descends) {
                    solved?;
                    if !descends || dot(&self.r, &self.d) < 0.0 {
                        self.current.factors.kept = Some(Kept::new(stage.weights()));
                        return Ok(Tangent::Exact);
                    }
                }
            }
            Err(FactorError::Indefinite { .. }) if descends => {}
            Err(FactorError::Indefinite { .. }) => {
                self.factor_lu()
                    .map_err(|why| StepError::Factor { t, why })?;
                self.solve_for_direction(t)?;
                return Ok(Tangent::Indefinite);
            }
            Err(why) => return Err(StepError::Factor { t, why }),
        }
        self.current.factors.projected_next = true;
        self.regularise(sys, t)?;
        self.solve_for_direction(t)?;
        Ok(Tangent::Regularised)
    }

    /// The direction of a matrix that is the same at every state: projected, or exact.
    fn by_policy(&mut self, sys: &mut dyn System, stage: &Stage) -> Result<Tangent, StepError> {
        let curvature = match self.options.projection {
            Projection::Never => Curvature::Exact,
            Projection::Always | Projection::OnDemand => Curvature::Definite,
        };
        // The least that will do, whatever it costs: with nothing to take turns with, more of it stalls.
        self.current.factors.shift = 0.0;
        let tangent = self.factor_definite(sys, stage, curvature)?;
        if tangent != Tangent::Regularised {
            self.current.factors.kept = Some(Kept::new(stage.weights()));
        }
        self.solve_for_direction(stage.t)?;
        Ok(tangent)
    }

    /// Gives up the matrix whose direction led nowhere; whether another is left to try.
    pub(super) fn climb(&mut self, failed: Tangent, descends: bool) -> bool {
        self.current.factors.give_up();
        if failed == Tangent::Kept {
            return true;
        }
        if failed == Tangent::Exact {
            self.current.factors.projected_next = true;
        }
        let last_resort = std::mem::replace(&mut self.current.factors.stuck, true);
        descends && self.options.projection == Projection::OnDemand && !last_resort
    }

    /// Keeps the factors only where the iteration they gave promises to end sooner than a new factorization pays, and
    /// goes back to the exact tangent once the iteration converges.
    pub(super) fn judge(&mut self, row: &Iteration, before: &Balance, now: &Balance) {
        let contraction = now.residual / before.residual;
        if let Some(kept) = &mut self.current.factors.kept {
            kept.service
                .note(self.trace.iterations.len() == 1, contraction);
        }
        let left = (now.wanted / now.residual).ln() / contraction.ln();
        if row.fraction != 1.0 || contraction > CONTRACTS || left > WORTH {
            self.current.factors.give_up();
        }
        if row.fraction == 1.0 && contraction <= CONTRACTS {
            self.current.factors.projected_next = false;
        }
        self.current.factors.stuck = false;
    }

    fn factor_here(
        &mut self,
        sys: &mut dyn System,
        stage: &Stage,
        c: Curvature,
    ) -> Result<(), FactorError> {
        let (u, v) = (std::mem::take(&mut self.u), std::mem::take(&mut self.v));
        let at = At {
            t: stage.t,
            u: &u,
            v: &v,
        };
        let factored = self.factor(sys, at, stage.weights(), c);
        (self.u, self.v) = (u, v);
        factored
    }

    /// Factors a tangent that is definite, or made so by a multiple of its diagonal.
    fn factor_definite(
        &mut self,
        sys: &mut dyn System,
        stage: &Stage,
        c: Curvature,
    ) -> Result<Tangent, StepError> {
        let mut tangent = match c {
            Curvature::Definite => Tangent::Projected,
            Curvature::Exact => Tangent::Exact,
        };
        self.report.projections += u64::from(tangent == Tangent::Projected);
        match self.factor_here(sys, stage, c) {
            Err(FactorError::Indefinite { .. }) => {
                self.regularise(sys, stage.t)?;
                tangent = Tangent::Regularised;
            }
            other => other.map_err(|why| StepError::Factor { t: stage.t, why })?,
        }
        Ok(tangent)
    }

    /// Adds to the diagonal of the matrix assembled last until it can be factored, beginning with what did it before.
    fn regularise(&mut self, sys: &dyn System, t: f64) -> Result<(), StepError> {
        let first = self.current.factors.shift.max(LEAST_SHIFT);
        let mut shift = first;
        let mut factored = self.factor_shifted(sys.mass(), shift);
        for _ in 1..SHIFTS {
            if !matches!(factored, Err(FactorError::Indefinite { .. })) {
                break;
            }
            shift *= GROWTH;
            factored = self.factor_shifted(sys.mass(), shift);
        }
        self.current.factors.shift = if shift == first {
            shift / GROWTH
        } else {
            shift
        };
        factored.map_err(|why| StepError::Factor { t, why })
    }

    fn solve_for_direction(&mut self, t: f64) -> Result<(), StepError> {
        let mut d = std::mem::take(&mut self.d);
        for (d, r) in d.iter_mut().zip(&self.r) {
            *d = -r;
        }
        let solved = self.solve_factored(t, &mut d);
        self.d = d;
        solved
    }
}
