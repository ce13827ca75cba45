//! Limits of the step length, and the end of a step.

use super::{Proposal, Verdict};

/// Fraction of a step that counts as round-off.
const ROUND_OFF: f64 = 1e-9;

/// Largest ratio of a step to the rejected one before it.
const MAX_RETRY_RATIO: f64 = 0.99;

/// Rejected step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rejected {
    /// Length, s.
    pub h: f64,
    /// Whether it ended at the end of the run or at a kink.
    pub to_the_end: bool,
}

/// Shortest and longest step, s.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepLimits {
    /// Shortest step, s.
    pub min: f64,
    /// Longest step, s.
    pub max: f64,
}

impl StepLimits {
    /// Clips a length to the limits; NaN gives the shortest step.
    pub(super) fn clip(&self, h: f64) -> f64 {
        match h.is_nan() {
            true => self.min,
            false => h.min(self.max).max(self.min),
        }
    }

    /// Proposes a step of length `h` from `now`, shortened at `until`; `None` if `until` is reached.
    pub(super) fn propose(&self, h: f64, now: f64, until: f64) -> Option<Proposal> {
        if until - now <= ROUND_OFF * self.min.min(h) {
            return None;
        }
        let end = now + h;
        // A remainder shorter than the shortest step is added to this step.
        let last = end >= until - ROUND_OFF * h || until - end < self.min;
        Some(match last {
            true => Proposal {
                h: until - now,
                end: until,
            },
            false => Proposal { h, end },
        })
    }

    /// Returns the next step length after a rejection and whether to retry: the wanted length, but shorter than the
    /// rejected one. A step that ended at the end of the run or at a kink must leave at least the shortest step as
    /// remainder; otherwise the next proposal would be the same.
    pub(super) fn after_rejection(&self, rejected: &Rejected, wanted: f64) -> (f64, Verdict) {
        let most = match rejected.to_the_end {
            // A remainder one rounding below the shortest step would be added again.
            true => (rejected.h - self.min * (1.0 + 1e-6)).min(MAX_RETRY_RATIO * rejected.h),
            false => MAX_RETRY_RATIO * rejected.h,
        };
        match rejected.h <= self.min * (1.0 + ROUND_OFF) || most < self.min && rejected.to_the_end {
            true => (self.min, Verdict::GiveUp),
            false => (wanted.min(most).max(self.min), Verdict::Retry),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// For any remaining time and any step, rejections come to an end: each proposal is shorter than the last.
    #[test]
    fn rejections_end() {
        let limits = StepLimits {
            min: 1e-3,
            max: 1.0,
        };
        for k in 1..4000 {
            let rest = 0.37e-3 * f64::from(k);
            for first in [1e-3, 1.2e-3, 1.9e-3, 2.5e-3, 0.05, 1.0] {
                for shrink in [0.5, 0.97, 0.999_999, 1.0] {
                    let mut h: f64 = first;
                    let mut last = f64::INFINITY;
                    for attempt in 0.. {
                        assert!(attempt < 2000);
                        let step = limits.propose(h, 0.0, rest).unwrap();
                        assert!(step.h < last, "{rest} {first}: {} after {last}", step.h);
                        assert!(step.h >= limits.min * (1.0 - 1e-9) || step.h == rest);
                        last = step.h;
                        let rejected = Rejected {
                            h: step.h,
                            to_the_end: step.end == rest,
                        };
                        let verdict;
                        (h, verdict) = limits.after_rejection(&rejected, shrink * step.h);
                        if verdict == Verdict::GiveUp {
                            break;
                        }
                    }
                }
            }
        }
    }
}
