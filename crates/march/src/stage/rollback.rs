//! Attempts that leave no trace in the solver.
//!
//! What a later step takes over from an earlier one is the matrix whose factors are worth reusing, with the record of how
//! they did ([`super::carry`]). An attempt that makes other factors assembles its matrix in a second buffer; if it is
//! rejected, the first buffer is current again, and the factors are made from it once they are asked for. That work is
//! counted apart from the attempts.

use super::StageSolver;
use super::direction::Factors;
use crate::{Counts, System};
use sparse::Matrix;

/// What the solver was like before the attempt.
#[derive(Default)]
pub(super) struct Rollback {
    factors: Factors,
    fleeting: bool,
    mass_counted: bool,
    /// Whether the attempt began with factors that later steps may reuse.
    carried: bool,
    /// The second buffer; while `preserved`, the matrix of those factors.
    spare: Option<Matrix>,
    preserved: bool,
    /// Whether the factors at hand are not those of the current matrix, which a rejected attempt has replaced.
    pub outdated: bool,
    /// Factorizations of matrices of earlier steps made again since the last attempt was judged.
    pub remade: u64,
}

impl StageSolver {
    /// Begins an attempt; returns whether it begins with factors of an earlier step.
    pub(crate) fn begin_attempt(&mut self) -> bool {
        let carried = self.carries();
        let back = &mut self.rollback;
        back.factors = self.factors;
        back.fleeting = self.fleeting;
        back.mass_counted = self.mass_counted;
        (back.carried, back.preserved) = (carried, false);
        self.report = Counts::default();
        self.constant.begin_attempt();
        carried
    }

    /// Keeps the matrix that the attempt began with, before another is assembled.
    pub(super) fn preserve_matrix(&mut self, sys: &dyn System) {
        let back = &mut self.rollback;
        // Both buffers are made at once, so that no later step has to.
        back.spare.get_or_insert_with(|| sys.blank());
        if back.carried && !back.preserved {
            std::mem::swap(&mut self.matrix, &mut back.spare);
            back.preserved = true;
        }
        back.outdated = false;
    }

    /// Makes the factors of the current matrix again if a rejected attempt has replaced them.
    pub(super) fn ensure_current_factors(&mut self) -> bool {
        if !std::mem::take(&mut self.rollback.outdated) {
            return true;
        }
        self.rollback.remade += 1;
        let matrix = self.matrix.as_ref();
        matrix.is_some_and(|matrix| self.linear.factor(matrix).is_ok())
    }

    /// The attempt is history; returns the work of making factors again on its way.
    pub(crate) fn commit_attempt(&mut self) -> Counts {
        self.rollback.carried = false;
        self.take_remade()
    }

    /// Undoes the attempt; returns its work and that of making factors again on its way.
    pub(crate) fn reject_attempt(&mut self) -> Counts {
        let back = &mut self.rollback;
        self.factors = back.factors;
        self.fleeting = back.fleeting;
        self.mass_counted = back.mass_counted;
        if back.preserved {
            std::mem::swap(&mut self.matrix, &mut back.spare);
            (back.preserved, back.outdated) = (false, true);
            self.used_lu = false;
        }
        back.carried = false;
        let mut work = self.report;
        work.add(&self.take_remade());
        work
    }

    fn take_remade(&mut self) -> Counts {
        Counts {
            factorizations: std::mem::take(&mut self.rollback.remade),
            ..Counts::default()
        }
    }
}
