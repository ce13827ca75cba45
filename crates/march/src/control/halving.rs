//! Step halving: shorter steps after a failure, restored later.
//!
//! The step length of the scene defines intervals of time. If a step over a whole interval fails, it is halved,
//! repeatedly if needed. After two successful halves the step is doubled, up to the whole interval. Progress within the
//! interval is counted in parts of a power of two, so times are exact and a resumed run continues identically.

use super::fixed::{Grid, Interval};
use super::{ControlMemory, Controller, Proposal, Verdict};
use crate::{StepError, StepReport};

/// Largest number of halvings if no shortest step is given.
const DEFAULT_HALVINGS: u32 = 10;
/// Largest number of halvings that [`PARTS_PER_STEP`] can represent.
const MAX_HALVINGS: u32 = 16;
/// Parts into which an interval is divided.
const PARTS_PER_STEP: u64 = 1 << MAX_HALVINGS;

/// Controller with a fixed step that is halved after a failure and restored later.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepHalving {
    grid: Grid,
    /// Number of halvings of the current step.
    level: u32,
    /// Completed parts of the interval, of [`PARTS_PER_STEP`].
    parts_done: u64,
    max_level: u32,
}

impl StepHalving {
    /// Creates a controller whose steps end at the multiples of `step` and are halved down to `shortest`.
    pub fn new(step: f64, shortest: Option<f64>) -> StepHalving {
        let most = f64::from(MAX_HALVINGS);
        let max_level = match shortest {
            Some(min) => (step / min).log2().floor().clamp(0.0, most) as u32,
            None => DEFAULT_HALVINGS,
        };
        StepHalving {
            grid: Grid { origin: 0.0, step },
            level: 0,
            parts_done: 0,
            max_level,
        }
    }

    /// Returns the number of parts that the current step covers.
    fn step_parts(&self) -> u64 {
        1 << (MAX_HALVINGS - self.level)
    }

    /// Records an accepted step.
    fn accepted(&mut self) {
        self.parts_done += self.step_parts();
        if self.level > 0 && self.parts_done.is_multiple_of(2 * self.step_parts()) {
            self.level -= 1;
        }
        if self.parts_done == PARTS_PER_STEP {
            self.parts_done = 0;
        }
    }

    /// Records a failed step; returns `true` if a shorter one may be tried.
    fn failed(&mut self) -> bool {
        let allowed = self.level < self.max_level;
        self.level += u32::from(allowed);
        allowed
    }
}

impl Controller for StepHalving {
    fn propose(&mut self, now: f64, until: f64) -> Option<Proposal> {
        let Interval { start, end } = self.grid.interval(now, until)?;
        let fraction_done = self.parts_done as f64 / PARTS_PER_STEP as f64;
        if self.parts_done > 0 {
            // The end of the run may have moved since the interval began; then a new interval begins here.
            let whole = self.grid.length(start, end);
            if (start + whole * fraction_done - now).abs() > 1e-9 * whole {
                self.parts_done = 0;
            }
        }
        let start = if self.parts_done == 0 { now } else { start };
        let whole = self.grid.length(start, end);
        if self.level == 0 {
            return Some(Proposal { h: whole, end });
        }
        let after = self.parts_done + self.step_parts();
        let until = if after == PARTS_PER_STEP {
            end
        } else {
            start + whole * (after as f64 / PARTS_PER_STEP as f64)
        };
        Some(Proposal {
            h: whole * (self.step_parts() as f64 / PARTS_PER_STEP as f64),
            end: until,
        })
    }

    fn judge(&mut self, _step: &Proposal, result: Result<&StepReport, &StepError>) -> Verdict {
        match result {
            Ok(_) => {
                self.accepted();
                Verdict::Accept
            }
            Err(_) if self.failed() => Verdict::Retry,
            Err(_) => Verdict::GiveUp,
        }
    }

    fn set_step(&mut self, now: f64, h: f64) {
        self.grid = Grid {
            origin: now,
            step: h,
        };
        (self.level, self.parts_done) = (0, 0);
    }

    fn memory(&self) -> ControlMemory {
        let Grid { origin, step } = self.grid;
        ControlMemory::Halving {
            origin,
            step,
            level: self.level,
            parts_done: self.parts_done,
        }
    }

    fn restore(&mut self, memory: &ControlMemory) -> bool {
        let ControlMemory::Halving {
            origin,
            step,
            level,
            parts_done,
        } = *memory
        else {
            return false;
        };
        if level > MAX_HALVINGS || parts_done >= PARTS_PER_STEP {
            return false;
        }
        self.grid = Grid { origin, step };
        (self.level, self.parts_done) = (level, parts_done);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FAILED: Result<&StepReport, &StepError> = Err(&StepError::InadmissibleStart { t: 0.0 });

    fn new_controller() -> StepHalving {
        StepHalving::new(0.8, Some(0.1))
    }

    fn accept(steps: &mut StepHalving, p: &Proposal) {
        assert_eq!(steps.judge(p, Ok(&StepReport::default())), Verdict::Accept);
    }

    /// Lengths of the steps to the end, and the time of the end.
    fn lengths(steps: &mut StepHalving, mut now: f64, until: f64) -> (Vec<f64>, f64) {
        let mut lengths = Vec::new();
        while let Some(p) = steps.propose(now, until) {
            assert!((p.end - now - p.h).abs() < 1e-15);
            lengths.push(p.h);
            now = p.end;
            accept(steps, &p);
        }
        (lengths, now)
    }

    #[test]
    fn halves_cover_the_interval_and_grow_back() {
        let mut steps = new_controller();
        assert!(steps.failed() && steps.failed());
        let (lengths_taken, end) = lengths(&mut steps, 0.8, 2.4);
        assert_eq!(lengths_taken, [0.2, 0.2, 0.4, 0.8]);
        assert_eq!(end, 2.4);
        assert_eq!(steps, new_controller(), "whole steps again");
    }

    #[test]
    fn a_failure_late_in_the_interval_ends_on_its_end() {
        let mut steps = new_controller();
        steps.failed();
        let first = steps.propose(0.0, 0.8).unwrap();
        accept(&mut steps, &first);
        steps.failed();
        steps.failed();
        let (lengths_taken, end) = lengths(&mut steps, first.end, 0.8);
        assert_eq!((lengths_taken.len(), end, steps.parts_done), (3, 0.8, 0));
    }

    #[test]
    fn halving_stops_at_the_shortest_step() {
        let mut steps = new_controller();
        let p = steps.propose(0.0, 0.8).unwrap();
        for _ in 0..3 {
            assert_eq!(steps.judge(&p, FAILED), Verdict::Retry);
        }
        assert_eq!(steps.judge(&p, FAILED), Verdict::GiveUp);
    }

    #[test]
    fn progress_survives_a_checkpoint() {
        let mut steps = new_controller();
        steps.failed();
        let p = steps.propose(0.0, 0.8).unwrap();
        accept(&mut steps, &p);
        let mut other = new_controller();
        assert!(other.restore(&steps.memory()));
        assert_eq!(other, steps);
        let (origin, step) = (0.0, 0.8);
        let bad = |level, parts_done| ControlMemory::Halving {
            origin,
            step,
            level,
            parts_done,
        };
        assert!(!other.restore(&bad(0, u64::MAX)) && !other.restore(&bad(99, 0)));
        assert!(!other.restore(&ControlMemory::Fixed { origin, step }));
    }

    /// A run that stopped inside a shortened interval and continues later begins a new interval where it is.
    #[test]
    fn a_moved_end_begins_a_new_interval() {
        let mut steps = new_controller();
        steps.failed();
        let p = steps.propose(0.0, 0.6).unwrap();
        assert_eq!(p.end, 0.3);
        accept(&mut steps, &p);
        let p = steps.propose(0.3, 0.8).unwrap();
        assert_eq!((p.h, p.end), (0.25, 0.55));
    }
}
