//! Exponential integrators [Ascher et al. 2021, sec. 3.5 and 4], corrected (docs/references.md, E9, E11 and E20).
//!
//! The formulas are in [`::exponential::additive`]; here a method gets its history, its energy samples and the solver of
//! the time loop.

mod ere;
mod system;

pub use ere::ExponentialRosenbrockEuler;

use ::exponential::additive::{Additive, AdditiveScheme, Previous};
use ::exponential::{At as StateAt, ModeHistory, Refresh};
use system::LinearisedSystem;

use super::bdf2::{MAX_GROWTH, Past};
use super::check_end;
use crate::ledger::{HermiteQuadrature, PowerSample};
use crate::{MethodMemory, State, StepContext, StepError, StepReport, Stepper};

/// Additive exponential method with its history.
pub struct AdditiveExponential {
    scheme: AdditiveScheme,
    method: Additive,
    /// State before the last step, for BDF2; valid if `has_past`.
    past: Past,
    has_past: bool,
    next: Past,
    system: system::Buffers,
    h: f64,
    quadrature: HermiteQuadrature,
}

impl AdditiveExponential {
    /// Creates a method with this number of modes, or the default if it is `None`. Stages are iterated to convergence or
    /// solved by one Newton iteration.
    pub fn new(
        scheme: AdditiveScheme,
        modes: Option<u32>,
        refresh: Refresh,
        iterates: bool,
    ) -> AdditiveExponential {
        AdditiveExponential {
            scheme,
            method: Additive::new(scheme, modes, refresh, iterates),
            past: Past::default(),
            has_past: false,
            next: Past::default(),
            system: system::Buffers::default(),
            h: 0.0,
            quadrature: HermiteQuadrature::default(),
        }
    }
}

impl Stepper for AdditiveExponential {
    fn attempt(
        &mut self,
        cx: &mut StepContext,
        from: &State,
        h: f64,
        to: &mut State,
    ) -> Result<StepReport, StepError> {
        to.resize(cx.system.dofs());
        self.next.set(h, &from.u, &from.v);
        self.h = h;
        cx.solver.begin_step(cx.system, from.at());
        let starting = !self.has_past || h >= MAX_GROWTH * self.past.h;
        let previous = Previous {
            h: self.past.h,
            u: &self.past.u,
            v: &self.past.v,
        };
        let previous = (!starting).then_some(previous);
        let start = StateAt {
            t: from.t,
            u: &from.u,
            v: &from.v,
        };
        let mut system = LinearisedSystem::new(cx.system, cx.solver, &mut self.system);
        let end = [&mut to.u[..], &mut to.v[..]];
        self.method.attempt(&mut system, start, h, previous, end)?;
        to.t = from.t + h;
        check_end(cx.system, to, &[from.at().positions()])?;
        if cx.solver.watches_force_error() {
            let c = self.method.stage_length();
            cx.solver.measure_force_error(cx.system, to.at(), c * c)?;
        }
        Ok(StepReport::default())
    }

    fn commit(&mut self) {
        if self.scheme == AdditiveScheme::Bdf2 {
            std::mem::swap(&mut self.past, &mut self.next);
            self.has_past = true;
        }
        self.method.commit();
    }

    fn samples(&mut self, from: &State, to: &State, visit: &mut dyn FnMut(PowerSample)) {
        self.quadrature
            .samples(to.t - self.h, &from.u, &from.v, to, visit);
    }

    fn save_into(&self, memory: &mut MethodMemory) {
        let base = memory.set_modal(self.method.history());
        let Past { h, u, v } = &self.past;
        match self.has_past {
            true => base.set_previous_state(*h, u, v),
            false => *base = MethodMemory::None,
        }
    }

    fn restore(&mut self, memory: &MethodMemory) -> bool {
        let (modes, base) = match memory {
            MethodMemory::None => (&ModeHistory::default(), &MethodMemory::None),
            MethodMemory::Modal { modes, base } => (modes, &**base),
            _ => return false,
        };
        self.method.restore(modes);
        match base {
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
        self.method.restart();
    }

    fn restart_motion(&mut self) {
        self.has_past = false;
    }
}
