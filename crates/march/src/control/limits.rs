//! The shortest and the longest step, and where a step ends.

use super::{Proposal, Verdict};

/// Parts of a step that are round-off.
const ROUND_OFF: f64 = 1e-9;

/// Longest step after a rejected one, in parts of it.
const MAX_RETRY_RATIO: f64 = 0.99;

/// A step that was rejected.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rejected {
    /// Its length, s.
    pub h: f64,
    /// Whether it ended where the run or a smooth part of it ends.
    pub to_the_end: bool,
}

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

    /// What follows a rejected step: one of the wanted length, but shorter, or nothing. A step that ended where the run or a
    /// smooth part of it ends leaves at least the shortest step as a rest, or the next proposal would be the same.
    pub(super) fn after_rejection(&self, rejected: &Rejected, wanted: f64) -> (f64, Verdict) {
        let most = match rejected.to_the_end {
            // A rest a rounding short of the shortest step would be taken along again.
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

    /// From any rest and any step, rejections end: each proposal is shorter than the last until none is left.
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
