//! Factors of several matrices at a time.
//!
//! Newton's matrix M + c_v D + c_u K depends on the step length. If step control moves the length up and down a grid,
//! the factors of the lengths used last are kept, each with its matrix, so a length used before need not be factored
//! again. One slot is current: the solver works with it, and the others are exchanged with it. The slot to replace is
//! chosen by the time of last use, not by its index, so a rejected attempt leaves no trace in later choices.

use sparse::{LinearSolver, Matrix, solver};

use super::rollback::SlotRollback;
use super::{FactorCache, FactorState};
use crate::Weights;
use crate::stage::options::Options;

/// Matrix, its factors, and what is needed to undo an attempt.
pub(in crate::stage) struct FactorSlot {
    pub linear: Box<dyn LinearSolver + Send>,
    pub matrix: Option<Matrix>,
    pub state: FactorState,
    pub(super) rollback: SlotRollback,
}

impl FactorSlot {
    pub fn new(options: &Options) -> FactorSlot {
        FactorSlot {
            linear: solver(options.linear),
            matrix: None,
            state: FactorState::default(),
            rollback: SlotRollback::default(),
        }
    }
}

impl FactorCache {
    /// Makes the slot of these weights current, or one in which new factors may be computed.
    pub fn select_slot(&mut self, w: Weights) {
        if self.options.factor_slots <= 1 {
            return;
        }
        if !self.current.state.fits(w) {
            self.change_slot(w);
        }
        self.clock += 1;
        self.current.state.used = self.clock;
    }

    fn change_slot(&mut self, w: Weights) {
        let found = self.parked.iter().position(|s| s.state.fits(w));
        if let Some(i) = found {
            std::mem::swap(&mut self.current, &mut self.parked[i]);
            return;
        }
        if self.current.state.cached.is_none() {
            return;
        }
        if self.parked.len() + 1 < self.options.factor_slots {
            let slot = FactorSlot::new(&self.options);
            self.parked.push(std::mem::replace(&mut self.current, slot));
            return;
        }
        // The slot that was unused for longest is replaced.
        let age = |s: &FactorSlot| (s.state.cached.is_some(), s.state.used);
        let oldest = (0..self.parked.len()).min_by_key(|&i| age(&self.parked[i]));
        if let Some(i) = oldest
            && age(&self.parked[i]) < age(&self.current)
        {
            std::mem::swap(&mut self.current, &mut self.parked[i]);
        }
        self.current.state.forget();
    }

    /// Returns all slots, the current one first.
    pub fn slots_mut(&mut self) -> impl Iterator<Item = &mut FactorSlot> {
        std::iter::once(&mut self.current).chain(&mut self.parked)
    }

    /// Returns all slots, the current one first.
    pub fn slots(&self) -> impl Iterator<Item = &FactorSlot> {
        std::iter::once(&self.current).chain(&self.parked)
    }
}
