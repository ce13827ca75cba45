//! Rollback: rejected attempts leave no trace in the solver.
//!
//! A later step takes over the matrices whose factors are worth reusing, with their performance
//! ([`super::ReuseStats`]). An attempt that computes other factors in their place assembles its matrix in a second
//! buffer. If it is rejected, the first buffer is current again, and the factors are recomputed from it when they are
//! needed. That work is counted separately from the attempts.

use sparse::Matrix;

use super::slots::FactorSlot;
use super::{FactorCache, FactorState};
use crate::{Counts, System};

/// State of the solver before the attempt.
#[derive(Default)]
pub(super) struct Rollback {
    discard_after_step: bool,
    clock: u64,
    /// Refactorizations of matrices of earlier steps since the last attempt was accepted or rejected.
    pub refactorizations: u64,
}

/// State of a matrix and its factors before the attempt.
#[derive(Default)]
pub(super) struct SlotRollback {
    state: FactorState,
    /// Whether the attempt began with factors that later steps may reuse.
    carried: bool,
    /// Second buffer; while `preserved`, the matrix of those factors.
    spare: Option<Matrix>,
    preserved: bool,
    /// Whether a rejected attempt has replaced the factors of the matrix.
    pub outdated: bool,
}

impl FactorSlot {
    fn begin_attempt(&mut self, discard: bool) {
        let back = &mut self.rollback;
        back.state = self.state;
        back.carried = self.state.reusable().is_some() && !discard;
        back.preserved = false;
    }

    fn reject_attempt(&mut self) {
        let back = &mut self.rollback;
        self.state = back.state;
        if back.preserved {
            std::mem::swap(&mut self.matrix, &mut back.spare);
            (back.preserved, back.outdated) = (false, true);
        }
        back.carried = false;
    }
}

impl FactorCache {
    /// Begins an attempt; returns `true` if it begins with factors of an earlier step.
    pub fn begin_attempt(&mut self) -> bool {
        let carried = self.keeps_factors();
        let discard = self.discard_after_step;
        let back = &mut self.rollback;
        (back.discard_after_step, back.clock) = (discard, self.clock);
        self.slots_mut().for_each(|s| s.begin_attempt(discard));
        carried
    }

    /// Preserves the matrix that the attempt began with before another is assembled.
    pub(super) fn preserve_matrix(&mut self, sys: &dyn System) {
        let FactorSlot {
            matrix, rollback, ..
        } = &mut self.current;
        // Both buffers are allocated at once, so later steps do not allocate.
        rollback.spare.get_or_insert_with(|| sys.zero_matrix());
        if rollback.carried && !rollback.preserved {
            std::mem::swap(matrix, &mut rollback.spare);
            rollback.preserved = true;
        }
        rollback.outdated = false;
    }

    /// Recomputes the factors of the current matrix if a rejected attempt has replaced them; returns `false` if that
    /// fails.
    pub fn ensure_current_factors(&mut self) -> bool {
        let FactorSlot {
            linear,
            matrix,
            rollback,
            ..
        } = &mut self.current;
        if !std::mem::take(&mut rollback.outdated) {
            return true;
        }
        self.rollback.refactorizations += 1;
        let matrix = matrix.as_ref();
        matrix.is_some_and(|matrix| linear.factor(matrix).is_ok())
    }

    /// Commits the attempt; returns the work of refactorizations on its way.
    pub fn commit_attempt(&mut self) -> Counts {
        self.slots_mut().for_each(|s| s.rollback.carried = false);
        self.take_refactorizations()
    }

    /// Undoes the attempt; returns the work of refactorizations on its way.
    pub fn reject_attempt(&mut self) -> Counts {
        let back = &self.rollback;
        (self.discard_after_step, self.clock) = (back.discard_after_step, back.clock);
        if self.slots().any(|s| s.rollback.preserved) {
            self.used_lu = false;
        }
        self.slots_mut().for_each(FactorSlot::reject_attempt);
        self.take_refactorizations()
    }

    fn take_refactorizations(&mut self) -> Counts {
        Counts {
            factorizations: std::mem::take(&mut self.rollback.refactorizations),
            ..Counts::default()
        }
    }
}
