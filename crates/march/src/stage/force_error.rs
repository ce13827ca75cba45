//! Error of the linearised force, in metres [Linearized Force Error, eqs. 7–10].
//!
//! With the force linearised at the start of the step, F̃ = f₀ − K₀ (u − u₀) − D₀ (v − v₀) + ∂f/∂t (t − t₀), a stage
//! that ends at (u, v) has the error ε = c_u ‖M⁻¹(f(t, u, v) − F̃)‖∞: the effect of the force difference on positions
//! through c_u = ∂u/∂a of the stage. For backward Euler c_u = h², for Newmark's method β h²: the h²/κ of the paper with
//! κ = 1 and κ = 4. It is computed for every implicit stage; the error of a step is the largest of its stages.
//!
//! The exact value needs a solve with the mass matrix for each stage. If the force error is one of several estimates
//! ([`ForceEstimate::Screened`]), every stage is screened by the diagonal of the mass matrix, and M⁻¹ is applied at
//! most once per step, to the largest error, by conjugate gradients to [`MASS_SOLVE_TOLERANCE`]. The bounds of [Wathen
//! 1987] keep the number of iterations small on any mesh, and no factor of the mass matrix is needed.
//!
//! The step of the paper solves with F̃ itself and knows it. So does a stage of one Newton iteration from the start of the
//! step, with F̃ = f(t, u₀, v₀) − K₀ (u − u₀) − D₀ (v − v₀). Change to the paper: other stages compute F̃ from the matrices at the
//! start, by one assembly per stage. The derivative of position-dependent damping with respect to positions is left out of F̃.

use sparse::{Cg, LinearSolver, Matrix, Preconditioner};

use super::mass_factor::MassFactor;
use super::{Newton, Stage, StageSolver};
use crate::vector::{add, combine, max_abs, not_finite};
use crate::{
    At, Counts, Curvature, DampingUpdate, ForceEstimate, State, StepError, System, Weights,
};

/// Bound of M⁻¹ relative to the inverse of its diagonal: consistent mass matrices of linear hexahedra have eigenvalues
/// down to an eighth of their diagonal, those of linear tetrahedra to a half [Wathen 1987].
const MASS_SPREAD: f64 = 8.0;
/// Relative residual of an approximate solve with the mass matrix; an error estimate needs no more digits.
const MASS_SOLVE_TOLERANCE: f64 = 1e-2;

/// Weights of K and D as they are.
const UNIT: Weights = Weights {
    mass: 0.0,
    damping: 1.0,
    stiffness: 1.0,
};

/// Returns ‖D⁻¹ f‖∞ with the diagonal D of the mass matrix.
fn scaled_by_diagonal(mass: &Matrix, f: &[f64]) -> f64 {
    let scaled = mass.diagonal().zip(f).map(|(m, f)| (f / m).abs());
    scaled.fold(0.0, f64::max)
}

/// Approximate solver for a mass matrix, with the stamp of its pattern.
type ApproximateMass = Option<(u64, Cg)>;

/// Solves x ← M⁻¹ x approximately; returns the number of products with M.
fn solve_approximately(
    kept: &mut ApproximateMass,
    mass: &Matrix,
    t: f64,
    x: &mut [f64],
) -> Result<u64, StepError> {
    let stamp = mass.pattern().stamp();
    let (_, solver) = match kept.take().filter(|k| k.0 == stamp) {
        Some(same) => kept.insert(same),
        None => {
            let mut solver = Cg::with_preconditioner(Preconditioner::BlockJacobi);
            solver.tolerance = MASS_SOLVE_TOLERANCE;
            let ready = solver.factor(mass);
            ready.map_err(|why| StepError::Factor { t, why })?;
            kept.insert((stamp, solver))
        }
    };
    let before = solver.counts().iterations;
    let solved = solver.solve(x);
    solved.map_err(|why| StepError::Solve { t, why })?;
    // The final check of the residual is a product, too.
    Ok(solver.counts().iterations - before + 1)
}

/// Linearisation at the start of a step and the force error of its stages.
#[derive(Default)]
pub(super) struct ForceError {
    /// Estimate that the controller requested.
    pub wanted: ForceEstimate,
    start: State,
    /// Force at the start, if a stage needed it.
    f0: Vec<f64>,
    f0_known: bool,
    f: Vec<f64>,
    rate: Vec<f64>,
    du: Vec<f64>,
    dv: Vec<f64>,
    y: Vec<f64>,
    matrix: Option<Matrix>,
    /// Force difference with the largest screened error, and its c_u.
    worst: Vec<f64>,
    worst_c_u: f64,
    approximate_mass: ApproximateMass,
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
            &mut self.worst,
        ] {
            x.resize(n, 0.0);
        }
        self.start.resize(n);
    }

    /// Stores the start of a step, where forces are linearised.
    pub fn begin_step(&mut self, at: At) {
        self.reserve(at.u.len());
        self.start.t = at.t;
        self.start.u.copy_from_slice(at.u);
        self.start.v.copy_from_slice(at.v);
        self.f0_known = false;
    }

    /// Returns whether a stage is solved by one iteration with the force and the matrices at the start of the step.
    pub fn is_of_stage(&self, stage: &Stage) -> bool {
        let (near, start) = (&stage.near, &self.start);
        stage.newton == Newton::SingleIteration && near.u == start.u && near.v == start.v
    }

    /// Measures the force error at the end (u, v) of a stage. `f_near` is the force at the start of the step and the time of the
    /// stage if the matrices of the system are those of this state ([`ForceError::is_of_stage`]).
    pub fn measure(
        &mut self,
        sys: &mut dyn System,
        mass: &mut MassFactor,
        at: At,
        c_u: f64,
        f_near: Option<&[f64]>,
        counts: &mut Counts,
    ) -> Result<(), StepError> {
        let mut here = self.start.at();
        if f_near.is_none() && !self.f0_known {
            sys.update_damping(here, DampingUpdate::Whole);
            sys.force(here, &mut self.f0);
            counts.forces += 1;
            self.f0_known = true;
        }
        let f = &mut self.f;
        sys.update_damping(at, DampingUpdate::Whole);
        sys.force(at, f);
        combine(&mut self.du, at.u, -1.0, here.u);
        combine(&mut self.dv, at.v, -1.0, here.v);
        here.t = if f_near.is_some() { at.t } else { here.t };
        sys.update_damping(here, DampingUpdate::Whole);
        if f_near.is_none() {
            let matrix = self.matrix.get_or_insert_with(|| sys.zero_matrix());
            sys.tangent(here, UNIT, Curvature::Unsymmetric, matrix);
            sys.force_rate(here, &mut self.rate);
            counts.assemblies += 1;
        }
        sys.tangent_times(&self.du, &self.dv, &mut self.y);
        counts.forces += 1;
        counts.products += 1;
        // f − F̃ = f − f₀ + K₀ Δu + D₀ Δv − ∂f/∂t Δt.
        add(f, -1.0, f_near.unwrap_or(&self.f0));
        add(f, 1.0, &self.y);
        add(f, here.t - at.t, &self.rate);
        if let Some((dof, value)) = not_finite(f) {
            return Err(StepError::NotFinite {
                t: at.t,
                what: "force",
                dof,
                value,
            });
        }
        let found = match self.wanted {
            ForceEstimate::Screened(_) => c_u * scaled_by_diagonal(sys.mass(), f),
            _ => {
                mass.solve(sys, at.t, f, counts)?;
                c_u * max_abs(f)
            }
        };
        if self.largest.is_none_or(|l| found > l) {
            self.largest = Some(found);
            std::mem::swap(f, &mut self.worst);
            self.worst_c_u = c_u;
        }
        Ok(())
    }

    /// Ends an attempt: measures the largest screened error by an approximate solve if it is not negligible.
    fn finish(&mut self, mass: &Matrix, t: f64, counts: &mut Counts) -> Result<(), StepError> {
        let ForceEstimate::Screened(negligible) = self.wanted else {
            return Ok(());
        };
        if self.largest.is_none_or(|e| MASS_SPREAD * e <= negligible) {
            return Ok(());
        }
        let products = solve_approximately(&mut self.approximate_mass, mass, t, &mut self.worst);
        self.largest = Some(self.worst_c_u * max_abs(&self.worst));
        counts.products += products?;
        Ok(())
    }
}

impl StageSolver {
    /// Requests the force error for the attempt that begins.
    pub(crate) fn watch_force_error(&mut self, wanted: ForceEstimate) {
        self.force_error.wanted = wanted;
        self.force_error.largest = None;
    }

    /// Returns `true` if the force error is measured in this attempt.
    pub(crate) fn watches_force_error(&self) -> bool {
        self.force_error.wanted != ForceEstimate::None
    }

    /// Returns the largest force error of the stages of the attempt, m.
    pub fn force_error(&self) -> Option<f64> {
        self.force_error.largest
    }

    /// Measures the force error at the end (u, v) of a stage.
    pub(crate) fn measure_force_error(
        &mut self,
        sys: &mut dyn System,
        at: At,
        c_u: f64,
    ) -> Result<(), StepError> {
        let (mass, counts) = (&mut self.mass, &mut self.newton.report);
        self.force_error.measure(sys, mass, at, c_u, None, counts)
    }

    /// Ends the measurement of an attempt.
    pub(crate) fn finish_force_error(
        &mut self,
        sys: &mut dyn System,
        t: f64,
    ) -> Result<(), StepError> {
        let counts = &mut self.newton.report;
        self.force_error.finish(sys.mass(), t, counts)
    }
}
