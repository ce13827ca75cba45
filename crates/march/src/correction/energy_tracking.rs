//! Energy tracking around any method [Dinev et al. 2018, §4.1, §4.3, Algorithm 1]: take the step of the method, measure
//! the energy, and blend in as much backward Euler (if energy was gained) or forward Euler (if it was lost) as restores
//! the target energy.
//!
//! The target is that of the energy budget, initial + added − dissipated (eq. 37). With w₀ and w₁ the external work and
//! damping of the method's step and of the Euler step, the error of a blend is
//!
//! e(α) = H((1−α) x + α x_E, (1−α) v + α v_E) − (target + (1−α) w₀ + α w₁)
//!
//! The ledger books the blended step with the same weights, so its numerical part is exactly e.
//!
//! Changes to the paper. Both Euler steps start from the state that the method started from (docs/references.md, E17).
//! The tolerance is relative to kinetic plus strain energy, because the zero of the total energy in eq. 24 is a
//! convention (E16). A step within the tolerance is kept; if forward Euler loses energy too there is no bracket and the
//! method's step is kept (E23). If backward Euler gains energy too it is taken whole, as in the paper. The bracket is
//! narrowed by the Illinois rule, and by bisection if that is slow; this needs fewer energy evaluations than the
//! bisection of the paper.
//!
//! Angular momentum. Blending is linear in positions and velocities; angular momentum is not. Every blend of a free
//! body is therefore given the angular momentum of the method's own step by a rigid rotation of its velocities, before
//! its energy is measured. If no such blend is within the tolerance, the unmodified blend of the paper is taken
//! ([`EnergyTracking::without_momentum_correction`]). After [`Stepper::restart`](crate::Stepper::restart) a change of
//! energy between two steps is booked as added.
//!
//! Contact. The budget includes the energy of barriers, which the paper leaves out ([`EnergyTracking::without_contact_energy`]):
//! without it, energy stored in a contact counts as lost, and forward Euler gives it back too early. Two free states may
//! have a forbidden one between them, so a blend is taken only if the straight path from the end of the method's step
//! to the end of the Euler step is free. Otherwise the velocities are scaled instead, as by
//! [`VelocityProjection`].

use super::bracket::Bracket;
use super::{Correction, CorrectionOutcome, UncorrectedStep, VelocityProjection};
use crate::budget::EnergyError;
use crate::ledger::{Energy, PowerSample, SampleRole};
use crate::vector::{combine, not_finite};
use crate::{At, Newton, Stage, State, StepContext, StepError, System, Weights};

/// Bisections for the smallest blend factor within the tolerance, if the whole Euler step is within it and has an error
/// of the same sign as the method.
const MAX_BISECTIONS: usize = 7;

/// Correction that blends in Euler steps to keep the energy of the budget.
pub struct EnergyTracking {
    newton: Newton,
    tolerance: f64,
    /// Whether the angular momenta of the method are kept.
    keeps_momentum: bool,
    /// Whether the budget includes the energy of contact.
    counts_contact: bool,
    /// Correction of steps whose blends are not admissible.
    projection: VelocityProjection,
    /// Length of the attempt and its blend factor, positive for backward, negative for forward Euler.
    h: f64,
    alpha: f64,
    /// Angular momenta at the end of the method's step.
    momenta: Vec<f64>,
    /// End of the Euler step, its acceleration and its inertial position.
    euler: State,
    a: Vec<f64>,
    u0: Vec<f64>,
}

/// Euler method that is blended in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Euler {
    Backward,
    Forward,
}

impl EnergyTracking {
    /// Creates the correction with a tolerance relative to kinetic plus strain energy. `newton` solves the backward
    /// Euler step; if the method is implicit, its result is a good start, and [`Newton::for_near_start`] is enough.
    pub fn new(newton: Newton, tolerance: f64) -> EnergyTracking {
        EnergyTracking {
            newton,
            tolerance,
            keeps_momentum: true,
            counts_contact: true,
            projection: VelocityProjection::new(tolerance),
            h: 0.0,
            alpha: 0.0,
            momenta: Vec::new(),
            euler: State::default(),
            a: Vec::new(),
            u0: Vec::new(),
        }
    }

    /// Blends angular momentum too [Dinev et al. 2018, Algorithm 1].
    pub fn without_momentum_correction(mut self) -> EnergyTracking {
        self.keeps_momentum = false;
        self
    }

    /// Leaves the energy of contact out of the budget, as [Dinev et al. 2018] do.
    pub fn without_contact_energy(mut self) -> EnergyTracking {
        self.counts_contact = false;
        self
    }

    /// Computes the Euler step from the start of the method's step; returns its external work plus damping, J.
    fn euler_step(
        &mut self,
        kind: Euler,
        cx: &mut StepContext,
        step: &UncorrectedStep,
    ) -> Result<f64, StepError> {
        let UncorrectedStep { from, end, h, .. } = *step;
        self.euler.t = end.t;
        match kind {
            Euler::Forward => {
                cx.solver.acceleration(cx.system, from.at(), &mut self.a)?;
                combine(&mut self.euler.u, &from.u, h, &from.v);
                combine(&mut self.euler.v, &from.v, h, &self.a);
            }
            Euler::Backward => {
                combine(&mut self.u0, &from.u, h, &from.v);
                // The mean acceleration of the method, as initial guess.
                combine(&mut self.euler.v, &end.v, -1.0, &from.v);
                self.euler.v.iter_mut().for_each(|x| *x /= h);
                let stage = Stage {
                    t: end.t,
                    u0: &self.u0,
                    v0: &from.v,
                    c_u: h * h,
                    c_v: h,
                    inertia: 1.0,
                    near: end.at(),
                    hint: Some(&self.euler.v),
                    newton: self.newton,
                };
                cx.solver.solve(cx.system, &stage, &mut self.a)?;
                combine(&mut self.euler.u, &self.u0, h * h, &self.a);
                combine(&mut self.euler.v, &from.v, h, &self.a);
            }
        }
        Ok(h * cx.system.exchange_power(self.euler_at(kind, from), &self.a))
    }

    /// Returns the state at which the forces of the Euler step act.
    fn euler_at<'a>(&'a self, kind: Euler, from: &'a State) -> At<'a> {
        match kind {
            Euler::Backward => self.euler.at(),
            Euler::Forward => from.at(),
        }
    }

    /// Returns `true` if all blends are admissible: the path from the end of the method's step to the end of the Euler
    /// step is free.
    fn blends_are_free(&self, system: &mut dyn System, end: &State) -> bool {
        if !system.has_forbidden_states() || not_finite(&self.euler.u).is_some() {
            return true;
        }
        system.max_step(end.at().positions(), self.euler.at().positions()) >= 1.0
    }

    /// Writes the blend with this fraction of the Euler step into `to`, with the stored angular momenta, if any.
    fn mix(&self, system: &mut dyn System, end: &State, alpha: f64, to: &mut State) {
        to.t = end.t;
        for (out, x, y) in [
            (&mut to.u, &end.u, &self.euler.u),
            (&mut to.v, &end.v, &self.euler.v),
        ] {
            for ((out, x), y) in out.iter_mut().zip(x).zip(y) {
                *out = (1.0 - alpha) * x + alpha * y;
            }
        }
        if !self.momenta.is_empty() {
            system.set_angular_momenta(&to.u, &self.momenta, &mut to.v);
        }
    }

    /// Finds the blend factor that restores the energy, writes the blend into `to` and returns the factor and the
    /// energy. Returns `None` if forward Euler loses energy too.
    fn blend_factor(
        &self,
        search: &Search,
        system: &mut dyn System,
        to: &mut State,
    ) -> Option<(f64, Energy)> {
        let error = search.error;
        let mut measure = |to: &mut State, alpha: f64| {
            self.mix(system, search.end, alpha, to);
            let energy = self.counted(system.energy_at(to.at()));
            (energy, error.of(&energy, alpha))
        };
        let (mut energy, found) = measure(to, 1.0);
        if (found.0 > 0.0) == (search.e0 > 0.0) {
            if !error.within_tolerance(found) {
                return (search.kind == Euler::Backward).then_some((1.0, energy));
            }
            // Use no more of the Euler step than needed.
            let (mut low, mut high) = (0.0, 1.0);
            for _ in 0..MAX_BISECTIONS {
                let middle = 0.5 * (low + high);
                let (other, found) = measure(to, middle);
                if error.within_tolerance(found) {
                    (high, energy) = (middle, other);
                } else {
                    low = middle;
                }
            }
            self.mix(system, search.end, high, to);
            return Some((high, energy));
        }
        let mut bracket = Bracket::new(search.e0, found.0);
        while let Some(alpha) = bracket.next() {
            let (energy, found) = measure(to, alpha);
            if error.within_tolerance(found) {
                return Some((alpha, energy));
            }
            bracket.narrow(alpha, found.0);
        }
        let alpha = bracket.lower();
        let (energy, _) = measure(to, alpha);
        Some((alpha, energy))
    }

    /// Calls [`EnergyTracking::blend_factor`] with the angular momenta of the method, and without them if that does not
    /// restore the energy.
    fn blend(
        &mut self,
        search: &Search,
        system: &mut dyn System,
        to: &mut State,
    ) -> Option<(f64, Energy)> {
        self.momenta.clear();
        if self.keeps_momentum {
            system.angular_momenta(search.end.at(), &mut self.momenta);
        }
        if !self.momenta.is_empty() {
            let found = self.blend_factor(search, system, to);
            let error = search.error;
            let within =
                |(alpha, energy): &(f64, Energy)| error.within_tolerance(error.of(energy, *alpha));
            if found.as_ref().is_some_and(within) {
                return found;
            }
            self.momenta.clear();
        }
        self.blend_factor(search, system, to)
    }
}

/// Search for the blend factor of an Euler step.
struct Search<'a> {
    kind: Euler,
    /// End of the method's step.
    end: &'a State,
    /// Energy error there.
    e0: f64,
    error: &'a EnergyError,
}

impl Correction for EnergyTracking {
    fn prepare(
        &mut self,
        cx: &mut StepContext,
        from: &State,
        h: f64,
        first: bool,
    ) -> Result<(), StepError> {
        let n = cx.system.dofs();
        self.euler.resize(n);
        self.a.resize(n, 0.0);
        self.u0.resize(n, 0.0);
        if first {
            // The mass matrix is factored now, not by the first forward Euler step: a resumed run then has the same counts.
            self.a.fill(0.0);
            cx.solver.solve_mass(cx.system, from.t, &mut self.a)?;
            // Buffers that the first blend may need much later are allocated here.
            if self.keeps_momentum {
                cx.system.angular_momenta(from.at(), &mut self.momenta);
            }
        }
        let backward = Weights {
            mass: 1.0,
            damping: h,
            stiffness: h * h,
        };
        cx.solver
            .prefactor(cx.system, from.t, self.newton, backward)
    }

    fn correct(
        &mut self,
        cx: &mut StepContext,
        step: &UncorrectedStep,
        to: &mut State,
    ) -> Result<CorrectionOutcome, StepError> {
        let mut error = EnergyError {
            budget: step.budget,
            booked: [step.booked, 0.0],
            tolerance: self.tolerance,
        };
        (self.h, self.alpha) = (step.h, 0.0);
        let plain = self.counted(cx.system.energy_at(step.end.at()));
        let e = error.of(&plain, 0.0);
        let mut outcome = CorrectionOutcome {
            energy: plain,
            booked: step.booked,
            blend: 0.0,
            changed: false,
            tolerance_missed: false,
        };
        if error.within_tolerance(e) || e.0 == 0.0 {
            to.copy_from(step.end);
            return Ok(outcome);
        }
        let kind = if e.0 > 0.0 {
            Euler::Backward
        } else {
            Euler::Forward
        };
        error.booked[1] = self.euler_step(kind, cx, step)?;
        if !self.blends_are_free(cx.system, step.end) {
            let projection = &mut self.projection;
            let energy = projection.project(cx.system, step.end, (&plain, e.0), to);
            outcome.energy = self.counted(energy);
            outcome.changed = true;
            outcome.tolerance_missed = !error.within_tolerance(error.of(&outcome.energy, 0.0));
            return Ok(outcome);
        }
        let search = Search {
            kind,
            end: step.end,
            e0: e.0,
            error: &error,
        };
        let (alpha, energy) = self.blend(&search, cx.system, to).unwrap_or((0.0, plain));
        outcome.tolerance_missed = !error.within_tolerance(error.of(&energy, alpha));
        let [w0, w1] = error.booked;
        outcome.booked = (1.0 - alpha) * w0 + alpha * w1;
        outcome.energy = energy;
        self.alpha = match kind {
            Euler::Backward => alpha,
            Euler::Forward => -alpha,
        };
        outcome.blend = self.alpha;
        outcome.changed = self.alpha != 0.0;
        if !outcome.changed {
            to.copy_from(step.end);
        }
        Ok(outcome)
    }

    fn counted(&self, energy: Energy) -> Energy {
        match self.counts_contact {
            true => energy,
            false => Energy {
                contact: 0.0,
                ..energy
            },
        }
    }

    fn method_weight(&self) -> f64 {
        1.0 - self.alpha.abs()
    }

    fn samples(&self, from: &State, visit: &mut dyn FnMut(PowerSample)) {
        if self.alpha == 0.0 {
            return;
        }
        let kind = if self.alpha > 0.0 {
            Euler::Backward
        } else {
            Euler::Forward
        };
        visit(PowerSample {
            weight: self.alpha.abs() * self.h,
            at: self.euler_at(kind, from),
            a: &self.a,
            role: SampleRole::Stage,
        });
    }
}
