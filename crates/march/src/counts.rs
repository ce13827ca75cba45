//! Counts of solver work.

use serde::{Deserialize, Serialize};

/// Counts of solver work: stages, iterations, evaluations, factorizations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Stage equations solved.
    pub stages: u64,
    /// Newton iterations over all stages.
    pub newton: u64,
    /// Force evaluations.
    pub forces: u64,
    /// Tangent matrices assembled.
    pub assemblies: u64,
    /// Numeric factorizations.
    pub factorizations: u64,
    /// Linear solves.
    pub solves: u64,
    /// Matrix–vector products of error estimates: those of the linearised force and those of approximate solves with
    /// the mass matrix.
    pub products: u64,
    /// Tangent matrices projected to positive semi-definite.
    pub projections: u64,
    /// Trial points rejected by the line search.
    pub backtracks: u64,
    /// Stages whose position-dependent damping did not converge and is that of nearby positions.
    pub lagged_damping: u64,
    /// Stages whose friction did not converge and has the normal forces of nearby positions.
    pub lagged_friction: u64,
}

impl Counts {
    /// Adds other counts to these.
    pub fn add(&mut self, other: &Counts) {
        *self = self.each(other, |mine, theirs| mine + theirs);
    }

    /// Returns the counts since `earlier`, which are part of these.
    pub fn since(&self, earlier: &Counts) -> Counts {
        self.each(earlier, |now, then| now - then)
    }

    fn each(&self, other: &Counts, f: impl Fn(u64, u64) -> u64) -> Counts {
        Counts {
            stages: f(self.stages, other.stages),
            newton: f(self.newton, other.newton),
            forces: f(self.forces, other.forces),
            assemblies: f(self.assemblies, other.assemblies),
            factorizations: f(self.factorizations, other.factorizations),
            solves: f(self.solves, other.solves),
            products: f(self.products, other.products),
            projections: f(self.projections, other.projections),
            backtracks: f(self.backtracks, other.backtracks),
            lagged_damping: f(self.lagged_damping, other.lagged_damping),
            lagged_friction: f(self.lagged_friction, other.lagged_friction),
        }
    }
}
