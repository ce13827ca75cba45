//! Factors that outlive the step they were made in.
//!
//! At short steps the matrix hardly changes from step to step, and factoring it is nearly all a step costs. When to make
//! new factors is the old question of when to replace a machine: once the next step with them would cost more than a step
//! has cost on average since they were made, their making included. What the next step will cost is foretold by how fast
//! iterations converge. Their first contraction in a stage measures how far the matrix is from that of the factors, and
//! that grows with their age; so with contraction θ in the n-th step and k iterations in it, the next one is expected to
//! contract by θ (n+1)/n and to take k ln θ / ln(θ (n+1)/n) iterations.
//!
//! Factors that were given up within a step, because they contracted badly or a second matrix was needed, are not
//! taken along: the next step would end the same way. Nor are those of a system whose law was frozen anew: its matrix is
//! another, and its one iteration a stage a promise.

use serde::{Deserialize, Serialize};

use super::StageSolver;
use super::direction::{CONTRACTS, WORTH};
use super::factor_slots::FactorSlot;
use super::patterns::SavedMatrix;
use crate::{System, Weights};

/// What factors have done since they were made.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Service {
    /// Steps they served in.
    steps: f64,
    /// Solves they have cost, the price of making them included.
    cost: f64,
    /// Solves of the step under way.
    lately: f64,
    /// Slowest first contraction of a stage in the step under way.
    rate: f64,
}

/// Factors at hand: of which matrix, and how they did.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Kept {
    /// The weights of the matrix.
    pub weights: Weights,
    /// How the factors did.
    pub service: Service,
}

/// The matrix whose factors the next step begins with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CarriedFactor {
    kept: Kept,
    /// When they were used last, by the solver's clock.
    used: u64,
    matrix: SavedMatrix,
}

/// What the next step takes over from the solver.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SolverMemory {
    /// Whether the factorization of the mass is part of some step's counts.
    mass_counted: bool,
    /// The matrices whose factors the next step begins with.
    pub carried: Vec<CarriedFactor>,
    /// The solver's clock, by which the use of factors is counted.
    clock: u64,
}

impl Kept {
    /// Factors just made.
    pub fn new(weights: Weights) -> Kept {
        Kept {
            weights,
            service: Service {
                steps: 1.0,
                cost: WORTH,
                lately: 0.0,
                rate: 0.0,
            },
        }
    }
}

impl Service {
    /// Notes an iteration and how it contracted; whether it was its stage's first.
    pub fn note(&mut self, first: bool, contraction: f64) {
        self.cost += 1.0;
        self.lately += 1.0;
        if first {
            self.rate = self.rate.max(contraction);
        }
    }

    /// Whether the next step is expected to be cheaper with these factors than with new ones.
    pub fn goes_on(&self) -> bool {
        let rate = self.rate * (self.steps + 1.0) / self.steps;
        let slower = if self.rate > 0.0 {
            self.rate.ln() / rate.ln()
        } else {
            1.0
        };
        rate <= CONTRACTS && self.lately * slower * self.steps <= self.cost
    }

    /// Another step begins.
    pub fn begin(&mut self) {
        self.steps += 1.0;
        self.lately = 0.0;
        self.rate = 0.0;
    }
}

impl StageSolver {
    /// Whether the next step begins with factors of an earlier one.
    pub fn carries(&self) -> bool {
        !self.fleeting && self.slots().any(|s| s.factors.carried().is_some())
    }

    /// Forgets all factors, so that the next step depends on nothing but the state and the stepper.
    pub fn forget(&mut self) {
        self.slots_mut().for_each(|s| s.factors.forget());
    }

    /// Forgets all factors, the constant ones of local/global iterations included.
    pub fn forget_all(&mut self) {
        self.forget();
        self.constant.forget();
    }

    /// What the next step takes over.
    pub fn save(&self) -> SolverMemory {
        let carried = self.slots().filter(|_| !self.fleeting).filter_map(|slot| {
            Some(CarriedFactor {
                kept: slot.factors.carried()?,
                used: slot.factors.used,
                matrix: SavedMatrix::of(slot.matrix.as_ref()?),
            })
        });
        SolverMemory {
            mass_counted: self.mass_counted,
            carried: carried.collect(),
            clock: self.clock,
        }
    }

    /// Takes back what [`StageSolver::save`] returned; returns whether it belongs to this system. Factors are made
    /// again, as they were and without being counted.
    pub fn load(&mut self, sys: &dyn System, saved: &SolverMemory) -> bool {
        self.forget();
        self.fleeting = false;
        self.mass_counted = saved.mass_counted;
        self.clock = saved.clock;
        self.used_lu = false;
        self.slots_mut().for_each(|s| s.rollback.outdated = false);
        if saved.carried.len() > self.options.factor_slots.max(1) {
            return false;
        }
        while self.parked.len() + 1 < saved.carried.len() {
            self.parked.push(FactorSlot::new(&self.options));
        }
        let slots = self.slots_mut().zip(&saved.carried);
        for (slot, carried) in slots {
            let Some(matrix) = carried.matrix.on(sys.blank()) else {
                return false;
            };
            let matrix = slot.matrix.insert(matrix);
            slot.factors.kept = Some(carried.kept);
            slot.factors.used = carried.used;
            if slot.linear.factor(matrix).is_err() {
                return false;
            }
        }
        true
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

    /// Steps taken with factors whose contraction is `rate` times their age until new ones are wanted, to a residual
    /// 10⁻⁶ times the first; and iterations of the last.
    fn life(rate: f64) -> (u32, u32) {
        let mut service = Kept::new(W).service;
        for age in 1..100_000 {
            let contraction = rate * f64::from(age);
            let iterations = (1e-6f64.ln() / contraction.ln()).ceil().max(1.0) as u32;
            for i in 0..iterations {
                service.note(i == 0, contraction);
            }
            if !service.goes_on() {
                return (age, iterations);
            }
            service.begin();
        }
        (u32::MAX, 0)
    }

    #[test]
    fn factors_last_longer_where_the_matrix_changes_less() {
        let lives = [0.2, 0.05, 1e-2, 1e-3, 1e-4, 1e-9].map(|rate| life(rate).0);
        assert!(lives.is_sorted(), "{lives:?}");
        assert_eq!(lives[0], 1, "a contraction of 0.4 pays nowhere");
        assert!(lives[3] > 8 && lives[5] > 100, "{lives:?}");
    }

    /// The rule finds the life of least cost a step, or one that costs hardly more.
    #[test]
    fn a_life_costs_about_the_least_it_can() {
        for rate in [0.03, 1e-2, 3e-3, 1e-3, 1e-4, 1e-5] {
            let cost = |life: u32| {
                let iterations = |age: u32| {
                    let contraction: f64 = rate * f64::from(age);
                    (1e-6f64.ln() / contraction.ln()).ceil().max(1.0)
                };
                let all: f64 = (1..=life).map(iterations).sum();
                (WORTH + all) / f64::from(life)
            };
            let most = (0.9 / rate) as u32;
            let least = (1..most.min(20_000))
                .map(cost)
                .fold(f64::INFINITY, f64::min);
            let found = cost(life(rate).0);
            assert!(
                found <= 1.1 * least,
                "{rate}: {found} where {least} is possible"
            );
        }
    }

    #[test]
    fn a_matrix_that_never_changes_is_factored_once() {
        assert_eq!(life(0.0).0, u32::MAX);
    }
}
