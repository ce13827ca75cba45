//! Stability by a scan of the left half plane.
//!
//! The roots of λ² + 2ζλ + 1 = 0 run along a quarter circle as ζ goes from 0 (the imaginary axis) to 1 (the negative
//! real axis), so stepping damped vibrations with h = |z| visits every z = hλ with Re z ≤ 0.

use super::modes::spectral_radius;
use crate::problems::Chain;
use crate::vector::max_abs;
use crate::{Options, StepError, Stepper, TimeLoop};

/// How a method treats stiff modes, measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeasuredStability {
    /// ρ for hω → ∞; nothing where the step blows up there.
    pub r_inf: Option<f64>,
    /// ρ ≤ 1 wherever the scan looked.
    pub a_stable: bool,
    /// A-stable with R(∞) = 0.
    pub l_stable: bool,
    /// In the stiff limit the end of a step lies on the constraint: u(t) of the Prothero–Robinson problem is hit
    /// exactly, since the last stage is the result.
    pub stiffly_accurate: bool,
    /// Largest hω up to which undamped vibrations do not grow; nothing where there is no limit.
    pub stability_limit: Option<f64>,
}

/// Three steps on the way to infinity; beyond, round-off grows faster than ρ changes.
const STIFF_HW: [f64; 3] = [1e4, 1e5, 1e6];
/// A method that is not L-stable by 1 % of a coefficient misses zero by far more.
pub(super) const R_INF_TOLERANCE: f64 = 1e-4;

/// How far above 1 round-off alone may lift ρ: double eigenvalues are found to half the digits, and those of
/// undamped multi-value methods meet in threes as hω grows.
fn slack(hw: f64) -> f64 {
    1e-7 + 1e-11 * hw
}

/// Measures all of it.
pub fn measure_stability(stepper: &mut dyn Stepper) -> Result<MeasuredStability, StepError> {
    let r_inf = radius_at_infinity(stepper)?;
    let a_stable = first_unstable_hw(stepper)?.is_none();
    let forgets = r_inf.is_some_and(|r| r < R_INF_TOLERANCE);
    let l_stable = a_stable && forgets;
    let stability_limit = if a_stable {
        None
    } else {
        Some(stability_limit(stepper)?)
    };
    Ok(MeasuredStability {
        r_inf,
        a_stable,
        l_stable,
        stiffly_accurate: stiffly_accurate(stepper, forgets)?,
        stability_limit,
    })
}

/// ρ in the stiff limit; nothing where the step blows up there.
///
/// ρ nears its limit like a power of hω (BDF2: −½, generalized-α: −⅔), so along a geometric sequence of steps like
/// one of numbers, whose limit Aitken's formula gives.
pub fn radius_at_infinity(stepper: &mut dyn Stepper) -> Result<Option<f64>, StepError> {
    let mut rho = [0.0; 3];
    for (rho, hw) in rho.iter_mut().zip(STIFF_HW) {
        match max_spectral_radius(stepper, hw)? {
            Some(found) if found <= 2.0 => *rho = found,
            _ => return Ok(None),
        }
    }
    let [before, after] = [rho[1] - rho[0], rho[2] - rho[1]];
    let ratio = after / before;
    let limit = if ratio > 0.0 && ratio < 0.5 {
        rho[2] + after * ratio / (1.0 - ratio)
    } else {
        rho[2]
    };
    // A limit of zero is overshot by round-off.
    Ok(Some(limit.max(0.0)))
}

/// Largest ρ over all dampings; nothing where the step blows up.
fn max_spectral_radius(stepper: &mut dyn Stepper, hw: f64) -> Result<Option<f64>, StepError> {
    let mut worst = 0.0_f64;
    for k in 0..=8 {
        // ζ = −cos of the angle of z.
        let zeta = (std::f64::consts::FRAC_PI_2 * f64::from(k) / 8.0).sin();
        match spectral_radius(stepper, hw, zeta) {
            Ok(rho) if rho.is_finite() => worst = worst.max(rho),
            Ok(_) => return Ok(None),
            Err(why) if why.blew_up() => return Ok(None),
            Err(other) => return Err(other),
        }
    }
    Ok(Some(worst))
}

/// The first |z| of the scan, 10⁻² to 10⁶, at which some vibration grows.
pub fn first_unstable_hw(stepper: &mut dyn Stepper) -> Result<Option<f64>, StepError> {
    for k in -8..=24 {
        let hw = 10.0_f64.powf(f64::from(k) / 4.0);
        if max_spectral_radius(stepper, hw)?.is_none_or(|rho| rho > 1.0 + slack(hw)) {
            return Ok(Some(hw));
        }
    }
    Ok(None)
}

/// Largest hω up to which undamped vibrations do not grow, to three digits; 0 where all grow.
fn stability_limit(stepper: &mut dyn Stepper) -> Result<f64, StepError> {
    let mut grows = |hw: f64| match spectral_radius(stepper, hw, 0.0) {
        Ok(rho) => Ok(rho > 1.0 + 1e-10 || rho.is_nan()),
        Err(why) if why.blew_up() => Ok(true),
        Err(other) => Err(other),
    };
    let (mut low, mut high) = (0.05, 0.0);
    if grows(low)? {
        return Ok(0.0);
    }
    for k in 2..=400 {
        let hw = 0.05 * f64::from(k);
        if grows(hw)? {
            high = hw;
            break;
        }
        low = hw;
    }
    if high == 0.0 {
        return Ok(low);
    }
    for _ in 0..10 {
        let middle = 0.5 * (low + high);
        if grows(middle)? {
            high = middle
        } else {
            low = middle
        }
    }
    Ok(low)
}

/// Whether the end of a step is its last stage.
///
/// Then it lands on the constraint of an infinitely stiff system however nonlinear it is, provided the stage is solved
/// to convergence. Rosenbrock methods and `s-` methods do so for linear forces only, and forget where they started
/// (R(∞) = 0). Landing on a linear constraint alone is not enough: ROS3P does so too, from exact starts.
fn stiffly_accurate(stepper: &mut dyn Stepper, forgets: bool) -> Result<bool, StepError> {
    let stiff = Chain::stiff(1e12);
    Ok(hits_constraint(stepper, stiff.clone())?
        && (forgets || hits_constraint(stepper, stiff.cubic(1e12, 0.0))?))
}

/// Whether two steps (methods with a memory use it in the second) hit the positions of a stiff chain.
fn hits_constraint(stepper: &mut dyn Stepper, mut chain: Chain) -> Result<bool, StepError> {
    stepper.restart();
    let start = chain.exact(0.0);
    let mut time = TimeLoop::fixed(Box::new(stepper), Options::default(), start, 0.1);
    match time.run(&mut chain, 0.2, &mut |_, _| true) {
        Ok(()) => (),
        Err(failure) if failure.why.blew_up() => return Ok(false),
        Err(failure) => return Err(failure.why),
    }
    let s = time.state();
    let truth = chain.exact(s.t).u;
    let off =
        s.u.iter()
            .zip(&truth)
            .map(|(x, y)| (x - y).abs())
            .fold(0.0, f64::max);
    Ok(off <= 1e-7 * max_abs(&truth))
}
