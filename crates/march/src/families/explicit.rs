//! Explicit methods that are not Runge–Kutta methods: symplectic Euler and central differences.

use super::{LastAcceleration, check_end, check_explicit_stage};
use crate::ledger::{HermiteQuadrature, PowerSample};
use crate::vector::combine;
use crate::{At, MethodMemory, Positions, State, StepContext, StepError, StepReport, Stepper};

/// Symplectic Euler: v₁ = v + h M⁻¹f(t, u, v), u₁ = u + h v₁ [de Vogelaere 1956].
#[derive(Default)]
pub struct SymplecticEuler {
    a: Vec<f64>,
    /// Length of the attempt.
    h: f64,
    quadrature: HermiteQuadrature,
}

impl Stepper for SymplecticEuler {
    fn attempt(
        &mut self,
        cx: &mut StepContext,
        from: &State,
        h: f64,
        to: &mut State,
    ) -> Result<StepReport, StepError> {
        let n = cx.system.dofs();
        self.a.resize(n, 0.0);
        to.resize(n);
        cx.solver.begin_step(cx.system, from.at());
        cx.solver.acceleration(cx.system, from.at(), &mut self.a)?;
        combine(&mut to.v, &from.v, h, &self.a);
        combine(&mut to.u, &from.u, h, &to.v);
        self.h = h;
        to.t = from.t + h;
        check_end(cx.system, to, &[from.at().positions()])?;
        Ok(StepReport::default())
    }

    fn commit(&mut self) {}

    fn samples(&mut self, from: &State, to: &State, visit: &mut dyn FnMut(PowerSample)) {
        self.quadrature
            .samples(to.t - self.h, &from.u, &from.v, to, visit);
    }

    fn save_into(&self, memory: &mut MethodMemory) {
        *memory = MethodMemory::None;
    }

    fn restore(&mut self, memory: &MethodMemory) -> bool {
        *memory == MethodMemory::None
    }

    fn restart(&mut self) {}
}

/// Central differences in the form of velocity Verlet: u₁ = u + h v + h²/2 a, M a₁ = f(t₁, u₁, v + h a), v₁ = v + h/2
/// (a + a₁) [Verlet 1967]. Damping acts on the predicted velocity; the method stays explicit and of second order.
#[derive(Default)]
pub struct CentralDifference {
    last: LastAcceleration,
    /// Accelerations at the start and the end of the attempt, and its length.
    a_start: Vec<f64>,
    a_end: Vec<f64>,
    h: f64,
    quadrature: HermiteQuadrature,
}

impl Stepper for CentralDifference {
    fn attempt(
        &mut self,
        cx: &mut StepContext,
        from: &State,
        h: f64,
        to: &mut State,
    ) -> Result<StepReport, StepError> {
        let n = cx.system.dofs();
        for x in [&mut self.a_start, &mut self.a_end] {
            x.resize(n, 0.0);
        }
        to.resize(n);
        let stale = cx.solver.begin_step(cx.system, from.at());
        match self.last.get().filter(|_| !stale) {
            Some(a) => self.a_start.copy_from_slice(a),
            None => cx
                .solver
                .acceleration(cx.system, from.at(), &mut self.a_start)?,
        }
        let a = &self.a_start;
        combine(&mut to.v, &from.v, h, a);
        for i in 0..n {
            to.u[i] = from.u[i] + h * from.v[i] + 0.5 * h * h * a[i];
        }
        to.t = from.t + h;
        let start = from.at().positions();
        check_explicit_stage(cx.system, Positions::new(to.t, &to.u), &[start])?;
        let predicted = At {
            t: to.t,
            u: &to.u,
            v: &to.v,
        };
        cx.solver
            .acceleration(cx.system, predicted, &mut self.a_end)?;
        for i in 0..n {
            to.v[i] = from.v[i] + 0.5 * h * (a[i] + self.a_end[i]);
        }
        self.h = h;
        check_end(cx.system, to, &[])?;
        Ok(StepReport::default())
    }

    fn commit(&mut self) {
        self.last.set(&self.a_end);
    }

    fn samples(&mut self, from: &State, to: &State, visit: &mut dyn FnMut(PowerSample)) {
        self.quadrature
            .samples(to.t - self.h, &from.u, &from.v, to, visit);
    }

    fn save_into(&self, memory: &mut MethodMemory) {
        self.last.save_into(memory);
    }

    fn restore(&mut self, memory: &MethodMemory) -> bool {
        self.last.restore(memory)
    }

    fn restart(&mut self) {
        self.last.clear();
    }
}
