//! `control` of `report.json`: step lengths, decisions and error estimates of step control.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use crate::build::control::{measures_errors, per_unit_step, tolerance};
use crate::session::Session;
use crate::spec::ControlKind;

/// Summary of step control. Errors are in metres, per step or per second of motion as the tolerance is.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ControlReport {
    /// Kind of step control, as in scene files.
    pub kind: &'static str,
    /// Error tolerance, m.
    pub tolerance: f64,
    /// Unit of the tolerance: `step` for each step, `second` for each second of motion.
    pub tolerance_per: &'static str,
    /// Shortest accepted step, s.
    pub shortest_step: f64,
    /// Longest accepted step, s.
    pub longest_step: f64,
    /// Number of accepted attempts.
    pub accepted: u64,
    /// Number of attempts that step control rejected.
    pub rejected: u64,
    /// Number of attempts accepted without an error estimate.
    pub unmeasured: u64,
    /// Error estimates by name.
    pub estimates: BTreeMap<String, EstimateReport>,
}

/// Summary of one error estimator over a run: how often it limited steps, and its largest and mean value.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct EstimateReport {
    /// Number of accepted attempts after which it chose the next step.
    pub ruled: u64,
    /// Number of rejected attempts after which it chose the next step.
    pub rejected: u64,
    /// Largest value of an accepted attempt, m.
    pub largest: f64,
    /// Mean over the accepted attempts that have a value, m.
    pub mean: f64,
}

impl ControlReport {
    /// Creates the summary of a session. Returns `None` if its scene has no step control that measures errors.
    pub fn new(session: &Session) -> Option<ControlReport> {
        let scene = &session.scene;
        let control = scene.time.control.as_ref()?;
        if !measures_errors(scene) {
            return None;
        }
        let totals = session.totals();
        let estimates = totals.control.estimates.iter().map(|e| {
            let report = EstimateReport {
                ruled: e.ruled,
                rejected: e.rejected,
                largest: e.largest,
                mean: e.mean(),
            };
            (e.name.to_string(), report)
        });
        Some(ControlReport {
            kind: control.kind().name(),
            tolerance: tolerance(control),
            tolerance_per: match per_unit_step(control.kind()) {
                true => "second",
                false => "step",
            },
            shortest_step: totals.shortest_step,
            longest_step: totals.longest_step,
            accepted: totals.steps,
            rejected: totals.control.rejected,
            unmeasured: totals.control.unmeasured,
            estimates: estimates.collect(),
        })
    }

    /// Returns the name of the quantity that is compared with the tolerance.
    pub fn measured_quantity(&self) -> &'static str {
        match self.kind {
            kind if kind == ControlKind::Speed.name() => "distance travelled",
            kind if kind == ControlKind::Stretch.name() => "change of an edge's length",
            _ => "error",
        }
    }
}

/// Formats step control in one line for the terminal and the page.
impl fmt::Display for ControlReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (scale, unit) = match self.longest_step {
            h if h >= 1.0 => (1.0, "s"),
            h if h >= 1e-3 => (1e3, "ms"),
            _ => (1e6, "µs"),
        };
        write!(
            f,
            "steps {} to {} {unit}, {} accepted, {} rejected",
            two_digits(scale * self.shortest_step),
            two_digits(scale * self.longest_step),
            self.accepted,
            self.rejected
        )?;
        let mut separator = ';';
        for (name, estimate) in &self.estimates {
            let verb = if separator == ';' { " limited" } else { "" };
            write!(f, "{separator}{verb} by {name} {}", estimate.ruled)?;
            separator = ',';
        }
        if self.unmeasured > 0 {
            write!(f, "{separator} without an estimate {}", self.unmeasured)?;
        }
        if self.estimates.is_empty() {
            return Ok(());
        }
        let largest = self.estimates.values().map(|e| e.largest);
        write!(
            f,
            "; largest {} {} of the tolerance",
            self.measured_quantity(),
            two_digits(largest.fold(0.0, f64::max) / self.tolerance)
        )
    }
}

/// Formats a number with two significant digits and without trailing zeros.
fn two_digits(x: f64) -> String {
    if x == 0.0 {
        return "0".into();
    }
    if !(1e-3..1e5).contains(&x.abs()) {
        return format!("{x:.1e}");
    }
    let decimals = (1 - x.abs().log10().floor() as i32).max(0) as usize;
    let text = format!("{x:.decimals$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').into(),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_has_steps_counts_and_the_largest_error() {
        let estimate = |ruled, largest| EstimateReport {
            ruled,
            rejected: 2,
            largest,
            mean: 1e-4,
        };
        let report = ControlReport {
            kind: "auto",
            tolerance: 1e-3,
            tolerance_per: "second",
            shortest_step: 4e-4,
            longest_step: 0.0121,
            accepted: 186,
            rejected: 4,
            unmeasured: 2,
            estimates: BTreeMap::from([
                ("embedded".to_string(), estimate(164, 9.31e-4)),
                ("force-error".to_string(), estimate(20, 2e-4)),
            ]),
        };
        assert_eq!(
            report.to_string(),
            "steps 0.4 to 12 ms, 186 accepted, 4 rejected; limited by embedded 164, by force-error 20, without an estimate 2; \
             largest error 0.93 of the tolerance"
        );
    }

    #[test]
    fn two_digits_are_kept() {
        let cases = [
            (0.0, "0"),
            (0.4, "0.4"),
            (123.4, "123"),
            (0.0123, "0.012"),
            (1.0, "1"),
            (10.0, "10"),
            (2e-7, "2.0e-7"),
        ];
        for (x, text) in cases {
            assert_eq!(two_digits(x), text);
        }
    }
}
