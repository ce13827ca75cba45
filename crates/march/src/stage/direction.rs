//! Newton's direction d = −A⁻¹ r, from the best matrix A that gives one.
//!
//! The ladder: factors kept from an earlier state of the step while they still contract; the exact tangent; each
//! stencil's positive semi-definite part, where Cholesky or the descent of Φ fails; that with a growing multiple of
//! its diagonal. Where no Φ is descended an indefinite matrix is factored by LU.

use sparse::{FactorError, SolveError};

use super::newton::Balance;
use super::trace::{Iteration, Tangent};
use super::{Newton, Stage, StageSolver};
use crate::vector::{dot, max_abs, norm};
use crate::{At, Curvature, StepError, System, Weights};

/// Contraction a kept factorization must promise to be used again.
const CONTRACTS: f64 = 0.3;
/// Solves that cost about as much as assembling and factoring anew (8 to 22 from sheets to solids).
const WORTH: f64 = 6.0;
/// Longest run of iterations for which the exact tangent is not even tried.
const LONGEST_REST: u64 = 16;
/// First multiple of the diagonal added to a projected tangent that cannot be factored.
const FIRST_SHIFT: f64 = 1e-10;
/// Multiples tried, each a hundred times the last.
const SHIFTS: u32 = 6;

/// What is known about the factors at hand.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Factors {
    /// Matrix of which the factors are exact at some state of this step.
    pub kept: Option<Weights>,
    /// Iterations for which the exact tangent is not tried.
    rest: u64,
    /// How long the next such run will be.
    next_rest: u64,
}

impl Factors {
    /// Whether the factors at hand are those of this matrix; a rounding apart will do.
    fn serve(&self, w: Weights) -> bool {
        let near = |a: f64, b: f64| (a - b).abs() <= 1e-12 * b.abs();
        self.kept
            .is_some_and(|k| near(k.damping, w.damping) && near(k.stiffness, w.stiffness))
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
        if descends && self.factors.serve(stage.weights()) {
            self.solve_for_direction(t)?;
            if dot(&self.r, &self.d) < 0.0 {
                return Ok(Tangent::Kept);
            }
        }
        self.factors.kept = None;
        if self.factors.rest > 0 && descends {
            self.factors.rest -= 1;
        } else {
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
                            self.factors.kept = Some(stage.weights());
                            self.factors.next_rest = 0;
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
            self.rest();
        }
        let tangent = self.factor_definite(sys, stage)?;
        self.solve_for_direction(t)?;
        Ok(tangent)
    }

    /// Leaves the exact tangent alone for a while, twice as long each time it fails again.
    fn rest(&mut self) {
        let next = (2 * self.factors.next_rest).clamp(1, LONGEST_REST);
        self.factors.rest = next;
        self.factors.next_rest = next;
    }

    /// Gives up the matrix whose direction led nowhere; whether another is left to try.
    pub(super) fn climb(&mut self, failed: Tangent, descends: bool) -> bool {
        self.factors.kept = None;
        match failed {
            Tangent::Kept => true,
            Tangent::Exact if descends => {
                self.rest();
                true
            }
            _ => false,
        }
    }

    /// Keeps the factors only where the iteration they gave promises to end sooner than a new factorization pays, and
    /// goes back to the exact tangent once the iteration converges.
    pub(super) fn judge(&mut self, row: &Iteration, before: &Balance, now: &Balance) {
        let contraction = now.residual / before.residual;
        let left = (now.wanted / now.residual).ln() / contraction.ln();
        if row.fraction != 1.0 || contraction > CONTRACTS || left > WORTH {
            self.factors.kept = None;
        }
        if row.fraction == 1.0 && contraction <= CONTRACTS {
            self.factors.rest = 0;
        }
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

    fn factor_definite(
        &mut self,
        sys: &mut dyn System,
        stage: &Stage,
    ) -> Result<Tangent, StepError> {
        self.report.projections += 1;
        let mut factored = self.factor_here(sys, stage, Curvature::Definite);
        let mut tangent = Tangent::Projected;
        let mut shift = FIRST_SHIFT;
        for _ in 0..SHIFTS {
            if !matches!(factored, Err(FactorError::Indefinite { .. })) {
                break;
            }
            factored = self.factor_shifted(shift);
            tangent = Tangent::Regularised;
            shift *= 100.0;
        }
        factored.map_err(|why| StepError::Factor { t: stage.t, why })?;
        Ok(tangent)
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
