//! Exponential Rosenbrock–Euler method [Ascher et al. 2021, eq. 17]: y₁ = y₀ + h φ₁(hJ) F(y₀) + h² φ₂(hJ) ∂F/∂t.
//!
//! It is exact for linear systems under loads that are linear in time, and of order two with the exact Jacobian. The
//! term with φ₂ is ours: without it, forces and boundaries that depend on time reduce the order to one.

use ::exponential::SecondOrder;
use ::exponential::krylov::{Inhomogeneity, KrylovError, KrylovPhi};

use super::super::check_end;
use super::system::{Buffers, LinearisedSystem};
use crate::ledger::{HermiteQuadrature, PowerSample};
use crate::vector::add;
use crate::{MethodMemory, State, StepContext, StepError, StepReport, Stepper, Weights};

/// Error of the increment of a step, relative to its size in the energy norm.
const KRYLOV_TOLERANCE: f64 = 1e-12;

/// Exponential Rosenbrock–Euler method.
#[derive(Default)]
pub struct ExponentialRosenbrockEuler {
    krylov: KrylovPhi,
    system: Buffers,
    a: Vec<f64>,
    rate: Vec<f64>,
    du: Vec<f64>,
    dv: Vec<f64>,
    h: f64,
    quadrature: HermiteQuadrature,
}

impl Stepper for ExponentialRosenbrockEuler {
    fn attempt(
        &mut self,
        cx: &mut StepContext,
        from: &State,
        h: f64,
        to: &mut State,
    ) -> Result<StepReport, StepError> {
        let n = cx.system.dofs();
        for x in [&mut self.a, &mut self.rate, &mut self.du, &mut self.dv] {
            x.resize(n, 0.0);
        }
        to.resize(n);
        self.h = h;
        cx.solver.begin_step(cx.system, from.at());
        cx.solver.acceleration(cx.system, from.at(), &mut self.a)?;
        let weights = Weights {
            mass: 1.0,
            damping: h,
            stiffness: h * h,
        };
        let mut system = LinearisedSystem::new(cx.system, cx.solver, &mut self.system);
        system.assemble(from.at(), weights);
        system.force_rate_here(&mut self.rate);
        system.solve_mass(&mut self.rate)?;
        let b = Inhomogeneity {
            u: &from.v,
            v: &self.a,
            rate: &self.rate,
        };
        let (krylov, du, dv) = (&mut self.krylov, &mut self.du, &mut self.dv);
        let work = krylov.increment(&mut system, h, b, KRYLOV_TOLERANCE, du, dv);
        let work = work.map_err(|why| match why {
            KrylovError::Solve(why) => why,
            KrylovError::TooManyProducts { products } => StepError::Krylov {
                t: from.t,
                products,
            },
            KrylovError::NotFinite => StepError::NotFinite {
                t: from.t,
                what: "exponential",
                dof: 0,
                value: f64::NAN,
            },
        })?;
        cx.solver.newton.report.products += work.products;
        to.u.copy_from_slice(&from.u);
        to.v.copy_from_slice(&from.v);
        add(&mut to.u, 1.0, &self.du);
        add(&mut to.v, 1.0, &self.dv);
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
