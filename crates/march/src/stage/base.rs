//! Start of an iteration; the unknown of the iteration is the change of the acceleration from there.

use sparse::Matrix;

use super::Stage;
use crate::vector::{combine, dot};

/// Candidate starts of an iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Start {
    /// Displacements of the nearby state.
    Near,
    /// Acceleration suggested by the stepper.
    Hint,
    /// Inertial position, a = 0.
    Inertial,
}

/// State at which an iteration starts.
#[derive(Default)]
pub(super) struct Base {
    /// Acceleration.
    pub a: Vec<f64>,
    /// Displacements.
    pub u: Vec<f64>,
    /// Velocities.
    pub v: Vec<f64>,
    /// Inertial force M a.
    pub ma: Vec<f64>,
    /// ½ aᵀM a.
    pub inertia: f64,
}

impl Base {
    /// Allocates vectors of `n` entries.
    pub fn reserve(&mut self, n: usize) {
        for x in [&mut self.a, &mut self.u, &mut self.v, &mut self.ma] {
            x.resize(n, 0.0);
        }
    }

    /// Starts at the displacements of the nearby state.
    pub fn begin_near(&mut self, mass: &Matrix, stage: &Stage) {
        self.begin(mass, stage, Start::Near);
    }

    /// Moves the start towards the nearby position, to this fraction of the path from there; a fraction of 1 leaves it
    /// unchanged.
    pub fn shorten(&mut self, mass: &Matrix, stage: &Stage, fraction: f64) {
        if fraction >= 1.0 {
            return;
        }
        for i in 0..self.a.len() {
            let near = stage.near.u[i];
            let a = (near - stage.u0[i]) / stage.c_u;
            self.a[i] = a + fraction * (self.a[i] - a);
            self.u[i] = near + fraction * (self.u[i] - near);
        }
        self.complete(mass, stage);
    }

    /// Starts at these displacements.
    pub fn begin_at(&mut self, mass: &Matrix, stage: &Stage, u: &[f64]) {
        self.u.copy_from_slice(u);
        combine(&mut self.a, u, -1.0, stage.u0);
        self.a.iter_mut().for_each(|a| *a /= stage.c_u);
        self.complete(mass, stage);
    }

    /// Starts at a candidate; returns `false` if the stage does not have it.
    pub fn begin(&mut self, mass: &Matrix, stage: &Stage, start: Start) -> bool {
        match (start, stage.hint) {
            (Start::Near, _) => {
                combine(&mut self.a, stage.near.u, -1.0, stage.u0);
                self.a.iter_mut().for_each(|a| *a /= stage.c_u);
            }
            (Start::Hint, Some(hint)) => self.a.copy_from_slice(hint),
            (Start::Hint, None) => return false,
            (Start::Inertial, _) => self.a.fill(0.0),
        }
        if start == Start::Near {
            self.u.copy_from_slice(stage.near.u);
        } else {
            combine(&mut self.u, stage.u0, stage.c_u, &self.a);
        }
        self.complete(mass, stage);
        true
    }

    /// Computes velocities and inertia from the acceleration.
    fn complete(&mut self, mass: &Matrix, stage: &Stage) {
        combine(&mut self.v, stage.v0, stage.c_v, &self.a);
        stage.inertial_force(mass, &self.a, &mut self.ma);
        self.inertia = 0.5 * dot(&self.a, &self.ma);
    }
}
