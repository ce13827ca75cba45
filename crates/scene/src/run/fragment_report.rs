//! Fragments in `report.json`.

use serde::Serialize;

use crate::observe::bonded_bodies;
use crate::session::Session;

/// A fragment at the end of a run.
#[derive(Clone, Debug, Serialize)]
pub struct FragmentReport {
    /// Name of its body.
    pub body: String,
    /// Number of particles.
    pub particles: u32,
    /// Mass, kg.
    pub mass: f64,
    /// Linear momentum, kg m/s.
    pub momentum: [f64; 3],
    /// Kinetic energy, J.
    pub kinetic: f64,
    /// Energy of its intact bonds, J.
    pub elastic: f64,
}

impl FragmentReport {
    /// Measures the fragments of a session; empty if no body has bonds.
    pub fn all(session: &mut Session) -> Vec<FragmentReport> {
        let names = bonded_bodies(session);
        let (mut labels, mut fragments) = (Vec::new(), Vec::new());
        session.model.label_fragments(&mut labels);
        let (model, state) = session.model_and_state();
        model.fragments([&state.u, &state.v], state.t, &labels, &mut fragments);
        let report = |f: &solid::model::Fragment| FragmentReport {
            body: names[f.body].clone(),
            particles: f.particles,
            mass: f.mass,
            momentum: f.momentum,
            kinetic: f.kinetic,
            elastic: f.elastic,
        };
        fragments.iter().map(report).collect()
    }
}
