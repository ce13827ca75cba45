//! Attempts that leave no trace in the solver.
//!
//! What a later step takes over from an earlier one are the matrices whose factors are worth reusing, with the record of
//! how they performed ([`super::ReuseStats`]). An attempt that makes other factors in their place assembles its matrix in a second
//! buffer; if it is rejected, the first buffer is current again, and the factors are made from it once they are asked for.
//! That work is counted apart from the attempts.

use sparse::Matrix;

use super::slots::FactorSlot;
use super::{FactorCache, FactorState};
use crate::{Counts, System};

/// What the solver was like before the attempt.
#[derive(Default)]
pub(super) struct Rollback {
    discard_after_step: bool,
    clock: u64,
    /// Factorizations of matrices of earlier steps made again since the last attempt was accepted or rejected.
    pub remade: u64,
}

/// What a matrix and its factors were like before the attempt.
#[derive(Default)]
pub(super) struct SlotRollback {
    state: FactorState,
    /// Whether the attempt began with factors that later steps may reuse.
    carried: bool,
    /// The second buffer; while `preserved`, the matrix of those factors.
    spare: Option<Matrix>,
    preserved: bool,
    /// Whether the factors at hand are not those of the matrix, which a rejected attempt has replaced.
    pub outdated: bool,
}

impl FactorSlot {
    fn begin_attempt(&mut self, discard: bool) {
        let back = &mut self.rollback;
        back.state = self.state;
        back.carried = self.state.carried().is_some() && !discard;
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
    /// Begins an attempt; returns whether it begins with factors of an earlier step.
    pub fn begin_attempt(&mut self) -> bool {
        let carried = self.keeps_factors();
        let discard = self.discard_after_step;
        let back = &mut self.rollback;
        (back.discard_after_step, back.clock) = (discard, self.clock);
        self.slots_mut().for_each(|s| s.begin_attempt(discard));
        carried
    }

    /// Keeps the matrix that the attempt began with, before another is assembled.
    pub(super) fn preserve_matrix(&mut self, sys: &dyn System) {
        let FactorSlot {
            matrix, rollback, ..
        } = &mut self.current;
        // Both buffers are made at once, so that no later step has to.
        rollback.spare.get_or_insert_with(|| sys.zero_matrix());
        if rollback.carried && !rollback.preserved {
            std::mem::swap(matrix, &mut rollback.spare);
            rollback.preserved = true;
        }
        rollback.outdated = false;
    }

    /// Makes the factors of the current matrix again if a rejected attempt has replaced them.
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
        self.rollback.remade += 1;
        let matrix = matrix.as_ref();
        matrix.is_some_and(|matrix| linear.factor(matrix).is_ok())
    }

    /// Makes the attempt history; returns the work of making factors again on its way.
    pub fn commit_attempt(&mut self) -> Counts {
        self.slots_mut().for_each(|s| s.rollback.carried = false);
        self.take_remade()
    }

    /// Undoes the attempt; returns the work of making factors again on its way.
    pub fn reject_attempt(&mut self) -> Counts {
        let back = &self.rollback;
        (self.discard_after_step, self.clock) = (back.discard_after_step, back.clock);
        if self.slots().any(|s| s.rollback.preserved) {
            self.used_lu = false;
        }
        self.slots_mut().for_each(FactorSlot::reject_attempt);
        self.take_remade()
    }

    fn take_remade(&mut self) -> Counts {
        Counts {
            factorizations: std::mem::take(&mut self.rollback.remade),
            ..Counts::default()
        }
    }
}
