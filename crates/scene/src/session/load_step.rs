//! Load steps of static sessions.

use march::{Equilibrium, State};
use serde::{Deserialize, Serialize};

use super::Session;

/// A load step of statics: the load and the quality of the equilibrium.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LoadStep {
    /// Load factor, 1 at the full loads.
    pub load: f64,
    /// Norm of the forces that do not balance, relative to those that do.
    pub residual: f64,
    /// Number of negative pivots of the tangent stiffness: 0 at a stable equilibrium. `None` for the initial state, and if
    /// the tangent is singular up to rounding.
    pub negative_pivots: Option<u64>,
    /// Largest displacement of a node, m.
    pub displacement: f64,
}

impl Session {
    /// Stores load, displacement and equilibrium in the row of a static session.
    pub(super) fn measure_load_step(&mut self, equilibrium: Equilibrium) {
        if !self.method.is_static() {
            return;
        }
        let State { t, u, v } = self.time.state();
        let load = self.model.load_factor(*t);
        let (u, _) = self.model.expand(*t, u, v);
        let square = |u: &[f64; 3]| u.iter().map(|u| u * u).sum::<f64>();
        self.row.load_step = Some(LoadStep {
            load,
            residual: equilibrium.residual,
            negative_pivots: equilibrium.negative_pivots,
            displacement: u.iter().map(square).fold(0.0, f64::max).sqrt(),
        });
    }
}
