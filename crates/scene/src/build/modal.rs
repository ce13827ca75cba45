//! Modes of a scene that damping and output need: computed once, about the initial state.
//!
//! A damped mode of frequency ω loses the factor e^(−2δh) of its modal velocity after every step, δ = ln 2 / half-life. The
//! step of a method has on that mode a matrix of determinant ρ², with ρ the method's own decay of the amplitude; the
//! product has the determinant ρ² e^(−2δh), so the amplitude decays by ρ e^(−δh) in every step at any step length, as long
//! as the mode still oscillates: the half-life comes on top of the method's own damping. A step with which it would not is
//! refused (`check_step`). X (I − e^(−2δh)) XᵀM is the low-rank form of the modes; no matrix gets denser.

use certify::modes::decay_by_velocity_loss;
use march::methods::MethodChoice;
use march::{Newton, Parameters, State, System};
use solid::model::{DampedMode, Model};
use sparse::counted_eigenpairs;

use crate::modal_analysis::stiffness;
use crate::spec::{Body, Scene};

/// Relative residual of the modes.
const TOLERANCE: f64 = 1e-9;
/// Number of modes computed first, and the largest number for damping.
const FIRST_COUNT: usize = 16;
const MAX_DAMPED: usize = 400;
/// Largest relative error of a half-life.
const HALF_LIFE_TOLERANCE: f64 = 0.05;
/// Number of halvings in the search for a step with which all half-lives are right.
const MAX_HALVINGS: i32 = 40;
/// Largest half-life in messages, relative to the one asked for.
const MAX_TOLD: f64 = 1e6;

/// A mode of the unknowns, xᵀM x = 1.
#[derive(Clone, Debug)]
pub struct ModeOfUnknowns {
    /// Squared circular frequency, rad²/s²; not negative.
    pub square: f64,
    /// M x.
    pub mass_vector: Vec<f64>,
    /// The mode x.
    pub vector: Vec<f64>,
}

impl ModeOfUnknowns {
    /// Returns ½ (q̇² + ω² q²) of a state, J, with the coordinate q = xᵀM u.
    pub fn energy(&self, state: &State) -> f64 {
        let q = march::vector::dot(&self.mass_vector, &state.u);
        let rate = march::vector::dot(&self.mass_vector, &state.v);
        0.5 * (rate * rate + self.square * q * q)
    }

    fn hz(&self) -> f64 {
        self.square.sqrt() / std::f64::consts::TAU
    }
}

/// Computes the `count` lowest modes about a state.
fn lowest(model: &mut Model, state: &State, count: usize) -> Result<Vec<ModeOfUnknowns>, String> {
    let k = stiffness(model, state);
    let found = counted_eigenpairs(&k, model.mass(), count, TOLERANCE);
    let pairs = found.map_err(|why| why.to_string())?.pairs;
    let mode = |(square, vector): (f64, Vec<f64>)| {
        let mut mass_vector = vec![0.0; vector.len()];
        model.mass().times(&vector, &mut mass_vector);
        ModeOfUnknowns {
            square: square.max(0.0),
            mass_vector,
            vector,
        }
    };
    Ok(pairs.into_iter().map(mode).collect())
}

/// Computes the modes whose energies are written. Returns the error message if there are fewer unknowns.
pub(super) fn of_output(
    scene: &Scene,
    model: &mut Model,
    state: &State,
) -> Result<Vec<ModeOfUnknowns>, String> {
    let Some(count) = scene.output.modes else {
        return Ok(Vec::new());
    };
    let n = model.dofs();
    if count as usize > n {
        return Err(format!(
            "{count} modes were asked for, but the scene has {n} unknowns; ask for at most {n}"
        ));
    }
    lowest(model, state, count as usize)
}

/// Gives the model its damped modes. Returns the key and the error message if a band cannot be damped.
pub(super) fn damp(
    scene: &Scene,
    first: &[u32],
    method: (&MethodChoice, &Parameters),
    model: &mut Model,
    state: &State,
) -> Result<(), (String, String)> {
    let bands = |b: &Body| b.damping.modal.clone();
    let highest = scene.body.iter().flat_map(bands).map(|b| b.to_hz);
    let highest = highest.fold(0.0, f64::max);
    let banded = |b: &Body| !b.damping.modal.is_empty();
    let Some(number) = scene.body.iter().position(banded) else {
        return Ok(());
    };
    let key = format!("body[{number}].damping.modal");
    let modes = up_to(model, state, highest).map_err(|why| (key, why))?;
    let mut damped = Vec::new();
    let mut bands = Vec::new();
    for mode in modes {
        let Some(number) = owner(model, first, &mode) else {
            continue;
        };
        let Some(body) = scene.body.get(number) else {
            continue;
        };
        for (k, band) in body.damping.modal.iter().enumerate() {
            if !(band.from_hz..=band.to_hz).contains(&mode.hz()) {
                continue;
            }
            let rate = std::f64::consts::LN_2 / band.half_life;
            if rate >= mode.square.sqrt() && mode.square > 0.0 {
                let least = std::f64::consts::LN_2 / mode.square.sqrt();
                return Err((
                    format!("body[{number}].damping.modal[{k}].half-life"),
                    format!(
                        "a mode of {:.3} Hz with a half-life of {} s would no longer oscillate; use more than {least:.2e} s, or damping.drag for a motion that creeps",
                        mode.hz(),
                        band.half_life
                    ),
                ));
            }
            if mode.square > 0.0 {
                bands.push(DampedBand {
                    key: format!("body[{number}].damping.modal[{k}].half-life"),
                    omega: mode.square.sqrt(),
                    half_life: band.half_life,
                });
            }
            damped.push(DampedMode {
                vector: mode.vector.clone(),
                mass_vector: mode.mass_vector.clone(),
                rate: 2.0 * rate,
            });
        }
    }
    check_step(scene, method, &bands)?;
    model.set_damped_modes(damped);
    Ok(())
}

/// An oscillating mode with its half-life and the key that asks for it.
struct DampedBand {
    key: String,
    omega: f64,
    half_life: f64,
}

impl DampedBand {
    /// Returns the half-life under a method and a step net of its own damping, infinite if the amplitude does not decay; `None`
    /// if the method fails on an oscillator.
    fn half_life_at(&self, method: (&MethodChoice, &Parameters), h: f64) -> Option<f64> {
        // A method with modes has this one among them, or treats it like its base method.
        let parameters = Parameters {
            modes: method.1.modes.map(|_| 1),
            ..method.1.clone()
        };
        let mut stepper = method.0.stepper(&parameters, Newton::Minimise).ok()?;
        let kept = (-2.0 * std::f64::consts::LN_2 * h / self.half_life).exp();
        let decay = decay_by_velocity_loss(stepper.as_mut(), h * self.omega, kept).ok()?;
        Some(h * std::f64::consts::LN_2 / (-decay.ln()).max(f64::MIN_POSITIVE))
    }

    fn is_right(&self, method: (&MethodChoice, &Parameters), h: f64) -> bool {
        let found = self.half_life_at(method, h);
        found.is_none_or(|found| (found / self.half_life - 1.0).abs() < HALF_LIFE_TOLERANCE)
    }
}

/// Refuses a step with which a mode would not oscillate from step to step, so that its half-life would be wrong; the message
/// names one with which all are right.
fn check_step(
    scene: &Scene,
    method: (&MethodChoice, &Parameters),
    bands: &[DampedBand],
) -> Result<(), (String, String)> {
    let Some(h) = scene.time.step.filter(|_| !method.0.is_static()) else {
        return Ok(());
    };
    let Some(wrong) = bands.iter().find(|b| !b.is_right(method, h)) else {
        return Ok(());
    };
    let hz = wrong.omega / std::f64::consts::TAU;
    let found = match wrong.half_life_at(method, h) {
        Some(found) if found < MAX_TOLD * wrong.half_life => {
            format!("a half-life of {found:.3e} s")
        }
        _ => "no decay".into(),
    };
    let mut shorter = (1..MAX_HALVINGS).map(|k| h * 0.5f64.powi(k));
    let shorter = shorter.find(|&h| bands.iter().all(|b| b.is_right(method, h)));
    let advice = shorter.map_or("use another method".into(), |h| {
        format!("use time.step = {h}")
    });
    Err((
        wrong.key.clone(),
        format!(
            "{} with steps of {h} s gives a mode of {hz:.3} Hz {found} instead of a half-life of {} s, because it would no longer oscillate from step to step; {advice}",
            method.0.name(),
            wrong.half_life
        ),
    ))
}

/// Computes all modes up to a frequency.
fn up_to(model: &mut Model, state: &State, hz: f64) -> Result<Vec<ModeOfUnknowns>, String> {
    let n = model.dofs();
    let mut count = FIRST_COUNT.min(n);
    loop {
        let modes = lowest(model, state, count)?;
        if count == n || modes.last().is_none_or(|m| m.hz() > hz) {
            return Ok(modes);
        }
        if count >= MAX_DAMPED {
            let reached = modes.last().map_or(0.0, |m| m.hz());
            return Err(format!(
                "there are more than {MAX_DAMPED} modes up to {hz} Hz: the {MAX_DAMPED} lowest end at {reached:.3} Hz; lower to-hz, or use damping.stiffness for all higher frequencies"
            ));
        }
        count = (2 * count).min(n).min(MAX_DAMPED);
    }
}

/// Returns the body that has most of the kinetic energy of a mode, or `None` if there is no body.
fn owner(model: &Model, first: &[u32], mode: &ModeOfUnknowns) -> Option<usize> {
    let mut shares = vec![0.0; first.len()];
    for (k, (node, _)) in model.free_components().enumerate() {
        let body = first.partition_point(|&f| f <= node);
        if body > 0 {
            shares[body - 1] += mode.vector[k] * mode.mass_vector[k];
        }
    }
    (0..shares.len()).max_by(|&i, &j| shares[i].total_cmp(&shares[j]))
}
