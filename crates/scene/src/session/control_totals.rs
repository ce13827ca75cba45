//! Sums and extremes of the errors that step control measured.

use std::borrow::Cow;

use march::Decision;
use march::control::Measured;
use serde::{Deserialize, Serialize};

/// Most estimates that a controller measures at once.
const MAX_ESTIMATES: usize = 2;

/// What a controller decided since the start of a session, and what it measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ControlTotals {
    /// Attempts that the controller rejected.
    pub rejected: u64,
    /// Attempts accepted without an error estimate.
    pub unmeasured: u64,
    /// The estimates, in the order in which they first had a value.
    pub estimates: Vec<EstimateTotals>,
}

/// What one error estimate measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EstimateTotals {
    /// Name of the estimate, as in `control.csv`.
    pub name: Cow<'static, str>,
    /// Accepted attempts for which it chose the next step.
    pub ruled: u64,
    /// Rejected attempts for which it chose the next step.
    pub rejected: u64,
    /// Accepted attempts that have a value of it.
    pub measured: u64,
    /// Largest value of an accepted attempt.
    pub largest: f64,
    /// Sum of the values of accepted attempts.
    sum: f64,
}

impl EstimateTotals {
    /// Mean over the accepted attempts that have a value; 0 if none has.
    pub fn mean(&self) -> f64 {
        match self.measured {
            0 => 0.0,
            n => self.sum / n as f64,
        }
    }
}

impl ControlTotals {
    /// Before the first decision, with room for all estimates: no later step allocates.
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
    fn add_value(&mut self, value: &Measured, accepted: bool) -> &mut EstimateTotals {
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
