//! Static equilibrium in load steps: f(t, u, 0) = 0 at a series of pseudo-times t, without inertia.
//!
//! A load step is one stage without inertia, with c_u = 1 and c_v = 0: the unknown is the displacement from the last
//! equilibrium, Newton's matrix is the tangent stiffness K, and the merit is the potential energy Π(t, u). Newton's
//! method, line search and handling of indefinite matrices are those of the integrators, so an iteration descends to a
//! minimum of Π and leaves saddle points where rounding lets it. It starts at the last equilibrium or at a prediction,
//! whichever has the smaller Π: the tangent K₀ Δu = Δf, where Δf is the change of the loads and of the forces of moving
//! supports, or the secant through the last two equilibria where K₀ is not positive definite (predictors of path-following
//! methods [Wriggers 2008, ch. 5]). Without the tangent a support that moves by more than an element would invert it.
//!
//! Stability is read from the number of negative pivots of the exact K at the equilibrium: 0 if Π has a minimum there.

use sparse::{Cholesky, InertiaCounter, LinearSolver, Matrix};

use super::check_end;
use crate::ledger::PowerSample;
use crate::vector::{combine, norm};
use crate::{
    Curvature, Equilibrium, MethodMemory, Newton, Stage, State, StepContext, StepError, StepReport,
    Stepper, System, Weights,
};

/// Load steps from one static equilibrium to the next, and the previous equilibrium, which predicts the next.
pub struct StaticEquilibrium {
    newton: Newton,
    /// Displacements at the equilibrium before the last, and the length of the load step since then.
    past: Past,
    has_past: bool,
    /// Value of `past` after the attempt is committed.
    next: Past,
    /// Displacement of the load step.
    change: Vec<f64>,
    /// Its prediction.
    predicted: Vec<f64>,
    zero: Vec<f64>,
    force: Vec<f64>,
    /// Tangent stiffness at the equilibrium.
    tangent: Option<Matrix>,
    /// Factor of the tangent at the start of a load step.
    cholesky: Cholesky,
    inertia: InertiaCounter,
}

#[derive(Default)]
struct Past {
    h: f64,
    u: Vec<f64>,
}

impl Past {
    fn set(&mut self, h: f64, u: &[f64]) {
        self.h = h;
        self.u.clear();
        self.u.extend_from_slice(u);
    }
}

impl StaticEquilibrium {
    /// Creates the load steps; `newton` finds each equilibrium.
    pub fn new(newton: Newton) -> StaticEquilibrium {
        StaticEquilibrium {
            newton,
            past: Past::default(),
            has_past: false,
            next: Past::default(),
            change: Vec::new(),
            predicted: Vec::new(),
            zero: Vec::new(),
            force: Vec::new(),
            tangent: None,
            cholesky: Cholesky::default(),
            inertia: InertiaCounter::default(),
        }
    }

    /// Predicts the displacement of a load step; returns `false` if there is no prediction.
    fn predict(&mut self, sys: &mut dyn System, from: &State, h: f64) -> bool {
        self.assemble(sys, from);
        if sys.force_increment(from.at(), from.t + h, &mut self.predicted)
            && let Some(tangent) = &self.tangent
            && self.cholesky.factor(tangent).is_ok()
            && self.cholesky.solve(&mut self.predicted).is_ok()
        {
            return true;
        }
        if self.has_past {
            let ratio = h / self.past.h;
            combine(&mut self.predicted, &from.u, -1.0, &self.past.u);
            self.predicted.iter_mut().for_each(|x| *x *= ratio);
        }
        self.has_past
    }

    /// Assembles the exact tangent stiffness at a state.
    fn assemble(&mut self, sys: &mut dyn System, at: &State) {
        let weights = Weights {
            mass: 0.0,
            damping: 0.0,
            stiffness: 1.0,
        };
        let tangent = self.tangent.get_or_insert_with(|| sys.zero_matrix());
        sys.tangent(at.at(), weights, Curvature::Exact, tangent);
    }

    /// Measures the residual of an equilibrium and counts the negative pivots of its tangent.
    fn measure(&mut self, sys: &mut dyn System, at: &State) -> Equilibrium {
        sys.force(at.at(), &mut self.force);
        let (residual, scale) = (norm(&self.force), sys.force_scale());
        self.assemble(sys, at);
        let tangent = self.tangent.as_ref();
        let negative = tangent.and_then(|k| self.inertia.negative_eigenvalues(k));
        Equilibrium {
            residual: if scale > 0.0 { residual / scale } else { 0.0 },
            negative_pivots: negative.map(|n| n as u64),
        }
    }
}

impl Stepper for StaticEquilibrium {
    fn attempt(
        &mut self,
        cx: &mut StepContext,
        from: &State,
        h: f64,
        to: &mut State,
    ) -> Result<StepReport, StepError> {
        let n = cx.system.dofs();
        for x in [
            &mut self.change,
            &mut self.predicted,
            &mut self.zero,
            &mut self.force,
        ] {
            x.resize(n, 0.0);
        }
        to.resize(n);
        self.next.set(h, &from.u);
        cx.solver.begin_step(cx.system, from.at());
        let predicts = self.predict(cx.system, from, h);
        let stage = Stage {
            t: from.t + h,
            u0: &from.u,
            v0: &self.zero,
            c_u: 1.0,
            c_v: 0.0,
            inertia: 0.0,
            near: from.at(),
            hint: predicts.then_some(&self.predicted),
            newton: self.newton,
        };
        cx.solver.solve(cx.system, &stage, &mut self.change)?;
        combine(&mut to.u, &from.u, 1.0, &self.change);
        to.v.fill(0.0);
        to.t = from.t + h;
        check_end(cx.system, to, &[])?;
        Ok(StepReport {
            equilibrium: Some(self.measure(cx.system, to)),
            ..StepReport::default()
        })
    }

    fn commit(&mut self) {
        std::mem::swap(&mut self.past, &mut self.next);
        self.has_past = true;
    }

    fn samples(&mut self, _from: &State, _to: &State, _visit: &mut dyn FnMut(PowerSample)) {}

    fn is_quasi_static(&self) -> bool {
        true
    }

    fn save_into(&self, memory: &mut MethodMemory) {
        match self.has_past {
            true => memory.set_previous_state(self.past.h, &self.past.u, &self.zero),
            false => *memory = MethodMemory::None,
        }
    }

    fn restore(&mut self, memory: &MethodMemory) -> bool {
        match memory {
            MethodMemory::None => self.has_past = false,
            MethodMemory::PreviousState { h, u, .. } => {
                self.past.set(*h, u);
                self.zero.resize(u.len(), 0.0);
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
