//! Newmark, HHT-α and generalized-α: one stage at an average of the old and the new state.
//!
//! With â = (1−α_m) a₁ + α_m a₀ the balance M â = f(t̂, û, v̂) is a stage in â: a₁ = (â − α_m a₀)/(1−α_m), and û, v̂
//! are linear in a₁ by Newmark's formulas.

use super::accept;
use crate::ledger::{Between, Role, Sample};
use crate::tables::alpha::Alpha as Table;
use crate::{At, Newton, Stage, StageSolver, State, StepError, Stepper, System};

/// A member of the family and the acceleration it remembers.
pub struct Alpha {
    table: Table,
    newton: Newton,
    a: Option<Vec<f64>>,
    spare: Vec<f64>,
    u0: Vec<f64>,
    v0: Vec<f64>,
    u: Vec<f64>,
    v: Vec<f64>,
    a_hat: Vec<f64>,
    /// Length of the last step, and time and acceleration of its stage, whose state is left in u₀ and v₀.
    h: f64,
    stage_t: f64,
    stage_a: Vec<f64>,
    between: Between,
}

impl Alpha {
    /// The method of these parameters.
    pub fn new(table: Table, newton: Newton) -> Alpha {
        Alpha {
            table,
            newton,
            a: None,
            spare: Vec::new(),
            u0: Vec::new(),
            v0: Vec::new(),
            u: Vec::new(),
            v: Vec::new(),
            a_hat: Vec::new(),
            h: 0.0,
            stage_t: 0.0,
            stage_a: Vec::new(),
            between: Between::default(),
        }
    }

    fn reserve(&mut self, n: usize) {
        for x in [
            &mut self.u0,
            &mut self.v0,
            &mut self.u,
            &mut self.v,
            &mut self.a_hat,
            &mut self.stage_a,
        ] {
            x.resize(n, 0.0);
        }
        if self.a.is_none() {
            self.spare.resize(n, 0.0);
        }
    }
}

impl Stepper for Alpha {
    fn step(
        &mut self,
        sys: &mut dyn System,
        solver: &mut StageSolver,
        s: &mut State,
        h: f64,
    ) -> Result<(), StepError> {
        self.reserve(sys.dofs());
        let Table {
            beta,
            gamma,
            alpha_m,
            alpha_f,
        } = self.table;
        let here = At {
            t: s.t,
            u: &s.u,
            v: &s.v,
        };
        let stale = solver.begin(sys, here) && alpha_m == 0.0 && alpha_f == 0.0;
        if self.a.is_none() || stale {
            solver.acceleration(sys, here, &mut self.a_hat)?;
            self.a
                .get_or_insert_with(|| std::mem::take(&mut self.spare))
                .copy_from_slice(&self.a_hat);
        }
        let Some(a) = self.a.as_mut() else {
            return Ok(());
        };
        // a₁ = p â + q a₀, so that û = u₀ + c_u â and v̂ = v₀ + c_v â.
        let (p, q) = (1.0 / (1.0 - alpha_m), -alpha_m / (1.0 - alpha_m));
        let keep = 1.0 - alpha_f;
        let (c_u, c_v) = (keep * h * h * beta * p, keep * h * gamma * p);
        for i in 0..a.len() {
            let (v, a) = (s.v[i], a[i]);
            self.u0[i] = s.u[i] + keep * (h * v + h * h * (0.5 - beta + beta * q) * a);
            self.v0[i] = v + keep * h * (1.0 - gamma + gamma * q) * a;
        }
        let t = s.t + keep * h;
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
            hint: Some(a),
            newton: self.newton,
        };
        solver.solve(sys, &stage, &mut self.a_hat)?;
        self.stage_a.copy_from_slice(&self.a_hat);
        for i in 0..a.len() {
            self.u0[i] += c_u * self.a_hat[i];
            self.v0[i] += c_v * self.a_hat[i];
            let (a0, v) = (a[i], s.v[i]);
            let a1 = p * self.a_hat[i] + q * a0;
            self.u[i] = s.u[i] + h * v + h * h * ((0.5 - beta) * a0 + beta * a1);
            self.v[i] = v + h * ((1.0 - gamma) * a0 + gamma * a1);
            self.a_hat[i] = a1;
        }
        (self.h, self.stage_t) = (h, t);
        accept(sys, s, s.t + h, &mut self.u, &mut self.v)?;
        a.copy_from_slice(&self.a_hat);
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
        let h = self.h;
        self.between
            .samples(now.t - h, &self.u, &self.v, now, visit);
        // The stage's own residual, at the state it was solved for.
        let at = At {
            t: self.stage_t,
            u: &self.u0,
            v: &self.v0,
        };
        visit(Sample {
            weight: h,
            at,
            a: &self.stage_a,
            role: Role::Residual,
        });
    }

    fn restart(&mut self) {
        // The memory is kept for the next step.
        if let Some(a) = self.a.take() {
            self.spare = a;
        }
    }
}
