//! Rannacher start-up: backward Euler at the start of a rough motion, then the method itself [Rannacher 1984].
//!
//! A method that does not damp stiff modes (R(∞) ≠ 0) keeps the energy that a rough start puts into them, and nonlinear
//! forces make it grow; a method with linearised stages may diverge. Rannacher starts with a fixed number of
//! backward-Euler steps. We take backward-Euler steps until one of them dissipates at most a tenth of the energy. With
//! one half instead of a tenth, two of three scattered bodies blew up under the midpoint rule.

use super::runge_kutta::RungeKutta;
use crate::ledger::PowerSample;
use crate::tables::runge_kutta::BACKWARD_EULER;
use crate::{MethodMemory, Newton, State, StepContext, StepError, StepReport, Stepper, System};

/// Largest fraction of the energy that the last start-up step dissipates.
const MAX_LOSS_OF_SETTLED_START: f64 = 0.1;

/// Stepper that begins with backward Euler and continues with a method.
pub struct RannacherStartup {
    euler: RungeKutta,
    method: Box<dyn Stepper>,
    settled: bool,
    /// Whether the attempt is a backward-Euler step, and whether the start-up ends with it.
    euler_attempt: bool,
    settles: bool,
}

impl RannacherStartup {
    /// Creates a stepper that continues with `method` after the start-up.
    pub fn new(method: Box<dyn Stepper>) -> RannacherStartup {
        RannacherStartup {
            euler: RungeKutta::new(&BACKWARD_EULER, Newton::Minimise),
            method,
            settled: false,
            euler_attempt: false,
            settles: false,
        }
    }
}

/// Kinetic plus strain energy, J, which does not depend on the zero of gravitational energy.
fn energy(system: &mut dyn System, s: &State) -> f64 {
    system.energy_at(s.at()).kinetic_plus_strain()
}

impl Stepper for RannacherStartup {
    fn attempt(
        &mut self,
        cx: &mut StepContext,
        from: &State,
        h: f64,
        to: &mut State,
    ) -> Result<StepReport, StepError> {
        self.euler_attempt = !self.settled;
        if self.settled {
            return self.method.attempt(cx, from, h, to);
        }
        let before = energy(cx.system, from);
        let report = self.euler.attempt(cx, from, h, to)?;
        let lost = before - energy(cx.system, to);
        self.settles = lost <= MAX_LOSS_OF_SETTLED_START * before.abs();
        Ok(report)
    }

    fn commit(&mut self) {
        if self.euler_attempt {
            self.euler.commit();
            self.settled = self.settles;
        } else {
            self.method.commit();
        }
    }

    fn samples(&mut self, from: &State, to: &State, visit: &mut dyn FnMut(PowerSample)) {
        match self.euler_attempt {
            true => self.euler.samples(from, to, visit),
            false => self.method.samples(from, to, visit),
        }
    }

    fn save_into(&self, memory: &mut MethodMemory) {
        let method = memory.set_startup(self.settled);
        match self.settled {
            true => self.method.save_into(method),
            false => self.euler.save_into(method),
        }
    }

    fn restore(&mut self, memory: &MethodMemory) -> bool {
        let MethodMemory::Startup { settled, method } = memory else {
            return false;
        };
        self.settled = *settled;
        self.restart();
        match self.settled {
            true => self.method.restore(method),
            false => self.euler.restore(method),
        }
    }

    fn restart(&mut self) {
        self.euler.restart();
        self.method.restart();
    }
}
