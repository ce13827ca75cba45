//! Factors in checkpoints: the matrices are saved, and the factors are recomputed from them.

use serde::{Deserialize, Serialize};
use sparse::{Matrix, OffPatternEntry};

use super::slots::FactorSlot;
use super::{CachedFactor, FactorCache};
use crate::System;

/// Saved matrix whose factors the next step begins with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SavedFactor {
    cached: CachedFactor,
    /// Time of the last use, by the clock of the cache.
    used: u64,
    matrix: SavedMatrix,
}

/// Memory of the solver: what the next step takes over.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SolverMemory {
    /// Whether the factorization of the mass matrix is already in the counts of a step.
    pub(in crate::stage) mass_counted: bool,
    /// Matrices whose factors the next step begins with.
    pub factors: Vec<SavedFactor>,
    /// Clock of the cache, by which uses of factors are ordered.
    clock: u64,
}

/// Values of a matrix and the fingerprint of its pattern, as saved in checkpoints.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SavedMatrix {
    /// Fingerprint of the pattern, [`sparse::Pattern::fingerprint`].
    pattern: u64,
    values: Vec<f64>,
    /// Row, column and value of the entries outside the pattern.
    off_pattern: Vec<(u32, u32, f64)>,
}

impl SavedMatrix {
    /// Copies the values of a matrix.
    pub fn of(matrix: &Matrix) -> SavedMatrix {
        let entry = |e: &OffPatternEntry| (e.row as u32, e.column as u32, e.value);
        SavedMatrix {
            pattern: matrix.pattern().fingerprint(),
            values: matrix.values().to_vec(),
            off_pattern: matrix.off_pattern().iter().map(entry).collect(),
        }
    }

    /// Writes the values into a zero matrix; returns `None` if they belong to another pattern.
    pub fn on(&self, mut zero: Matrix) -> Option<Matrix> {
        let (n, pattern) = (zero.n(), zero.pattern());
        let lacking = |&(row, column, _): &(u32, u32, f64)| {
            let (row, column) = (row as usize, column as usize);
            column < row && row < n && pattern.find(row, column).is_none()
        };
        let fits = self.values.len() == pattern.nnz()
            && self.pattern == pattern.fingerprint()
            && self.off_pattern.iter().all(lacking);
        if !fits {
            return None;
        }
        zero.values_mut().copy_from_slice(&self.values);
        zero.set_off_pattern(self.off_pattern.iter().map(|&(row, column, value)| {
            OffPatternEntry {
                row: row as usize,
                column: column as usize,
                value,
            }
        }));
        Some(zero)
    }
}

impl FactorCache {
    /// Returns what the next step takes over; `mass_counted` is that of the mass matrix.
    pub fn save(&self, mass_counted: bool) -> SolverMemory {
        let carries = !self.discard_after_step;
        let factors = self.slots().filter(|_| carries).filter_map(|slot| {
            Some(SavedFactor {
                cached: slot.state.reusable()?,
                used: slot.state.used,
                matrix: SavedMatrix::of(slot.matrix.as_ref()?),
            })
        });
        SolverMemory {
            mass_counted,
            factors: factors.collect(),
            clock: self.clock,
        }
    }

    /// Restores what [`FactorCache::save`] returned; returns `false` if it belongs to another system. Factors are
    /// recomputed, identically and without being counted.
    pub fn load(&mut self, sys: &dyn System, saved: &SolverMemory) -> bool {
        self.forget();
        self.discard_after_step = false;
        self.clock = saved.clock;
        self.used_lu = false;
        self.slots_mut().for_each(|s| s.rollback.outdated = false);
        if saved.factors.len() > self.options.factor_slots.max(1) {
            return false;
        }
        while self.parked.len() + 1 < saved.factors.len() {
            self.parked.push(FactorSlot::new(&self.options));
        }
        let slots = self.slots_mut().zip(&saved.factors);
        for (slot, carried) in slots {
            let Some(matrix) = carried.matrix.on(sys.zero_matrix()) else {
                return false;
            };
            let matrix = slot.matrix.insert(matrix);
            slot.state.cached = Some(carried.cached);
            slot.state.used = carried.used;
            if slot.linear.factor(matrix).is_err() {
                return false;
            }
        }
        true
    }
}
