//! Numerical damping and frequency error of a method on the oscillator q̈ + 2ζq̇ + q = 0, stepped with h = hω.
//!
//! A step maps (q, q̇) and the memory of the method linearly to their values one step later. The columns of this map
//! are found by stepping unit vectors, memory included ([`Stepper::memory`]). With λ its eigenvalue of largest modulus
//! and ρ = |λ|, the numerical damping is d/ω = −2 ln ρ/(hω) and the frequency error is e = arg λ/(hω) − 1 [Ascher et
//! al. 2021, §3.2, Fig. 3].

use crate::roots::{Complex, eigenvalues};
use march::{Options, State, StepError, Stepper, TimeLoop};
use problems::Chain;

/// Numerical damping and frequency error of a method at one hω.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ModeResponse {
    /// Step length times angular frequency, hω.
    pub hw: f64,
    /// Numerical damping d/ω = −2 ln ρ/(hω); negative if the method adds energy.
    pub damping: f64,
    /// Relative error of the frequency; −0.1 means 10 % too slow. The argument of λ is at most π, so the curve folds
    /// back at arg λ = π if a step rotates further.
    pub frequency_error: f64,
}

/// Values of hω at which certificates list damping and frequency error.
pub const HW_SAMPLES: [f64; 22] = [
    0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 0.7, 1.0, 1.4, 2.0, 3.0, 4.0, 5.0, 7.0, 10.0, 14.0, 20.0, 30.0,
    50.0, 100.0, 300.0, 1000.0,
];

/// Measures damping and frequency error of an undamped oscillator.
pub fn mode_response(stepper: &mut dyn Stepper, hw: f64) -> Result<ModeResponse, StepError> {
    let root = principal(&spectrum(stepper, hw, 0.0)?);
    Ok(ModeResponse {
        hw,
        damping: -2.0 * root.modulus().ln() / hw,
        frequency_error: root.argument().abs() / hw - 1.0,
    })
}

/// Returns the spectral radius of one step on q̈ + 2ζq̇ + q = 0 with h = `hw`.
pub fn spectral_radius(stepper: &mut dyn Stepper, hw: f64, zeta: f64) -> Result<f64, StepError> {
    Ok(principal(&spectrum(stepper, hw, zeta)?).modulus())
}

/// Returns the factor of the amplitude in one step that a loss of velocity adds to the damping of a method, on q̈ + q = 0
/// with h = `hw`: after each step a fraction `kept` of the velocity is left, and the history of the motion is dropped. It
/// is √`kept` as long as the oscillator still oscillates from step to step, because the loss changes the determinant of
/// the map of a step by `kept`; beyond that the amplitude creeps.
pub fn decay_by_velocity_loss(
    stepper: &mut dyn Stepper,
    hw: f64,
    kept: f64,
) -> Result<f64, StepError> {
    let mut system = Chain::oscillator(1.0);
    let unit = |k: usize| State {
        t: 0.0,
        u: vec![if k == 0 { 1.0 } else { 0.0 }],
        v: vec![if k == 1 { 1.0 } else { 0.0 }],
    };
    stepper.restart();
    let mut time = TimeLoop::fixed(Box::new(stepper), linear_options(hw), unit(2), hw);
    // A start-up with another method is over then.
    time.run(&mut system, 2.0 * hw, &mut |_, _| true)
        .map_err(|failure| failure.why)?;
    let after_start = time.save(&system);
    let mut rows = vec![vec![0.0; 2]; 2];
    for j in 0..2 {
        let mut start = after_start.clone();
        start.state = unit(j);
        // The saved state comes from this loop, so it fits.
        let _ = time.restore(&mut system, &start);
        time.restart();
        time.step(&mut system, hw).map_err(|failure| failure.why)?;
        (rows[0][j], rows[1][j]) = (time.state().u[0], time.state().v[0]);
    }
    let own = principal(&eigenvalues(&rows)).modulus();
    rows[1].iter_mut().for_each(|x| *x *= kept);
    Ok(principal(&eigenvalues(&rows)).modulus() / own)
}

/// Returns options for linear forces: one iteration is exact up to round-off, which grows like (hω)².
fn linear_options(hw: f64) -> Options {
    Options {
        tolerance: (1e-15 * hw * hw).clamp(1e-13, 1e-3),
        ..Options::default()
    }
}

fn principal(spectrum: &[Complex]) -> Complex {
    let larger = |a: Complex, b: &Complex| if b.modulus() > a.modulus() { *b } else { a };
    spectrum.iter().fold(Complex { re: 0.0, im: 0.0 }, larger)
}

fn spectrum(stepper: &mut dyn Stepper, hw: f64, zeta: f64) -> Result<Vec<Complex>, StepError> {
    let mut system = Chain::oscillator(1.0).damped(2.0 * zeta);
    let at_rest = State {
        t: 0.0,
        u: vec![0.0],
        v: vec![0.0],
    };
    // At rest the memory fills with zeros and with constants such as the previous step length.
    stepper.restart();
    let mut time = TimeLoop::fixed(Box::new(stepper), linear_options(hw), at_rest.clone(), hw);
    time.run(&mut system, 2.0 * hw, &mut |_, _| true)
        .map_err(|failure| failure.why)?;
    let mut rest = time.save(&system);
    rest.state = at_rest;
    let constants: Vec<f64> = rest
        .method
        .linear_values_mut()
        .iter()
        .map(|x| **x)
        .collect();
    let n = 2 + constants.len();
    let mut rows = vec![vec![0.0; n]; n];
    for j in 0..n {
        let mut start = rest.clone();
        match j {
            0 => start.state.u[0] += 1.0,
            1 => start.state.v[0] += 1.0,
            _ => *start.method.linear_values_mut()[j - 2] += 1.0,
        }
        // The saved state comes from this loop, so it fits.
        let _ = time.restore(&mut system, &start);
        time.step(&mut system, hw).map_err(|failure| failure.why)?;
        let (s, mut after) = (time.state(), time.method_memory());
        (rows[0][j], rows[1][j]) = (s.u[0], s.v[0]);
        for (i, (x, x0)) in after.linear_values_mut().iter().zip(&constants).enumerate() {
            rows[2 + i][j] = **x - x0;
        }
    }
    Ok(eigenvalues(&rows))
}
