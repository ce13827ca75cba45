//! Backward Euler until a rough start is calm, then the method itself.
//!
//! A method that does not damp stiff modes (R(∞) ≠ 0) keeps what a rough start puts into them for ever, and nonlinear
//! forces make it grow; one that solves a linearised stage may be thrown anywhere. R. Rannacher ("Finite element
//! solution of diffusion problems with irregular data", Numer. Math. 43, 1984) begins with a few steps of backward
//! Euler. Changed: not a few, but for as long as each of them takes more than a tenth of the energy. Half is too much: what a
//! step does not take is then motion of wild shapes, and of three scattered figures two were thrown apart by the midpoint rule.

use super::runge_kutta::RungeKutta;
use crate::ledger::Sample;
use crate::tables::runge_kutta::BACKWARD_EULER;
use crate::{At, Newton, StageSolver, State, StepError, Stepper, System};

/// A step of backward Euler that takes no more than this share of the energy leaves a calm body.
const CALM: f64 = 0.1;

/// A method that is let in once the start is calm.
pub struct Calm {
    euler: RungeKutta,
    method: Box<dyn Stepper>,
    calm: bool,
    /// Whether the last step was backward Euler's.
    eulers: bool,
}

impl Calm {
    /// This method after a calm start.
    pub fn new(method: Box<dyn Stepper>) -> Calm {
        Calm {
            euler: RungeKutta::new(&BACKWARD_EULER, Newton::Minimise),
            method,
            calm: false,
            eulers: false,
        }
    }
}

/// The energy there is whatever the height is measured from, J.
fn energy(sys: &mut dyn System, s: &State) -> f64 {
    let at = At {
        t: s.t,
        u: &s.u,
        v: &s.v,
    };
    sys.energy_at(at).lively()
}

impl Stepper for Calm {
    fn step(
        &mut self,
        sys: &mut dyn System,
        solver: &mut StageSolver,
        s: &mut State,
        h: f64,
    ) -> Result<(), StepError> {
        if self.calm {
            self.method.step(sys, solver, s, h)?;
            self.eulers = false;
            return Ok(());
        }
        let before = energy(sys, s);
        self.euler.step(sys, solver, s, h)?;
        self.eulers = true;
        self.calm = before - energy(sys, s) <= CALM * before.abs();
        Ok(())
    }

    fn save(&self, out: &mut Vec<f64>) {
        out.push(f64::from(u8::from(self.calm)));
        match self.calm {
            true => self.method.save(out),
            false => self.euler.save(out),
        }
    }

    fn load(&mut self, memory: &[f64]) -> bool {
        let Some((&calm, memory)) = memory.split_first() else {
            return false;
        };
        self.calm = calm == 1.0;
        match self.calm {
            true => self.method.load(memory),
            false => self.euler.load(memory),
        }
    }

    fn samples(&mut self, now: &State, visit: &mut dyn FnMut(Sample)) {
        match self.eulers {
            true => self.euler.samples(now, visit),
            false => self.method.samples(now, visit),
        }
    }

    fn restart(&mut self) {
        self.euler.restart();
        self.method.restart();
    }
}
