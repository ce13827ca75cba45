//! How wrong the linearised force was, in metres ["Adaptive Time-Stepping with Linearized Force Error Estimation",
//! eqs. 7–10].
//!
//! With the force linearised at the start of the step, F̃ = f₀ − K₀ (u − u₀) − D₀ (v − v₀) + ∂f/∂t (t − t₀), a stage that
//! ends at (u, v) has the error ε = c_u ‖M⁻¹(f(t, u, v) − F̃)‖∞: what the difference of force does to positions through the
//! stage's own c_u = ∂u/∂a. For backward Euler c_u = h², for Newmark's method β h²: the paper's h²/κ with κ = 1 and
//! κ = 4. Here for every implicit stage, the largest of a step.
//!
//! What we changed: the paper's step solves with F̃ itself, so its F̃ is at hand; stages iterated to convergence compute it
//! from the matrices at the start, by one assembly and one product a stage. The derivative of position-dependent damping
//! by positions is left out of F̃.

use sparse::Matrix;

use super::StageSolver;
use crate::vector::{add, combine, max_abs, not_finite};
use crate::{At, Curvature, DampingUpdate, State, StepError, System, Weights};

/// The linearisation at the start of a step.
#[derive(Default)]
pub(super) struct ForceError {
    /// Whether the controller asked for it.
    pub wanted: bool,
    start: State,
    f0: Vec<f64>,
    f: Vec<f64>,
    rate: Vec<f64>,
    du: Vec<f64>,
    dv: Vec<f64>,
    y: Vec<f64>,
    matrix: Option<Matrix>,
    /// Largest error of the attempt, m.
    pub largest: Option<f64>,
}

impl ForceError {
    fn reserve(&mut self, n: usize) {
        for x in [
            &mut self.f0,
            &mut self.f,
            &mut self.rate,
            &mut self.du,
            &mut self.dv,
            &mut self.y,
        ] {
            x.resize(n, 0.0);
        }
        self.start.resize(n);
    }
}

impl StageSolver {
    /// Notes the start of a step, where forces are linearised.
    pub(super) fn linearise_forces(&mut self, sys: &mut dyn System, at: At) {
        let error = &mut self.force_error;
        error.reserve(sys.dofs());
        error.start.t = at.t;
        error.start.u.copy_from_slice(at.u);
        error.start.v.copy_from_slice(at.v);
        sys.update_damping(at, DampingUpdate::Whole);
        sys.force(at, &mut error.f0);
        self.report.forces += 1;
    }

    /// Measures the force error at the end (u, v) of a stage.
    pub(crate) fn measure_force_error(
        &mut self,
        sys: &mut dyn System,
        at: At,
        c_u: f64,
    ) -> Result<(), StepError> {
        let mut error = std::mem::take(&mut self.force_error);
        let measured = self.force_error_at(sys, at, c_u, &mut error);
        self.force_error = error;
        measured
    }

    fn force_error_at(
        &mut self,
        sys: &mut dyn System,
        at: At,
        c_u: f64,
        error: &mut ForceError,
    ) -> Result<(), StepError> {
        let ForceError {
            start,
            f0,
            f,
            rate,
            du,
            dv,
            y,
            matrix,
            largest,
            ..
        } = error;
        sys.update_damping(at, DampingUpdate::Whole);
        sys.force(at, f);
        combine(du, at.u, -1.0, &start.u);
        combine(dv, at.v, -1.0, &start.v);
        let here = start.at();
        sys.update_damping(here, DampingUpdate::Whole);
        let matrix = matrix.get_or_insert_with(|| sys.blank());
        let unit = Weights {
            mass: 0.0,
            damping: 1.0,
            stiffness: 1.0,
        };
        sys.tangent(here, unit, Curvature::Exact, matrix);
        sys.tangent_times(du, dv, y);
        sys.force_rate(here, rate);
        self.report.forces += 1;
        self.report.assemblies += 1;
        // f − F̃ = f − f₀ + K₀ Δu + D₀ Δv − ∂f/∂t Δt.
        add(f, -1.0, f0);
        add(f, 1.0, y);
        add(f, start.t - at.t, rate);
        if let Some((dof, value)) = not_finite(f) {
            return Err(StepError::NotFinite {
                t: at.t,
                what: "force",
                dof,
                value,
            });
        }
        self.solve_mass(sys, at.t, f)?;
        let found = c_u * max_abs(f);
        *largest = Some(largest.map_or(found, |l| l.max(found)));
        Ok(())
    }
}
