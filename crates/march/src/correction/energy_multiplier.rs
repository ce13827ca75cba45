//! Conservation of energy by a Lagrange multiplier around any method [Hughes, Caughey & Liu 1978].
//!
//! The step is made stationary under the constraint that its end has the energy of the budget. With the trapezoidal rule,
//! v = v₁ + (2/h) δ for a change δ of the end (u₁, v₁) of the unconstrained step, the stationarity is
//!
//! (4/h²) M δ + ∇V(u₁ + δ) − ∇V(u₁) + λ (∇V(u₁ + δ) + (2/h) M v) = 0, H(u₁ + δ, v) = target
//!
//! For given λ > −1 and after division by 1 + λ this is a stage, M a = f(u₁ + ¼h² a, v₁ + ½h a) + M s with δ = ¼h² a and
//!
//! s = −(a₁ + λ (2/h) v₁)/(1 + λ), a₁ = M⁻¹f(u₁, v₁)
//!
//! so the stage solver of the method solves it, and λ is the root of one equation. Around the trapezoidal rule and Newmark's
//! method with β = ¼, γ = ½ this is the method of the authors; around other methods it is the same change of their end.
//!
//! The multiplier acts on all velocities, rigid motion included: a falling body whose vibrations gain energy is braked. [Dinev
//! et al. 2018, Fig. 1] show a cloth that stops falling and trembles. This correction is for that comparison. A step for which no
//! multiplier is found keeps the end of the method and misses its tolerance.

use super::bracket::Bracket;
use super::{Correction, CorrectionOutcome, UncorrectedStep};
use crate::budget::EnergyError;
use crate::ledger::Energy;
use crate::stage::usable;
use crate::vector::combine;
use crate::{Newton, Stage, State, StepContext, StepError, Weights};

/// Energy error that a corrected step should reach, relative to kinetic plus strain energy and to the tolerance.
const TARGET_ERROR: f64 = 1e-3;
/// Largest number of extrapolations of λ until its sign changes.
const MAX_EXTRAPOLATIONS: usize = 12;
/// Largest number of stages after λ is bracketed.
const MAX_BRACKETED: usize = 25;
/// Largest growth of λ in one extrapolation.
const MAX_GROWTH: f64 = 4.0;

/// Correction that constrains the energy by a Lagrange multiplier.
pub struct EnergyMultiplier {
    newton: Newton,
    tolerance: f64,
    /// Acceleration at the end of the method's step.
    a1: Vec<f64>,
    /// Shift s of the stage, and its solution.
    shift: Vec<f64>,
    a: Vec<f64>,
    u0: Vec<f64>,
    v0: Vec<f64>,
}

impl EnergyMultiplier {
    /// Creates the correction with a tolerance relative to kinetic plus strain energy; `newton` solves its stages.
    pub fn new(newton: Newton, tolerance: f64) -> EnergyMultiplier {
        EnergyMultiplier {
            newton,
            tolerance,
            a1: Vec::new(),
            shift: Vec::new(),
            a: Vec::new(),
            u0: Vec::new(),
            v0: Vec::new(),
        }
    }

    /// Writes the end of the step with this multiplier into `to`; returns its energy, or `None` if the stage cannot be
    /// solved.
    fn solve(
        &mut self,
        cx: &mut StepContext,
        step: &UncorrectedStep,
        lambda: f64,
        to: &mut State,
    ) -> Result<Option<Energy>, StepError> {
        let UncorrectedStep { end, h, .. } = *step;
        let (c_u, c_v) = (0.25 * h * h, 0.5 * h);
        for (s, (a, v)) in self.shift.iter_mut().zip(self.a1.iter().zip(&end.v)) {
            *s = -(a + lambda * v / c_v) / (1.0 + lambda);
        }
        combine(&mut self.u0, &end.u, c_u, &self.shift);
        combine(&mut self.v0, &end.v, c_v, &self.shift);
        let stage = Stage {
            t: end.t,
            u0: &self.u0,
            v0: &self.v0,
            c_u,
            c_v,
            inertia: 1.0,
            near: end.at(),
            hint: Some(&self.a1),
            newton: self.newton,
        };
        match cx.solver.solve(cx.system, &stage, &mut self.a) {
            Err(StepError::Newton { .. }) => return Ok(None),
            solved => solved?,
        };
        to.t = end.t;
        combine(&mut to.u, &self.u0, c_u, &self.a);
        combine(&mut to.v, &self.v0, c_v, &self.a);
        if cx.system.has_forbidden_states() {
            let free = usable(
                cx.system
                    .max_step(end.at().positions(), to.at().positions()),
            );
            for (x, y) in [(&mut to.u, &end.u), (&mut to.v, &end.v)] {
                x.iter_mut()
                    .zip(y)
                    .for_each(|(x, y)| *x = y + free * (*x - y));
            }
        }
        Ok(Some(cx.system.energy_at(to.at())))
    }

    /// Returns a lower bound of |λ| in magnitude: the root if the stiffness vanished.
    fn first_multiplier(&self, cx: &StepContext, step: &UncorrectedStep, e: f64) -> f64 {
        let c_v = 0.5 * step.h;
        let mass = cx.system.mass();
        let (a, v) = (&self.a1, &step.end.v);
        let [vv, va, aa] = [(v, v), (v, a), (a, a)].map(|(x, y)| mass.bilinear_form(x, y));
        let slope = vv - 2.0 * c_v * va + c_v * c_v * aa;
        match slope > 0.0 {
            true => (e / slope).clamp(-0.5, 4.0),
            false => 0.0,
        }
    }

    /// Finds the multiplier of an error `e` at λ = 0; the state in `to` belongs to the energy that is returned. Returns
    /// `None` if no multiplier is found.
    fn find(
        &mut self,
        cx: &mut StepContext,
        step: &UncorrectedStep,
        e: f64,
        error: &EnergyError,
        to: &mut State,
    ) -> Result<Option<Energy>, StepError> {
        let on_target = |(e, scale): (f64, f64)| e.abs() <= TARGET_ERROR * error.tolerance * scale;
        let (mut before, mut lambda) = ((0.0, e), self.first_multiplier(cx, step, e));
        for _ in 0..MAX_EXTRAPOLATIONS {
            if lambda == 0.0 {
                return Ok(None);
            }
            let Some(mut energy) = self.solve(cx, step, lambda, to)? else {
                return Ok(None);
            };
            let found = error.of(&energy, 0.0);
            if on_target(found) {
                return Ok(Some(energy));
            }
            if (found.0 > 0.0) != (e > 0.0) {
                let (start, length) = (before.0, lambda - before.0);
                let mut bracket = Bracket::new(before.1, found.0);
                for _ in 0..MAX_BRACKETED {
                    let Some(fraction) = bracket.next() else {
                        break;
                    };
                    let tried = self.solve(cx, step, start + fraction * length, to)?;
                    let Some(tried) = tried else {
                        return Ok(None);
                    };
                    energy = tried;
                    let found = error.of(&energy, 0.0);
                    if on_target(found) {
                        break;
                    }
                    bracket.narrow(fraction, found.0);
                }
                return Ok(Some(energy));
            }
            let slope = (found.0 - before.1) / (lambda - before.0);
            let secant = (lambda - found.0 / slope) / lambda;
            let growth = match secant.is_finite() && secant > 1.0 {
                true => (1.05 * secant).min(MAX_GROWTH),
                false => MAX_GROWTH,
            };
            before = (lambda, found.0);
            // λ stays above −1, where the constraint alone would determine the step.
            lambda = (growth * lambda).max(0.5 * (lambda - 1.0));
        }
        Ok(None)
    }
}

impl Correction for EnergyMultiplier {
    fn prepare(
        &mut self,
        cx: &mut StepContext,
        from: &State,
        h: f64,
        first: bool,
    ) -> Result<(), StepError> {
        let n = cx.system.dofs();
        for buffer in [
            &mut self.a1,
            &mut self.shift,
            &mut self.a,
            &mut self.u0,
            &mut self.v0,
        ] {
            buffer.resize(n, 0.0);
        }
        if first {
            // The mass matrix is factored now: a resumed run then has the same counts.
            self.a.fill(0.0);
            cx.solver.solve_mass(cx.system, from.t, &mut self.a)?;
        }
        let trapezoid = Weights {
            mass: 1.0,
            damping: 0.5 * h,
            stiffness: 0.25 * h * h,
        };
        cx.solver
            .prefactor(cx.system, from.t, self.newton, trapezoid)
    }

    fn correct(
        &mut self,
        cx: &mut StepContext,
        step: &UncorrectedStep,
        to: &mut State,
    ) -> Result<CorrectionOutcome, StepError> {
        let error = EnergyError {
            budget: step.budget,
            booked: [step.booked; 2],
            tolerance: self.tolerance,
        };
        let plain = cx.system.energy_at(step.end.at());
        let e = error.of(&plain, 0.0);
        let mut found = None;
        if !error.within_tolerance(e) && e.0.is_finite() {
            cx.solver
                .acceleration(cx.system, step.end.at(), &mut self.a1)?;
            found = self.find(cx, step, e.0, &error, to)?;
        }
        if found.is_none() {
            to.copy_from(step.end);
        }
        let energy = found.unwrap_or(plain);
        Ok(CorrectionOutcome {
            energy,
            booked: step.booked,
            blend: 0.0,
            changed: found.is_some(),
            tolerance_missed: !error.within_tolerance(error.of(&energy, 0.0)),
        })
    }
}
