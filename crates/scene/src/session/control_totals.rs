//! Sums and extremes of the errors that step control measured in a session.

use std::borrow::Cow;

use march::Decision;
use march::control::MeasuredError;
use serde::{Deserialize, Serialize};

/// Largest number of estimates that a controller measures at once.
const MAX_ESTIMATES: usize = 2;

/// Decisions and measured errors of step control since the start of a session.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ControlTotals {
    /// Number of attempts that the controller rejected.
    pub rejected: u64,
    /// Number of attempts accepted without an error estimate.
    pub unmeasured: u64,
    /// The estimates, in the order in which they first had a value.
    pub estimates: Vec<EstimateTotals>,
}

/// Counts, mean and maximum of one error estimate.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EstimateTotals {
    /// Name of the estimate, as in `control.csv`.
    pub name: Cow<'static, str>,
    /// Number of accepted attempts after which it chose the next step.
    pub ruled: u64,
    /// Number of rejected attempts after which it chose the next step.
    pub rejected: u64,
    /// Number of accepted attempts for which it has a value.
    pub measured: u64,
    /// Largest value of an accepted attempt, m.
    pub largest: f64,
    /// Sum of the values of accepted attempts.
    sum: f64,
}

impl EstimateTotals {
    /// Returns the mean over the accepted attempts that have a value, or 0 if none has.
    pub fn mean(&self) -> f64 {
        match self.measured {
            0 => 0.0,
            n => self.sum / n as f64,
        }
    }
}

impl ControlTotals {
    /// Creates empty totals with capacity for all estimates: later steps do not allocate.
    pub fn new() -> ControlTotals {
        ControlTotals {
            estimates: Vec::with_capacity(MAX_ESTIMATES),
            ..ControlTotals::default()
        }
    }

    /// Adds the decisions of a step.
    pub fn add(&mut self, decisions: &[Decision]) {
        for decision in decisions {
            let [ruling, other] = decision.measured;
            match (decision.accepted, ruling) {
                (false, _) => self.rejected += 1,
                (true, None) => self.unmeasured += 1,
                (true, Some(_)) => {}
            }
            if let Some(ruling) = ruling {
                let estimate = self.add_value(&ruling, decision.accepted);
                match decision.accepted {
                    true => estimate.ruled += 1,
                    false => estimate.rejected += 1,
                }
            }
            if let Some(other) = other {
                self.add_value(&other, decision.accepted);
            }
        }
    }

    /// Adds a value to its estimate.
    fn add_value(&mut self, value: &MeasuredError, accepted: bool) -> &mut EstimateTotals {
        let found = self.estimates.iter().position(|e| e.name == value.estimate);
        let at = found.unwrap_or_else(|| {
            self.estimates.push(EstimateTotals {
                name: Cow::Borrowed(value.estimate),
                ..EstimateTotals::default()
            });
            self.estimates.len() - 1
        });
        let estimate = &mut self.estimates[at];
        if accepted {
            estimate.measured += 1;
            estimate.largest = estimate.largest.max(value.error);
            estimate.sum += value.error;
        }
        estimate
    }
}
