//! Work of the solvers, counted.

use serde::{Deserialize, Serialize};

/// Work, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Stage equations solved.
    pub stages: u64,
    /// Newton iterations over all stages.
    pub newton: u64,
    /// Force evaluations.
    pub forces: u64,
    /// TangentKind matrices assembled.
    pub assemblies: u64,
    /// Numeric factorizations.
    pub factorizations: u64,
    /// Linear solves.
    pub solves: u64,
    /// Matrix–vector products of error estimates: those of the linearised force, and those of an approximate solve with
    /// the mass matrix.
    pub products: u64,
    /// Tangents that had to be projected to be positive definite.
    pub projections: u64,
    /// Trial points rejected by the line search.
    pub backtracks: u64,
    /// Stages whose position-dependent damping did not settle, and is that of positions nearby.
    pub lagged_damping: u64,
}

impl Counts {
    /// Adds other counts.
    pub fn add(&mut self, other: &Counts) {
        *self = self.each(other, |mine, theirs| mine + theirs);
    }

    /// What was counted since `earlier`, whose counts are part of these.
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
        }
    }
}
