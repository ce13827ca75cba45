//! Explicit methods that are not Runge–Kutta methods.

use super::accept;
use crate::ledger::{Between, Sample};
use crate::vector::combine;
use crate::{At, StageSolver, State, StepError, Stepper, System};

/// Symplectic Euler: v₁ = v + h M⁻¹f(t, u, v), u₁ = u + h v₁.
#[derive(Default)]
pub struct SymplecticEuler {
    a: Vec<f64>,
    u: Vec<f64>,
    v: Vec<f64>,
    /// Length of the last step.
    h: f64,
    between: Between,
}

impl Stepper for SymplecticEuler {
    fn step(
        &mut self,
        sys: &mut dyn System,
        solver: &mut StageSolver,
        s: &mut State,
        h: f64,
    ) -> Result<(), StepError> {
        for x in [&mut self.a, &mut self.u, &mut self.v] {
            x.resize(sys.dofs(), 0.0);
        }
        let here = At {
            t: s.t,
            u: &s.u,
            v: &s.v,
        };
        solver.begin(sys, here);
        solver.acceleration(sys, here, &mut self.a)?;
        combine(&mut self.v, &s.v, h, &self.a);
        combine(&mut self.u, &s.u, h, &self.v);
        self.h = h;
        accept(sys, s, s.t + h, &mut self.u, &mut self.v)
    }

    fn save(&self, _out: &mut Vec<f64>) {}

    fn load(&mut self, memory: &[f64]) -> bool {
        memory.is_empty()
    }

    fn samples(&mut self, now: &State, visit: &mut dyn FnMut(Sample)) {
        // `accept` left the state before the step in our buffers.
        self.between
            .samples(now.t - self.h, &self.u, &self.v, now, visit);
    }

    fn restart(&mut self) {}
}

/// Central differences in the form that starts from one state (velocity Verlet): u₁ = u + h v + h²/2 a,
/// M a₁ = f(t₁, u₁, v + h a), v₁ = v + h/2 (a + a₁). Where damping acts on the predicted velocity the method is
/// second order still, and explicit.
#[derive(Default)]
pub struct CentralDifference {
    a: Option<Vec<f64>>,
    a_new: Vec<f64>,
    u: Vec<f64>,
    v: Vec<f64>,
    /// Length of the last step.
    h: f64,
    between: Between,
}

impl Stepper for CentralDifference {
    fn step(
        &mut self,
        sys: &mut dyn System,
        solver: &mut StageSolver,
        s: &mut State,
        h: f64,
    ) -> Result<(), StepError> {
        for x in [&mut self.a_new, &mut self.u, &mut self.v] {
            x.resize(sys.dofs(), 0.0);
        }
        let here = At {
            t: s.t,
            u: &s.u,
            v: &s.v,
        };
        let stale = solver.begin(sys, here);
        if stale || self.a.is_none() {
            solver.acceleration(sys, here, &mut self.a_new)?;
            self.a
                .get_or_insert_with(|| vec![0.0; s.u.len()])
                .copy_from_slice(&self.a_new);
        }
        let Some(a) = self.a.as_mut() else {
            return Ok(());
        };
        combine(&mut self.v, &s.v, h, a);
        for i in 0..a.len() {
            self.u[i] = s.u[i] + h * s.v[i] + 0.5 * h * h * a[i];
        }
        let t = s.t + h;
        solver.acceleration(
            sys,
            At {
                t,
                u: &self.u,
                v: &self.v,
            },
            &mut self.a_new,
        )?;
        for i in 0..a.len() {
            self.v[i] = s.v[i] + 0.5 * h * (a[i] + self.a_new[i]);
        }
        self.h = h;
        accept(sys, s, t, &mut self.u, &mut self.v)?;
        a.copy_from_slice(&self.a_new);
        Ok(())
    }

    fn save(&self, out: &mut Vec<f64>) {
        out.extend(self.a.iter().flatten());
    }

    fn load(&mut self, memory: &[f64]) -> bool {
        self.a = (!memory.is_empty()).then(|| memory.to_vec());
        true
    }

    fn samples(&mut self, now: &State, visit: &mut dyn FnMut(Sample)) {
        // `accept` left the state before the step in our buffers.
        self.between
            .samples(now.t - self.h, &self.u, &self.v, now, visit);
    }

    fn restart(&mut self) {
        self.a = None;
    }
}
