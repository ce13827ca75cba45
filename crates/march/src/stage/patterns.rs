//! Matrices and factors of patterns that change.
//!
//! Inside a step [`System::tangent`] gives a matrix the pattern of its state, and [`sparse::LinearSolver::factor`]
//! analyses it if it has to. Factors of an earlier state may serve a matrix of another pattern, as a preconditioner would.
//! From step to step, and through checkpoints, they are carried only if their pattern is that of the system: otherwise a
//! resumed run, which knows no other pattern, would go on with other factors than an unbroken one.

use serde::{Deserialize, Serialize};
use sparse::{Matrix, OffPatternEntry};

use super::StageSolver;
use crate::System;

/// The numbers of a matrix and the pattern they belong to, as a checkpoint keeps them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SavedMatrix {
    /// [`sparse::Pattern::fingerprint`].
    pattern: u64,
    values: Vec<f64>,
    /// Row, column and value of the entries that the pattern lacks.
    off_pattern: Vec<(u32, u32, f64)>,
}

impl SavedMatrix {
    /// The numbers of a matrix.
    pub fn of(matrix: &Matrix) -> SavedMatrix {
        let entry = |e: &OffPatternEntry| (e.row as u32, e.column as u32, e.value);
        SavedMatrix {
            pattern: matrix.pattern().fingerprint(),
            values: matrix.values().to_vec(),
            off_pattern: matrix.off_pattern().iter().map(entry).collect(),
        }
    }

    /// The matrix on the pattern of a blank one; `None` if these are numbers of another pattern.
    pub fn on(&self, mut blank: Matrix) -> Option<Matrix> {
        let (n, pattern) = (blank.n(), blank.pattern());
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
        blank.values_mut().copy_from_slice(&self.values);
        blank.set_off_pattern(self.off_pattern.iter().map(|&(row, column, value)| {
            OffPatternEntry {
                row: row as usize,
                column: column as usize,
                value,
            }
        }));
        Some(blank)
    }
}

impl StageSolver {
    /// Forgets factors of a matrix whose pattern is not that of the system any more.
    pub(crate) fn forget_other_patterns(&mut self, sys: &dyn System) {
        let Some(stamp) = sys.pattern_stamp() else {
            return;
        };
        for slot in self.slots_mut() {
            let other = |m: &Matrix| m.pattern().stamp() != stamp;
            if slot.matrix.as_ref().is_some_and(other) {
                slot.factors.forget();
            }
        }
    }
}
