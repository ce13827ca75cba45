//! Why no step could be taken, by name.

use std::fmt;

use march::{DampingUpdate, StepError, System};
use serde::{Deserialize, Serialize};
use solid::potential::Worst;

use crate::session::Session;
use crate::spec::Moduli;

/// What a failed run suffered from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailureCause {
    /// A force is infinite although the body is where it should be.
    InfiniteForce,
    /// A force is not a number although the body is where it should be.
    NotANumber,
    /// The motion has grown beyond all bounds.
    BlownUp,
    /// An element is squeezed flat or turned inside out under a law that forbids it.
    Folded,
    /// Elements are inside out, and their material hardly changes its volume.
    Incompressible,
    /// Elements are inside out.
    Inverted,
    /// A stiffness so far above another, or above inertia, that its rounding hides the lesser.
    StiffnessContrast,
    /// The step is far longer than the body takes to swing.
    StepTooLong,
    /// None of the above.
    Stalled,
    /// The error of the shortest step is above the tolerance of step control.
    ToleranceOutOfReach,
}

/// Largest diagonal entry of Newton's matrix over the smallest of it and of the mass, beyond which rounding rules.
const MAX_DIAGONAL_CONTRAST: f64 = 1e12;
/// Poisson's ratio from which on volume is as good as kept.
const MIN_INCOMPRESSIBLE_POISSON: f64 = 0.499;
/// Displacements in sizes of the scene that no body survives.
const MAX_DISPLACEMENT_IN_SIZES: f64 = 1e4;
/// Steps from this length on are long for anything that can be picked up, s.
const MIN_LONG_STEP: f64 = 1.0;

impl FailureCause {
    /// What made a step of length `h` fail.
    pub fn of(
        why: &StepError,
        session: &mut Session,
        h: f64,
        worst: Option<&Worst>,
    ) -> FailureCause {
        if matches!(why, StepError::Refused { .. }) {
            return FailureCause::ToleranceOutOfReach;
        }
        let squeezed = worst.is_some_and(|w| w.j <= 0.0);
        let lost = first_nonfinite_force(session);
        match why {
            StepError::NotFinite { .. } | StepError::Solve { .. } if has_escaped(session) => {
                FailureCause::BlownUp
            }
            _ if lost.is_some_and(f64::is_nan) => FailureCause::NotANumber,
            _ if lost.is_some() => FailureCause::InfiniteForce,
            StepError::NotFinite { .. } => FailureCause::BlownUp,
            StepError::Inadmissible { .. }
            | StepError::BlockedBoundary { .. }
            | StepError::ForbiddenStage { .. }
            | StepError::Forbidden { .. } => FailureCause::Folded,
            _ if squeezed && is_nearly_incompressible(session) => FailureCause::Incompressible,
            _ if squeezed => FailureCause::Inverted,
            _ if contrast(session) > MAX_DIAGONAL_CONTRAST => FailureCause::StiffnessContrast,
            _ if h >= MIN_LONG_STEP => FailureCause::StepTooLong,
            _ => FailureCause::Stalled,
        }
    }

    /// What happened and what to try.
    pub fn sentence(self, worst: Option<&Worst>) -> String {
        let element = |what: &str| match worst {
            Some(w) => format!(
                "{what}, worst element {} with volume ratio {:.3e}",
                w.element, w.j
            ),
            None => what.into(),
        };
        match self {
            FailureCause::InfiniteForce => {
                "a force is infinite while the body is not: look at pushes, springs and your own forces".into()
            }
            FailureCause::NotANumber => {
                "a force is not a number while the body is where it should be: look at your own forces".into()
            }
            FailureCause::BlownUp => {
                "the motion has grown beyond all bounds: try a smaller step, or an L-stable method such as sdirk2".into()
            }
            FailureCause::Folded => element(
                "elements are folded flat or beyond, which this law forbids: move the boundary less at a time, or take shorter steps",
            ),
            FailureCause::Incompressible => element(
                "elements are inside out and their material hardly changes volume: lower poisson, or begin with an intact shape",
            ),
            FailureCause::Inverted => element(
                "elements are inside out: try a smaller step, or a law that survives it such as stable-neo-hookean",
            ),
            FailureCause::StiffnessContrast => {
                "the greatest stiffness is more than 1e12 times the least, or inertia, so rounding hides the lesser: lower the greatest, or fix instead of tether".into()
            }
            FailureCause::StepTooLong => {
                "the step is far longer than the body takes to swing: try a hundredth of it".into()
            }
            FailureCause::Stalled => element("the iteration got stuck: try a smaller step"),
            FailureCause::ToleranceOutOfReach => {
                "the error is above the tolerance even in the shortest step: allow a smaller time.control.min, a larger tolerance, or take a method of higher order".into()
            }
        }
    }
}

impl fmt::Display for FailureCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FailureCause::InfiniteForce => "infinite-force",
            FailureCause::NotANumber => "not-a-number",
            FailureCause::BlownUp => "blown-up",
            FailureCause::Folded => "folded",
            FailureCause::Incompressible => "incompressible",
            FailureCause::Inverted => "inverted",
            FailureCause::StiffnessContrast => "stiffness-contrast",
            FailureCause::StepTooLong => "step-too-long",
            FailureCause::Stalled => "stalled",
            FailureCause::ToleranceOutOfReach => "tolerance-out-of-reach",
        })
    }
}

/// A force at the state that is no number.
fn first_nonfinite_force(session: &mut Session) -> Option<f64> {
    let (model, state) = session.model_and_state();
    let mut f = vec![0.0; state.u.len()];
    model.update_damping(state.at(), DampingUpdate::Whole);
    model.force(state.at(), &mut f);
    f.into_iter().find(|f| !f.is_finite())
}

/// Contrast of the diagonal of the matrix assembled last.
fn contrast(session: &Session) -> f64 {
    let solver = session.time_loop().solver();
    solver.contrast(session.model.mass())
}

/// Whether the state is far outside the scene.
fn has_escaped(session: &Session) -> bool {
    let rest = session.model.rest();
    let size = rest.iter().flatten().fold(1e-3, |m: f64, x| m.max(x.abs()));
    let moved = session
        .state()
        .u
        .iter()
        .fold(0.0, |m: f64, x| m.max(x.abs()));
    moved > MAX_DISPLACEMENT_IN_SIZES * size
}

fn is_nearly_incompressible(session: &Session) -> bool {
    let materials = session
        .scene
        .body
        .iter()
        .filter_map(|b| b.material.as_ref());
    materials
        .map(|m| m.moduli)
        .any(|m| matches!(m, Moduli::Young { poisson, .. } if poisson > MIN_INCOMPRESSIBLE_POISSON))
}
