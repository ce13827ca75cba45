//! What one step does to a vibration: q̈ + 2ζq̇ + q = 0, stepped with h = hω.
//!
//! A step maps (q, q̇) and whatever the method remembers to the same a step later, linearly. The map's columns are
//! found by stepping unit vectors, memory included ([`Stepper::memory`]), and its eigenvalues tell the rest: with λ the
//! largest in modulus, ρ = |λ|, the numerical damping is d/ω = −2 ln ρ/(hω) and the frequency error
//! e = arg λ/(hω) − 1 (003 §3.2, Fig. 3).

use super::roots::{Complex, eigenvalues};
use crate::problems::Chain;
use crate::{Options, State, StepError, Stepper, TimeLoop};

/// A vibration as a method renders it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ModeResponse {
    /// Step times angular frequency, hω.
    pub hw: f64,
    /// Numerical damping d/ω = −2 ln ρ/(hω); negative where the method feeds energy in.
    pub damping: f64,
    /// Relative error of the frequency; −0.1 means 10 % too slow. No step shows more than half a turn, so where a
    /// method turns further the curve folds back at arg λ = π.
    pub frequency_error: f64,
}

/// The hω of certificates: those people ask for, and enough between to draw a curve.
pub const HW_SAMPLES: [f64; 22] = [
    0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 0.7, 1.0, 1.4, 2.0, 3.0, 4.0, 5.0, 7.0, 10.0, 14.0, 20.0, 30.0,
    50.0, 100.0, 300.0, 1000.0,
];

/// Damping and frequency error of an undamped vibration.
pub fn mode_response(stepper: &mut dyn Stepper, hw: f64) -> Result<ModeResponse, StepError> {
    let root = principal(&spectrum(stepper, hw, 0.0)?);
    Ok(ModeResponse {
        hw,
        damping: -2.0 * root.modulus().ln() / hw,
        frequency_error: root.argument().abs() / hw - 1.0,
    })
}

/// Largest modulus of the eigenvalues of one step on q̈ + 2ζq̇ + q = 0 with h = `hw`.
pub fn spectral_radius(stepper: &mut dyn Stepper, hw: f64, zeta: f64) -> Result<f64, StepError> {
    Ok(principal(&spectrum(stepper, hw, zeta)?).modulus())
}

fn principal(spectrum: &[Complex]) -> Complex {
    let larger = |a: Complex, b: &Complex| if b.modulus() > a.modulus() { *b } else { a };
    spectrum.iter().fold(Complex { re: 0.0, im: 0.0 }, larger)
}

fn spectrum(stepper: &mut dyn Stepper, hw: f64, zeta: f64) -> Result<Vec<Complex>, StepError> {
    let mut system = Chain::oscillator(1.0).damped(2.0 * zeta);
    // The forces are linear, so one iteration is exact; what is left is round-off, and grows like (hω)².
    let tolerance = (1e-15 * hw * hw).clamp(1e-13, 1e-3);
    let options = Options {
        tolerance,
        ..Options::default()
    };
    let at_rest = State {
        t: 0.0,
        u: vec![0.0],
        v: vec![0.0],
    };
    // At rest the memory fills with zeros and with constants such as the step before.
    stepper.restart();
    let mut time = TimeLoop::fixed(Box::new(stepper), options, at_rest.clone(), hw);
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
        // The state was this loop's own.
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
