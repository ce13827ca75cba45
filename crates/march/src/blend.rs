//! Energy tracking around any method (004 §4.1, §4.3, Algorithm 1): take the method's step, look at the energy, and
//! blend in as much backward Euler (where energy was gained) or forward Euler (where it was lost) as brings it back to
//! where physics wants it.
//!
//! The target is what the account says: initial + added − dissipated (eq. 37). With w₀ and w₁ the work and damping
//! that the ledger books for the method's step and for the pole's, the error of a blend is
//!
//! e(α) = H((1−α) x + α x_pole, (1−α) v + α v_pole) − (target + (1−α) w₀ + α w₁)
//!
//! and the blended step is booked by the same weights, so that what the ledger calls numerical is e and nothing else.
//!
//! What we changed. Both poles start from the state the method started from (correction 17). The tolerance is relative
//! to the energy that moves about, not to a total whose zero is a convention (correction 16). A step already within
//! tolerance is kept; where forward Euler loses energy too there is no bracket and the method's step is kept
//! (correction 23); where backward Euler gains too it is taken whole, as the paper does. The bracket is narrowed by the
//! Illinois rule, by halving where that is slow: the paper's binary search with fewer looks at the energy.
//!
//! Angular momentum: blending is linear in positions and velocities, and momentum is not. So every blend of a part that
//! nothing holds is turned, as a rigid body would be, to the angular momentum of the method's own step, before its energy
//! is looked at; where no share of such blends will do, it is blended as printed ([`Blend::as_printed`]). What somebody
//! changed between two steps is noticed by its energy once [`Stepper::restart`] told of it, and booked as added.

use crate::ledger::{Energy, Role, Sample, exchanged};
use crate::vector::combine;
use crate::{At, Newton, Stage, StageSolver, State, StepError, Stepper, System, Weights};

mod account;
mod project;
mod root;

use account::{Account, Error, Past};
use root::Bracket;

pub use project::Project;

/// Looks spent on the least share within tolerance, where the whole pole is within it and errs to the same side as the
/// method.
const HALVINGS: usize = 7;

/// A method kept at the energy it should have.
pub struct Blend {
    base: Box<dyn Stepper>,
    newton: Newton,
    tolerance: f64,
    /// Whether the method's angular momenta are kept.
    spins: bool,
    past: Past,
    missed: bool,
    step: Step,
    /// Angular momenta of the method's result.
    spin: Vec<f64>,
    /// The method's result, the pole's, and a blend of both.
    end: State,
    pole: State,
    trial: State,
    a: Vec<f64>,
    u0: Vec<f64>,
    kept: Vec<f64>,
}

/// What the last step was.
#[derive(Clone, Copy, Debug, Default)]
struct Step {
    h: f64,
    /// Positive for backward, negative for forward Euler.
    alpha: f64,
}

/// What is blended in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pole {
    Backward,
    Forward,
}

impl Blend {
    /// Tracking around `base` within `tolerance` of the energy that moves about; `newton` solves the backward Euler
    /// step. Where the base is implicit its result is a good start, and [`Newton::from_near`] is enough.
    pub fn new(base: Box<dyn Stepper>, newton: Newton, tolerance: f64) -> Blend {
        Blend {
            base,
            newton,
            tolerance,
            spins: true,
            past: Past::default(),
            missed: false,
            step: Step::default(),
            spin: Vec::new(),
            end: State::default(),
            pole: State::default(),
            trial: State::default(),
            a: Vec::new(),
            u0: Vec::new(),
            kept: Vec::new(),
        }
    }

    /// Blends angular momentum like all else, as the paper does.
    pub fn as_printed(mut self) -> Blend {
        self.spins = false;
        self
    }

    /// The energy the system should have now, J; nothing before the first step.
    pub fn target(&self) -> Option<f64> {
        self.past.account.map(|a| a.target)
    }

    fn reserve(&mut self, n: usize) {
        let states = [&mut self.pole, &mut self.trial];
        let own = [&mut self.a, &mut self.u0];
        for x in states
            .into_iter()
            .flat_map(|s| [&mut s.u, &mut s.v])
            .chain(own)
        {
            x.resize(n, 0.0);
        }
    }

    /// Solves for the pole of the step from `s`, whose method ended in `self.end`; answers work and damping.
    fn pole(
        &mut self,
        pole: Pole,
        sys: &mut dyn System,
        solver: &mut StageSolver,
        s: &State,
        h: f64,
    ) -> Result<f64, StepError> {
        let here = at(s);
        self.pole.t = self.end.t;
        match pole {
            Pole::Forward => {
                solver.acceleration(sys, here, &mut self.a)?;
                combine(&mut self.pole.u, &s.u, h, &s.v);
                combine(&mut self.pole.v, &s.v, h, &self.a);
            }
            Pole::Backward => {
                combine(&mut self.u0, &s.u, h, &s.v);
                // The method's mean acceleration, as a hint.
                combine(&mut self.pole.v, &self.end.v, -1.0, &s.v);
                self.pole.v.iter_mut().for_each(|x| *x /= h);
                let stage = Stage {
                    t: self.end.t,
                    u0: &self.u0,
                    v0: &s.v,
                    c_u: h * h,
                    c_v: h,
                    near: at(&self.end),
                    hint: Some(&self.pole.v),
                    newton: self.newton,
                };
                solver.solve(sys, &stage, &mut self.a)?;
                combine(&mut self.pole.u, &self.u0, h * h, &self.a);
                combine(&mut self.pole.v, &s.v, h, &self.a);
            }
        }
        Ok(h * sys.exchange(self.pole_at(pole, s), &self.a))
    }

    /// Where the pole's forces acted.
    fn pole_at<'a>(&'a self, pole: Pole, s: &'a State) -> At<'a> {
        at(match pole {
            Pole::Backward => &self.pole,
            Pole::Forward => s,
        })
    }

    /// Puts the blend of this share of the pole into `self.trial`, with the angular momenta of `self.spin` if any.
    fn mix(&mut self, sys: &mut dyn System, alpha: f64) {
        self.trial.t = self.end.t;
        let Blend {
            trial, end, pole, ..
        } = self;
        for (out, x, y) in [
            (&mut trial.u, &end.u, &pole.u),
            (&mut trial.v, &end.v, &pole.v),
        ] {
            for ((out, x), y) in out.iter_mut().zip(x).zip(y) {
                *out = (1.0 - alpha) * x + alpha * y;
            }
        }
        if !self.spin.is_empty() {
            sys.respin(&self.trial.u, &self.spin, &mut self.trial.v);
        }
    }

    /// The share of the pole that brings the energy back, and the energy there; the blend is left in `self.trial`.
    /// Nothing where forward Euler loses energy too.
    fn share(
        &mut self,
        pole: Pole,
        sys: &mut dyn System,
        e0: f64,
        error: &Error,
    ) -> Option<(f64, Energy)> {
        let mut look = |own: &mut Blend, alpha: f64| {
            own.mix(sys, alpha);
            let energy = energy(sys, &own.trial);
            (energy, error.of(&energy, alpha))
        };
        let (mut energy, found) = look(self, 1.0);
        if (found.0 > 0.0) == (e0 > 0.0) {
            if !error.fine(found) {
                return (pole == Pole::Backward).then_some((1.0, energy));
            }
            // No more of it than is needed.
            let (mut low, mut high) = (0.0, 1.0);
            for _ in 0..HALVINGS {
                let middle = 0.5 * (low + high);
                let (other, found) = look(self, middle);
                if error.fine(found) {
                    (high, energy) = (middle, other);
                } else {
                    low = middle;
                }
            }
            self.mix(sys, high);
            return Some((high, energy));
        }
        let mut bracket = Bracket::new(e0, found.0);
        while let Some(alpha) = bracket.next() {
            let (energy, found) = look(self, alpha);
            if error.fine(found) {
                return Some((alpha, energy));
            }
            bracket.narrow(alpha, found.0);
        }
        let alpha = bracket.lower();
        let (energy, _) = look(self, alpha);
        Some((alpha, energy))
    }

    /// [`Blend::share`] with the method's angular momenta, or without where that does not bring the energy back.
    fn back(
        &mut self,
        pole: Pole,
        sys: &mut dyn System,
        e0: f64,
        error: &Error,
    ) -> Option<(f64, Energy)> {
        self.spin.clear();
        if self.spins {
            sys.spins(at(&self.end), &mut self.spin);
        }
        if !self.spin.is_empty() {
            let found = self.share(pole, sys, e0, error);
            let fine = |(alpha, energy): &(f64, Energy)| error.fine(error.of(energy, *alpha));
            if found.as_ref().is_some_and(fine) {
                return found;
            }
            self.spin.clear();
        }
        self.share(pole, sys, e0, error)
    }

    /// Everything after the method's own step: what to blend in, and how much.
    fn blended(
        &mut self,
        sys: &mut dyn System,
        solver: &mut StageSolver,
        s: &State,
        h: f64,
    ) -> Result<(f64, Account), StepError> {
        let account = self.past.opened(|| energy(sys, s));
        let booked = exchanged(self.base.as_mut(), sys, &self.end);
        let mut error = Error {
            account,
            booked: [booked, 0.0],
            tolerance: self.tolerance,
        };
        let plain = energy(sys, &self.end);
        let found = error.of(&plain, 0.0);
        self.missed = false;
        if error.fine(found) || found.0 == 0.0 {
            return Ok((0.0, account.after(error.booked[0], &plain)));
        }
        let pole = if found.0 > 0.0 {
            Pole::Backward
        } else {
            Pole::Forward
        };
        error.booked[1] = self.pole(pole, sys, solver, s, h)?;
        let (alpha, energy) = self
            .back(pole, sys, found.0, &error)
            .unwrap_or((0.0, plain));
        self.missed = !error.fine(error.of(&energy, alpha));
        let [w0, w1] = error.booked;
        let account = account.after((1.0 - alpha) * w0 + alpha * w1, &energy);
        let signed = if pole == Pole::Backward {
            alpha
        } else {
            -alpha
        };
        Ok((signed, account))
    }
}

fn at(s: &State) -> At<'_> {
    At {
        t: s.t,
        u: &s.u,
        v: &s.v,
    }
}

fn energy(sys: &mut dyn System, s: &State) -> Energy {
    sys.energy_at(at(s))
}

/// Copies a state into memory that is there already.
fn copy(to: &mut State, from: &State) {
    to.t = from.t;
    to.u.clone_from(&from.u);
    to.v.clone_from(&from.v);
}

impl Stepper for Blend {
    fn step(
        &mut self,
        sys: &mut dyn System,
        solver: &mut StageSolver,
        s: &mut State,
        h: f64,
    ) -> Result<(), StepError> {
        self.reserve(sys.dofs());
        if self.past.is_stale() {
            self.base.restart();
        }
        self.kept.clear();
        self.base.save(&mut self.kept);
        if self.past.account.is_none() {
            // The mass is factored now and not by the first forward Euler, so that a resumed run counts alike.
            self.a.fill(0.0);
            solver.solve_mass(sys, s.t, &mut self.a)?;
            // And buffers are made, which the first blend may want much later.
            if self.spins {
                sys.spins(at(s), &mut self.spin);
            }
        }
        let pole = Weights {
            mass: 1.0,
            damping: h,
            stiffness: h * h,
        };
        solver.make_ready(sys, s.t, self.newton, pole)?;
        copy(&mut self.end, s);
        self.base.step(sys, solver, &mut self.end, h)?;
        match self.blended(sys, solver, s, h) {
            Ok((alpha, account)) => {
                self.past = Past::closed(account, alpha != 0.0);
                self.step = Step { h, alpha };
                // What is left in `trial` is the state before the step.
                if alpha == 0.0 {
                    copy(&mut self.trial, &self.end);
                }
                std::mem::swap(s, &mut self.trial);
                Ok(())
            }
            Err(why) => {
                self.base.load(&self.kept);
                Err(why)
            }
        }
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

    fn samples(&mut self, _now: &State, visit: &mut dyn FnMut(Sample)) {
        let Step { h, alpha } = self.step;
        let share = alpha.abs();
        self.base.samples(&self.end, &mut |sample| {
            visit(Sample {
                weight: (1.0 - share) * sample.weight,
                ..sample
            })
        });
        if alpha == 0.0 {
            return;
        }
        let pole = if alpha > 0.0 {
            Pole::Backward
        } else {
            Pole::Forward
        };
        visit(Sample {
            weight: share * h,
            at: self.pole_at(pole, &self.trial),
            a: &self.a,
            role: Role::Stage,
        });
    }

    /// Forgets what the method remembers; the account goes on, and what was changed from outside is booked as added.
    fn restart(&mut self) {
        self.past.disturbed = true;
    }

    fn blend(&self) -> f64 {
        self.step.alpha
    }

    fn missed(&self) -> bool {
        self.missed
    }
}
