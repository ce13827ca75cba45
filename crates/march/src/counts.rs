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
    /// Tangent matrices assembled.
    pub assemblies: u64,
    /// Numeric factorizations.
    pub factorizations: u64,
    /// Linear solves.
    pub solves: u64,
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
        let (mine, theirs) = (self.as_array(), other.as_array());
        *self = Counts::from_array(std::array::from_fn(|i| mine[i] + theirs[i]));
    }

    /// All counts, in the order of the fields.
    pub fn as_array(&self) -> [u64; 9] {
        let Counts {
            stages,
            newton,
            forces,
            assemblies,
            factorizations,
            solves,
            projections,
            backtracks,
            lagged_damping,
        } = *self;
        [
            stages,
            newton,
            forces,
            assemblies,
            factorizations,
            solves,
            projections,
            backtracks,
            lagged_damping,
        ]
    }

    /// Back from [`Counts::as_array`].
    pub fn from_array(counts: [u64; 9]) -> Counts {
        let [
            stages,
            newton,
            forces,
            assemblies,
            factorizations,
            solves,
            projections,
            backtracks,
            lagged_damping,
        ] = counts;
        Counts {
            stages,
            newton,
            forces,
            assemblies,
            factorizations,
            solves,
            projections,
            backtracks,
            lagged_damping,
        }
    }
}
