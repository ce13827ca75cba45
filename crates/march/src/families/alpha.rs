//! Newmark, HHT-α and generalized-α methods: one stage at an average of the old and the new state [Newmark 1959;
//! Hilber, Hughes & Taylor 1977; Chung & Hulbert 1993].
//!
//! With â = (1−α_m) a₁ + α_m a₀ the balance M â = f(t̂, û, v̂) is a stage in â: a₁ = (â − α_m a₀)/(1−α_m), and û, v̂
//! are linear in a₁ by Newmark's formulas.

use super::closing::Closing;
use super::{LastAcceleration, check_end};
use crate::ledger::{HermiteQuadrature, PowerSample, SampleRole};
use crate::tables::alpha::AlphaParameters;
use crate::{
    At, MethodMemory, Newton, Positions, Stage, State, StepContext, StepError, StepReport, Stepper,
};

/// Method of the Newmark and generalized-α family, with the acceleration that it keeps.
pub struct AlphaMethod {
    table: AlphaParameters,
    newton: Newton,
    last: LastAcceleration,
    /// Accelerations at the start and the end of the attempt.
    a_start: Vec<f64>,
    a_end: Vec<f64>,
    /// Length of the attempt, and time, displacements, velocities and acceleration of its stage.
    h: f64,
    stage_t: f64,
    u0: Vec<f64>,
    v0: Vec<f64>,
    stage_a: Vec<f64>,
    quadrature: HermiteQuadrature,
    closing: Closing,
    /// Whether the end of the attempt was moved out of contact.
    closed: bool,
}

impl AlphaMethod {
    /// Creates the method with these parameters.
    pub fn new(table: AlphaParameters, newton: Newton) -> AlphaMethod {
        AlphaMethod {
            table,
            newton,
            last: LastAcceleration::default(),
            a_start: Vec::new(),
            a_end: Vec::new(),
            h: 0.0,
            stage_t: 0.0,
            u0: Vec::new(),
            v0: Vec::new(),
            stage_a: Vec::new(),
            quadrature: HermiteQuadrature::default(),
            closing: Closing::default(),
            closed: false,
        }
    }

    fn reserve(&mut self, n: usize) {
        for x in [
            &mut self.a_start,
            &mut self.a_end,
            &mut self.u0,
            &mut self.v0,
            &mut self.stage_a,
        ] {
            x.resize(n, 0.0);
        }
    }
}

impl Stepper for AlphaMethod {
    fn attempt(
        &mut self,
        cx: &mut StepContext,
        from: &State,
        h: f64,
        to: &mut State,
    ) -> Result<StepReport, StepError> {
        let n = cx.system.dofs();
        self.reserve(n);
        to.resize(n);
        let AlphaParameters {
            beta,
            gamma,
            alpha_m,
            alpha_f,
        } = self.table;
        let stale = cx.solver.begin_step(cx.system, from.at()) && alpha_m == 0.0 && alpha_f == 0.0;
        match self.last.get().filter(|_| !stale) {
            Some(a) => self.a_start.copy_from_slice(a),
            None => cx
                .solver
                .acceleration(cx.system, from.at(), &mut self.a_start)?,
        }
        // a₁ = p â + q a₀, hence û = u₀ + c_u â and v̂ = v₀ + c_v â.
        let (p, q) = (1.0 / (1.0 - alpha_m), -alpha_m / (1.0 - alpha_m));
        let new_share = 1.0 - alpha_f;
        let (c_u, c_v) = (new_share * h * h * beta * p, new_share * h * gamma * p);
        for i in 0..n {
            let (v, a) = (from.v[i], self.a_start[i]);
            self.u0[i] = from.u[i] + new_share * (h * v + h * h * (0.5 - beta + beta * q) * a);
            self.v0[i] = v + new_share * h * (1.0 - gamma + gamma * q) * a;
        }
        let t = from.t + new_share * h;
        let stage = Stage {
            t,
            u0: &self.u0,
            v0: &self.v0,
            c_u,
            c_v,
            inertia: 1.0,
            near: from.at(),
            hint: Some(&self.a_start),
            newton: self.newton,
        };
        cx.solver.solve(cx.system, &stage, &mut self.stage_a)?;
        for i in 0..n {
            let a_hat = self.stage_a[i];
            self.u0[i] += c_u * a_hat;
            self.v0[i] += c_v * a_hat;
            let (a0, v) = (self.a_start[i], from.v[i]);
            let a1 = p * a_hat + q * a0;
            to.u[i] = from.u[i] + h * v + h * h * ((0.5 - beta) * a0 + beta * a1);
            to.v[i] = v + h * ((1.0 - gamma) * a0 + gamma * a1);
            self.a_end[i] = a1;
        }
        (self.h, self.stage_t) = (h, t);
        to.t = from.t + h;
        let stage = Positions::new(t, &self.u0);
        self.closed = match check_end(cx.system, to, &[stage, from.at().positions()]) {
            Ok(()) => false,
            Err(why) => self.closing.close(cx, why, from.at(), h, to)?,
        };
        Ok(StepReport {
            closed: self.closed,
            ..StepReport::default()
        })
    }

    fn commit(&mut self) {
        self.last.set(&self.a_end);
        if self.closed {
            self.restart();
        }
    }

    fn samples(&mut self, from: &State, to: &State, visit: &mut dyn FnMut(PowerSample)) {
        let h = self.h;
        self.quadrature
            .samples(to.t - h, &from.u, &from.v, to, visit);
        // The residual of the stage, at the state it was solved for.
        let at = At {
            t: self.stage_t,
            u: &self.u0,
            v: &self.v0,
        };
        visit(PowerSample {
            weight: h,
            at,
            a: &self.stage_a,
            role: SampleRole::Residual,
        });
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
