//! Fixed step length.

use super::{ControlMemory, Controller, Proposal, Verdict};
use crate::{StepError, StepReport};

/// Fraction of the grid spacing below which a step is round-off.
const ROUND_OFF: f64 = 1e-9;

/// Grid of times origin + k · step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Grid {
    pub origin: f64,
    pub step: f64,
}

/// Interval of a grid that contains a time, shortened at the end of the run, s.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Interval {
    /// Grid time at or before the given time.
    pub start: f64,
    pub end: f64,
}

impl Grid {
    /// Returns the interval that contains `now`, or `None` if `until` is reached.
    pub fn interval(&self, now: f64, until: f64) -> Option<Interval> {
        let round_off = ROUND_OFF * self.step;
        if now >= until - round_off {
            return None;
        }
        // A time one rounding below a multiple counts as that multiple.
        let k = ((now - self.origin) / self.step + 1e-6).floor();
        let next = self.origin + (k + 1.0) * self.step;
        Some(Interval {
            start: self.origin + k * self.step,
            end: if next >= until - round_off {
                until
            } else {
                next
            },
        })
    }

    /// Returns the length between two times; exactly the grid spacing if it differs by round-off only.
    pub fn length(&self, start: f64, end: f64) -> f64 {
        let length = end - start;
        if (length - self.step).abs() <= ROUND_OFF * self.step {
            self.step
        } else {
            length
        }
    }
}

/// Controller with a fixed step; a failed step ends the run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FixedSteps {
    grid: Grid,
}

impl FixedSteps {
    /// Creates a controller whose steps end at the multiples of `step`.
    pub fn new(step: f64) -> FixedSteps {
        FixedSteps::from(0.0, step)
    }

    /// Creates a controller whose steps end at the times `origin` + k `step`.
    pub fn from(origin: f64, step: f64) -> FixedSteps {
        FixedSteps {
            grid: Grid { origin, step },
        }
    }
}

impl Controller for FixedSteps {
    fn propose(&mut self, now: f64, until: f64) -> Option<Proposal> {
        let Interval { end, .. } = self.grid.interval(now, until)?;
        Some(Proposal {
            h: self.grid.length(now, end),
            end,
        })
    }

    fn judge(&mut self, _step: &Proposal, result: Result<&StepReport, &StepError>) -> Verdict {
        match result {
            Ok(_) => Verdict::Accept,
            Err(_) => Verdict::GiveUp,
        }
    }

    fn set_step(&mut self, now: f64, h: f64) {
        self.grid = Grid {
            origin: now,
            step: h,
        };
    }

    fn memory(&self) -> ControlMemory {
        let Grid { origin, step } = self.grid;
        ControlMemory::Fixed { origin, step }
    }

    fn restore(&mut self, memory: &ControlMemory) -> bool {
        let ControlMemory::Fixed { origin, step } = *memory else {
            return false;
        };
        self.grid = Grid { origin, step };
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(mut steps: FixedSteps, mut now: f64, until: f64) -> Vec<(f64, f64)> {
        let mut proposals = Vec::new();
        while let Some(Proposal { h, end }) = steps.propose(now, until) {
            proposals.push((h, end));
            now = end;
        }
        proposals
    }

    #[test]
    fn times_are_multiples_and_the_last_step_is_shortened() {
        let proposals = times(FixedSteps::new(0.1), 0.0, 0.35);
        let ends: Vec<f64> = proposals.iter().map(|s| s.1).collect();
        assert_eq!(ends, [0.1, 0.2, 3.0 * 0.1, 0.35]);
        assert_eq!(
            proposals[2].0, 0.1,
            "round-off does not change the length of a step"
        );
        assert!((proposals[3].0 - 0.05).abs() < 1e-15);
    }

    #[test]
    fn a_run_beyond_a_shortened_step_returns_to_the_grid() {
        let proposals = times(FixedSteps::new(0.1), 0.35, 0.55);
        let ends: Vec<f64> = proposals.iter().map(|s| s.1).collect();
        assert_eq!(ends, [0.4, 0.5, 0.55]);
    }

    #[test]
    fn a_new_step_length_starts_a_new_grid() {
        let mut steps = FixedSteps::new(0.1);
        steps.set_step(0.3, 0.25);
        assert_eq!(steps.propose(0.3, 1.0).map(|p| p.end), Some(0.55));
        assert_eq!(steps.propose(1.0, 1.0), None);
    }
}
