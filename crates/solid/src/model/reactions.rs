//! Reactions: force and moment that each support exerts on the bodies.
//!
//! Prescribed components obey M a = f + r with the accelerations of their motion; the reaction r is what the support adds.
//! The sum of all reactions is the rate of change of momentum less weight and loads. Tethers pull with the force of their
//! springs. Moments are about the origin, at the current positions.
//!
//! The power of a step evaluates M a − f at every stage. If its last stage is the end of the step, as for most implicit
//! methods, the reactions there are known without another evaluation.

use march::At;
use march::vector::{max_abs, max_abs_difference};

use super::Model;
use crate::potential::Configuration;
pub use crate::potential::Reaction;

/// Largest difference of displacements and velocities, relative to the largest, at which two states are the same up to
/// rounding.
const SAME_STATE: f64 = 1e-14;

/// State of the last evaluated power and the forces M a − f on prescribed components there.
#[derive(Default)]
pub(super) struct Evaluated {
    /// Whether these are kept.
    wanted: bool,
    known: bool,
    t: f64,
    u: Vec<f64>,
    v: Vec<f64>,
    /// Force on each entry of the list of held nodes; zero along axes that it does not prescribe.
    forces: Vec<[f64; 3]>,
}

impl Model {
    /// Number of supports: boundary conditions and potentials with anchors.
    pub fn supports(&self) -> usize {
        let x = self.configuration();
        let anchored = self
            .potentials
            .iter()
            .filter(|p| p.anchor_reaction(&x).is_some());
        self.motions.len() + anchored.count()
    }

    /// Keeps the reactions of every evaluated power, so that those at the end of a step are known after it.
    pub fn track_reactions(&mut self, wanted: bool) {
        self.evaluated.wanted = wanted;
        self.evaluated.known = false;
    }

    /// Returns `true` if the last evaluated power was at this state up to rounding; [`Model::reactions`] needs no other.
    pub fn knows_reactions(&self, at: At) -> bool {
        let known = &self.evaluated;
        let same = |x: &[f64], y: &[f64]| {
            x.len() == y.len() && max_abs_difference(x, y) <= SAME_STATE * max_abs(y)
        };
        let now = (known.t - at.t).abs() <= 16.0 * f64::EPSILON * at.t.abs();
        self.held.is_empty() || (known.known && now && same(&known.u, at.u) && same(&known.v, at.v))
    }

    /// Evaluates the forces on prescribed components at a state with this acceleration.
    pub fn evaluate_reactions(&mut self, at: At, a: &[f64]) {
        let wanted = std::mem::replace(&mut self.evaluated.wanted, true);
        self.energy_rates(at, a);
        self.evaluated.wanted = wanted;
    }

    /// Computes the reactions of all supports at a state: first those of the boundary conditions, as of the last evaluated
    /// power, then those of tethers, each in the order of the description.
    pub fn reactions(&mut self, at: At, out: &mut Vec<Reaction>) {
        self.place(at.t, at.u, at.v);
        let x = self.configuration();
        out.clear();
        out.resize(self.motions.len(), Reaction::default());
        for (held, &force) in self.held.iter().zip(&self.evaluated.forces) {
            out[held.motion as usize].add(x.position(held.node as usize), force);
        }
        out.extend(self.potentials.iter().filter_map(|p| p.anchor_reaction(&x)));
    }

    /// Keeps M a − f of prescribed components, with M a in the force buffer and f in the buffer of sums.
    pub(super) fn note_reactions(&mut self, at: At) {
        let Evaluated {
            wanted: true,
            known,
            t,
            u,
            v,
            forces,
        } = &mut self.evaluated
        else {
            return;
        };
        let work = &self.work;
        forces.clear();
        forces.extend(self.held.iter().map(|held| {
            let i = held.node as usize;
            [0, 1, 2].map(|k| match held.axes[k] {
                true => work.f[i][k] - work.sum[i][k],
                false => 0.0,
            })
        }));
        u.clear();
        u.extend_from_slice(at.u);
        v.clear();
        v.extend_from_slice(at.v);
        (*known, *t) = (true, at.t);
    }

    /// The configuration that was placed last.
    pub(super) fn configuration(&self) -> Configuration<'_> {
        Configuration {
            t: self.placed.t.unwrap_or(0.0),
            rest: &self.rest,
            u: &self.placed.u,
        }
    }
}
