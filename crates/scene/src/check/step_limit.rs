//! Step limit of an explicit method: at the start, and along the first contact.
//!
//! A method is stable up to hω = s, where s is measured on the damped oscillator (2 for central differences, 2.83 for rk4), and ω is
//! the highest frequency of the scene. Contact raises ω: an impact compresses and stretches elements, and springs of penalty contact
//! are stiff. How much is not known before the impact, so it is tried: implicit steps go to the first contact, short steps of the
//! method itself through it, and ω is computed along the way.

use std::fmt;

use march::methods::Stability;
use march::{Curvature, FixedSteps, StepError, Stepper, System, Weights};
use serde::Serialize;
use sparse::highest_eigenvalue;

use crate::session::Session;

/// Step limit of an explicit method.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct StepLimit {
    /// Largest stable step, s; 0 if motion without damping grows at any step.
    pub step: f64,
    /// Largest stable step at the initial state, s.
    pub at_start: f64,
    /// Time of the first contact, s, if it lowers the limit.
    pub contact_at: Option<f64>,
    /// Time up to which contact was looked for and found none, s.
    pub free_until: Option<f64>,
}

/// Largest number of implicit steps to the first contact.
const APPROACH_STEPS: usize = 400;
/// Largest number of explicit steps through the first contact.
const CONTACT_STEPS: usize = 20_000;
/// Steps of the trial through the contact over the limit at the start; a shorter one is taken if the motion blows up.
const TRIAL_SHARES: [f64; 3] = [0.4, 0.2, 0.1];
/// Number of states of the contact at which the highest frequency is computed.
const SAMPLES: f64 = 64.0;
/// Recommended step over the limit.
const SAFE_SHARE: f64 = 0.8;
/// Method of the steps to the first contact.
const APPROACH_METHOD: &str = "sdirk2";

impl StepLimit {
    /// Measures the limit of a session at its initial state; `None` if its method has none. `lowest_hz` is its lowest elastic
    /// frequency.
    pub fn measure(
        session: &mut Session,
        lowest_hz: Option<f64>,
    ) -> Result<Option<StepLimit>, StepError> {
        let method = session.method.method;
        if method.is_implicit() || method.stability != Stability::Conditional {
            return Ok(None);
        }
        let Ok(mut stepper) = session
            .method
            .stepper(&session.parameters, session.options.newton)
        else {
            return Ok(None);
        };
        let Some(at_start) = limit_at(session, stepper.as_mut())? else {
            return Ok(None);
        };
        let mut limit = StepLimit {
            step: at_start,
            at_start,
            contact_at: None,
            free_until: None,
        };
        if at_start > 0.0 && session.contact.is_some() {
            // The snapshot fits the controller of the trials.
            session.set_controller(Box::new(FixedSteps::from(session.t(), at_start)));
            let start = session.save();
            limit.follow_contact(session, stepper.as_mut(), lowest_hz)?;
            if session.restore(&start).is_err() {
                session.start_from(start.state());
            }
        }
        Ok(Some(limit))
    }

    /// Returns a warning if a step is beyond the limit.
    pub fn warning(&self, method: &str, step: f64) -> Option<String> {
        if self.step == 0.0 {
            return Some(format!(
                "{method} lets oscillations without damping grow at any step; use central-difference or rk4, or an implicit method such as sdirk2"
            ));
        }
        (step > self.step).then(|| {
            format!(
                "the step of {step} s is beyond the limit of {method}, which is explicit; try a step of {:.2e} s or an implicit method such as sdirk2",
                SAFE_SHARE * self.step
            )
        })
    }

    /// Lowers the limit to the least along the first contact.
    fn follow_contact(
        &mut self,
        session: &mut Session,
        stepper: &mut dyn Stepper,
        lowest_hz: Option<f64>,
    ) -> Result<(), StepError> {
        let until = session.scene.time.until;
        let estimated = session.contact.as_ref().map(|c| &c.contact_times);
        let estimated = estimated.and_then(|times| times.iter().copied().reduce(f64::min));
        // A free body is in contact for about a period of its lowest elastic mode.
        let duration = lowest_hz.map(|hz| 1.0 / hz).or(estimated).unwrap_or(until);
        let duration = duration.min(until);
        let own = session.method.name();
        if !approach(session, 0.1 * duration) {
            self.free_until = Some(session.t());
            return Ok(());
        }
        let before = session.save();
        for share in TRIAL_SHARES {
            if session.restore(&before).is_err() || session.set_method(&own).is_err() {
                break;
            }
            let h = share * self.at_start;
            let window = duration.min(CONTACT_STEPS as f64 * h);
            let found = limit_in_contact(session, stepper, h, window)?;
            self.contact_at = found.contact_at;
            self.step = self.at_start.min(found.least);
            if found.finished {
                break;
            }
        }
        Ok(())
    }
}

impl fmt::Display for StepLimit {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        if self.step == 0.0 {
            return write!(f, "none: motion without damping grows at any step");
        }
        write!(f, "{:.3e} s", self.step)?;
        match (self.contact_at, self.free_until) {
            (Some(t), _) => write!(
                f,
                ", measured through the first contact at {t:.3} s; {:.3e} s at the start",
                self.at_start
            ),
            (None, Some(t)) => write!(f, " at the start; no contact was found until {t:.3} s"),
            (None, None) => Ok(()),
        }
    }
}

/// What a trial through the first contact found.
struct ContactTrial {
    /// Time of the first contact, s.
    contact_at: Option<f64>,
    /// Least step limit along it, s.
    least: f64,
    /// Whether the trial reached its end.
    finished: bool,
}

/// Takes explicit steps through the first contact and computes the step limit along the way, up to this time after its begin.
fn limit_in_contact(
    session: &mut Session,
    stepper: &mut dyn Stepper,
    h: f64,
    window: f64,
) -> Result<ContactTrial, StepError> {
    let mut found = ContactTrial {
        contact_at: None,
        least: f64::INFINITY,
        finished: false,
    };
    session.set_controller(Box::new(FixedSteps::from(session.t(), h)));
    let (mut sample, mut end) = (session.t(), session.t() + 2.0 * window);
    while session.t() < end {
        if session.step().is_err() {
            return Ok(found);
        }
        if found.contact_at.is_none() && !session.contacts()[1].is_empty() {
            found.contact_at = Some(session.t());
            end = session.t() + window;
        }
        if found.contact_at.is_some() && session.t() >= sample {
            sample = session.t() + window / SAMPLES;
            let now = limit_at(session, stepper)?;
            found.least = found.least.min(now.unwrap_or(f64::INFINITY));
        }
    }
    found.finished = true;
    Ok(found)
}

/// Returns `true` if the method of a session lets motion without damping grow at any step, as explicit Euler does.
pub fn grows_at_any_step(session: &Session) -> bool {
    let method = &session.method;
    let made = method.stepper(&session.parameters, session.options.newton);
    let limit = made.map(|mut m| certify::stability::stability_limit(m.as_mut(), 0.0));
    !method.method.is_implicit() && matches!(limit, Ok(Ok(0.0)))
}

/// Takes implicit steps of this length at most until just before the first contact. Returns `false` if there is none within the
/// allowed number of steps.
fn approach(session: &mut Session, longest: f64) -> bool {
    let until = session.scene.time.until;
    let start = session.save();
    if session.set_method(APPROACH_METHOD).is_err() {
        return session.restore(&start).is_ok();
    }
    let h = (until / APPROACH_STEPS as f64).min(longest);
    session.set_controller(Box::new(FixedSteps::from(session.t(), h)));
    let mut before = session.save();
    for _ in 0..APPROACH_STEPS {
        if session.step().is_err() {
            break;
        }
        if !session.contacts()[1].is_empty() {
            return session.restore(&before).is_ok();
        }
        if session.t() >= until {
            return false;
        }
        before = session.save();
    }
    false
}

/// Returns the largest stable step at the current state, s; 0 if motion grows at any step, `None` without elasticity.
fn limit_at(session: &mut Session, stepper: &mut dyn Stepper) -> Result<Option<f64>, StepError> {
    let (model, state) = session.model_and_state();
    let state = state.clone();
    model.prepare(state.at());
    let mut matrix = model.zero_matrix();
    let mut highest = |damping: f64, stiffness: f64| {
        let weights = Weights {
            mass: 0.0,
            damping,
            stiffness,
        };
        model.tangent(state.at(), weights, Curvature::Definite, &mut matrix);
        highest_eigenvalue(&matrix, model.mass()).unwrap_or(0.0)
    };
    let omega = highest(0.0, 1.0).max(0.0).sqrt();
    if omega == 0.0 {
        return Ok(None);
    }
    // The damping ratio of the highest mode is at most this.
    let zeta = 0.5 * highest(1.0, 0.0).max(0.0) / omega;
    Ok(Some(
        certify::stability::stability_limit(stepper, zeta)? / omega,
    ))
}
