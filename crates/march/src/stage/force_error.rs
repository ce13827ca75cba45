//! How wrong the linearised force was, in metres ["Adaptive Time-Stepping with Linearized Force Error Estimation",
//! eqs. 7–10].
//!
//! With the force linearised at the start of the step, F̃ = f₀ − K₀ (u − u₀) − D₀ (v − v₀) + ∂f/∂t (t − t₀), a stage that
//! ends at (u, v) has the error ε = c_u ‖M⁻¹(f(t, u, v) − F̃)‖∞: what the difference of force does to positions through the
//! stage's own c_u = ∂u/∂a. For backward Euler c_u = h², for Newmark's method β h²: the paper's h²/κ with κ = 1 and
//! κ = 4. Here for every implicit stage, the largest of a step.
//!
//! Measuring it exactly costs a solve with the mass matrix for each stage. If the force error is one estimate of several
//! ([`ForceEstimate::Screened`]), every stage is screened by the diagonal of the mass matrix, and M⁻¹ is applied at most
//! once a step, to the stage that matters, by conjugate gradients to [`MASS_SOLVE_TOLERANCE`]. Wathen's bounds keep the
//! iterations few on any mesh, and no factor of the mass matrix is needed.
//!
//! What we changed: the paper's step solves with F̃ itself, so its F̃ is at hand; stages iterated to convergence compute it
//! from the matrices at the start, by one assembly and one product a stage. The derivative of position-dependent damping
//! by positions is left out of F̃.

use sparse::{Cg, LinearSolver, Matrix, Preconditioner};

use super::StageSolver;
use super::mass_factor::MassFactor;
use crate::vector::{add, combine, max_abs, not_finite};
use crate::{
    At, Counts, Curvature, DampingUpdate, ForceEstimate, State, StepError, System, Weights,
};

/// How much larger M⁻¹ may be than the inverse of its diagonal: consistent masses of linear hexahedra have eigenvalues down
/// to an eighth of their diagonal, those of linear tetrahedra to a half (A. J. Wathen, "Realistic eigenvalue bounds for the
/// Galerkin mass matrix", IMA J. Numer. Anal. 7, 1987).
const MASS_SPREAD: f64 = 8.0;
/// Relative residual of an approximate solve with the mass matrix: an error estimate needs no more digits.
const MASS_SOLVE_TOLERANCE: f64 = 1e-2;

/// ‖D⁻¹ f‖∞ with the diagonal D of the mass matrix.
fn scaled_by_diagonal(mass: &Matrix, f: &[f64]) -> f64 {
    let scaled = mass.diagonal().zip(f).map(|(m, f)| (f / m).abs());
    scaled.fold(0.0, f64::max)
}

/// Approximate solves with the mass matrix.
struct ApproximateMass {
    solver: Cg,
    /// Stamp of the pattern that the solver is ready for.
    stamp: Option<u64>,
}

impl Default for ApproximateMass {
    fn default() -> ApproximateMass {
        let mut solver = Cg::with_preconditioner(Preconditioner::BlockJacobi);
        solver.tolerance = MASS_SOLVE_TOLERANCE;
        ApproximateMass {
            solver,
            stamp: None,
        }
    }
}

impl ApproximateMass {
    /// x ← M⁻¹ x, approximately; returns the number of products with M.
    fn solve(&mut self, mass: &Matrix, t: f64, x: &mut [f64]) -> Result<u64, StepError> {
        let stamp = mass.pattern().stamp();
        if self.stamp != Some(stamp) {
            let ready = self.solver.factor(mass);
            ready.map_err(|why| StepError::Factor { t, why })?;
            self.stamp = Some(stamp);
        }
        let before = self.solver.counts().iterations;
        let solved = self.solver.solve(x);
        solved.map_err(|why| StepError::Solve { t, why })?;
        // The true residual at the end is a product, too.
        Ok(self.solver.counts().iterations - before + 1)
    }
}

/// The linearisation at the start of a step.
#[derive(Default)]
pub(super) struct ForceError {
    /// Whether the controller asked for it.
    pub wanted: ForceEstimate,
    start: State,
    f0: Vec<f64>,
    f: Vec<f64>,
    rate: Vec<f64>,
    du: Vec<f64>,
    dv: Vec<f64>,
    y: Vec<f64>,
    matrix: Option<Matrix>,
    /// The difference of force with the largest screened error, and its c_u.
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

    /// Notes the start of a step, where forces are linearised.
    pub fn linearise(&mut self, sys: &mut dyn System, at: At, counts: &mut Counts) {
        self.reserve(sys.dofs());
        self.start.t = at.t;
        self.start.u.copy_from_slice(at.u);
        self.start.v.copy_from_slice(at.v);
        sys.update_damping(at, DampingUpdate::Whole);
        sys.force(at, &mut self.f0);
        counts.forces += 1;
    }

    /// Measures the force error at the end (u, v) of a stage.
    pub fn measure(
        &mut self,
        sys: &mut dyn System,
        mass: &mut MassFactor,
        at: At,
        c_u: f64,
        counts: &mut Counts,
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
            worst,
            worst_c_u,
            largest,
            wanted,
            approximate_mass: _,
        } = self;
        sys.update_damping(at, DampingUpdate::Whole);
        sys.force(at, f);
        combine(du, at.u, -1.0, &start.u);
        combine(dv, at.v, -1.0, &start.v);
        let here = start.at();
        sys.update_damping(here, DampingUpdate::Whole);
        let matrix = matrix.get_or_insert_with(|| sys.zero_matrix());
        let unit = Weights {
            mass: 0.0,
            damping: 1.0,
            stiffness: 1.0,
        };
        sys.tangent(here, unit, Curvature::Exact, matrix);
        sys.tangent_times(du, dv, y);
        sys.force_rate(here, rate);
        counts.forces += 1;
        counts.assemblies += 1;
        counts.products += 1;
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
        let found = match wanted {
            ForceEstimate::Screened(_) => c_u * scaled_by_diagonal(sys.mass(), f),
            _ => {
                mass.solve(sys, at.t, f, counts)?;
                c_u * max_abs(f)
            }
        };
        if largest.is_none_or(|l| found > l) {
            *largest = Some(found);
            std::mem::swap(f, worst);
            *worst_c_u = c_u;
        }
        Ok(())
    }

    /// Ends an attempt: the screened error that matters is measured by an approximate solve.
    fn finish(&mut self, mass: &Matrix, t: f64, counts: &mut Counts) -> Result<(), StepError> {
        let ForceEstimate::Screened(negligible) = self.wanted else {
            return Ok(());
        };
        if self.largest.is_none_or(|e| MASS_SPREAD * e <= negligible) {
            return Ok(());
        }
        let products = self.approximate_mass.solve(mass, t, &mut self.worst);
        self.largest = Some(self.worst_c_u * max_abs(&self.worst));
        counts.products += products?;
        Ok(())
    }
}

impl StageSolver {
    /// Whether the error of linearised forces is measured in the attempt that begins.
    pub(crate) fn watch_force_error(&mut self, wanted: ForceEstimate) {
        self.force_error.wanted = wanted;
        self.force_error.largest = None;
    }

    /// Whether the error of linearised forces is measured in this attempt.
    pub(crate) fn watches_force_error(&self) -> bool {
        self.force_error.wanted != ForceEstimate::None
    }

    /// Largest error of the linearised force in the stages of the attempt, m.
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
        self.force_error.measure(sys, mass, at, c_u, counts)
    }

    /// Ends an attempt.
    pub(crate) fn finish_force_error(
        &mut self,
        sys: &mut dyn System,
        t: f64,
    ) -> Result<(), StepError> {
        let counts = &mut self.newton.report;
        self.force_error.finish(sys.mass(), t, counts)
    }
}
