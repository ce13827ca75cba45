//! Where an iteration begins. Everything later is a change from there.

use sparse::Matrix;

use super::Stage;
use crate::vector::{combine, dot};

/// Places to begin at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Start {
    /// The nearby position.
    Near,
    /// The stepper's hint.
    Hint,
    /// The inertial position, a = 0.
    Inertial,
}

/// The beginning of an iteration.
#[derive(Default)]
pub(super) struct Base {
    /// Acceleration.
    pub a: Vec<f64>,
    /// Displacements.
    pub u: Vec<f64>,
    /// Velocities.
    pub v: Vec<f64>,
    /// M a.
    pub ma: Vec<f64>,
    /// ½ aᵀM a.
    pub inertia: f64,
}

impl Base {
    /// Makes room.
    pub fn reserve(&mut self, n: usize) {
        for x in [&mut self.a, &mut self.u, &mut self.v, &mut self.ma] {
            x.resize(n, 0.0);
        }
    }

    /// Begins at the nearby position.
    pub fn begin_near(&mut self, mass: &Matrix, stage: &Stage) {
        self.begin(mass, stage, Start::Near);
    }

    /// Goes back towards the nearby position, to this share of the way from there; stays for a share of 1.
    pub fn shorten(&mut self, mass: &Matrix, stage: &Stage, share: f64) {
        if share >= 1.0 {
            return;
        }
        for i in 0..self.a.len() {
            let near = stage.near.u[i];
            let a = (near - stage.u0[i]) / stage.c_u;
            self.a[i] = a + share * (self.a[i] - a);
            self.u[i] = near + share * (self.u[i] - near);
        }
        self.complete(mass, stage);
    }

    /// Begins at a place; whether the stage has it.
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

    /// What follows from the acceleration.
    fn complete(&mut self, mass: &Matrix, stage: &Stage) {
        combine(&mut self.v, stage.v0, stage.c_v, &self.a);
        mass.times(&self.a, &mut self.ma);
        self.inertia = 0.5 * dot(&self.a, &self.ma);
    }
}
