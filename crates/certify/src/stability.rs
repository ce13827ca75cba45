//! Measured stability: a scan of the left half plane.
//!
//! The roots of λ² + 2ζλ + 1 = 0 lie on a quarter circle as ζ goes from 0 (imaginary axis) to 1 (negative real axis).
//! Stepping damped oscillators with h = |z| therefore samples all z = hλ with Re z ≤ 0.

use crate::modes::spectral_radius;
use march::vector::max_abs;
use march::{Options, StepError, Stepper, TimeLoop};
use problems::Chain;

/// Measured stability of a method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeasuredStability {
    /// Spectral radius ρ for hω → ∞; `None` if the step blows up there.
    pub r_inf: Option<f64>,
    /// Whether ρ ≤ 1 at all sampled z with Re z ≤ 0.
    pub a_stable: bool,
    /// Whether the method is A-stable with R(∞) = 0.
    pub l_stable: bool,
    /// Whether the end of a step satisfies the constraint in the stiff limit: it hits u(t) of the Prothero–Robinson
    /// problem because the last stage is the result.
    pub stiffly_accurate: bool,
    /// Largest hω up to which undamped oscillations do not grow; `None` if there is no limit.
    pub stability_limit: Option<f64>,
}

/// Values of hω from which ρ is extrapolated to infinity; beyond them round-off grows faster than ρ changes.
const STIFF_HW: [f64; 3] = [1e4, 1e5, 1e6];
/// Largest |R(∞)| that counts as zero; a method that misses L-stability by 1 % of a coefficient has a far larger one.
pub(super) const R_INF_TOLERANCE: f64 = 1e-4;

/// Returns how far round-off alone may lift ρ above 1: double eigenvalues are found to half the digits, and those of
/// undamped multi-value methods meet in threes as hω grows.
fn roundoff_of_radius(hw: f64) -> f64 {
    1e-7 + 1e-11 * hw
}

/// Measures A- and L-stability, R(∞), stiff accuracy and the stability limit.
pub fn measure_stability(stepper: &mut dyn Stepper) -> Result<MeasuredStability, StepError> {
    let r_inf = radius_at_infinity(stepper)?;
    let a_stable = first_unstable_hw(stepper)?.is_none();
    let r_inf_is_zero = r_inf.is_some_and(|r| r < R_INF_TOLERANCE);
    let l_stable = a_stable && r_inf_is_zero;
    let stability_limit = if a_stable {
        None
    } else {
        Some(stability_limit(stepper, 0.0)?)
    };
    Ok(MeasuredStability {
        r_inf,
        a_stable,
        l_stable,
        stiffly_accurate: stiffly_accurate(stepper, r_inf_is_zero)?,
        stability_limit,
    })
}

/// Returns ρ in the stiff limit, or `None` if the step blows up there.
///
/// ρ approaches its limit like a power of hω (BDF2: −½, generalized-α: −⅔), so on a geometric sequence of steps
/// Aitken's formula gives the limit.
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

/// Returns the largest ρ over all damping ratios, or `None` if the step blows up.
fn max_spectral_radius(stepper: &mut dyn Stepper, hw: f64) -> Result<Option<f64>, StepError> {
    let mut worst = 0.0_f64;
    for k in 0..=8 {
        // ζ = −cos of the argument of z.
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

/// Returns the first |z| of a scan from 10⁻² to 10⁶ at which an oscillation grows.
pub fn first_unstable_hw(stepper: &mut dyn Stepper) -> Result<Option<f64>, StepError> {
    for k in -8..=24 {
        let hw = 10.0_f64.powf(f64::from(k) / 4.0);
        if max_spectral_radius(stepper, hw)?.is_none_or(|rho| rho > 1.0 + roundoff_of_radius(hw)) {
            return Ok(Some(hw));
        }
    }
    Ok(None)
}

/// Returns the largest hω up to which oscillations with a damping ratio ζ do not grow, to three digits; 0 if all grow.
pub fn stability_limit(stepper: &mut dyn Stepper, zeta: f64) -> Result<f64, StepError> {
    let mut grows = |hw: f64| match spectral_radius(stepper, hw, zeta) {
        Ok(rho) => Ok(rho > 1.0 + 1e-10 || rho.is_nan()),
        Err(why) if why.blew_up() => Ok(true),
        Err(other) => Err(other),
    };
    // An overdamped oscillation decays with 2ζω at most.
    let spacing = 0.05 / (1.0 + 2.0 * zeta);
    let (mut low, mut high) = (spacing, 0.0);
    if grows(low)? {
        return Ok(0.0);
    }
    for k in 2..=400 {
        let hw = spacing * f64::from(k);
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

/// Tests whether the end of a step is its last stage.
///
/// Then it satisfies the constraint of an infinitely stiff system, linear or not, if the stage is solved to
/// convergence. Rosenbrock methods and `s-` methods do so for linear forces only, with R(∞) = 0. A linear constraint
/// alone does not decide: ROS3P satisfies it too, from exact starts.
fn stiffly_accurate(stepper: &mut dyn Stepper, r_inf_is_zero: bool) -> Result<bool, StepError> {
    let stiff = Chain::stiff(1e12);
    Ok(hits_constraint(stepper, stiff.clone())?
        && (r_inf_is_zero || hits_constraint(stepper, stiff.cubic(1e12, 0.0))?))
}

/// Tests whether two steps hit the positions of a stiff chain; methods with a memory use it in the second.
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
    let error =
        s.u.iter()
            .zip(&truth)
            .map(|(x, y)| (x - y).abs())
            .fold(0.0, f64::max);
    Ok(error <= 1e-7 * max_abs(&truth))
}
