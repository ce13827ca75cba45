//! Energies, momenta and element measures of a model.

use march::ledger::Energy;
use march::vector::dot;

use serde::{Deserialize, Serialize};

use super::Model;
use crate::blocks::add_scalar_product;
use crate::potential::{
    Configuration, ElementMeasures, InversionSearch, MostCompressedElement, MostCompressedSearch,
};

/// Linear and angular momentum of all nodes, prescribed ones included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Momentum {
    /// Linear momentum, kg m/s.
    pub linear: [f64; 3],
    /// Angular momentum about the origin, kg m²/s.
    pub angular: [f64; 3],
}

impl Model {
    /// Kinetic, strain, gravitational and contact energy at a state.
    pub fn energies(&mut self, t: f64, u: &[f64], v: &[f64]) -> Energy {
        self.place(t, u, v);
        self.update_positions();
        let (mut strain, mut contact) = (0.0, 0.0);
        self.for_each_potential(|p, x, _| match p.contact().is_some() {
            true => contact += p.energy(x),
            false => strain += p.energy(x),
        });
        self.momenta_into_buffer();
        let kinetic = 0.5 * dot(self.placed.v.as_flattened(), self.work.f.as_flattened());
        let waiting = &self.emission.nodes;
        let weights = self.work.x.iter().zip(&self.node_mass).enumerate();
        let weights = weights.filter(|(i, _)| !waiting.get(*i).copied().unwrap_or(false));
        let gravitational = match self.full_load_time {
            // In statics the weight is a load that grows, and its work is booked as that of loads.
            Some(_) => 0.0,
            None => -weights
                .map(|(_, (x, m))| m * dot(&self.gravity, x))
                .sum::<f64>(),
        };
        Energy {
            kinetic,
            strain,
            gravitational,
            contact,
        }
    }

    /// Linear and angular momentum at a state.
    pub fn momentum(&mut self, t: f64, u: &[f64], v: &[f64]) -> Momentum {
        self.place(t, u, v);
        self.update_positions();
        self.momenta_into_buffer();
        let mut out = Momentum::default();
        for (x, p) in self.work.x.iter().zip(&self.work.f) {
            for k in 0..3 {
                let (i, j) = ((k + 1) % 3, (k + 2) % 3);
                out.linear[k] += p[k];
                out.angular[k] += x[i] * p[j] - x[j] * p[i];
            }
        }
        out
    }

    /// Computes energy density and von Mises stress of every element, potential by potential.
    pub fn element_measures(&mut self, t: f64, u: &[f64], v: &[f64], out: &mut ElementMeasures) {
        self.place(t, u, v);
        out.energy_density.clear();
        out.von_mises.clear();
        let placed = Configuration {
            t,
            rest: &self.rest,
            u: &self.placed.u,
        };
        for potential in &self.potentials {
            potential.element_measures(&placed, out);
        }
    }

    /// Returns the element with the smallest volume ratio det F, or `None` if there are no elements.
    pub fn most_compressed(
        &mut self,
        t: f64,
        u: &[f64],
        v: &[f64],
    ) -> Option<MostCompressedElement> {
        self.place(t, u, v);
        let placed = Configuration {
            t,
            rest: &self.rest,
            u: &self.placed.u,
        };
        let mut search = MostCompressedSearch::default();
        for potential in &self.potentials {
            potential.find_most_compressed(&placed, &mut search);
        }
        search.found
    }

    /// Returns the element with the smallest det F and that number, or `None` if det F is positive at all integration
    /// points. Elements whose law forbids inversion are left out.
    pub fn most_inverted(&mut self, t: f64, u: &[f64], v: &[f64]) -> Option<(usize, f64)> {
        self.place(t, u, v);
        let mut search = InversionSearch::default();
        self.for_each_potential(|p, x, _| p.find_most_inverted(x, &mut search));
        search.element.map(|element| (element, search.det_f))
    }

    /// Writes M v of all nodes into the force buffer.
    pub(super) fn momenta_into_buffer(&mut self) {
        if self.lumped {
            let work = &mut self.work;
            for ((f, v), m) in work.f.iter_mut().zip(&self.placed.v).zip(&self.node_mass) {
                *f = v.map(|v| m * v);
            }
            return;
        }
        self.work.f.fill([0.0; 3]);
        add_scalar_product(
            &self.pattern,
            &self.mass,
            1.0,
            &self.placed.v,
            &mut self.work.f,
        );
    }
}
