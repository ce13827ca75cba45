//! The shortest and the longest step, and where a step ends.

use super::{Proposal, Verdict};

/// Parts of a step that are round-off.
const ROUND_OFF: f64 = 1e-9;

/// The shortest and the longest step, s.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepLimits {
    /// Shortest step, s.
    pub min: f64,
    /// Longest step, s.
    pub max: f64,
}

impl StepLimits {
    /// A length within the limits; the shortest for one that is no number.
    pub(super) fn clip(&self, h: f64) -> f64 {
        match h.is_nan() {
            true => self.min,
            false => h.min(self.max).max(self.min),
        }
    }

    /// A step of length `h` from `now`, cut at `until`; `None` if that is reached.
    pub(super) fn propose(&self, h: f64, now: f64, until: f64) -> Option<Proposal> {
        if until - now <= ROUND_OFF * self.min.min(h) {
            return None;
        }
        let end = now + h;
        // A rest shorter than the shortest step is taken along.
        let last = end >= until - ROUND_OFF * h || until - end < self.min;
        Some(match last {
            true => Proposal {
                h: until - now,
                end: until,
            },
            false => Proposal { h, end },
        })
    }

    /// Whether a step is the shortest.
    pub(super) fn is_shortest(&self, h: f64) -> bool {
        h <= self.min * (1.0 + ROUND_OFF)
    }

    /// What follows a step that failed: half of it, or nothing shorter.
    pub(super) fn after_failure(&self, h: f64) -> (f64, Verdict) {
        let verdict = match self.is_shortest(h) {
            true => Verdict::GiveUp,
            false => Verdict::Retry,
        };
        ((0.5 * h).max(self.min), verdict)
    }
}
