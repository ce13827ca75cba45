//! Energy projection of velocities around any method (after Su, Sheth & Fedkiw 2013, *Energy conservation for the
//! simulation of deformable bodies*; 004 §2 and Fig. 5 compare with it): take the method's step, and where its energy has
//! left the account, scale what is not rigid motion of its velocity, so that the total is on it:
//!
//! v ← w + s (v − w) with K(s) = K(v) − e, the greater root.
//!
//! w is the nearest rigid motion of each body that nothing holds, so that linear and angular momentum stay; it is zero
//! for others. Held nodes move as they are held. K is a polynomial of second degree in s, p s² + q s + r.
//!
//! Positions stay. So what went astray as potential energy is taken from, or given to, motion that had no part in it, and
//! where potential and rigid motion alone exceed the account no velocity will do: kinetic energy cannot be less than
//! zero. Then the least is taken, and the step [missed](Stepper::missed).
//!
//! What is ours: one factor for all velocities, the plainest change there is. A step within tolerance is kept, as
//! [`Blend`](super::Blend) does; one that is not is put on the account exactly.

use super::account::{Error, Past};
use super::{copy, energy};
use crate::ledger::{Energy, Sample, exchanged};
use crate::{At, StageSolver, State, StepError, Stepper, System};

/// A method whose velocities are scaled to the energy they should have.
pub struct Project {
    base: Box<dyn Stepper>,
    tolerance: f64,
    past: Past,
    missed: bool,
    /// The method's result, and the same with other velocities.
    end: State,
    trial: State,
    /// Rigid motion of the method's result.
    rigid: Vec<f64>,
}

impl Project {
    /// Projection around `base` of steps that leave the account by more than `tolerance` of the energy that moves about.
    pub fn new(base: Box<dyn Stepper>, tolerance: f64) -> Project {
        Project {
            base,
            tolerance,
            past: Past::default(),
            missed: false,
            end: State::default(),
            trial: State::default(),
            rigid: Vec::new(),
        }
    }

    /// Puts the method's result into `self.trial`, with so many times its velocity beyond rigid motion; answers its
    /// energy.
    fn scaled(&mut self, sys: &mut dyn System, factor: f64) -> Energy {
        copy(&mut self.trial, &self.end);
        for (v, w) in self.trial.v.iter_mut().zip(&self.rigid) {
            *v = w + factor * (*v - w);
        }
        energy(sys, &self.trial)
    }

    /// The factor that changes the kinetic energy from that of `plain` by −e, or leaves least of it.
    fn factor(&mut self, sys: &mut dyn System, plain: &Energy, e: f64) -> f64 {
        self.rigid.resize(self.end.v.len(), 0.0);
        let at = At {
            t: self.end.t,
            u: &self.end.u,
            v: &self.end.v,
        };
        sys.rigid(at, &mut self.rigid);
        let r = self.scaled(sys, 0.0).kinetic;
        let mirrored = self.scaled(sys, -1.0).kinetic;
        let p = 0.5 * (plain.kinetic + mirrored) - r;
        let q = 0.5 * (plain.kinetic - mirrored);
        if p <= 0.0 {
            return 1.0;
        }
        let under_root = q * q + 4.0 * p * (plain.kinetic - e - r);
        (under_root.max(0.0).sqrt() - q) / (2.0 * p)
    }
}

impl Stepper for Project {
    fn step(
        &mut self,
        sys: &mut dyn System,
        solver: &mut StageSolver,
        s: &mut State,
        h: f64,
    ) -> Result<(), StepError> {
        if self.past.is_stale() {
            self.base.restart();
        }
        copy(&mut self.end, s);
        self.base.step(sys, solver, &mut self.end, h)?;
        let account = self.past.opened(|| energy(sys, s));
        let booked = exchanged(self.base.as_mut(), sys, &self.end);
        let error = Error {
            account,
            booked: [booked; 2],
            tolerance: self.tolerance,
        };
        let plain = energy(sys, &self.end);
        let found = error.of(&plain, 0.0);
        let moved = !error.fine(found);
        let mut left = plain;
        if moved {
            let factor = self.factor(sys, &plain, found.0);
            left = self.scaled(sys, factor);
        } else {
            copy(&mut self.trial, &self.end);
        }
        self.missed = !error.fine(error.of(&left, 0.0));
        self.past = Past::closed(account.after(booked, &left), moved);
        std::mem::swap(s, &mut self.trial);
        Ok(())
    }

    fn save(&self, out: &mut Vec<f64>) {
        self.past.save(out);
        self.base.save(out);
    }

    fn load(&mut self, memory: &[f64]) -> bool {
        let Some((past, rest)) = Past::load(memory) else {
            return false;
        };
        self.past = past;
        self.base.load(rest)
    }

    /// Those of the method; what scaling did to the energy is numerical.
    fn samples(&mut self, _now: &State, visit: &mut dyn FnMut(Sample)) {
        self.base.samples(&self.end, visit);
    }

    /// Forgets what the method remembers; the account goes on, and what was changed from outside is booked as added.
    fn restart(&mut self) {
        self.past.disturbed = true;
    }

    fn missed(&self) -> bool {
        self.missed
    }
}
