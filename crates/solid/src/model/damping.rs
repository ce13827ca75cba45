//! Damping forces of a model: Rayleigh damping, viscosity and dampers.
//!
//! Three kinds of matrices act on velocities. Rayleigh's mass damping is constant. Rayleigh's stiffness damping of rate
//! `frozen` is β K at the start of the step, evaluated by [`Model::prepare`](march::System::prepare). Stiffness damping of
//! rate `implicit` and viscosity depend on the positions of the stage. They are evaluated by
//! [`Model::update_damping`](march::PositionDamping::update_damping) and lagged in between: inside an iteration force,
//! matrix and dissipation function are then derivatives of each other. Dampers that depend on positions are evaluated at
//! the positions of the same update.

use march::vector::max_abs;
use march::{At, Curvature, DampingUpdate, PositionDamping};

use super::dynamic::Patterns;
use super::{Model, PlacedNodes};
use crate::blocks::{Block, add_scalar_product};
use crate::potential::{Configuration, DampingRate, Potential};

/// Step of central differences of the damping matrix over the shortest distance between coupled nodes: ε^⅓, which
/// balances truncation and rounding errors.
const RELATIVE_DIFFERENCE_STEP: f64 = 6e-6;

/// Damping matrix that depends on positions, at its last evaluation.
#[derive(Default)]
pub(super) struct PositionalDamping {
    /// β K of rate `implicit` plus viscosity; empty if there is neither.
    pub blocks: Vec<Block>,
    /// Displacements at which it was evaluated.
    pub u: Vec<[f64; 3]>,
    /// Time at which it was evaluated, s; dampers depend on it if obstacles move.
    pub t: Option<f64>,
    /// Whether the blocks belong to these displacements, this time and the current law.
    pub current: bool,
}

impl PositionalDamping {
    /// Returns `true` if it belongs to the current configuration.
    fn is_current_at(&self, placed: &PlacedNodes) -> bool {
        self.current && self.t == placed.t && self.u == placed.u
    }
}

/// Aitken's relaxation of damping updates that do not converge [Irons & Tuck 1969]: with changes r₀ and r₁ of the force
/// and the last factor θ₀, θ₁ = −θ₀ r₀·(r₁ − r₀)/|r₁ − r₀|².
#[derive(Default)]
pub(super) struct AitkenRelaxation {
    last: Vec<f64>,
    factor: f64,
    norm: f64,
    /// Norm of the part of the change that is due to friction.
    pub friction: f64,
}

/// Lower bound of the relaxation factor θ.
const MIN_RELAXATION: f64 = 0.02;

/// Upper bound of the relaxation factor θ: the whole update.
const MAX_RELAXATION: f64 = 1.0;

impl AitkenRelaxation {
    /// Computes the relaxation factor from the full change of the force on the unknowns.
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
        self.factor = match update {
            DampingUpdate::Whole => 1.0,
            DampingUpdate::Relaxed if difference > 0.0 => {
                (-self.factor * along / difference).clamp(MIN_RELAXATION, MAX_RELAXATION)
            }
            DampingUpdate::Relaxed => MAX_RELAXATION,
        };
    }
}

/// Returns `true` if the damping of a potential depends on positions.
pub(super) fn depends_on_positions(p: &dyn Potential) -> bool {
    has_positional_matrix(p) || p.dampers_depend_on_positions()
}

/// Returns `true` if a potential contributes to the matrix of [`PositionalDamping`].
pub(super) fn has_positional_matrix(p: &dyn Potential) -> bool {
    let rayleigh = p.stiffness_damping().factor_of(DampingRate::Implicit);
    rayleigh.is_some() || p.has_viscosity()
}

impl PositionDamping for Model {
    fn update_damping(&mut self, at: At, update: DampingUpdate) -> f64 {
        self.place(at.t, at.u, at.v);
        self.update_positional_damping(update)
    }

    fn friction_change(&self) -> f64 {
        self.work.relaxation.friction
    }

    fn damping_derivative(&mut self, at: At, du: &[f64], y: &mut [f64]) {
        self.place(at.t, at.u, at.v);
        Model::scatter_unknowns(&self.free, du, &mut self.work.direction);
        self.work.f.fill([0.0; 3]);
        self.add_damping_derivative();
        self.gather_into(y);
        y.iter_mut().for_each(|y| *y = -*y);
    }
}

impl Model {
    /// Adds all damping forces at the current velocities. Returns the sum of squares of the forces of dampers.
    pub(super) fn add_damping(&mut self) -> f64 {
        let damping = self.add_damping_without_friction();
        damping + self.add_friction()
    }

    /// Adds all damping forces except friction at the current velocities. Returns the sum of squares of the forces of dampers.
    pub(super) fn add_damping_without_friction(&mut self) -> f64 {
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
            .iter_mut()
            .filter(|p| !p.has_friction())
            .map(|p| p.add_damping_force(&x, &self.placed.v, &mut work.f))
            .sum()
    }

    /// Adds `scale` times the damping forces that depend on positions to the buffer of sums.
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
        for p in self
            .potentials
            .iter_mut()
            .filter(|p| p.dampers_depend_on_positions())
        {
            work.one.fill([0.0; 3]);
            p.add_damping_force(&x, &self.placed.v, &mut work.one);
            add_scaled(&mut work.sum, scale, &work.one);
            if p.has_friction() {
                add_scaled(&mut work.friction_change, scale, &work.one);
            }
        }
    }

    /// Adds D x to the force buffer, with x in the position buffer.
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

    /// Rayleigh's dissipation function at the current velocities: half the dissipated power, W.
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
            .iter_mut()
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

    /// Evaluates Rayleigh's stiffness damping of rate `frozen` at the current positions. Returns `false` if there is none.
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

    /// Evaluates damping that depends on positions at the current ones, unless it belongs to them already.
    pub(super) fn refresh_damping(&mut self) {
        if !self.positional || self.work.positional.is_current_at(&self.placed) {
            return;
        }
        self.announce_damping_pairs();
        let positional = &mut self.work.positional;
        positional.blocks.fill([0.0; 9]);
        positional.u.copy_from_slice(&self.placed.u);
        (positional.t, positional.current) = (self.placed.t, true);
        self.for_each_potential(|p, x, work| {
            p.lag_dampers(x);
            let blocks = &mut work.positional.blocks;
            if let Some(factor) = p.stiffness_damping().factor_of(DampingRate::Implicit) {
                p.add_stiffness(x, factor, Curvature::Definite, blocks);
            }
            if p.has_viscosity() {
                p.add_viscosity(x, blocks);
            }
        });
    }

    /// Evaluates damping that depends on positions at the current ones, relaxed if `update` says so. Returns the norm of
    /// the full change of its force on the unknowns, N.
    fn update_positional_damping(&mut self, update: DampingUpdate) -> f64 {
        if self.work.positional.is_current_at(&self.placed) {
            self.work.relaxation.friction = 0.0;
            return 0.0;
        }
        self.work.sum.fill([0.0; 3]);
        self.work.friction_change.fill([0.0; 3]);
        self.sum_positional(-1.0);
        self.reserve_trial();
        std::mem::swap(&mut self.work.positional, &mut self.work.trial);
        self.work.positional.current = false;
        self.refresh_damping();
        self.sum_positional(1.0);
        let work = &mut self.work;
        work.relaxation.observe(&self.free, &work.sum, update);
        work.relaxation.friction = norm_of_unknowns(&self.free, &work.friction_change);
        if update == DampingUpdate::Relaxed {
            let factor = work.relaxation.factor;
            let blocks = work.positional.blocks.as_flattened_mut().iter_mut();
            for (x, before) in blocks.zip(work.trial.blocks.as_flattened()) {
                *x = before + factor * (*x - before);
            }
            work.positional.current = false;
            let dampers = self.potentials.iter_mut();
            dampers.for_each(|p| p.relax_dampers(factor));
        }
        self.work.relaxation.norm
    }

    /// Allocates the second copy of the matrix.
    fn reserve_trial(&mut self) {
        let work = &mut self.work;
        work.trial
            .blocks
            .resize(work.positional.blocks.len(), [0.0; 9]);
        work.trial.u.resize(work.positional.u.len(), [0.0; 3]);
    }

    /// Adds the derivative of position-dependent damping forces along the direction buffer, at fixed velocities, to the
    /// force buffer. It is computed by central differences of D, with a relative error of about ε^⅔: exact derivatives
    /// would need third derivatives of the elastic laws.
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
        self.restore_lag();
        let work = &mut self.work;
        let pairs = work.f.as_flattened_mut().iter_mut();
        for (f, sum) in pairs.zip(work.sum.as_flattened()) {
            *f += sum;
        }
    }
}

/// y += scale · x.
fn add_scaled(y: &mut [[f64; 3]], scale: f64, x: &[[f64; 3]]) {
    let pairs = y.as_flattened_mut().iter_mut().zip(x.as_flattened());
    pairs.for_each(|(y, x)| *y += scale * x);
}

/// Euclidean norm over the unknowns; 0 for an empty field.
fn norm_of_unknowns(free: &[(u32, u8)], x: &[[f64; 3]]) -> f64 {
    if x.is_empty() {
        return 0.0;
    }
    let square = |&(i, k): &(u32, u8)| x[i as usize][k as usize].powi(2);
    free.iter().map(square).sum::<f64>().sqrt()
}
