//! Reuse of factors of Newton's matrix.
//!
//! Factoring Newton's matrix is most of the cost of a step, and at short steps the matrix hardly changes. Three rules
//! decide when a factor is reused, all of them in this file:
//!
//! 1. **Within a step** ([`FactorState::update_reuse`]): from iteration to iteration and stage to stage, while the
//!    residual contracts by [`MAX_CONTRACTION`] or better at the full step, no more than [`FACTOR_COST_IN_SOLVES`] iterations
//!    are expected to be left, and the weights (c_v, c_u) are the same ([`FactorState::fits`]).
//! 2. **From step to step** ([`ReuseStats::worth_reusing`]): while the next step is expected to cost less than a step has cost
//!    on average since the factors were made, their computation included: the classical rule for replacing a machine. The
//!    cost of the next step is predicted from the convergence. The first contraction of a stage measures the distance between
//!    the matrix and that of the factors, which grows with their age; with contraction θ in the n-th step and k iterations
//!    in it, the next step is expected to contract by θ (n+1)/n and to take k ln θ / ln(θ (n+1)/n) iterations.
//! 3. **Never**: factors that were dropped within a step because they contracted badly or a second matrix was needed; all
//!    factors of a step if the law of the system changed, if the linear solver is conjugate gradients, which has no
//!    factors, or if the options require it ([`FactorCache::begin_step`]); and those of a pattern that
//!    is no longer that of the system ([`FactorCache::discard_other_patterns`]).
//!
//! `slots.rs` keeps factors of several step lengths at a time, `rollback.rs` undoes the changes of a rejected attempt,
//! and `saved.rs` writes factors to checkpoints.

mod rollback;
mod saved;
mod slots;

pub use saved::{SavedFactor, SolverMemory};

use serde::{Deserialize, Serialize};
use sparse::{Backend, FactorError, LinearSolver, Matrix, solver};

use super::newton::ResidualNorm;
use super::options::{FactorLifetime, Options};
use super::trace::NewtonIteration;
use crate::{At, Change, Counts, Curvature, StepError, System, Weights};
use rollback::Rollback;
use slots::FactorSlot;

/// Largest contraction of the residual with which factors are reused.
const MAX_CONTRACTION: f64 = 0.3;
/// Cost of assembling and factoring, in solves (measured: 8 to 22 from sheets to solids).
const FACTOR_COST_IN_SOLVES: f64 = 6.0;

/// Performance of factors since they were computed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReuseStats {
    /// Number of steps in which they were used.
    steps: f64,
    /// Cost in solves, that of computing the factors included.
    cost: f64,
    /// Solves of the current step.
    solves_of_step: f64,
    /// Largest first contraction of a stage in the current step.
    contraction: f64,
}

impl ReuseStats {
    /// Records an iteration and its contraction; `first` if it was the first of its stage.
    pub fn note(&mut self, first: bool, contraction: f64) {
        self.cost += 1.0;
        self.solves_of_step += 1.0;
        if first {
            self.contraction = self.contraction.max(contraction);
        }
    }

    /// Returns `true` if the next step is expected to be cheaper with these factors than with new ones.
    pub fn worth_reusing(&self) -> bool {
        let next = self.contraction * (self.steps + 1.0) / self.steps;
        let slower = if self.contraction > 0.0 {
            self.contraction.ln() / next.ln()
        } else {
            1.0
        };
        next <= MAX_CONTRACTION && self.solves_of_step * slower * self.steps <= self.cost
    }

    /// Begins a new step.
    pub fn begin_step(&mut self) {
        self.steps += 1.0;
        self.solves_of_step = 0.0;
        self.contraction = 0.0;
    }
}

/// Reusable factors: the weights of their matrix and their performance.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CachedFactor {
    /// Weights of the matrix.
    pub weights: Weights,
    /// Performance of the factors.
    pub stats: ReuseStats,
}

impl CachedFactor {
    /// Creates the record of newly computed factors.
    pub fn new(weights: Weights) -> CachedFactor {
        CachedFactor {
            weights,
            stats: ReuseStats {
                steps: 1.0,
                cost: FACTOR_COST_IN_SOLVES,
                solves_of_step: 0.0,
                contraction: 0.0,
            },
        }
    }
}

/// State of the factors of one matrix.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FactorState {
    /// The factors, if they belong to an unmodified exact tangent of an earlier state.
    pub cached: Option<CachedFactor>,
    /// Whether factors were dropped in this step.
    dropped: bool,
    /// Whether the next matrix is the projected tangent.
    pub projected_next: bool,
    /// Whether no fraction of the last direction was accepted.
    pub stuck: bool,
    /// Multiple of the diagonal to try first.
    pub shift: f64,
    /// Time of the last use, by the clock of the cache.
    pub used: u64,
}

impl FactorState {
    /// Returns `true` if the factors are those of a matrix with these weights, up to rounding.
    pub fn fits(&self, w: Weights) -> bool {
        let near = |a: f64, b: f64| (a - b).abs() <= 1e-12 * b.abs();
        self.cached.is_some_and(|CachedFactor { weights: k, .. }| {
            k.mass == w.mass && near(k.damping, w.damping) && near(k.stiffness, w.stiffness)
        })
    }

    /// Returns the factors that the next step takes over, or `None` if they are not worth reusing.
    pub fn reusable(&self) -> Option<CachedFactor> {
        let worth = |k: &CachedFactor| !self.dropped && k.stats.worth_reusing();
        self.cached.filter(worth)
    }

    /// Decides after an iteration whether its factors are reused, and returns to the exact tangent once the iteration
    /// converges. `first` if it was the first of its stage.
    pub fn update_reuse(
        &mut self,
        row: &NewtonIteration,
        first: bool,
        before: &ResidualNorm,
        now: &ResidualNorm,
    ) {
        let contraction = now.residual / before.residual;
        if let Some(cached) = &mut self.cached {
            cached.stats.note(first, contraction);
        }
        let iterations_left = (now.wanted / now.residual).ln() / contraction.ln();
        let contracts = contraction <= MAX_CONTRACTION;
        if row.fraction != 1.0
            || contraction > MAX_CONTRACTION
            || iterations_left > FACTOR_COST_IN_SOLVES
        {
            self.drop_factors();
        }
        if row.fraction == 1.0 && contracts {
            self.projected_next = false;
        }
        self.stuck = false;
    }

    /// Begins a step with the factors that are worth reusing.
    fn begin_step(&mut self) {
        let cached = self.reusable();
        *self = FactorState {
            cached,
            used: self.used,
            ..FactorState::default()
        };
        if let Some(cached) = &mut self.cached {
            cached.stats.begin_step();
        }
    }

    /// Drops the factors for this step and the next.
    pub fn drop_factors(&mut self) {
        self.dropped |= self.cached.take().is_some();
    }

    /// Resets the state.
    pub fn forget(&mut self) {
        *self = FactorState::default();
    }
}

/// Newton's matrices and their factors.
pub(super) struct FactorCache {
    options: Options,
    /// Matrix and factors in use.
    pub current: FactorSlot,
    /// Matrices and factors of other step lengths.
    parked: Vec<FactorSlot>,
    /// Number of uses of slots so far.
    clock: u64,
    lu: Box<dyn LinearSolver + Send>,
    used_lu: bool,
    /// Whether the factors of this step are of no use to the next one, however well they perform.
    discard_after_step: bool,
    rollback: Rollback,
}

impl FactorCache {
    /// Creates an empty cache.
    pub fn new(options: &Options) -> FactorCache {
        FactorCache {
            options: *options,
            current: FactorSlot::new(options),
            parked: Vec::new(),
            clock: 0,
            lu: solver(Backend::Lu),
            used_lu: false,
            discard_after_step: false,
            rollback: Rollback::default(),
        }
    }

    /// Begins a step; `change` is what [`System::prepare`] changed.
    pub fn begin_step(&mut self, change: Change) {
        // Conjugate gradients have no factors.
        let Options {
            factor_lifetime,
            linear,
            ..
        } = self.options;
        let discard = change == Change::Law
            || linear == Backend::Cg
            || factor_lifetime == FactorLifetime::WithinStep;
        let forget = std::mem::replace(&mut self.discard_after_step, discard) || discard;
        for slot in self.slots_mut() {
            match forget {
                true => slot.state.forget(),
                false => slot.state.begin_step(),
            }
        }
    }

    /// Drops factors of a matrix whose pattern is no longer that of the system. Within a step such factors may be used
    /// for a matrix of another pattern, like a preconditioner. From step to step they may not: a resumed run does not
    /// know the old pattern and would continue with other factors than an uninterrupted one.
    pub fn discard_other_patterns(&mut self, sys: &dyn System) {
        let Some(stamp) = sys.pattern_stamp() else {
            return;
        };
        for slot in self.slots_mut() {
            let other = |m: &Matrix| m.pattern().stamp() != stamp;
            if slot.matrix.as_ref().is_some_and(other) {
                slot.state.forget();
            }
        }
    }

    /// Returns `true` if the next step begins with factors of an earlier one.
    pub fn keeps_factors(&self) -> bool {
        !self.discard_after_step && self.slots().any(|s| s.state.reusable().is_some())
    }

    /// Drops all factors.
    pub fn forget(&mut self) {
        self.slots_mut().for_each(|s| s.state.forget());
    }

    /// Assembles and factors a tangent in place of the current one.
    pub fn factor(
        &mut self,
        sys: &mut dyn System,
        at: At,
        w: Weights,
        c: Curvature,
        counts: &mut Counts,
    ) -> Result<(), FactorError> {
        self.preserve_matrix(sys);
        let FactorSlot {
            linear,
            matrix,
            state,
            ..
        } = &mut self.current;
        let matrix = matrix.get_or_insert_with(|| sys.zero_matrix());
        sys.tangent(at, w, c, matrix);
        counts.assemblies += 1;
        counts.factorizations += 1;
        self.used_lu = false;
        state.drop_factors();
        linear.factor(matrix)
    }

    /// Factors the matrix assembled last by LU, for indefinite matrices.
    pub fn factor_lu(&mut self, counts: &mut Counts) -> Result<(), FactorError> {
        let Some(matrix) = &self.current.matrix else {
            return Ok(());
        };
        counts.factorizations += 1;
        self.used_lu = true;
        self.lu.factor(matrix)
    }

    /// Assembles and factors the exact tangent, definite or not.
    pub fn factor_exact(
        &mut self,
        sys: &mut dyn System,
        at: At,
        w: Weights,
        counts: &mut Counts,
    ) -> Result<(), StepError> {
        let t = at.t;
        match self.factor(sys, at, w, self.options.exact_curvature(), counts) {
            Err(FactorError::Indefinite { .. }) => self.factor_lu(counts),
            other => other,
        }
        .map_err(|why| StepError::Factor { t, why })
    }

    /// Factors the matrix assembled last after adding a multiple of its largest diagonal entry, or of that of the mass
    /// matrix if it is larger, to the diagonal.
    pub fn factor_shifted(
        &mut self,
        mass: &Matrix,
        multiple: f64,
        counts: &mut Counts,
    ) -> Result<(), FactorError> {
        let FactorSlot { linear, matrix, .. } = &mut self.current;
        let Some(matrix) = matrix else {
            return Ok(());
        };
        let both = matrix.diagonal().chain(mass.diagonal());
        let top = both.fold(0.0, |top: f64, x| top.max(x.abs()));
        matrix.add_diagonal(multiple * top);
        counts.factorizations += 1;
        linear.factor(matrix)
    }

    /// Solves with the factored matrix: x ← A⁻¹ x.
    pub fn solve(&mut self, t: f64, x: &mut [f64], counts: &mut Counts) -> Result<(), StepError> {
        counts.solves += 1;
        let linear = if self.used_lu {
            &mut self.lu
        } else {
            &mut self.current.linear
        };
        linear.solve(x).map_err(|why| StepError::Solve { t, why })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const W: Weights = Weights {
        mass: 1.0,
        damping: 0.0,
        stiffness: 1.0,
    };

    /// Number of steps with factors whose contraction is `rate` times their age until new ones are wanted, for a
    /// residual reduction of 10⁻⁶; and the iterations of the last step.
    fn lifetime(rate: f64) -> (u32, u32) {
        let mut stats = CachedFactor::new(W).stats;
        for age in 1..100_000 {
            let contraction = rate * f64::from(age);
            let iterations = (1e-6f64.ln() / contraction.ln()).ceil().max(1.0) as u32;
            for i in 0..iterations {
                stats.note(i == 0, contraction);
            }
            if !stats.worth_reusing() {
                return (age, iterations);
            }
            stats.begin_step();
        }
        (u32::MAX, 0)
    }

    #[test]
    fn factors_last_longer_where_the_matrix_changes_less() {
        let lifetimes = [0.2, 0.05, 1e-2, 1e-3, 1e-4, 1e-9].map(|rate| lifetime(rate).0);
        assert!(lifetimes.is_sorted(), "{lifetimes:?}");
        assert_eq!(
            lifetimes[0], 1,
            "a contraction of 0.4 is never worth reusing"
        );
        assert!(lifetimes[3] > 8 && lifetimes[5] > 100, "{lifetimes:?}");
    }

    /// The rule finds the lifetime of least cost per step, or one that costs at most 10 % more.
    #[test]
    fn lifetimes_are_nearly_optimal() {
        for rate in [0.03, 1e-2, 3e-3, 1e-3, 1e-4, 1e-5] {
            let cost = |lifetime: u32| {
                let iterations = |age: u32| {
                    let contraction: f64 = rate * f64::from(age);
                    (1e-6f64.ln() / contraction.ln()).ceil().max(1.0)
                };
                let all: f64 = (1..=lifetime).map(iterations).sum();
                (FACTOR_COST_IN_SOLVES + all) / f64::from(lifetime)
            };
            let longest = (0.9 / rate) as u32;
            let least = (1..longest.min(20_000))
                .map(cost)
                .fold(f64::INFINITY, f64::min);
            let found = cost(lifetime(rate).0);
            assert!(
                found <= 1.1 * least,
                "{rate}: cost {found}, optimum {least}"
            );
        }
    }

    #[test]
    fn a_matrix_that_never_changes_is_factored_once() {
        assert_eq!(lifetime(0.0).0, u32::MAX);
    }
}
