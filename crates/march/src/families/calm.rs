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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problems::Chain;
    use crate::{Options, Parameters, find};

    /// Energy of an oscillator after twenty steps, of what it was.
    fn kept(w: f64) -> f64 {
        let method = find("implicit-midpoint").unwrap();
        let stepper = method.stepper(&Parameters::default(), Newton::Minimise);
        let mut calm = Calm::new(stepper.unwrap());
        let (mut chain, mut solver) = (
            Chain::oscillator(w),
            StageSolver::new(Options {
                tolerance: 1e-13,
                ..Options::default()
            }),
        );
        let mut s = State {
            t: 0.0,
            u: vec![1.0],
            v: vec![0.0],
        };
        let first = energy(&mut chain, &s);
        for _ in 0..20 {
            calm.step(&mut chain, &mut solver, &mut s, 1.0).unwrap();
        }
        energy(&mut chain, &s) / first
    }

    /// Backward Euler leaves 1/(1 + (hω)²) of an oscillator's energy in every step, the midpoint rule all of it.
    #[test]
    fn euler_steps_on_while_it_takes_more_than_a_tenth() {
        let step = |w: f64| 1.0 / (1.0 + w * w);
        assert!((kept(0.32) - step(0.32)).abs() < 1e-10, "{}", kept(0.32));
        let often = step(0.35).powi(20);
        assert!((kept(0.35) - often).abs() < 1e-10, "{}", kept(0.35));
    }
}
