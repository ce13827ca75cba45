//! Damping forces of a model: Rayleigh's, viscosity and dampers.
//!
//! Three kinds of matrices act on velocities. Rayleigh's mass damping is constant. Rayleigh's stiffness damping of rate
//! `frozen` is β K at the start of the step, which [`Model::prepare`](march::System::prepare) evaluates. That of rate
//! `implicit`, and viscosity, belong to the positions of the stage: they are evaluated by
//! [`Model::update_damping`](march::PositionDamping::update_damping) and lagged in between, so that force, matrix and dissipation
//! function are derivatives of each other inside an iteration. Dampers of a potential's own that depend on positions see
//! those of the same update.

use march::vector::max_abs;
use march::{At, Curvature, DampingUpdate, PositionDamping};

use super::Model;
use super::dynamic::Patterns;
use crate::blocks::{Block, add_scalar_product};
use crate::potential::{Configuration, DampingRate, Potential};

/// Displacement of differences of the damping matrix, of the shortest distance between coupled nodes: ε^⅓, at which
/// truncation and rounding of central differences are alike.
const RELATIVE_DIFFERENCE_STEP: f64 = 6e-6;

/// Damping that depends on positions, as it was evaluated last.
#[derive(Default)]
pub(super) struct PositionalDamping {
    /// β K of rate `implicit` and viscosity; empty without.
    pub blocks: Vec<Block>,
    /// Displacements of the nodes it was evaluated at.
    pub u: Vec<[f64; 3]>,
    /// Whether it was evaluated, under the law as it is.
    pub current: bool,
}

/// Share of an update that is taken over where whole ones do not settle, after Aitken (B. M. Irons, R. C. Tuck, "A version
/// of the Aitken accelerator for computer iteration", 1969): with changes r₀ and r₁ of the force and the last share θ₀,
/// θ₁ = −θ₀ r₀·(r₁ − r₀)/|r₁ − r₀|².
#[derive(Default)]
pub(super) struct AitkenRelaxation {
    last: Vec<f64>,
    share: f64,
    norm: f64,
}

/// Smallest relaxation factor of an update.
const MIN_RELAXATION: f64 = 0.02;

/// Largest relaxation factor of an update: all of it.
const MAX_RELAXATION: f64 = 1.0;

impl AitkenRelaxation {
    /// Takes note of a whole change of the force on the unknowns, and finds the share of it to take over.
    fn observe(&mut self, free: &[(u32, u8)], change: &[[f64; 3]], update: DampingUpdate) {
        self.last.resize(free.len(), 0.0);
        let (mut along, mut difference, mut square) = (0.0, 0.0, 0.0);
        for (last, &(i, k)) in self.last.iter_mut().zip(free) {
            let now = change[i as usize][k as usize];
            let step = now - *last;
            along += *last * step;
            difference += step * step;
            square += now * now;
            *last = now;
        }
        self.norm = square.sqrt();
        self.share = match update {
            DampingUpdate::Whole => 1.0,
            DampingUpdate::Relaxed if difference > 0.0 => {
                (-self.share * along / difference).clamp(MIN_RELAXATION, MAX_RELAXATION)
            }
            DampingUpdate::Relaxed => MAX_RELAXATION,
        };
    }
}

/// Whether the damping of a potential depends on positions.
pub(super) fn depends_on_positions(p: &dyn Potential) -> bool {
    has_positional_matrix(p) || p.dampers_depend_on_positions()
}

/// Whether a potential adds to the matrix of [`PositionalDamping`].
pub(super) fn has_positional_matrix(p: &dyn Potential) -> bool {
    let rayleigh = p.stiffness_damping().factor_of(DampingRate::Implicit);
    rayleigh.is_some() || p.has_viscosity()
}

impl PositionDamping for Model {
    fn update_damping(&mut self, at: At, update: DampingUpdate) -> f64 {
        self.place(at.t, at.u, at.v);
        self.update_positional_damping(update)
    }

    fn damping_derivative(&mut self, at: At, du: &[f64], y: &mut [f64]) {
        self.place(at.t, at.u, at.v);
        Model::spread(&self.free, du, &mut self.work.direction);
        self.work.f.fill([0.0; 3]);
        self.add_damping_derivative();
        self.gather_into(y);
        y.iter_mut().for_each(|y| *y = -*y);
    }
}

impl Model {
    /// Adds all damping forces at the placed velocities; returns the sum of squares of those of dampers.
    pub(super) fn add_damping(&mut self) -> f64 {
        let work = &mut self.work;
        if !self.mass_damping.is_empty() {
            add_scalar_product(
                &self.pattern,
                &self.mass_damping,
                -1.0,
                &self.placed.v,
                &mut work.f,
            );
        }
        let patterns = Patterns::of(&self.pattern, &self.dynamic);
        for blocks in [&work.rayleigh, &work.positional.blocks] {
            if !blocks.is_empty() {
                patterns.add_product(blocks, -1.0, &self.placed.v, &mut work.f);
            }
        }
        let x = Configuration {
            t: self.placed.t.unwrap_or(0.0),
            rest: &self.rest,
            u: if self.positional {
                &work.positional.u
            } else {
                &self.placed.u
            },
        };
        self.potentials
            .iter()
            .map(|p| p.add_damping_force(&x, &self.placed.v, &mut work.f))
            .sum()
    }

    /// Adds the damping forces that depend on positions to the buffer of sums.
    fn sum_positional(&mut self, scale: f64) {
        let work = &mut self.work;
        if !work.positional.blocks.is_empty() {
            let blocks = &work.positional.blocks;
            let patterns = Patterns::of(&self.pattern, &self.dynamic);
            patterns.add_product(blocks, -scale, &self.placed.v, &mut work.sum);
        }
        if !self
            .potentials
            .iter()
            .any(|p| p.dampers_depend_on_positions())
        {
            return;
        }
        let x = Configuration {
            t: self.placed.t.unwrap_or(0.0),
            rest: &self.rest,
            u: &work.positional.u,
        };
        work.one.fill([0.0; 3]);
        for p in self
            .potentials
            .iter()
            .filter(|p| p.dampers_depend_on_positions())
        {
            p.add_damping_force(&x, &self.placed.v, &mut work.one);
        }
        let pairs = work.sum.as_flattened_mut().iter_mut();
        for (sum, f) in pairs.zip(work.one.as_flattened()) {
            *sum += scale * f;
        }
    }

    /// Adds D x to the buffer of forces, x being the buffer of positions.
    pub(super) fn add_damping_product(&mut self) {
        let work = &mut self.work;
        if !self.mass_damping.is_empty() {
            add_scalar_product(&self.pattern, &self.mass_damping, 1.0, &work.x, &mut work.f);
        }
        let patterns = Patterns::of(&self.pattern, &self.dynamic);
        for blocks in [&work.rayleigh, &work.positional.blocks, &work.dampers] {
            if !blocks.is_empty() {
                patterns.add_product(blocks, 1.0, &work.x, &mut work.f);
            }
        }
    }

    /// Rayleigh's dissipation function at the placed velocities, W/2.
    pub(super) fn dissipation_function(&mut self) -> f64 {
        let work = &mut self.work;
        let x = Configuration {
            t: self.placed.t.unwrap_or(0.0),
            rest: &self.rest,
            u: if self.positional {
                &work.positional.u
            } else {
                &self.placed.u
            },
        };
        let dampers = self
            .potentials
            .iter()
            .map(|p| p.dissipation(&x, &self.placed.v));
        let mut sum: f64 = dampers.sum();
        let matrices = [&work.rayleigh, &work.positional.blocks];
        if self.mass_damping.is_empty() && matrices.iter().all(|m| m.is_empty()) {
            return sum;
        }
        work.f.fill([0.0; 3]);
        if !self.mass_damping.is_empty() {
            add_scalar_product(
                &self.pattern,
                &self.mass_damping,
                0.5,
                &self.placed.v,
                &mut work.f,
            );
        }
        let patterns = Patterns::of(&self.pattern, &self.dynamic);
        for blocks in matrices {
            if !blocks.is_empty() {
                patterns.add_product(blocks, 0.5, &self.placed.v, &mut work.f);
            }
        }
        sum += self.power_of_buffer();
        sum
    }

    /// Evaluates Rayleigh's stiffness damping of rate `frozen` at the placed positions; returns whether there is any.
    pub(super) fn freeze_rayleigh(&mut self) -> bool {
        if self.work.rayleigh.is_empty() {
            return false;
        }
        self.announce_damping_pairs();
        self.work.rayleigh.fill([0.0; 9]);
        self.for_each_potential(|p, x, work| {
            if let Some(factor) = p.stiffness_damping().factor_of(DampingRate::Frozen) {
                p.add_stiffness(x, factor, Curvature::Definite, &mut work.rayleigh);
            }
        });
        true
    }

    /// Evaluates damping that depends on positions at the placed ones, unless they are those it belongs to already.
    pub(super) fn refresh_damping(&mut self) {
        let positional = &mut self.work.positional;
        if !self.positional || (positional.current && positional.u == self.placed.u) {
            return;
        }
        self.announce_damping_pairs();
        let positional = &mut self.work.positional;
        positional.blocks.fill([0.0; 9]);
        positional.u.copy_from_slice(&self.placed.u);
        positional.current = true;
        self.for_each_potential(|p, x, work| {
            let blocks = &mut work.positional.blocks;
            if let Some(factor) = p.stiffness_damping().factor_of(DampingRate::Implicit) {
                p.add_stiffness(x, factor, Curvature::Definite, blocks);
            }
            if p.has_viscosity() {
                p.add_viscosity(x, blocks);
            }
        });
    }

    /// Evaluates damping that depends on positions at the placed ones, or moves it there by a share; returns the norm of
    /// the whole change of its force on the unknowns, N.
    fn update_positional_damping(&mut self, update: DampingUpdate) -> f64 {
        let positional = &self.work.positional;
        if positional.current && positional.u == self.placed.u {
            return 0.0;
        }
        self.work.sum.fill([0.0; 3]);
        self.sum_positional(-1.0);
        self.reserve_trial();
        std::mem::swap(&mut self.work.positional, &mut self.work.trial);
        self.work.positional.current = false;
        self.refresh_damping();
        self.sum_positional(1.0);
        let work = &mut self.work;
        work.relaxation.observe(&self.free, &work.sum, update);
        if update == DampingUpdate::Relaxed {
            let share = work.relaxation.share;
            let blocks = work.positional.blocks.as_flattened_mut().iter_mut();
            for (x, before) in blocks.zip(work.trial.blocks.as_flattened()) {
                *x = before + share * (*x - before);
            }
            work.positional.current = false;
        }
        work.relaxation.norm
    }

    /// Makes room for a second matrix.
    fn reserve_trial(&mut self) {
        let work = &mut self.work;
        work.trial
            .blocks
            .resize(work.positional.blocks.len(), [0.0; 9]);
        work.trial.u.resize(work.positional.u.len(), [0.0; 3]);
    }

    /// Adds the derivative of the positional damping force at the placed state, at fixed velocities, along the buffer of
    /// directions to the buffer of forces. By central differences of D: the third derivative of an elastic law is nowhere
    /// else needed, and the error is that of rounding to the power ⅔.
    pub(super) fn add_damping_derivative(&mut self) {
        let length = max_abs(self.work.direction.as_flattened());
        if !self.positional || length == 0.0 {
            return;
        }
        let step = RELATIVE_DIFFERENCE_STEP * self.shortest / length;
        self.reserve_trial();
        std::mem::swap(&mut self.work.positional, &mut self.work.trial);
        self.work.before.copy_from_slice(&self.placed.u);
        self.work.sum.fill([0.0; 3]);
        for sign in [1.0, -1.0] {
            let work = &mut self.work;
            let moved = self.placed.u.as_flattened_mut().iter_mut();
            let from = work.before.as_flattened().iter();
            for ((u, from), d) in moved.zip(from).zip(work.direction.as_flattened()) {
                *u = from + sign * step * d;
            }
            work.positional.current = false;
            self.refresh_damping();
            self.sum_positional(sign / (2.0 * step));
        }
        let work = &mut self.work;
        std::mem::swap(&mut self.placed.u, &mut work.before);
        std::mem::swap(&mut work.positional, &mut work.trial);
        let pairs = work.f.as_flattened_mut().iter_mut();
        for (f, sum) in pairs.zip(work.sum.as_flattened()) {
            *f += sum;
        }
    }
}
