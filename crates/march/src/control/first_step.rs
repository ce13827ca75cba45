//! Length of the first step, estimated from the forces at the start.
//!
//! The method of [Hairer, Nørsett & Wanner 1993, §II.4] for second-order systems and an error in metres. With the
//! acceleration a and its rate j, which a short explicit step estimates, ½ h² ‖a‖∞ is the change of positions beyond
//! the constant velocity, and ⅙ h³ ‖j‖∞ is the error of a second-order method. The step is the one whose second term
//! equals the error aimed at, and at most ten times the one whose first term does. For an error per unit step the error
//! is that of a step of the length found without it.

use crate::vector::{add, combine, max_abs, max_abs_difference};
use crate::{At, StageSolver, State, StepError, System};

/// Largest ratio of the step to the one that the acceleration alone allows.
const MAX_LENGTHENING: f64 = 10.0;
/// Length of the explicit step, relative to the one that the acceleration allows.
const PROBE_STEP_RATIO: f64 = 1e-3;

/// Error that the first step aims at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FirstStepTolerance {
    /// Error, m.
    pub error: f64,
    /// Whether the error is per unit step.
    pub per_unit_step: bool,
}

/// Returns the length of a first step from this state with about this error; `longest` if nothing accelerates.
pub(crate) fn first_step(
    system: &mut dyn System,
    solver: &mut StageSolver,
    from: &State,
    wanted: FirstStepTolerance,
    longest: f64,
) -> Result<f64, StepError> {
    let n = system.dofs();
    solver.begin_step(system, from.at());
    let mut a = vec![0.0; n];
    solver.acceleration(system, from.at(), &mut a)?;
    let by_acceleration = |error: f64| (2.0 * error / max_abs(&a)).sqrt();
    let probe = PROBE_STEP_RATIO * by_acceleration(wanted.error).min(longest);
    let (mut u, mut v, mut later) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
    combine(&mut u, &from.u, probe, &from.v);
    add(&mut u, 0.5 * probe * probe, &a);
    combine(&mut v, &from.v, probe, &a);
    let at = At {
        t: from.t + probe,
        u: &u,
        v: &v,
    };
    if system.has_forbidden_states() && system.max_step(from.at().positions(), at.positions()) < 1.0
    {
        return Ok(probe);
    }
    solver.acceleration(system, at, &mut later)?;
    let rate = max_abs_difference(&later, &a) / probe;
    let length = |error: f64| {
        let by_rate = (6.0 * error / rate).cbrt();
        by_rate
            .min(MAX_LENGTHENING * by_acceleration(error))
            .min(longest)
    };
    let h = match wanted.per_unit_step {
        true => length(wanted.error * length(wanted.error)),
        false => length(wanted.error),
    };
    Ok(match h.is_nan() {
        true => probe,
        false => h,
    })
}
