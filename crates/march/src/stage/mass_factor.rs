//! Factored mass matrix.

use sparse::{Backend, LinearSolver, solver};

use crate::{Counts, StepError, System};

/// Mass matrix, factored once.
pub(super) struct MassFactor {
    solver: Box<dyn LinearSolver + Send>,
    stamp: Option<u64>,
    /// Whether the factorization is already in the counts of a step.
    pub counted: bool,
    /// Value of `counted` before the attempt.
    counted_before: bool,
}

impl MassFactor {
    pub fn new() -> MassFactor {
        MassFactor {
            solver: solver(Backend::Cholesky),
            stamp: None,
            counted: false,
            counted_before: false,
        }
    }

    pub fn begin_attempt(&mut self) {
        self.counted_before = self.counted;
    }

    pub fn reject_attempt(&mut self) {
        self.counted = self.counted_before;
    }

    /// Solves with the mass matrix: x ← M⁻¹ x.
    pub fn solve(
        &mut self,
        sys: &dyn System,
        t: f64,
        x: &mut [f64],
        counts: &mut Counts,
    ) -> Result<(), StepError> {
        let stamp = sys.mass().pattern().stamp();
        if self.stamp != Some(stamp) {
            self.solver
                .factor(sys.mass())
                .map_err(|why| StepError::Factor { t, why })?;
            self.stamp = Some(stamp);
        }
        counts.factorizations += u64::from(!std::mem::replace(&mut self.counted, true));
        counts.solves += 1;
        self.solver
            .solve(x)
            .map_err(|why| StepError::Solve { t, why })
    }
}
