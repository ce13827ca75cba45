//! Forces, residuals and merits of a stage at a trial acceleration.

use super::Stage;
use super::base::Base;
use super::newton::ResidualNorm;
use crate::vector::{add, combine, dot, norm, not_finite};
use crate::{At, Counts, DampingUpdate, StepError, System};

/// Evaluation of a stage at changes of the acceleration from the start of the iteration, with its buffers.
#[derive(Default)]
pub(super) struct Evaluation {
    /// Start of the iteration.
    pub base: Base,
    /// Displacements of the last evaluation.
    pub u: Vec<f64>,
    /// Velocities of the last evaluation.
    pub v: Vec<f64>,
    /// Force of the last evaluation.
    pub f: Vec<f64>,
    /// M a of the last evaluation.
    pub ma: Vec<f64>,
}

impl Evaluation {
    /// Allocates vectors of `n` entries.
    pub fn reserve(&mut self, n: usize) {
        self.base.reserve(n);
        for x in [&mut self.u, &mut self.v, &mut self.f, &mut self.ma] {
            x.resize(n, 0.0);
        }
    }

    /// Returns the state of the last evaluation with this time.
    pub fn at(&self, t: f64) -> At<'_> {
        At {
            t,
            u: &self.u,
            v: &self.v,
        }
    }

    /// Sets u and v for a change `a` of the acceleration from the start.
    pub fn place(&mut self, stage: &Stage, a: &[f64]) {
        combine(&mut self.u, &self.base.u, stage.c_u, a);
        combine(&mut self.v, &self.base.v, stage.c_v, a);
    }

    /// Sets u and v for the acceleration `a`.
    pub fn place_whole(&mut self, stage: &Stage, a: &[f64]) {
        combine(&mut self.u, stage.u0, stage.c_u, a);
        combine(&mut self.v, stage.v0, stage.c_v, a);
    }

    /// Evaluates f at a state.
    pub fn force_at(
        &mut self,
        sys: &mut dyn System,
        at: At,
        counts: &mut Counts,
    ) -> Result<(), StepError> {
        self.f.resize(sys.dofs(), 0.0);
        finite_force(sys, at, &mut self.f, counts)
    }

    /// Evaluates f at u and v.
    fn force(
        &mut self,
        sys: &mut dyn System,
        t: f64,
        counts: &mut Counts,
    ) -> Result<(), StepError> {
        let Evaluation { u, v, f, .. } = self;
        finite_force(sys, At { t, u, v }, f, counts)
    }

    /// Returns Π/c_u + R/c_v at u and v, or `None` if the system has no potential. Without c_v the velocities are not
    /// unknowns, and R is a constant that is left out.
    pub fn potential_terms(&mut self, sys: &mut dyn System, stage: &Stage) -> Option<f64> {
        let potential = sys.potential(stage.t, &self.u)?;
        if stage.c_v == 0.0 {
            return Some(potential / stage.c_u);
        }
        let dissipation = sys.dissipation(stage.t, &self.v)?;
        Some(potential / stage.c_u + dissipation / stage.c_v)
    }

    /// Returns Φ without its constant, the inertia of the start, or `None` if the system has no potential.
    pub fn merit(&mut self, sys: &mut dyn System, stage: &Stage, a: &[f64]) -> Option<f64> {
        self.place(stage, a);
        let stored = self.potential_terms(sys, stage)?;
        stage.inertial_force(sys.mass(), a, &mut self.ma);
        Some(0.5 * dot(a, &self.ma) + dot(a, &self.base.ma) + stored)
    }

    /// Computes the residual r = M a − f at a change `a` of the acceleration.
    pub fn residual(
        &mut self,
        sys: &mut dyn System,
        stage: &Stage,
        a: &[f64],
        tolerance: f64,
        counts: &mut Counts,
        r: &mut [f64],
    ) -> Result<ResidualNorm, StepError> {
        self.place(stage, a);
        self.force(sys, stage.t, counts)?;
        stage.inertial_force(sys.mass(), a, &mut self.ma);
        add(&mut self.ma, 1.0, &self.base.ma);
        combine(r, &self.ma, -1.0, &self.f);
        let scale = sys.force_scale().max(norm(&self.ma));
        Ok(ResidualNorm {
            residual: norm(r),
            wanted: tolerance * scale,
        })
    }

    /// Computes r = M a − f at the acceleration `a`, with damping of the same positions; returns the norm of the
    /// forces.
    pub fn full_residual(
        &mut self,
        sys: &mut dyn System,
        stage: &Stage,
        a: &[f64],
        counts: &mut Counts,
        r: &mut [f64],
    ) -> Result<f64, StepError> {
        self.place_whole(stage, a);
        sys.update_damping(self.at(stage.t), DampingUpdate::Whole);
        self.force(sys, stage.t, counts)?;
        stage.inertial_force(sys.mass(), a, &mut self.ma);
        combine(r, &self.ma, -1.0, &self.f);
        Ok(sys.force_scale().max(norm(&self.ma)))
    }
}

fn finite_force(
    sys: &mut dyn System,
    at: At,
    f: &mut [f64],
    counts: &mut Counts,
) -> Result<(), StepError> {
    counts.forces += 1;
    sys.force(at, f);
    match not_finite(f) {
        Some((dof, value)) => Err(StepError::NotFinite {
            t: at.t,
            what: "force",
            dof,
            value,
        }),
        None => Ok(()),
    }
}
