//! Diagnoses why a step failed and suggests a remedy.

use std::fmt;

use march::{Blocker, DampingUpdate, StepError, System};
use serde::{Deserialize, Serialize};
use solid::potential::MostCompressedElement;

use crate::session::Session;
use crate::spec::Moduli;

/// Cause of a failed step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailureCause {
    /// A force is infinite at a finite state.
    InfiniteForce,
    /// A force is NaN at a finite state.
    NotANumber,
    /// The solution has blown up.
    BlownUp,
    /// An element is degenerate or inverted under a material law that forbids it.
    Folded,
    /// Elements are inverted and their material is nearly incompressible.
    Incompressible,
    /// Elements are inverted.
    Inverted,
    /// Stiffnesses differ so much, or exceed inertia so much, that the smaller ones are lost in rounding.
    StiffnessContrast,
    /// The step is much longer than the periods of the body.
    StepTooLong,
    /// The iteration stalled for none of the other causes.
    Stalled,
    /// The error of the smallest step exceeds the tolerance of step control.
    ToleranceOutOfReach,
    /// Statics found no equilibrium near the last one.
    NoEquilibrium,
    /// Surfaces in contact cannot be kept apart.
    Contact,
}

/// Ratio of the largest diagonal entry of Newton's matrix to the smallest of it and of the mass matrix, above which
/// rounding dominates.
const MAX_DIAGONAL_CONTRAST: f64 = 1e12;
/// Poisson's ratio above which a material is nearly incompressible.
const MIN_INCOMPRESSIBLE_POISSON: f64 = 0.499;
/// Displacement in sizes of the scene above which the solution has blown up.
const MAX_DISPLACEMENT_IN_SIZES: f64 = 1e4;
/// Step length from which a step is too long for bodies of everyday size, s.
const MIN_LONG_STEP: f64 = 1.0;

impl FailureCause {
    /// Diagnoses why a step of length `h` failed.
    pub fn of(
        why: &StepError,
        session: &mut Session,
        h: f64,
        worst: Option<&MostCompressedElement>,
    ) -> FailureCause {
        if matches!(why, StepError::NoAcceptedStep { .. }) {
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
            _ if is_contact(why) => FailureCause::Contact,
            StepError::InadmissibleStart { .. }
            | StepError::BlockedBoundary { .. }
            | StepError::ForbiddenStage { .. }
            | StepError::ForbiddenEnd { .. } => FailureCause::Folded,
            _ if squeezed && is_nearly_incompressible(session) => FailureCause::Incompressible,
            _ if squeezed => FailureCause::Inverted,
            _ if session.method.is_static() => FailureCause::NoEquilibrium,
            _ if contrast(session) > MAX_DIAGONAL_CONTRAST => FailureCause::StiffnessContrast,
            _ if h >= MIN_LONG_STEP => FailureCause::StepTooLong,
            _ => FailureCause::Stalled,
        }
    }

    /// Returns a message with the cause and what to try.
    pub fn sentence(self, worst: Option<&MostCompressedElement>) -> String {
        let element = |what: &str| match worst {
            Some(w) => format!(
                "{what}, worst element {} with volume ratio {:.3e}",
                w.element, w.j
            ),
            None => what.into(),
        };
        match self {
            FailureCause::InfiniteForce => {
                "a force is infinite at a finite state: check pushes, springs and your own forces".into()
            }
            FailureCause::NotANumber => {
                "a force is not a number at a finite state: check your own forces".into()
            }
            FailureCause::BlownUp => {
                "the solution has blown up: try a smaller step, or an L-stable method such as sdirk2".into()
            }
            FailureCause::Folded => element(
                "elements are degenerate or inverted, which this law forbids: move the boundary more slowly, or use shorter steps",
            ),
            FailureCause::Incompressible => element(
                "elements are inverted and their material is nearly incompressible: lower poisson, or start from an undistorted shape",
            ),
            FailureCause::Inverted => element(
                "elements are inverted: try a smaller step, or a law that allows inversion such as stable-neo-hookean",
            ),
            FailureCause::StiffnessContrast => {
                "the largest stiffness is more than 1e12 times the smallest, or inertia, which is lost in rounding: lower the largest stiffness, or use fix instead of tether".into()
            }
            FailureCause::StepTooLong => {
                "the step is much longer than the periods of the body: try a hundredth of it".into()
            }
            FailureCause::Stalled => element("the iteration stalled: try a smaller step"),
            FailureCause::NoEquilibrium => {
                "no equilibrium was found near the last one: the load may be larger than the body can carry (a limit point, buckling or snap-through), or the load steps too long: try more time.steps or smaller loads, or follow the motion with an integrator and damping".into()
            }
            FailureCause::Contact => {
                "surfaces in contact have no way past each other: move obstacles and held nodes more slowly or less far, use shorter steps, or a smaller contact.reach".into()
            }
            FailureCause::ToleranceOutOfReach => {
                "the error exceeds the tolerance even with the smallest step: use a smaller time.control.min, a larger tolerance, or a method of higher order".into()
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
            FailureCause::NoEquilibrium => "no-equilibrium",
            FailureCause::Contact => "contact",
        })
    }
}

/// Whether a pair in contact blocks the step.
fn is_contact(why: &StepError) -> bool {
    match why {
        StepError::BlockedBoundary { blocker, .. }
        | StepError::ForbiddenStage { blocker, .. }
        | StepError::ForbiddenEnd { blocker, .. } => matches!(blocker, Some(Blocker::Named(_))),
        _ => false,
    }
}

/// Returns the first component of the force that is infinite or NaN, or `None` if all are finite.
fn first_nonfinite_force(session: &mut Session) -> Option<f64> {
    let (model, state) = session.model_and_state();
    let mut f = vec![0.0; state.u.len()];
    if let Some(damping) = model.position_damping() {
        damping.update_damping(state.at(), DampingUpdate::Whole);
    }
    model.force(state.at(), &mut f);
    f.into_iter().find(|f| !f.is_finite())
}

/// Returns the ratio of the largest to the smallest diagonal entry of the last assembled matrix.
fn contrast(session: &Session) -> f64 {
    let solver = session.time_loop().solver();
    solver.diagonal_contrast(session.model.mass())
}

/// Returns whether displacements are far larger than the scene.
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
