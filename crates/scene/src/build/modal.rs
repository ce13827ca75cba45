//! Modes of a scene that damping and output need: computed once, about the initial state.
//!
//! A damped mode of frequency ω loses the factor e^(−2δh) of its modal velocity after every step, δ = ln 2 / half-life. The
//! step of a method has on that mode a matrix of determinant ρ², with ρ the method's own decay of the amplitude; the
//! product has the determinant ρ² e^(−2δh), so the amplitude decays by ρ e^(−δh) in every step at any step length, as long
//! as the mode still oscillates: the half-life comes on top of the method's own damping. X (I − e^(−2δh)) XᵀM is the
//! low-rank form of the modes; no matrix gets denser.

use march::{State, System};
use solid::model::{DampedMode, Model};
use sparse::counted_eigenpairs;

use crate::modal_analysis::stiffness;
use crate::spec::{Body, Scene};

/// Relative residual of the modes.
const TOLERANCE: f64 = 1e-9;
/// Number of modes computed first, and the largest number for damping.
const FIRST_COUNT: usize = 16;
const MAX_DAMPED: usize = 400;

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
            damped.push(DampedMode {
                vector: mode.vector.clone(),
                mass_vector: mode.mass_vector.clone(),
                rate: 2.0 * rate,
            });
        }
    }
    model.set_damped_modes(damped);
    Ok(())
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
