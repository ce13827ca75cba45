//! Explicit and diagonally implicit Runge–Kutta methods on M a = f(t, u, v) [Löschner et al. 2020, eqs. 8–10].
//!
//! Stage i has the velocity Vᵢ and the acceleration Aᵢ, the derivatives of its state. With γ = aᵢᵢ: v₀ = v + h Σ aᵢⱼAⱼ,
//! u₀ = u + h Σ aᵢⱼVⱼ + hγ v₀, c_v = hγ, c_u = (hγ)². An explicit stage needs only M⁻¹f, and no evaluation at all if it
//! is the last stage of the previous step.

use super::closing::Closing;
use super::{LastAcceleration, check_end, check_explicit_stage, embedded_error};
use crate::ledger::{PowerSample, SampleRole};
use crate::tables::runge_kutta::RungeKuttaTable;
use crate::vector::{add, combine};
use crate::{
    At, MethodMemory, Newton, Positions, Stage, StageSolver, State, StepContext, StepError,
    StepReport, Stepper, System,
};

/// Runge–Kutta method with a lower triangular tableau: explicit or diagonally implicit.
pub struct RungeKutta {
    a: Vec<Vec<f64>>,
    b: Vec<f64>,
    c: Vec<f64>,
    /// b − b̂, if the table has embedded weights b̂.
    error_weights: Option<Vec<f64>>,
    newton: Newton,
    /// Whether the last stage is the result.
    ends_on_stage: bool,
    /// Whether the first stage of a step is the last stage of the previous step.
    first_same_as_last: bool,
    /// Acceleration of the last stage of the last step.
    last: LastAcceleration,
    /// Length of the attempt.
    h: f64,
    /// Time of the current stage, or of the start before the first stage; its state is in `u` and `v`.
    stage_t: f64,
    slopes: Slopes,
    u0: Vec<f64>,
    v0: Vec<f64>,
    u: Vec<f64>,
    v: Vec<f64>,
    a_new: Vec<f64>,
    closing: Closing,
    /// Whether the end of the attempt was moved out of contact.
    closed: bool,
}

/// Derivatives of the state at the stages of a step.
struct Slopes {
    velocities: Vec<Vec<f64>>,
    accelerations: Vec<Vec<f64>>,
}

impl Slopes {
    /// Computes u₀ and v₀: the state plus the contributions of the stages with these weights.
    fn gather(&self, s: &State, weights: &[f64], h: f64, [u0, v0]: [&mut [f64]; 2]) {
        u0.copy_from_slice(&s.u);
        v0.copy_from_slice(&s.v);
        for (j, w) in weights.iter().enumerate().filter(|(_, w)| **w != 0.0) {
            add(u0, h * w, &self.velocities[j]);
            add(v0, h * w, &self.accelerations[j]);
        }
    }
}

impl RungeKutta {
    /// Creates the method of a tableau.
    pub fn new(table: &RungeKuttaTable, newton: Newton) -> RungeKutta {
        let method = RungeKutta::from_rows(
            table.a.iter().map(|row| row.to_vec()).collect(),
            table.b.to_vec(),
            newton,
        );
        match table.embedded {
            Some(weights) => method.with_embedded(weights),
            None => method,
        }
    }

    /// Creates a method from the rows of A, each up to and including the diagonal, and the weights b.
    pub fn from_rows(a: Vec<Vec<f64>>, b: Vec<f64>, newton: Newton) -> RungeKutta {
        let stages = b.len();
        let c: Vec<f64> = a.iter().map(|row| row.iter().sum()).collect();
        let ends_on_stage =
            a.last().is_some_and(|row| *row == b) && a[stages - 1][stages - 1] != 0.0;
        RungeKutta {
            c,
            error_weights: None,
            newton,
            ends_on_stage,
            first_same_as_last: ends_on_stage && a[0][0] == 0.0,
            last: LastAcceleration::default(),
            h: 0.0,
            stage_t: 0.0,
            slopes: Slopes {
                velocities: vec![Vec::new(); stages],
                accelerations: vec![Vec::new(); stages],
            },
            u0: Vec::new(),
            v0: Vec::new(),
            u: Vec::new(),
            v: Vec::new(),
            a_new: Vec::new(),
            closing: Closing::default(),
            closed: false,
            a,
            b,
        }
    }

    /// Adds embedded weights b̂ for error estimates.
    pub fn with_embedded(mut self, weights: &[f64]) -> RungeKutta {
        self.error_weights = Some(self.b.iter().zip(weights).map(|(b, e)| b - e).collect());
        self
    }

    fn reserve(&mut self, n: usize) {
        let Slopes {
            velocities,
            accelerations,
        } = &mut self.slopes;
        let stages = velocities.iter_mut().chain(accelerations);
        let own = [
            &mut self.u0,
            &mut self.v0,
            &mut self.u,
            &mut self.v,
            &mut self.a_new,
        ];
        for x in stages.chain(own) {
            x.resize(n, 0.0);
        }
    }

    fn explicit_stage(
        &mut self,
        sys: &mut dyn System,
        solver: &mut StageSolver,
        start: Positions,
        t: f64,
        i: usize,
    ) -> Result<(), StepError> {
        if i > 0 {
            let reached = [Positions::new(self.stage_t, &self.u), start];
            check_explicit_stage(sys, Positions::new(t, &self.u0), &reached)?;
        }
        let at = At {
            t,
            u: &self.u0,
            v: &self.v0,
        };
        solver.acceleration(sys, at, &mut self.a_new)?;
        self.u.copy_from_slice(&self.u0);
        self.v.copy_from_slice(&self.v0);
        self.store(i);
        Ok(())
    }

    fn implicit_stage(
        &mut self,
        sys: &mut dyn System,
        solver: &mut StageSolver,
        t: f64,
        step: f64,
        i: usize,
    ) -> Result<(), StepError> {
        add(&mut self.u0, step, &self.v0);
        let (c_u, c_v) = (step * step, step);
        let near = At {
            t: self.stage_t,
            u: &self.u,
            v: &self.v,
        };
        let hint = match i {
            0 => self.last.get(),
            _ => Some(&self.slopes.accelerations[i - 1][..]),
        };
        let stage = Stage {
            t,
            u0: &self.u0,
            v0: &self.v0,
            c_u,
            c_v,
            inertia: 1.0,
            near,
            hint,
            newton: self.newton,
        };
        solver.solve(sys, &stage, &mut self.a_new)?;
        combine(&mut self.u, &self.u0, c_u, &self.a_new);
        combine(&mut self.v, &self.v0, c_v, &self.a_new);
        self.store(i);
        Ok(())
    }

    /// Stores the derivative of stage i.
    fn store(&mut self, i: usize) {
        self.slopes.velocities[i].copy_from_slice(&self.v);
        self.slopes.accelerations[i].copy_from_slice(&self.a_new);
    }

    fn stages(
        &mut self,
        sys: &mut dyn System,
        solver: &mut StageSolver,
        s: &State,
        h: f64,
        stale: bool,
    ) -> Result<(), StepError> {
        self.u.copy_from_slice(&s.u);
        self.v.copy_from_slice(&s.v);
        self.stage_t = s.t;
        for i in 0..self.b.len() {
            let t = s.t + self.c[i] * h;
            let diagonal = self.a[i][i];
            self.slopes
                .gather(s, &self.a[i][..i], h, [&mut self.u0, &mut self.v0]);
            match (self.last.get(), diagonal == 0.0) {
                (Some(last), true) if i == 0 && self.first_same_as_last && !stale => {
                    self.a_new.copy_from_slice(last);
                    self.store(0);
                }
                (_, true) => self.explicit_stage(sys, solver, s.at().positions(), t, i)?,
                (_, false) => self.implicit_stage(sys, solver, t, diagonal * h, i)?,
            }
            self.stage_t = t;
        }
        Ok(())
    }

    /// Ends the step: at its last stage, whose path is known to be free, or at the weighted sum of all stages.
    fn finish(
        &mut self,
        cx: &mut StepContext,
        from: &State,
        h: f64,
        to: &mut State,
    ) -> Result<(), StepError> {
        to.t = from.t + h;
        self.closed = false;
        if self.ends_on_stage {
            to.u.copy_from_slice(&self.u);
            to.v.copy_from_slice(&self.v);
            return check_end(cx.system, to, &[]);
        }
        self.slopes
            .gather(from, &self.b, h, [&mut self.u0, &mut self.v0]);
        to.u.copy_from_slice(&self.u0);
        to.v.copy_from_slice(&self.v0);
        let stage = Positions::new(self.stage_t, &self.u);
        if let Err(why) = check_end(cx.system, to, &[stage, from.at().positions()]) {
            self.closed = self.closing.close(cx, why, from.at(), h, to)?;
        }
        Ok(())
    }
}

impl Stepper for RungeKutta {
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
        let stale = cx.solver.begin_step(cx.system, from.at());
        self.h = h;
        self.stages(cx.system, cx.solver, from, h, stale)?;
        self.finish(cx, from, h, to)?;
        let weights = self
            .error_weights
            .as_ref()
            .filter(|_| cx.estimates.embedded);
        let slopes = [&self.slopes.velocities[..], &self.slopes.accelerations];
        let error = weights.map(|w| embedded_error(w, h, slopes, &mut self.u0));
        Ok(StepReport {
            error,
            closed: self.closed,
            ..StepReport::default()
        })
    }

    fn commit(&mut self) {
        self.last.set(&self.slopes.accelerations[self.b.len() - 1]);
        if self.closed {
            self.restart();
        }
    }

    fn samples(&mut self, from: &State, to: &State, visit: &mut dyn FnMut(PowerSample)) {
        let t = to.t - self.h;
        for i in 0..self.b.len() {
            self.u0.copy_from_slice(&from.u);
            for (j, w) in self.a[i].iter().enumerate().filter(|(_, w)| **w != 0.0) {
                add(&mut self.u0, self.h * w, &self.slopes.velocities[j]);
            }
            let at = At {
                t: t + self.c[i] * self.h,
                u: &self.u0,
                v: &self.slopes.velocities[i],
            };
            visit(PowerSample {
                weight: self.b[i] * self.h,
                at,
                a: &self.slopes.accelerations[i],
                role: SampleRole::Stage,
            });
        }
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
