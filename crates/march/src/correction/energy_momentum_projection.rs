//! Projection of positions and velocities onto energy and momenta around any method (FEPR) [Dinev et al. 2018b]: take the
//! step of the method, then move its end to a nearby state with the energy of the budget, the linear momentum of the
//! step and the angular momentum that the torques of the step leave.
//!
//! The distance is ½‖Δx‖²_M + ½h²‖Δv‖²_M. Its steepest direction towards another energy is
//!
//! Δx = −λ M⁻¹∇V, Δv = −λ (v − w)/h², λ ≈ e / (‖M⁻¹∇V‖²_M + ‖v − w‖²_M/h²)
//!
//! with e the energy error. w is the rigid motion of each free body; the rigid part of M⁻¹∇V is left out in the same way,
//! so centres of mass and linear momenta stay where the method put them. Every method conserves linear momentum, because
//! it is a linear invariant. The angular momentum of a free body is set to L₀ + Σ wᵢ τᵢ by a rigid rotation of its
//! velocities, with the torques τᵢ at the samples of the step; internal forces have none.
//!
//! Changes to the paper. The momentum constraints are eliminated as described above, instead of being relaxed and solved
//! together with the energy. The target is that of the energy budget, so damping, loads and moving boundaries act. λ is
//! found by the Illinois rule once it is bracketed. Where stiff modes (hω ≫ 1) allow only a small λ, a direction of velocities
//! alone follows, Δx = 0. A step within the tolerance of the energy keeps its energy; its
//! angular momenta are restored in any case, so their errors do not add up.

use super::bracket::Bracket;
use super::{Correction, CorrectionOutcome, UncorrectedStep};
use crate::budget::EnergyError;
use crate::ledger::{Energy, PowerSample};
use crate::stage::usable;
use crate::vector::{add, combine};
use crate::{At, State, StepContext, StepError, System};

/// Energy error that a projected step should reach, relative to kinetic plus strain energy.
const PROJECTED_ERROR: f64 = 1e-12;
/// Largest number of directions, each with the gradient of its own start.
const MAX_DIRECTIONS: usize = 12;
/// Largest number of halvings of λ until the error decreases.
const MAX_HALVINGS: usize = 20;
/// Change of velocities that counts as rounding, relative to the energy scale.
const VELOCITY_ROUNDING: f64 = 1e-28;

/// What a direction changes.
#[derive(Clone, Copy, PartialEq)]
enum Moves {
    PositionsAndVelocities,
    Velocities,
}

impl Moves {
    const fn other(self) -> Moves {
        match self {
            Moves::PositionsAndVelocities => Moves::Velocities,
            Moves::Velocities => Moves::PositionsAndVelocities,
        }
    }
}

/// Correction that projects onto the energy of the budget and the momenta of the free bodies.
pub struct EnergyMomentumProjection {
    tolerance: f64,
    /// Angular momenta that the step should have, and a buffer for torques.
    momenta: Vec<f64>,
    torques: Vec<f64>,
    /// Start of the current direction, and the direction.
    base: State,
    direction: State,
    /// Zero velocities, and a buffer for rigid motions.
    zero: Vec<f64>,
    rigid: Vec<f64>,
}

impl EnergyMomentumProjection {
    /// Creates the correction; `tolerance` is relative to kinetic plus strain energy.
    pub fn new(tolerance: f64) -> EnergyMomentumProjection {
        EnergyMomentumProjection {
            tolerance,
            momenta: Vec::new(),
            torques: Vec::new(),
            base: State::default(),
            direction: State::default(),
            zero: Vec::new(),
            rigid: Vec::new(),
        }
    }

    /// Computes the direction at [`Self::base`]; returns the decrease of the energy per unit of λ.
    fn find_direction(
        &mut self,
        cx: &mut StepContext,
        h: f64,
        moves: Moves,
    ) -> Result<f64, StepError> {
        match moves {
            Moves::PositionsAndVelocities => self.find_position_direction(cx)?,
            Moves::Velocities => self.direction.u.fill(0.0),
        }
        let at = self.base.at();
        cx.system.rigid_velocity(at, &mut self.rigid);
        for (d, (v, w)) in self
            .direction
            .v
            .iter_mut()
            .zip(at.v.iter().zip(&self.rigid))
        {
            *d = (v - w) / (h * h);
        }
        let (du, dv) = (&self.direction.u, &self.direction.v);
        let mass = cx.system.mass();
        Ok(mass.bilinear_form(du, du) + h * h * mass.bilinear_form(dv, dv))
    }

    /// Computes the direction of the positions: M⁻¹∇V without its rigid part.
    fn find_position_direction(&mut self, cx: &mut StepContext) -> Result<(), StepError> {
        let at = self.base.at();
        let still = At {
            v: &self.zero,
            ..at
        };
        cx.solver
            .acceleration(cx.system, still, &mut self.direction.u)?;
        let moved = At {
            v: &self.direction.u,
            ..at
        };
        cx.system.rigid_velocity(moved, &mut self.rigid);
        // Forces are −∇V.
        for (x, rigid) in self.direction.u.iter_mut().zip(&self.rigid) {
            *x = rigid - *x;
        }
        Ok(())
    }

    /// Writes the state at `lambda` into `to`, with the angular momenta of the step; returns its energy.
    fn state_at(&self, system: &mut dyn System, lambda: f64, to: &mut State) -> Energy {
        to.t = self.base.t;
        combine(&mut to.u, &self.base.u, -lambda, &self.direction.u);
        combine(&mut to.v, &self.base.v, -lambda, &self.direction.v);
        if !self.momenta.is_empty() {
            system.set_angular_momenta(&to.u, &self.momenta, &mut to.v);
        }
        system.energy_at(to.at())
    }

    /// Returns the largest admissible part of `lambda`: less than all of it if forbidden states are in the way.
    fn admissible(&self, system: &mut dyn System, lambda: f64, to: &mut State) -> f64 {
        if !system.has_forbidden_states() {
            return lambda;
        }
        combine(&mut to.u, &self.base.u, -lambda, &self.direction.u);
        let end = At {
            u: &to.u,
            ..self.base.at()
        };
        lambda * usable(system.max_step(self.base.at().positions(), end.positions()))
    }

    /// Moves `to` with the energy error `e` along directions of its own; returns the energy of the state that is reached, or
    /// `None` if the error cannot be decreased.
    fn project(
        &mut self,
        cx: &mut StepContext,
        (h, mut e): (f64, f64),
        error: &EnergyError,
        to: &mut State,
    ) -> Result<Option<Energy>, StepError> {
        let (mut moves, mut stalled, mut reached) = (Moves::PositionsAndVelocities, false, None);
        for _ in 0..MAX_DIRECTIONS {
            self.base.copy_from(to);
            let Some(energy) = self.move_along(cx, (h, e, moves), error, to)? else {
                to.copy_from(&self.base);
                if stalled {
                    break;
                }
                (stalled, moves) = (true, moves.other());
                continue;
            };
            let found = error.of(&energy, 0.0);
            (reached, stalled) = (Some(energy), false);
            if on_target(found) {
                break;
            }
            if found.0.abs() > 0.5 * e.abs() {
                moves = moves.other();
            }
            e = found.0;
        }
        Ok(reached)
    }

    /// Moves from [`Self::base`] along one direction; returns the energy of the state in `to`, or `None` if the error
    /// cannot be decreased.
    fn move_along(
        &mut self,
        cx: &mut StepContext,
        (h, e, moves): (f64, f64, Moves),
        error: &EnergyError,
        to: &mut State,
    ) -> Result<Option<Energy>, StepError> {
        let slope = self.find_direction(cx, h, moves)?;
        if slope <= 0.0 {
            return Ok(None);
        }
        let mut lambda = match moves {
            Moves::PositionsAndVelocities => self.admissible(cx.system, e / slope, to),
            // No vibration is left at λ = h².
            Moves::Velocities => (e / slope).min(h * h),
        };
        for _ in 0..MAX_HALVINGS {
            let energy = self.state_at(cx.system, lambda, to);
            let (found, _) = error.of(&energy, 0.0);
            if (found > 0.0) != (e > 0.0) && found.is_finite() {
                return Ok(Some(self.bracketed(
                    cx.system,
                    lambda,
                    [e, found],
                    error,
                    to,
                )));
            }
            if found.abs() < e.abs() {
                return Ok(Some(energy));
            }
            lambda *= 0.5;
        }
        Ok(None)
    }

    /// Finds the root between 0 and `lambda`, where the errors have opposite signs.
    fn bracketed(
        &self,
        system: &mut dyn System,
        lambda: f64,
        [e0, e1]: [f64; 2],
        error: &EnergyError,
        to: &mut State,
    ) -> Energy {
        let mut energy = system.energy_at(to.at());
        if on_target(error.of(&energy, 0.0)) {
            return energy;
        }
        let mut bracket = Bracket::new(e0, e1);
        while let Some(fraction) = bracket.next() {
            energy = self.state_at(system, fraction * lambda, to);
            let found = error.of(&energy, 0.0);
            if on_target(found) {
                break;
            }
            bracket.narrow(fraction, found.0);
        }
        energy
    }
}

/// Returns `true` if the error is small enough for a projected step.
fn on_target((e, scale): (f64, f64)) -> bool {
    e.abs() <= PROJECTED_ERROR * scale
}

impl Correction for EnergyMomentumProjection {
    fn prepare(
        &mut self,
        cx: &mut StepContext,
        from: &State,
        _h: f64,
        first: bool,
    ) -> Result<(), StepError> {
        let n = cx.system.dofs();
        for buffer in [&mut self.zero, &mut self.rigid] {
            buffer.resize(n, 0.0);
        }
        for state in [&mut self.base, &mut self.direction] {
            state.resize(n);
        }
        cx.system.angular_momenta(from.at(), &mut self.momenta);
        if first {
            // The mass matrix is factored now: a resumed run then has the same counts.
            self.rigid.fill(0.0);
            cx.solver.solve_mass(cx.system, from.t, &mut self.rigid)?;
        }
        Ok(())
    }

    fn sample(&mut self, system: &mut dyn System, sample: &PowerSample) {
        if self.momenta.is_empty() {
            return;
        }
        system.torques(sample.at, &mut self.torques);
        add(&mut self.momenta, sample.weight, &self.torques);
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
        to.copy_from(step.end);
        let mut changed = false;
        if !self.momenta.is_empty() {
            cx.system
                .set_angular_momenta(&to.u, &self.momenta, &mut to.v);
            combine(&mut self.rigid, &to.v, -1.0, &step.end.v);
            let change = cx.system.mass().bilinear_form(&self.rigid, &self.rigid);
            changed = change > VELOCITY_ROUNDING * step.budget.scale;
            if !changed {
                to.v.copy_from_slice(&step.end.v);
            }
        }
        let mut energy = cx.system.energy_at(to.at());
        let mut e = error.of(&energy, 0.0);
        if !error.within_tolerance(e) && e.0.is_finite() {
            let moved = self.project(cx, (step.h, e.0), &error, to)?;
            if let Some(found) = moved {
                changed = true;
                energy = found;
                e = error.of(&energy, 0.0);
            }
        }
        Ok(CorrectionOutcome {
            energy,
            booked: step.booked,
            blend: 0.0,
            changed,
            tolerance_missed: !error.within_tolerance(e),
        })
    }
}
