//! The length of a first step, from the forces at the start.
//!
//! After Hairer, Nørsett and Wanner ("Solving Ordinary Differential Equations I", section II.4), for second-order systems
//! and an error in metres: with the acceleration a and its rate j, estimated by a short explicit step, ½ h² ‖a‖∞ is what
//! positions change by beside their velocity, and ⅙ h³ ‖j‖∞ what a method of second order cannot follow. The step is the one
//! for which the second of them is the error aimed at, but at most ten times the one for which the first is. An error per
//! unit step is that of a step of the length found without it.

use crate::vector::{add, combine, max_abs, max_abs_difference};
use crate::{At, StageSolver, State, StepError, System};

/// Most that the rate of the acceleration may lengthen a step beyond what the acceleration asks for.
const MAX_LENGTHENING: f64 = 10.0;
/// Length of the explicit step, relative to the one that the acceleration asks for.
const PROBE_STEP_RATIO: f64 = 1e-3;

/// The error that a first step should have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FirstStepTolerance {
    /// The error, m.
    pub error: f64,
    /// Whether it is that of a second of steps.
    pub per_unit_step: bool,
}

/// A first step from this state with about this error; `longest` if nothing accelerates.
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
