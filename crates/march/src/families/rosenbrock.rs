//! Rosenbrock methods on M a = f(t, u, v), one factorization per step [Löschner et al. 2020, eqs. 11–13], corrected
//! (docs/references.md, E1 and E2).
//!
//! With û = u + Σ a_ij U_j, v̂ = v + Σ a_ij V_j and s_u, s_v = Σ c_ij/h (U_j, V_j):
//! (M + hγ D + (hγ)² K) V_i = hγ [f(t + α_i h, û, v̂) + M s_v + γ_i h ∂f/∂t − hγ K (v̂ + s_u)],
//! U_i = hγ (v̂ + s_u + V_i), and (u, v) ← (u, v) + Σ m_i (U_i, V_i).
//! Damping that depends on positions adds E du = ∂(D(u) v)/∂u du to K. Eq. 12 lacks K in its last term, eq. 13 lacks
//! the hat on v, and the update is not given in the paper. All derivatives are exact and taken at the start of the
//! step.

use super::{check_end, check_explicit_stage, embedded_error};
use crate::ledger::{HermiteQuadrature, PowerSample};
use crate::tables::rosenbrock::RosenbrockTable;
use crate::vector::{add, not_finite};
use crate::{
    At, DampingTerm, DampingUpdate, MethodMemory, Positions, StageSolver, State, StepContext,
    StepError, StepReport, Stepper, System, Weights,
};

/// Rosenbrock method with one factorization per step.
pub struct Rosenbrock {
    gamma: f64,
    a: Vec<Vec<f64>>,
    c: Vec<Vec<f64>>,
    m: Vec<f64>,
    /// m − m̂, if the table has embedded weights m̂.
    error_weights: Option<Vec<f64>>,
    alpha_sum: Vec<f64>,
    gamma_sum: Vec<f64>,
    us: Vec<Vec<f64>>,
    vs: Vec<Vec<f64>>,
    rate: Vec<f64>,
    u_hat: Vec<f64>,
    v_hat: Vec<f64>,
    s_v: Vec<f64>,
    f: Vec<f64>,
    kx: Vec<f64>,
    zero: Vec<f64>,
    /// Length of the attempt.
    h: f64,
    quadrature: HermiteQuadrature,
}

impl Rosenbrock {
    /// Creates the method of a table.
    pub fn new(table: &RosenbrockTable) -> Rosenbrock {
        let rows = |rows: &[&[f64]]| rows.iter().map(|row| row.to_vec()).collect();
        Rosenbrock::from_rows(table.gamma, rows(table.a), rows(table.c), table.m.to_vec())
            .with_embedded(table.embedded)
    }

    /// Adds embedded weights m̂ for error estimates.
    pub fn with_embedded(mut self, weights: &[f64]) -> Rosenbrock {
        self.error_weights = Some(self.m.iter().zip(weights).map(|(m, e)| m - e).collect());
        self
    }

    /// Creates a method from γ, the rows of a and c below the diagonal, and the weights m.
    pub fn from_rows(gamma: f64, a: Vec<Vec<f64>>, c: Vec<Vec<f64>>, m: Vec<f64>) -> Rosenbrock {
        let stages = m.len();
        // Γ = (I/γ − C)⁻¹ row by row; γ_i = Σ_j Γ_ij and α_i = Σ_j (aΓ)_ij = Σ_j a_ij γ_j.
        let mut gamma_sum = vec![0.0; stages];
        let mut alpha_sum = vec![0.0; stages];
        for i in 0..stages {
            let earlier = |row: &[f64], sums: &[f64]| -> f64 {
                row.iter().zip(sums).map(|(x, y)| x * y).sum()
            };
            gamma_sum[i] = gamma * (1.0 + earlier(&c[i], &gamma_sum));
            alpha_sum[i] = earlier(&a[i], &gamma_sum);
        }
        Rosenbrock {
            gamma,
            a,
            c,
            m,
            error_weights: None,
            alpha_sum,
            gamma_sum,
            us: vec![Vec::new(); stages],
            vs: vec![Vec::new(); stages],
            rate: Vec::new(),
            u_hat: Vec::new(),
            v_hat: Vec::new(),
            s_v: Vec::new(),
            f: Vec::new(),
            kx: Vec::new(),
            zero: Vec::new(),
            h: 0.0,
            quadrature: HermiteQuadrature::default(),
        }
    }

    fn reserve(&mut self, n: usize) {
        let own = [
            &mut self.rate,
            &mut self.u_hat,
            &mut self.v_hat,
            &mut self.s_v,
            &mut self.f,
            &mut self.kx,
            &mut self.zero,
        ];
        for x in self.us.iter_mut().chain(&mut self.vs).chain(own) {
            x.resize(n, 0.0);
        }
    }

    fn stage(
        &mut self,
        sys: &mut dyn System,
        solver: &mut StageSolver,
        s: &State,
        h: f64,
        i: usize,
    ) -> Result<(), StepError> {
        let t = s.t + self.alpha_sum[i] * h;
        self.u_hat.copy_from_slice(&s.u);
        self.v_hat.copy_from_slice(&s.v);
        for (j, &a) in self.a[i].iter().enumerate().filter(|(_, a)| **a != 0.0) {
            add(&mut self.u_hat, a, &self.us[j]);
            add(&mut self.v_hat, a, &self.vs[j]);
        }
        let stage_positions = Positions::new(t, &self.u_hat);
        check_explicit_stage(sys, stage_positions, &[s.at().positions()])?;
        solver.newton.report.forces += 1;
        let at = At {
            t,
            u: &self.u_hat,
            v: &self.v_hat,
        };
        let positional = sys.update_damping(at, DampingUpdate::Whole).is_some();
        sys.force(at, &mut self.f);
        if let Some((dof, value)) = not_finite(&self.f) {
            return Err(StepError::NotFinite {
                t,
                what: "force",
                dof,
                value,
            });
        }
        // From here on v_hat holds v̂ + s_u.
        self.s_v.fill(0.0);
        for (j, &c) in self.c[i].iter().enumerate().filter(|(_, c)| **c != 0.0) {
            add(&mut self.v_hat, c / h, &self.us[j]);
            add(&mut self.s_v, c / h, &self.vs[j]);
        }
        let step = h * self.gamma;
        sys.tangent_times(&self.v_hat, &self.zero, &mut self.kx);
        add(&mut self.f, -step, &self.kx);
        sys.mass().times(&self.s_v, &mut self.kx);
        add(&mut self.f, 1.0, &self.kx);
        add(&mut self.f, self.gamma_sum[i] * h, &self.rate);
        for (x, f) in self.vs[i].iter_mut().zip(&self.f) {
            *x = step * f;
        }
        self.solve_stage(sys, solver, s, h, i, positional)?;
        for ((u, v), w) in self.us[i].iter_mut().zip(&self.vs[i]).zip(&self.v_hat) {
            *u = step * (w + v);
        }
        solver.newton.report.stages += 1;
        Ok(())
    }
}

impl Rosenbrock {
    /// Solves for V_i, whose right-hand side it holds. With damping that depends on positions the right-hand side lacks
    /// −(hγ)² E (v̂ + s_u + V_i), with E taken at the start of the step like K.
    fn solve_stage(
        &mut self,
        sys: &mut dyn System,
        solver: &mut StageSolver,
        s: &State,
        h: f64,
        i: usize,
        positional: bool,
    ) -> Result<(), StepError> {
        if !positional {
            return solver.solve_factored(s.t + self.alpha_sum[i] * h, &mut self.vs[i]);
        }
        let step = h * self.gamma;
        self.kx.fill(0.0);
        add(&mut self.kx, step, &self.v_hat);
        let term = DampingTerm {
            at: At {
                t: s.t,
                u: &s.u,
                v: &s.v,
            },
            scale: step,
            offset: &self.kx,
            slope: step,
        };
        solver.solve_linearised(sys, term, &mut self.vs[i])
    }
}

impl Stepper for Rosenbrock {
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
        cx.solver.begin_step(cx.system, from.at());
        let step = h * self.gamma;
        let weights = Weights {
            mass: 1.0,
            damping: step,
            stiffness: step * step,
        };
        cx.solver.factor_exact(cx.system, from.at(), weights)?;
        cx.system.force_rate(from.at(), &mut self.rate);
        for i in 0..self.m.len() {
            self.stage(cx.system, cx.solver, from, h, i)?;
        }
        to.u.copy_from_slice(&from.u);
        to.v.copy_from_slice(&from.v);
        for (i, &m) in self.m.iter().enumerate() {
            add(&mut to.u, m, &self.us[i]);
            add(&mut to.v, m, &self.vs[i]);
        }
        self.h = h;
        to.t = from.t + h;
        let last = self.alpha_sum.last().map_or(0.0, |alpha| alpha * h);
        let stage = Positions::new(from.t + last, &self.u_hat);
        check_end(cx.system, to, &[stage, from.at().positions()])?;
        if cx.solver.watches_force_error() {
            let c_u = step * step;
            cx.solver.measure_force_error(cx.system, to.at(), c_u)?;
        }
        let weights = self
            .error_weights
            .as_ref()
            .filter(|_| cx.estimates.embedded);
        let error = weights.map(|w| embedded_error(w, 1.0, [&self.us, &self.vs], &mut self.kx));
        Ok(StepReport {
            error,
            ..StepReport::default()
        })
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
