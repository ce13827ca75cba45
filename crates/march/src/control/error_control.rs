//! Steps whose estimated error stays within a tolerance in metres.
//!
//! After every attempt, accepted or rejected, h ← h (safety · tolerance / ε)^p with the h just tried, clipped to
//! [min, max]; the attempt is accepted if ε ≤ tolerance. With the force error ["Adaptive Time-Stepping with Linearized
//! Force Error Estimation", eqs. 11–12] and p = ⅓ that is the printed rule
//! h ← (h · safety · tolerance · κ/‖M⁻¹(F − F̃)‖∞)^⅓, as ε = h²/κ ‖M⁻¹(F − F̃)‖∞. For smooth forces ε ~ h⁴, so ¼ is the
//! natural exponent. The embedded estimate of a pair of orders p and p̂ falls with h^(min(p, p̂) + 1).
//!
//! A step that fails is halved.

use super::{ControlMemory, Controller, Measured, Proposal, Verdict};
use crate::stepper::Estimates;
use crate::{StepError, StepReport};

/// Which estimate rules the step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Estimate {
    /// The error of the linearised force.
    Force,
    /// The difference from the embedded method.
    Embedded,
}

impl Estimate {
    /// The word used in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Estimate::Force => "force-error",
            Estimate::Embedded => "embedded",
        }
    }
}

/// Settings of [`ErrorControl`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ErrorSettings {
    /// Which estimate rules.
    pub estimate: Estimate,
    /// Error allowed in a step, m.
    pub tolerance: f64,
    /// Share of the tolerance that the next step aims at.
    pub safety: f64,
    /// Power of the ratio of tolerance and error by which the step changes.
    pub exponent: f64,
    /// Shortest step, s.
    pub min: f64,
    /// Longest step, s.
    pub max: f64,
}

/// A controller that holds the error of each step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ErrorControl {
    settings: ErrorSettings,
    /// Length of the next step, s.
    h: f64,
    last: Option<f64>,
}

impl ErrorControl {
    /// Begins with a step of length `first`.
    pub fn new(first: f64, settings: ErrorSettings) -> ErrorControl {
        ErrorControl {
            settings,
            h: first.clamp(settings.min, settings.max),
            last: None,
        }
    }

    fn error(&self, report: &StepReport) -> f64 {
        let found = match self.settings.estimate {
            Estimate::Force => report.force_error,
            Estimate::Embedded => report.error.map(|e| e.displacement),
        };
        // A method without an estimate is refused before; no number is no error known.
        found.unwrap_or(f64::NAN)
    }
}

impl Controller for ErrorControl {
    fn propose(&mut self, now: f64, until: f64) -> Option<Proposal> {
        // Less than a billionth of the shortest step is round-off.
        if until - now <= 1e-9 * self.settings.min.min(self.h) {
            return None;
        }
        let end = now + self.h;
        // A rest shorter than the shortest step is taken along.
        match end >= until - 1e-9 * self.h || until - end < self.settings.min {
            true => Some(Proposal {
                h: until - now,
                end: until,
            }),
            false => Some(Proposal { h: self.h, end }),
        }
    }

    fn judge(&mut self, step: &Proposal, result: Result<&StepReport, &StepError>) -> Verdict {
        let ErrorSettings {
            tolerance,
            safety,
            exponent,
            min,
            max,
            ..
        } = self.settings;
        let Ok(report) = result else {
            self.last = None;
            let shortest = step.h <= min * (1.0 + 1e-9);
            self.h = (0.5 * step.h).max(min);
            return match shortest {
                true => Verdict::GiveUp,
                false => Verdict::Retry,
            };
        };
        let error = self.error(report);
        self.last = Some(error);
        let aim = step.h * (safety * tolerance / error).powf(exponent);
        let next = match aim.is_nan() {
            true => 0.5 * step.h,
            false => aim.clamp(min, max),
        };
        if error <= tolerance {
            // A step that the end of the run has cut says nothing against longer ones.
            self.h = match step.h < self.h {
                true => next.max(self.h),
                false => next,
            };
            return Verdict::Accept;
        }
        if step.h <= min * (1.0 + 1e-9) {
            return Verdict::GiveUp;
        }
        self.h = next.min(step.h).max(min);
        Verdict::Retry
    }

    fn needs(&self) -> Estimates {
        Estimates {
            embedded: self.settings.estimate == Estimate::Embedded,
            force: self.settings.estimate == Estimate::Force,
        }
    }

    fn measured(&self) -> Option<Measured> {
        Some(Measured {
            error: self.last?,
            estimate: self.settings.estimate.name(),
        })
    }

    fn set_step(&mut self, _now: f64, h: f64) {
        self.h = h.clamp(self.settings.min, self.settings.max);
    }

    fn memory(&self) -> ControlMemory {
        ControlMemory::Error { h: self.h }
    }

    fn restore(&mut self, memory: &ControlMemory) -> bool {
        let ControlMemory::Error { h } = *memory else {
            return false;
        };
        self.h = h;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn control(exponent: f64) -> ErrorControl {
        ErrorControl::new(
            0.01,
            ErrorSettings {
                estimate: Estimate::Force,
                tolerance: 1e-3,
                safety: 0.5,
                exponent,
                min: 1e-6,
                max: 0.25,
            },
        )
    }

    fn report(error: f64) -> StepReport {
        StepReport {
            force_error: Some(error),
            ..StepReport::default()
        }
    }

    /// Eq. 12 with κ = 1: h ← (h α ε_max/‖M⁻¹ΔF‖)^⅓, ‖M⁻¹ΔF‖ = ε/h².
    #[test]
    fn the_rule_with_one_third_is_the_printed_one() {
        let mut c = control(1.0 / 3.0);
        let p = c.propose(0.0, 2.0).unwrap();
        for (error, verdict) in [(4e-4, Verdict::Accept), (5e-3, Verdict::Retry)] {
            let printed = (p.h * 0.5 * 1e-3 / (error / (p.h * p.h))).cbrt();
            assert_eq!(c.judge(&p, Ok(&report(error))), verdict);
            assert!((c.h - printed).abs() < 1e-15, "{} {printed}", c.h);
            c.h = p.h;
        }
    }

    #[test]
    fn steps_stay_between_their_limits_and_end_on_the_end() {
        let mut c = control(0.25);
        let p = c.propose(0.0, 2.0).unwrap();
        c.judge(&p, Ok(&report(0.0)));
        assert_eq!(c.h, 0.25, "no error at all: the longest step");
        let p = c.propose(1.9, 2.0).unwrap();
        assert_eq!(p.end, 2.0);
        c.judge(&p, Ok(&report(1e-3)));
        assert_eq!(
            c.h, 0.25,
            "a step that the end has cut does not spoil the next"
        );
        assert_eq!(c.propose(2.0, 2.0), None);
        c.h = 1e-6;
        let p = c.propose(0.0, 2.0).unwrap();
        assert_eq!(c.judge(&p, Ok(&report(1.0))), Verdict::GiveUp);
        assert_eq!(c.judge(&p, Ok(&report(f64::NAN))), Verdict::GiveUp);
    }

    #[test]
    fn a_failed_step_is_halved() {
        let mut c = control(0.25);
        let p = c.propose(0.0, 2.0).unwrap();
        let failed = StepError::Inadmissible { t: 0.0 };
        assert_eq!(c.judge(&p, Err(&failed)), Verdict::Retry);
        assert_eq!(c.h, 0.005);
    }
}
