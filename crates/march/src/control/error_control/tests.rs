//! Tests of error control with prescribed errors.

use super::*;

fn settings(estimate: Estimate, exponent: f64) -> ErrorSettings {
    let criterion = Criterion { estimate, exponent };
    ErrorSettings {
        criteria: [Some(criterion), None],
        tolerance: 1e-3,
        per_unit_step: false,
        safety: 0.5,
        rule: StepRule::Plain,
        limits: StepLimits {
            min: 1e-6,
            max: 0.25,
        },
        estimates_need_history: false,
    }
}

fn control(exponent: f64) -> ErrorControl {
    ErrorControl::new(Some(0.01), settings(Estimate::Force, exponent))
}

fn report(error: f64) -> StepReport {
    StepReport {
        force_error: Some(error),
        ..StepReport::default()
    }
}

/// [Linearized Force Error, eq. 12] with κ = 1: h ← (h α ε_max/‖M⁻¹ΔF‖)^⅓, ‖M⁻¹ΔF‖ = ε/h².
#[test]
fn exponent_one_third_is_eq_12() {
    let mut c = control(1.0 / 3.0);
    let p = c.propose(0.0, 2.0).unwrap();
    for (error, verdict) in [(4e-4, Verdict::Accept), (5e-3, Verdict::Retry)] {
        let published = (p.h * 0.5 * 1e-3 / (error / (p.h * p.h))).cbrt();
        assert_eq!(c.judge(&p, Ok(&report(error))), verdict);
        assert!(
            (c.current() - published).abs() < 1e-15,
            "{} {published}",
            c.current()
        );
        c.h = Some(p.h);
    }
}

#[test]
fn steps_stay_between_their_limits_and_end_on_the_end() {
    let mut c = control(0.25);
    let p = c.propose(0.0, 2.0).unwrap();
    c.judge(&p, Ok(&report(0.0)));
    assert_eq!(c.h, Some(0.25), "no error at all: the longest step");
    let p = c.propose(1.9, 2.0).unwrap();
    assert_eq!(p.end, 2.0);
    c.judge(&p, Ok(&report(1e-3)));
    assert_eq!(
        c.h,
        Some(0.25),
        "a step shortened by the end of the run does not shorten the next"
    );
    assert_eq!(c.propose(2.0, 2.0), None);
    c.h = Some(1e-6);
    let p = c.propose(0.0, 2.0).unwrap();
    assert_eq!(c.judge(&p, Ok(&report(1.0))), Verdict::GiveUp);
    assert_eq!(c.judge(&p, Ok(&report(f64::NAN))), Verdict::GiveUp);
}

#[test]
fn a_failed_step_is_halved() {
    let mut c = control(0.25);
    let p = c.propose(0.0, 2.0).unwrap();
    let failed = StepError::InadmissibleStart { t: 0.0 };
    assert_eq!(c.judge(&p, Err(&failed)), Verdict::Retry);
    assert_eq!(c.h, Some(0.005));
}

/// Of two errors per unit step, the one that allows the shorter step is limiting.
#[test]
fn the_estimate_that_allows_the_shortest_step_is_limiting() {
    let mut both = settings(Estimate::Force, 1.0 / 3.0);
    both.criteria[1] = Some(Criterion {
        estimate: Estimate::Doubling,
        exponent: 0.5,
    });
    both.per_unit_step = true;
    let mut c = ErrorControl::new(Some(0.01), both);
    let p = c.propose(0.0, 2.0).unwrap();
    let found = |force: f64, doubling: f64| StepReport {
        force_error: Some(force),
        doubling: Some(doubling),
        ..StepReport::default()
    };
    assert_eq!(c.judge(&p, Ok(&found(1e-7, 9e-6))), Verdict::Accept);
    let [limiting, other] = c.measured_errors().map(|m| m.unwrap());
    assert_eq!(
        (limiting.estimate, other.estimate),
        ("doubling", "force-error")
    );
    assert!(
        (limiting.error - 9e-4).abs() < 1e-15,
        "a hundred steps a second"
    );
    c.h = Some(p.h);
    assert_eq!(c.judge(&p, Ok(&found(2e-5, 1e-9))), Verdict::Retry);
    assert_eq!(c.measured_errors()[0].unwrap().estimate, "force-error");
    let none = StepReport::default();
    assert_eq!(c.judge(&p, Ok(&none)), Verdict::Accept, "no estimate yet");
    assert_eq!(c.measured_errors(), [None; 2]);
}

/// Gustafsson's rule with errors ε₀ then ε₁ and one step length: the plain factor times (ε₀/ε₁)^p.
#[test]
fn a_growing_error_shortens_the_step_before_it_is_rejected() {
    let mut smooth = settings(Estimate::Doubling, 0.5);
    smooth.rule = StepRule::Predictive;
    let mut c = ErrorControl::new(Some(0.25 / 16.0), smooth);
    let found = |doubling: f64| StepReport {
        doubling: Some(doubling),
        ..StepReport::default()
    };
    let p = c.propose(0.0, 2.0).unwrap();
    assert_eq!(p.h, 0.25 / 16.0);
    c.judge(&p, Ok(&found(4.9e-4)));
    assert_eq!(c.h, Some(p.h), "the step stays at the error aimed at");
    c.judge(&p, Ok(&found(9e-4)));
    let plain = p.h * (5.0 / 9.0f64).sqrt();
    let predicted = plain * (4.9 / 9.0f64).sqrt();
    let h = c.current();
    assert!(
        h <= predicted && h > predicted * 0.8,
        "{h} {predicted} {plain}"
    );
}

#[test]
fn the_first_step_is_estimated_at_the_start_and_after_a_kink() {
    let mut history = settings(Estimate::Embedded, 0.5);
    history.estimates_need_history = true;
    let mut c = ErrorControl::new(None, history);
    assert_eq!(c.first_step_tolerance().map(|e| e.error), Some(5e-4));
    c.set_step(0.0, 0.01);
    assert_eq!(c.first_step_tolerance(), None);
    c.passed_kink();
    assert!(c.first_step_tolerance().is_some());
}
