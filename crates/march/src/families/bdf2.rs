//! The second-order backward differentiation formula with variable steps (003 eq. 7, corrected).
//!
//! With w = h/h₋₁ and y = (u, v): y₁ = [(1+w)² y₀ − w² y₋₁]/(1+2w) + h (1+w)/(1+2w) y₁′. The printed equation has a
//! plus sign before y₋₁; with it the method does not converge. The first step is one of TR-BDF2.

use super::{accept, runge_kutta::RungeKutta};
use crate::ledger::{Between, Role, Sample};
use crate::tables::runge_kutta::TR_BDF2;
use crate::vector::{add, combine};
use crate::{At, Newton, Stage, StageSolver, State, StepError, Stepper, System};

/// Zero-stability ends where the step grows by more than this factor again and again.
const MAX_GROWTH: f64 = 1.0 + std::f64::consts::SQRT_2;

/// BDF2 and the step it remembers.
pub struct Bdf2 {
    newton: Newton,
    start: RungeKutta,
    past: Option<Past>,
    /// Memory for the past while there is none.
    spare: Past,
    /// Whether the last step was one of the starting method.
    started: bool,
    between: Between,
    u0: Vec<f64>,
    v0: Vec<f64>,
    u: Vec<f64>,
    v: Vec<f64>,
    a: Vec<f64>,
}

/// The state one step ago.
#[derive(Default)]
struct Past {
    h: f64,
    u: Vec<f64>,
    v: Vec<f64>,
}

impl Bdf2 {
    /// BDF2 with this iteration.
    pub fn new(newton: Newton) -> Bdf2 {
        let start = RungeKutta::new(&TR_BDF2, newton);
        Bdf2 {
            newton,
            start,
            past: None,
            spare: Past::default(),
            started: false,
            between: Between::default(),
            u0: Vec::new(),
            v0: Vec::new(),
            u: Vec::new(),
            v: Vec::new(),
            a: Vec::new(),
        }
    }

    fn reserve(&mut self, n: usize) {
        for x in [
            &mut self.u0,
            &mut self.v0,
            &mut self.u,
            &mut self.v,
            &mut self.a,
        ] {
            x.resize(n, 0.0);
        }
    }
}

impl Stepper for Bdf2 {
    fn step(
        &mut self,
        sys: &mut dyn System,
        solver: &mut StageSolver,
        s: &mut State,
        h: f64,
    ) -> Result<(), StepError> {
        self.reserve(sys.dofs());
        let Some(past) = self.past.as_mut().filter(|past| h < MAX_GROWTH * past.h) else {
            self.u.copy_from_slice(&s.u);
            self.v.copy_from_slice(&s.v);
            self.start.restart();
            self.start.step(sys, solver, s, h)?;
            self.started = true;
            let past = self
                .past
                .get_or_insert_with(|| std::mem::take(&mut self.spare));
            past.h = h;
            past.u.clone_from(&self.u);
            past.v.clone_from(&self.v);
            return Ok(());
        };
        solver.begin(
            sys,
            At {
                t: s.t,
                u: &s.u,
                v: &s.v,
            },
        );
        let w = h / past.h;
        let (now, then) = (
            (1.0 + w).powi(2) / (1.0 + 2.0 * w),
            -w * w / (1.0 + 2.0 * w),
        );
        let step = h * (1.0 + w) / (1.0 + 2.0 * w);
        for (out, now_x, then_x) in [(&mut self.u0, &s.u, &past.u), (&mut self.v0, &s.v, &past.v)] {
            for ((out, x), y) in out.iter_mut().zip(now_x).zip(then_x) {
                *out = now * x + then * y;
            }
        }
        add(&mut self.u0, step, &self.v0);
        let (t, c_u, c_v) = (s.t + h, step * step, step);
        let near = At {
            t,
            u: &s.u,
            v: &s.v,
        };
        let stage = Stage {
            t,
            u0: &self.u0,
            v0: &self.v0,
            c_u,
            c_v,
            near,
            hint: None,
            newton: self.newton,
        };
        solver.solve(sys, &stage, &mut self.a)?;
        combine(&mut self.u, &self.u0, c_u, &self.a);
        combine(&mut self.v, &self.v0, c_v, &self.a);
        accept(sys, s, t, &mut self.u, &mut self.v)?;
        // `accept` swapped: the old state is now in our buffers.
        self.started = false;
        past.h = h;
        past.u.copy_from_slice(&self.u);
        past.v.copy_from_slice(&self.v);
        Ok(())
    }

    fn save(&self, out: &mut Vec<f64>) {
        if let Some(past) = &self.past {
            out.push(past.h);
            out.extend_from_slice(&past.u);
            out.extend_from_slice(&past.v);
        }
    }

    fn load(&mut self, memory: &[f64]) -> bool {
        self.past = match memory {
            [] => None,
            [h, rest @ ..] if rest.len() % 2 == 0 => {
                let (u, v) = rest.split_at(rest.len() / 2);
                Some(Past {
                    h: *h,
                    u: u.to_vec(),
                    v: v.to_vec(),
                })
            }
            _ => return false,
        };
        true
    }

    fn samples(&mut self, now: &State, visit: &mut dyn FnMut(Sample)) {
        let Some(past) = self.past.as_ref() else {
            return;
        };
        if self.started {
            return self.start.samples(now, visit);
        }
        self.between
            .samples(now.t - past.h, &past.u, &past.v, now, visit);
        let at = At {
            t: now.t,
            u: &now.u,
            v: &now.v,
        };
        visit(Sample {
            weight: past.h,
            at,
            a: &self.a,
            role: Role::Residual,
        });
    }

    fn restart(&mut self) {
        // The memory is kept for the next step.
        if let Some(past) = self.past.take() {
            self.spare = past;
        }
    }
}
