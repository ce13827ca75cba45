//! Second-order backward differentiation formula with variable steps [Ascher et al. 2021, eq. 7], corrected
//! (docs/references.md, E8).
//!
//! With w = h/h₋₁ and y = (u, v): y₁ = [(1+w)² y₀ − w² y₋₁]/(1+2w) + h (1+w)/(1+2w) y₁′. Eq. 7 has a plus sign before
//! y₋₁, with which the method does not converge. The first step is a step of TR-BDF2.

use super::check_end;
use super::runge_kutta::RungeKutta;
use crate::ledger::{HermiteQuadrature, PowerSample, SampleRole};
use crate::tables::runge_kutta::TR_BDF2;
use crate::vector::{add, combine};
use crate::{MethodMemory, Newton, Stage, State, StepContext, StepError, StepReport, Stepper};

/// Largest ratio of a step to the previous one; repeated growth by more than this is not zero-stable.
pub(super) const MAX_GROWTH: f64 = 1.0 + std::f64::consts::SQRT_2;

/// BDF2 with variable steps, and the previous state that it keeps.
pub struct Bdf2 {
    newton: Newton,
    start: RungeKutta,
    /// State before the last step; valid if `has_past`.
    past: Past,
    has_past: bool,
    /// Value of `past` after the attempt is committed.
    next: Past,
    /// Length of the attempt, and whether it is a step of the starting method.
    h: f64,
    starting: bool,
    quadrature: HermiteQuadrature,
    u0: Vec<f64>,
    v0: Vec<f64>,
    a: Vec<f64>,
}

/// State before a step of length h.
#[derive(Default)]
pub(super) struct Past {
    pub h: f64,
    pub u: Vec<f64>,
    pub v: Vec<f64>,
}

impl Past {
    pub fn set(&mut self, h: f64, u: &[f64], v: &[f64]) {
        self.h = h;
        self.u.clear();
        self.u.extend_from_slice(u);
        self.v.clear();
        self.v.extend_from_slice(v);
    }
}

impl Bdf2 {
    /// Creates the method; `newton` solves its stages.
    pub fn new(newton: Newton) -> Bdf2 {
        Bdf2 {
            newton,
            start: RungeKutta::new(&TR_BDF2, newton),
            past: Past::default(),
            has_past: false,
            next: Past::default(),
            h: 0.0,
            starting: false,
            quadrature: HermiteQuadrature::default(),
            u0: Vec::new(),
            v0: Vec::new(),
            a: Vec::new(),
        }
    }
}

impl Stepper for Bdf2 {
    fn attempt(
        &mut self,
        cx: &mut StepContext,
        from: &State,
        h: f64,
        to: &mut State,
    ) -> Result<StepReport, StepError> {
        let n = cx.system.dofs();
        for x in [&mut self.u0, &mut self.v0, &mut self.a] {
            x.resize(n, 0.0);
        }
        to.resize(n);
        self.next.set(h, &from.u, &from.v);
        self.h = h;
        self.starting = !self.has_past || h >= MAX_GROWTH * self.past.h;
        if self.starting {
            self.start.restart();
            // The error estimate of the starting method does not apply to BDF2.
            let report = self.start.attempt(cx, from, h, to)?;
            return Ok(StepReport {
                error: None,
                ..report
            });
        }
        cx.solver.begin_step(cx.system, from.at());
        let past = &self.past;
        let w = h / past.h;
        let (now, then) = (
            (1.0 + w).powi(2) / (1.0 + 2.0 * w),
            -w * w / (1.0 + 2.0 * w),
        );
        let step = h * (1.0 + w) / (1.0 + 2.0 * w);
        for (out, now_x, then_x) in [
            (&mut self.u0, &from.u, &past.u),
            (&mut self.v0, &from.v, &past.v),
        ] {
            for ((out, x), y) in out.iter_mut().zip(now_x).zip(then_x) {
                *out = now * x + then * y;
            }
        }
        add(&mut self.u0, step, &self.v0);
        let (t, c_u, c_v) = (from.t + h, step * step, step);
        let stage = Stage {
            t,
            u0: &self.u0,
            v0: &self.v0,
            c_u,
            c_v,
            inertia: 1.0,
            near: from.at(),
            hint: None,
            newton: self.newton,
        };
        cx.solver.solve(cx.system, &stage, &mut self.a)?;
        combine(&mut to.u, &self.u0, c_u, &self.a);
        combine(&mut to.v, &self.v0, c_v, &self.a);
        to.t = t;
        check_end(cx.system, to, &[])?;
        Ok(StepReport::default())
    }

    fn commit(&mut self) {
        std::mem::swap(&mut self.past, &mut self.next);
        self.has_past = true;
    }

    fn samples(&mut self, from: &State, to: &State, visit: &mut dyn FnMut(PowerSample)) {
        if self.starting {
            return self.start.samples(from, to, visit);
        }
        let h = self.h;
        self.quadrature
            .samples(to.t - h, &from.u, &from.v, to, visit);
        visit(PowerSample {
            weight: h,
            at: to.at(),
            a: &self.a,
            role: SampleRole::Residual,
        });
    }

    fn save_into(&self, memory: &mut MethodMemory) {
        let Past { h, u, v } = &self.past;
        match self.has_past {
            true => memory.set_previous_state(*h, u, v),
            false => *memory = MethodMemory::None,
        }
    }

    fn restore(&mut self, memory: &MethodMemory) -> bool {
        match memory {
            MethodMemory::None => self.has_past = false,
            MethodMemory::PreviousState { h, u, v } => {
                self.past.set(*h, u, v);
                self.has_past = true;
            }
            _ => return false,
        }
        true
    }

    fn restart(&mut self) {
        self.has_past = false;
    }
}
