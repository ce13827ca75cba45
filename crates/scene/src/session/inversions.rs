//! Accepted steps with inverted elements.
//!
//! An element is inverted if det F ≤ 0 at one of its integration points: it has been turned inside out. Laws that do not
//! forbid this go on with a finite energy, and the run may end without an error, but its result is suspect.

use serde::{Deserialize, Serialize};

/// Inverted cell after an accepted step, or in the initial state.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct InvertedCell {
    /// Time, s.
    pub t: f64,
    /// Number of the cell in the frames, from 0.
    pub cell: u32,
    /// Smallest det F of its integration points.
    pub det_f: f64,
}

/// Counts and examples of inverted cells since the start of a session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Inversions {
    /// Number of accepted steps after which an element is inverted.
    pub steps: u64,
    /// Worst cell of the initial state, if it has inverted elements.
    pub initial: Option<InvertedCell>,
    /// Worst cell of the first of these steps.
    pub first: Option<InvertedCell>,
    /// Worst cell of all these steps.
    pub worst: Option<InvertedCell>,
    /// Whether the current state has inverted elements.
    pub now: bool,
    /// Whether a step inverted an element although no element was inverted before it.
    pub appeared: bool,
}

impl Inversions {
    /// Creates the counts of an initial state, given its worst inverted cell.
    pub fn starting_with(initial: Option<InvertedCell>) -> Inversions {
        Inversions {
            initial,
            now: initial.is_some(),
            ..Inversions::default()
        }
    }

    /// Adds an accepted step, given its worst inverted cell.
    pub fn add(&mut self, found: Option<InvertedCell>) {
        self.appeared |= found.is_some() && !self.now;
        self.now = found.is_some();
        let Some(cell) = found else { return };
        self.steps += 1;
        self.first.get_or_insert(cell);
        if self.worst.is_none_or(|worst| cell.det_f < worst.det_f) {
            self.worst = Some(cell);
        }
    }

    /// Returns `false` if no step has inverted elements, or if those of the initial state became upright and stayed so.
    pub fn is_suspect(&self) -> bool {
        self.steps > 0 && (self.now || self.appeared)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(t: f64, det_f: f64) -> Option<InvertedCell> {
        Some(InvertedCell { t, cell: 3, det_f })
    }

    #[test]
    fn a_scattered_start_that_recovers_is_not_suspect() {
        let mut seen = Inversions::starting_with(cell(0.0, -2.0));
        seen.add(cell(0.1, -1.0));
        assert!(seen.is_suspect());
        seen.add(None);
        assert!(!seen.is_suspect() && seen.steps == 1);
        // Inverted again.
        seen.add(cell(0.3, -0.5));
        seen.add(None);
        assert!(seen.is_suspect());
        assert_eq!(
            (seen.steps, seen.first, seen.worst),
            (2, cell(0.1, -1.0), cell(0.1, -1.0))
        );
    }

    #[test]
    fn the_first_and_the_worst_step_are_kept() {
        let mut seen = Inversions::starting_with(None);
        for (t, det_f) in [(0.2, -0.1), (0.3, -1.05), (0.4, -0.2)] {
            seen.add(cell(t, det_f));
        }
        assert_eq!(
            (seen.steps, seen.first, seen.worst),
            (3, cell(0.2, -0.1), cell(0.3, -1.05))
        );
        assert!(seen.is_suspect());
        assert!(!Inversions::starting_with(None).is_suspect());
    }
}
