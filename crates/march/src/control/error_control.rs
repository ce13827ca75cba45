//! Error control: steps whose estimated error stays within a tolerance in metres.
//!
//! After every attempt, accepted or rejected, h ← h (safety · tolerance / ε)^p with the h just tried, clipped to [min,
//! max]; the attempt is accepted if ε ≤ tolerance. With the force error and p = ⅓ this is [Linearized Force Error, eqs.
//! 11–12], h ← (h · safety · tolerance · κ/‖M⁻¹(F − F̃)‖∞)^⅓, because ε = h²/κ ‖M⁻¹(F − F̃)‖∞. For smooth forces ε ~
//! h⁴, so ¼ is the natural exponent (docs/references.md, E6). The embedded estimate of a pair of orders p and p̂ is
//! O(h^(min(p, p̂) + 1)), that of step doubling O(h^(p+1)), a change of edge lengths O(h).
//!
//! Changes to eq. 12, each of which [`ErrorSettings`] can switch off:
//! - several estimates at once: all must be within the tolerance, and the one that allows the shortest step decides;
//! - the error per unit step, ε · (1 s/h): the errors of one second of steps then add up to the tolerance;
//! - the predictive controller [Gustafsson 1994; Hairer & Wanner 1996, eq. IV.8.25], which also uses the previous
//!   error;
//! - bounded changes, and step lengths on a grid ([`super::step_grid`]).
//!
//! The step is halved after a failed attempt.

use serde::{Deserialize, Serialize};

use super::limits::Rejected;
use super::step_grid::{next_on_grid, on_grid};
use super::{
    ControlMemory, Controller, FirstStepTolerance, MeasuredError, Proposal, StepLimits, Verdict,
};
use crate::stepper::{EstimateRequest, ForceEstimate};
use crate::{StepError, StepReport};

/// Largest ratio of a step to the previous one; not applied by [`StepRule::Plain`].
const MAX_STEP_RATIO: f64 = 2.0;
/// Smallest ratio of a step to the previous one; not applied by [`StepRule::Plain`].
const MIN_STEP_RATIO: f64 = 0.2;
/// Smallest error that the predictive controller compares with, relative to the tolerance; smaller errors are noise.
const LEAST_COMPARED_ERROR: f64 = 1e-2;

/// Force error that is negligible beside another estimate, relative to the error aimed at.
const NEGLIGIBLE_FORCE_ERROR: f64 = 0.5;

/// Error estimates that can control the step length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Estimate {
    /// Error of the linearised force.
    Force,
    /// Difference from the embedded method.
    Embedded,
    /// Difference between one step and two half steps.
    Doubling,
    /// Largest change of an edge length.
    Stretch,
}

impl Estimate {
    /// Returns the name used in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Estimate::Force => "force-error",
            Estimate::Embedded => "embedded",
            Estimate::Doubling => "doubling",
            Estimate::Stretch => "stretch",
        }
    }

    /// Returns the value for an attempt, m, or `None` if the attempt has none.
    fn of(self, report: &StepReport) -> Option<f64> {
        match self {
            Estimate::Force => report.force_error,
            Estimate::Embedded => report.error.map(|e| e.displacement),
            Estimate::Doubling => report.doubling,
            Estimate::Stretch => report.stretch,
        }
    }
}

/// Error estimate and the exponent with which it changes the step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Criterion {
    /// Error estimate.
    pub estimate: Estimate,
    /// Exponent of tolerance over error: one over the order of the estimate.
    pub exponent: f64,
}

/// Rule by which the next step length follows from the error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepRule {
    /// The error of the attempt alone, without bounds or grid [Linearized Force Error, eq. 12].
    Plain,
    /// The error of the attempt alone, bounded changes, lengths on a grid.
    OnGrid,
    /// The last two errors [Gustafsson 1994], bounded changes, lengths on a grid.
    Predictive,
}

/// Settings of [`ErrorControl`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ErrorSettings {
    /// Estimates that steps are judged by.
    pub criteria: [Option<Criterion>; 2],
    /// Largest error of an accepted step, m.
    pub tolerance: f64,
    /// Whether the tolerance is per unit step, ε · (1 s/h) ≤ tolerance, instead of per step.
    pub per_unit_step: bool,
    /// Safety factor: fraction of the tolerance that the next step aims at.
    pub safety: f64,
    /// Rule for the next step length.
    pub rule: StepRule,
    /// Shortest and longest step.
    pub limits: StepLimits,
    /// Whether the estimates need several steps after a start; the length of the first step is then estimated anew
    /// after a discontinuity.
    pub estimates_need_history: bool,
}

/// Error that limits a step: of several estimates, the one that allows the shortest step.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LimitingError {
    /// Length of the step, s.
    pub h: f64,
    /// Estimated error, m.
    pub error: f64,
    /// Estimate that gave the error.
    pub estimate: Estimate,
}

/// Controller that keeps the estimated error of each step within a tolerance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ErrorControl {
    settings: ErrorSettings,
    /// Length of the next step, s; `None` if it must be estimated.
    h: Option<f64>,
    /// Error of the last accepted step, unless that step was shortened.
    accepted: Option<LimitingError>,
    /// Whether the proposal ends at the end of the run or at a kink.
    to_the_end: bool,
    /// Whether the previous attempt was rejected.
    retrying: bool,
    measured: [Option<MeasuredError>; 2],
}

impl ErrorControl {
    /// Creates a controller whose first step has the length `first`, or an estimated one.
    pub fn new(first: Option<f64>, settings: ErrorSettings) -> ErrorControl {
        let mut control = ErrorControl {
            settings,
            h: None,
            accepted: None,
            to_the_end: false,
            retrying: false,
            measured: [None; 2],
        };
        control.h = first.map(|h| control.starting_length(h));
        control
    }

    fn starting_length(&self, h: f64) -> f64 {
        let h = match self.settings.rule {
            StepRule::Plain => h,
            StepRule::OnGrid | StepRule::Predictive => on_grid(h),
        };
        self.settings.limits.clip(h)
    }

    /// Returns the length of the next step, or the longest step if the length must still be estimated.
    fn current(&self) -> f64 {
        self.h.unwrap_or(self.settings.limits.max)
    }

    /// Returns how the force error is measured: exactly if it is the only estimate, otherwise only as far as it
    /// matters.
    fn force_estimate(&self) -> ForceEstimate {
        let criteria = &self.settings.criteria;
        let force = |c: &Option<Criterion>| c.is_some_and(|c| c.estimate == Estimate::Force);
        if !criteria.iter().any(force) {
            return ForceEstimate::None;
        }
        if criteria.iter().all(|c| force(c) || c.is_none()) {
            return ForceEstimate::Exact;
        }
        let unit = match self.settings.per_unit_step {
            true => self.current(),
            false => 1.0,
        };
        let aim = self.settings.safety * self.settings.tolerance * unit;
        ForceEstimate::Screened(NEGLIGIBLE_FORCE_ERROR * aim)
    }

    /// Returns the factor by which an error lets the step change.
    fn factor(&self, criterion: &Criterion, error: f64, h: f64, accepted: bool) -> f64 {
        let aim = self.settings.safety * self.settings.tolerance;
        let plain = (aim / error).powf(criterion.exponent);
        let same = |a: &LimitingError| a.estimate == criterion.estimate;
        match self.accepted.filter(same) {
            Some(before) if accepted && self.settings.rule == StepRule::Predictive => {
                // Errors below the noise level show no trend.
                let least = LEAST_COMPARED_ERROR * self.settings.tolerance;
                let trend = (before.error.max(least) / error.max(least)).powf(criterion.exponent);
                plain.min(plain * trend * h / before.h)
            }
            _ => plain,
        }
    }

    /// Returns the step length that an attempt of length `h` allows.
    fn allowed(&self, h: f64, factor: f64) -> f64 {
        let StepLimits { min, max } = self.settings.limits;
        let next = match self.settings.rule {
            StepRule::Plain => h * factor,
            StepRule::OnGrid | StepRule::Predictive => {
                next_on_grid(h, h * factor.clamp(MIN_STEP_RATIO, MAX_STEP_RATIO))
            }
        };
        match next.is_nan() {
            true => 0.5 * h,
            false => next.clamp(min, max),
        }
    }

    /// Evaluates the estimates of an attempt. Returns the limiting error, the factor that it allows, and whether all
    /// errors are within the tolerance; `None` if no estimate has a value.
    fn measure(&mut self, h: f64, report: &StepReport) -> Option<(LimitingError, f64, bool)> {
        let tolerance = self.settings.tolerance;
        let unit = match self.settings.per_unit_step {
            true => 1.0 / h,
            false => 1.0,
        };
        let mut limiting: Option<(LimitingError, f64, bool)> = None;
        self.measured = [None; 2];
        for criterion in self.settings.criteria.iter().flatten() {
            let Some(error) = criterion.estimate.of(report).map(|e| e * unit) else {
                continue;
            };
            let within = error <= tolerance;
            let factor = self.factor(criterion, error, h, within);
            let measured = Some(MeasuredError {
                error,
                estimate: criterion.estimate.name(),
            });
            let candidate = LimitingError {
                h,
                error,
                estimate: criterion.estimate,
            };
            // A factor that is NaN is limiting.
            limiting = match limiting {
                Some((first, least, ok)) if factor >= least => {
                    self.measured[1] = measured;
                    Some((first, least, ok && within))
                }
                before => {
                    self.measured = [measured, self.measured[0]];
                    let ok = before.is_none_or(|(_, _, ok)| ok);
                    Some((candidate, factor, ok && within))
                }
            };
        }
        limiting
    }

    /// Accepts a step and sets the next step length to `next`.
    fn accept(&mut self, step: &Proposal, limiting: LimitingError, next: f64) {
        let planned = self.current();
        // A step that was shortened by the end of the run or a kink says nothing against longer ones.
        let cut = step.h < planned * (1.0 - 1e-9);
        self.h = Some(match cut {
            true => next.max(planned),
            false => next,
        });
        self.accepted = (!cut).then_some(limiting);
    }
}

impl Controller for ErrorControl {
    fn propose(&mut self, now: f64, until: f64) -> Option<Proposal> {
        let proposal = self.settings.limits.propose(self.current(), now, until);
        self.to_the_end = proposal.is_some_and(|p| p.end == until);
        proposal
    }

    fn judge(&mut self, step: &Proposal, result: Result<&StepReport, &StepError>) -> Verdict {
        let limits = self.settings.limits;
        let rejected = Rejected {
            h: step.h,
            to_the_end: self.to_the_end,
        };
        let Ok(report) = result else {
            (self.measured, self.accepted, self.retrying) = ([None; 2], None, true);
            let (h, verdict) = limits.after_rejection(&rejected, 0.5 * step.h);
            self.h = Some(h);
            return verdict;
        };
        let Some((limiting, factor, within)) = self.measure(step.h, report) else {
            // The first steps of an estimate that needs history.
            (self.h, self.retrying) = (Some(self.current()), false);
            return Verdict::Accept;
        };
        let next = self.allowed(step.h, factor);
        if within {
            // The step does not grow right after a rejection, because the estimate was too optimistic.
            let retried = std::mem::take(&mut self.retrying);
            let bounded = retried && self.settings.rule != StepRule::Plain;
            let next = if bounded { next.min(step.h) } else { next };
            self.accept(step, limiting, next);
            return Verdict::Accept;
        }
        (self.accepted, self.retrying) = (None, true);
        let (h, verdict) = limits.after_rejection(&rejected, next);
        self.h = Some(h);
        verdict
    }

    fn required_estimates(&self) -> EstimateRequest {
        let needs = |wanted| {
            let criteria = self.settings.criteria.iter().flatten();
            criteria.into_iter().any(|c| c.estimate == wanted)
        };
        EstimateRequest {
            embedded: needs(Estimate::Embedded),
            force: self.force_estimate(),
            stretch: needs(Estimate::Stretch),
            ..EstimateRequest::default()
        }
    }

    fn measured_errors(&self) -> [Option<MeasuredError>; 2] {
        self.measured
    }

    fn acceptance_reason(&self) -> &'static str {
        match self.measured[0] {
            Some(_) => "the error is within the tolerance",
            None => "too few steps for an error estimate: the step is accepted without one",
        }
    }

    fn stops_at_kinks(&self) -> bool {
        true
    }

    fn passed_kink(&mut self) {
        self.accepted = None;
        if self.settings.estimates_need_history {
            self.h = None;
        }
    }

    fn first_step_tolerance(&self) -> Option<FirstStepTolerance> {
        self.h.is_none().then_some(FirstStepTolerance {
            error: self.settings.safety * self.settings.tolerance,
            per_unit_step: self.settings.per_unit_step,
        })
    }

    fn set_step(&mut self, _now: f64, h: f64) {
        self.h = Some(self.starting_length(h));
        self.accepted = None;
    }

    fn memory(&self) -> ControlMemory {
        ControlMemory::Error {
            h: self.h,
            before: self.accepted,
        }
    }

    fn restore(&mut self, memory: &ControlMemory) -> bool {
        let ControlMemory::Error { h, before } = *memory else {
            return false;
        };
        (self.h, self.accepted) = (h, before);
        true
    }
}

#[cfg(test)]
mod tests;
