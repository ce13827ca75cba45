//! [`march::System`] of the model: force, tangent, potential, dissipation function, state between steps.

use march::vector::dot;
use march::{
    AdmissiblePaths, At, Change, ConstantMatrix, ContactImpulses, Curvature, PositionDamping,
    Positions, State, StateMeasures, StepContact, System, Weights,
};
use sparse::Matrix;

use super::Model;
use super::dynamic::Patterns;
use crate::blocks::add_scalar_product;
use crate::potential::Configuration;

impl Model {
    /// Energy of the potentials. The velocities of the last evaluation are kept.
    fn stored_energy(&mut self, t: f64, u: &[f64]) -> f64 {
        self.place_positions(Positions::new(t, u));
        let mut energy = 0.0;
        self.for_each_potential(|p, x, _| energy += p.energy(x));
        energy
    }

    /// Writes the forces on all nodes into the force buffer, and their scale.
    pub(super) fn evaluate_forces(&mut self, at: At) {
        self.place(at.t, at.u, at.v);
        self.work.f.fill([0.0; 3]);
        let mut scale = self.add_dead_loads(at.t);
        self.for_each_potential(|p, x, work| scale += p.add_force(x, &mut work.f));
        scale += self.add_damping();
        scale += self.add_state_loads(at.t);
        self.clear_waiting_forces();
        self.work.scale = scale.sqrt();
    }

    /// Adds the rate of position-dependent damping forces due to the motion of prescribed nodes to the force buffer.
    fn add_held_damping_derivative(&mut self) {
        let work = &mut self.work;
        work.direction.fill([0.0; 3]);
        for held in &self.held {
            let i = held.node as usize;
            for k in (0..3).filter(|&k| held.axes[k]) {
                work.direction[i][k] = self.placed.v[i][k];
            }
        }
        self.add_damping_derivative();
    }

    /// Copies the entries of the force buffer that belong to unknowns.
    pub(super) fn gather_into(&self, out: &mut [f64]) {
        for (out, &(i, k)) in out.iter_mut().zip(&self.free) {
            *out = self.work.f[i as usize][k as usize];
        }
    }

    /// Gathers the matrix over the unknowns from the blocks assembled last, on the pattern of their state.
    pub(super) fn gather_tangent(&self, w: Weights, out: &mut Matrix) {
        let work = &self.work;
        let (rayleigh, mass_damped) = (!work.rayleigh.is_empty(), !self.mass_damping.is_empty());
        let positional = !work.positional.blocks.is_empty();
        let damped = !work.dampers.is_empty();
        let value = |place: u32| {
            let (block, at) = (place as usize / 9, place as usize % 9);
            let mut x = w.stiffness * work.stiffness[block][at];
            if at % 4 == 0 {
                x += w.mass * self.mass[block];
                if mass_damped {
                    x += w.damping * self.mass_damping[block];
                }
            }
            if rayleigh {
                x += w.damping * work.rayleigh[block][at];
            }
            if positional {
                x += w.damping * work.positional.blocks[block][at];
            }
            if damped {
                x += w.damping * work.dampers[block][at];
            }
            x
        };
        out.ensure_pattern(self.matrix_pattern());
        let Some(dynamic) = &self.dynamic else {
            assert_eq!(out.values().len(), self.gather.len());
            for (out, &place) in out.values_mut().iter_mut().zip(&self.gather) {
                *out = value(place);
            }
            return;
        };
        out.fill(0.0);
        let places = &dynamic.pairs.static_entries;
        assert!(places.is_empty() || places.len() == self.gather.len());
        for (k, &place) in self.gather.iter().enumerate() {
            let entry = places.get(k).map_or(k, |&entry| entry as usize);
            out.values_mut()[entry] = value(place);
        }
        let damping = [&work.rayleigh, &work.positional.blocks, &work.dampers];
        let paired = |place: usize| {
            let (block, at) = (place / 9, place % 9);
            let damping = damping.iter().filter(|d| !d.is_empty());
            let d: f64 = damping.map(|d| d[block][at]).sum();
            w.stiffness * work.stiffness[block][at] + w.damping * d
        };
        dynamic.scatter(paired, out);
    }

    /// Scatters a vector over the unknowns to all nodes; prescribed components are zero.
    pub(super) fn scatter_unknowns(free: &[(u32, u8)], x: &[f64], out: &mut [[f64; 3]]) {
        out.fill([0.0; 3]);
        for (x, &(i, k)) in x.iter().zip(free) {
            out[i as usize][k as usize] = *x;
        }
    }
}

impl System for Model {
    fn dofs(&self) -> usize {
        self.free.len()
    }

    fn mass(&self) -> &Matrix {
        &self.free_mass
    }

    fn force(&mut self, at: At, f: &mut [f64]) {
        if self.only_contact() {
            return self.contact_force(at, f);
        }
        self.evaluate_forces(at);
        self.gather_into(f);
    }

    fn tangent(&mut self, at: At, w: Weights, c: Curvature, out: &mut Matrix) {
        if self.only_contact() {
            return self.contact_tangent(at, w, c, out);
        }
        self.place(at.t, at.u, at.v);
        self.announce_pairs();
        self.work.stiffness.fill([0.0; 9]);
        let symmetric = c.symmetric();
        self.for_each_potential(|p, x, work| {
            p.add_stiffness(x, 1.0, symmetric, &mut work.stiffness);
        });
        if !self.work.dampers.is_empty() {
            let work = &mut self.work;
            work.dampers.fill([0.0; 9]);
            let x = Configuration {
                t: at.t,
                rest: &self.rest,
                u: if self.positional {
                    &work.positional.u
                } else {
                    &self.placed.u
                },
            };
            for p in &mut self.potentials {
                p.add_damping(&x, &self.placed.v, &mut work.dampers);
            }
        }
        self.add_load_matrices(at.t, c);
        self.gather_tangent(w, out);
        self.gather_antisymmetric(w.stiffness, out);
    }

    fn zero_matrix(&self) -> Matrix {
        Matrix::new(self.matrix_pattern().clone())
    }

    fn pattern_stamp(&self) -> Option<u64> {
        let changes = self.dynamic.is_some() || self.emission.changes_pattern();
        changes.then(|| self.matrix_pattern().stamp())
    }

    fn tangent_times(&mut self, du: &[f64], dv: &[f64], y: &mut [f64]) {
        let work = &mut self.work;
        work.f.fill([0.0; 3]);
        Model::scatter_unknowns(&self.free, du, &mut work.x);
        let patterns = Patterns::of(&self.pattern, &self.dynamic);
        patterns.add_product(&work.stiffness, 1.0, &work.x, &mut work.f);
        self.add_antisymmetric_stiffness_product();
        Model::scatter_unknowns(&self.free, dv, &mut self.work.x);
        self.add_damping_product();
        self.gather_into(y);
    }

    fn force_rate(&mut self, at: At, ft: &mut [f64]) {
        self.place(at.t, at.u, at.v);
        self.work.f.fill([0.0; 3]);
        if self.moves {
            // −(K v_c + E v_c + D a_c + M jerk_c) with rates of prescribed components only; E du = ∂(D v)/∂u du.
            let work = &mut self.work;
            work.x.fill([0.0; 3]);
            for held in &self.held {
                let i = held.node as usize;
                for k in (0..3).filter(|&k| held.axes[k]) {
                    work.x[i][k] = self.placed.v[i][k];
                }
            }
            let patterns = Patterns::of(&self.pattern, &self.dynamic);
            patterns.add_product(&work.stiffness, 1.0, &work.x, &mut work.f);
            self.add_antisymmetric_stiffness_product();
            self.work.x.copy_from_slice(&self.placed.a);
            self.add_damping_product();
            let work = &mut self.work;
            add_scalar_product(
                &self.pattern,
                &self.mass,
                1.0,
                &self.placed.jerk,
                &mut work.f,
            );
            work.f.as_flattened_mut().iter_mut().for_each(|f| *f = -*f);
            if self.positional {
                self.add_held_damping_derivative();
            }
        }
        self.for_each_potential(|p, x, work| p.add_force_rate(x, &mut work.f));
        self.add_load_rates(at.t);
        self.gather_into(ft);
    }

    fn force_increment(&mut self, at: At, t: f64, df: &mut [f64]) -> bool {
        self.add_force_increment(at, t);
        self.gather_into(df);
        true
    }

    fn potential(&mut self, t: f64, u: &[f64]) -> Option<f64> {
        if self.only_contact() {
            self.place_positions(Positions::new(t, u));
            return Some(self.contact_potential());
        }
        let energy = self.stored_energy(t, u);
        self.work.f.fill([0.0; 3]);
        self.add_dead_loads(t);
        let mut work = dot(self.work.f.as_flattened(), self.placed.u.as_flattened());
        if self.has_lagged_potential() {
            let loads = self.work.state_loads.as_flattened();
            work += dot(loads, self.placed.u.as_flattened());
        }
        Some(energy - work)
    }

    fn dissipation(&mut self, t: f64, v: &[f64]) -> Option<f64> {
        for (&(i, k), v) in self.free.iter().zip(v) {
            self.placed.v[i as usize][k as usize] = *v;
        }
        self.place_held(t);
        Some(match self.only_contact() {
            true => 0.0,
            false => self.dissipation_function(),
        })
    }

    fn has_lagged_potential(&self) -> bool {
        !self.loads.state_dependent.is_empty()
    }

    fn force_scale(&self) -> f64 {
        self.work.scale
    }

    fn prepare(&mut self, at: At) -> Change {
        self.work.free_region.begin_attempt();
        self.place(at.t, at.u, at.v);
        self.begin_pairs();
        self.evaluate_state_loads(at.t);
        let frozen = self.freeze_potentials();
        self.announce_constant_pairs();
        let damped = self.freeze_rayleigh() | self.freeze_friction();
        self.refresh_damping();
        match (frozen, damped) {
            (true, _) => Change::Law,
            (false, true) => Change::Force,
            (false, false) => Change::Nothing,
        }
    }

    fn next_kink(&self, t: f64) -> f64 {
        self.first_kink_after(t)
    }

    fn apply_velocity_damping(&mut self, h: f64, s: &mut State) -> Option<f64> {
        self.has_velocity_damping()
            .then(|| self.damp_velocities(h, s))
    }

    fn commit(&mut self, at: At) {
        self.place(at.t, at.u, at.v);
        if let Some(end) = &mut self.end_contact {
            end.contact.commit(at.t);
        }
        self.break_bonds();
        self.freeze_potentials();
        self.end_pairs();
    }

    fn contact_change_at_commit(&self) -> f64 {
        let changes = self.potentials.iter().map(|p| p.energy_change_of_freeze());
        changes.sum()
    }

    fn fracture_change_at_commit(&self) -> f64 {
        self.energy_change_of_breaking()
    }

    fn save(&self, out: &mut Vec<u8>) {
        self.save_interaction(out);
        self.save_emission(out);
        self.save_bonds(out);
        if let Some(end) = &self.end_contact {
            end.contact.save(out);
        }
        self.potentials.iter().for_each(|p| p.save(out));
        if let Some(pairs) = self.save_pairs() {
            // Writing plain numbers to memory cannot fail.
            out.extend(postcard::to_allocvec(&pairs).unwrap_or_default());
        }
    }

    fn load(&mut self, saved: &[u8]) -> bool {
        let rest = self.load_interaction(saved);
        let Some(rest) = rest.and_then(|rest| self.load_emission(rest)) else {
            return false;
        };
        let Some(mut rest) = self.load_bonds(rest) else {
            return false;
        };
        if let Some(end) = &mut self.end_contact {
            let Some(after) = end.contact.load(rest) else {
                return false;
            };
            rest = after;
        }
        if !self.potentials.iter_mut().all(|p| p.load(&mut rest)) {
            return false;
        }
        if self.save_pairs().is_none() {
            return rest.is_empty();
        }
        postcard::from_bytes(rest).is_ok_and(|pairs| self.load_pairs(pairs))
    }

    fn state_measures(&mut self) -> Option<&mut dyn StateMeasures> {
        Some(self)
    }

    fn constant_matrix(&mut self) -> Option<&mut dyn ConstantMatrix> {
        self.is_projective()
            .then_some(self as &mut dyn ConstantMatrix)
    }

    fn admissible_paths(&mut self) -> Option<&mut dyn AdmissiblePaths> {
        self.forbids.then_some(self as &mut dyn AdmissiblePaths)
    }

    fn step_contact(&mut self) -> Option<&mut dyn StepContact> {
        let corrected = self.end_contact.is_some();
        corrected.then_some(self as &mut dyn StepContact)
    }

    fn contact_impulses(&mut self) -> Option<&mut dyn ContactImpulses> {
        self.has_penalty_contact()
            .then_some(self as &mut dyn ContactImpulses)
    }

    fn position_damping(&mut self) -> Option<&mut dyn PositionDamping> {
        let damps = self.positional && !self.only_contact();
        damps.then_some(self as &mut dyn PositionDamping)
    }
}
