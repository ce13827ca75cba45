//! External forces, summed into the buffers of a model: gravity, inertia of prescribed nodes, and loads.
//!
//! Loads are evaluated at the current positions, which are written into the position buffer first. In statics gravity
//! and all loads are multiplied by the load factor of their pseudo-time ([`Model::load_factor`]).

use march::Curvature;
use march::vector::dot;
use sparse::Matrix;

use super::Model;
use crate::blocks::{Block, add_antisymmetric_product, add_scalar_product};
use load::{ForceSum, Load, LoadState};

impl Model {
    /// Adds gravity, dead loads and −M_fc a_c(t), whose potential is linear in u. Returns the sum of squares.
    pub(super) fn add_dead_loads(&mut self, t: f64) -> f64 {
        let scale = self.add_weight(t) + self.add_dead_forces(t) + self.add_contact_force();
        if self.moves {
            let work = &mut self.work;
            add_scalar_product(&self.pattern, &self.mass, -1.0, &self.placed.a, &mut work.f);
        }
        scale
    }

    /// Adds the weight of all nodes. Returns the sum of squares.
    pub(super) fn add_weight(&mut self, t: f64) -> f64 {
        let mut scale = 0.0;
        let factor = self.load_factor(t);
        let waiting = &self.emission.nodes;
        for (i, (f, m)) in self.work.f.iter_mut().zip(&self.node_mass).enumerate() {
            if waiting.get(i).copied().unwrap_or(false) {
                continue;
            }
            for k in 0..3 {
                let weight = m * self.gravity[k] * factor;
                f[k] += weight;
                scale += weight * weight;
            }
        }
        scale
    }

    /// Adds dead loads and the forces that were set between steps. Returns the sum of squares.
    fn add_dead_forces(&mut self, t: f64) -> f64 {
        if !self.loads.dead.is_empty() {
            self.update_positions();
        }
        let factor = self.load_factor(t);
        let work = &mut self.work;
        let (x, v) = (&work.x, &self.placed.v);
        let at = LoadState { t, x, v };
        let mut sum = ForceSum::scaled_onto(&mut work.f, factor);
        for load in &self.loads.dead {
            load.add_force(&at, &mut sum);
        }
        self.forces.add_force(&at, &mut sum);
        sum.squares
    }

    /// Adds the forces of all loads; used for their power.
    pub(super) fn add_all_loads(&mut self, t: f64) {
        self.add_dead_forces(t);
        if self.loads.state_dependent.is_empty() {
            return;
        }
        self.update_positions();
        let factor = self.load_factor(t);
        let work = &mut self.work;
        let (x, v) = (&work.x, &self.placed.v);
        let at = LoadState { t, x, v };
        let mut sum = ForceSum::scaled_onto(&mut work.f, factor);
        for load in &self.loads.state_dependent {
            load.add_force(&at, &mut sum);
        }
    }

    /// Evaluates the state-dependent loads into their buffer. The potential then takes them as dead loads.
    pub(super) fn evaluate_state_loads(&mut self, t: f64) {
        if self.loads.state_dependent.is_empty() {
            return;
        }
        self.update_positions();
        let factor = self.load_factor(t);
        let work = &mut self.work;
        work.state_loads.fill([0.0; 3]);
        let (x, v) = (&work.x, &self.placed.v);
        let at = LoadState { t, x, v };
        let mut sum = ForceSum::scaled_onto(&mut work.state_loads, factor);
        for load in &self.loads.state_dependent {
            load.add_force(&at, &mut sum);
        }
    }

    /// Evaluates the state-dependent loads and adds them. Returns the squared norm of their sum.
    pub(super) fn add_state_loads(&mut self, t: f64) -> f64 {
        if self.loads.state_dependent.is_empty() {
            return 0.0;
        }
        self.evaluate_state_loads(t);
        let loads = self.work.state_loads.as_flattened();
        for (f, load) in self.work.f.as_flattened_mut().iter_mut().zip(loads) {
            *f += load;
        }
        dot(loads, loads)
    }

    /// Adds −∂f/∂x and −∂f/∂v of loads to the stiffness and damping blocks.
    pub(super) fn add_load_matrices(&mut self, t: f64, c: Curvature) {
        let factor = self.load_factor(t);
        if self.loads.state_dependent.is_empty() || factor == 0.0 {
            return;
        }
        self.update_positions();
        scale_blocks(&mut self.work.stiffness, 1.0 / factor);
        let work = &mut self.work;
        let (x, v) = (&work.x, &self.placed.v);
        let at = LoadState { t, x, v };
        for load in &self.loads.state_dependent {
            load.add_stiffness(&at, c.symmetric(), &mut work.stiffness);
            if load.has_damping() {
                load.add_damping(&at, &mut work.dampers);
            }
        }
        scale_blocks(&mut work.stiffness, factor);
        work.antisymmetric_current = c == Curvature::Unsymmetric && !work.antisymmetric.is_empty();
        if work.antisymmetric_current {
            work.antisymmetric.fill([0.0; 9]);
            for load in &self.loads.state_dependent {
                load.add_antisymmetric_stiffness(&at, &mut work.antisymmetric);
            }
            scale_blocks(&mut work.antisymmetric, factor);
        }
    }

    /// Adds the product of the antisymmetric part of the last stiffness with the position buffer to the force buffer.
    pub(super) fn add_antisymmetric_stiffness_product(&mut self) {
        let work = &mut self.work;
        if work.antisymmetric_current {
            let (w, x) = (&work.antisymmetric, &work.x);
            add_antisymmetric_product(&self.pattern, w, x, &mut work.f);
        }
    }

    /// Gathers the antisymmetric part of the matrix over the unknowns, if the last tangent has one.
    pub(super) fn gather_antisymmetric(&self, factor: f64, out: &mut Matrix) {
        out.make_symmetric();
        if !self.work.antisymmetric_current {
            return;
        }
        let dynamic = self.dynamic.as_ref();
        let places = dynamic.map_or(&[][..], |d| &d.pairs.static_entries);
        let values = out.antisymmetric_mut();
        for (k, &place) in self.gather.iter().enumerate() {
            let entry = places.get(k).map_or(k, |&entry| entry as usize);
            let block = &self.work.antisymmetric[place as usize / 9];
            values[entry] = factor * block[place as usize % 9];
        }
    }

    /// Adds ∂f/∂t of loads.
    pub(super) fn add_load_rates(&mut self, t: f64) {
        if self.loads.iter().next().is_none() {
            return;
        }
        self.update_positions();
        let work = &mut self.work;
        let (x, v) = (&work.x, &self.placed.v);
        let at = LoadState { t, x, v };
        for load in self.loads.iter() {
            load.add_force_rate(&at, &mut work.f);
        }
    }
}

/// Multiplies blocks by a factor; loads are added to a sum that was divided by their factor. A factor of 1, that of every
/// integrator, changes nothing.
fn scale_blocks(blocks: &mut [Block], factor: f64) {
    if factor != 1.0 {
        blocks
            .as_flattened_mut()
            .iter_mut()
            .for_each(|x| *x *= factor);
    }
}
