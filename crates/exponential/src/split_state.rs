//! States that are split into modes and rest, and the stages between them.

use crate::subspace::ModalState;
use crate::{At, Mechanics};

/// What a step integrates by exponentials and takes out of the implicit rest H = F − G.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Splitting {
    /// The linear motion G = G_r + (t − t_r) ∂G/∂t + J_G (y − y_r) of the modes.
    #[default]
    LinearMotion,
    /// The projection G = P F of the whole force.
    Projection,
}

/// State with its force, the rate of the force, and its coefficients in the modes.
#[derive(Clone, Debug, Default)]
pub(crate) struct SplitState {
    pub t: f64,
    pub u: Vec<f64>,
    pub v: Vec<f64>,
    pub f: Vec<f64>,
    pub rate: Vec<f64>,
    /// Norm of the forces that balance, N.
    pub scale: f64,
    pub modal: ModalState,
}

impl SplitState {
    pub fn reserve(&mut self, n: usize) {
        for x in [&mut self.u, &mut self.v, &mut self.f, &mut self.rate] {
            x.resize(n, 0.0);
        }
    }

    pub fn at(&self) -> At<'_> {
        At {
            t: self.t,
            u: &self.u,
            v: &self.v,
        }
    }

    /// Copies a state and evaluates its force.
    pub fn evaluate<S: Mechanics>(&mut self, s: &mut S, at: At) -> Result<(), S::Error> {
        self.t = at.t;
        self.u.copy_from_slice(at.u);
        self.v.copy_from_slice(at.v);
        s.force(at, &mut self.f)?;
        self.scale = s.force_scale();
        Ok(())
    }
}

/// Stage to solve.
#[derive(Clone, Copy)]
pub(crate) struct Stage<'a> {
    /// Time of the stage.
    pub t: f64,
    /// û and v̂.
    pub hat: [&'a [f64]; 2],
    /// State at which G was split.
    pub split: &'a SplitState,
    /// State with known force from which the iteration starts.
    pub near: &'a SplitState,
}
