//! Power balance of a model: power of damping, of friction, of external work and of the solver's residual.
//!
//! With f = f_in + f_d + f_x (potentials and gravity, damping, loads) the energy changes at the rate
//! v·(M a − f_in) + ∂Π/∂t, and M a − f_in = f_d + f_x + r. Here r is the solver's residual on the unknowns and the reaction
//! force on prescribed components.

use march::At;
use march::ledger::Powers;
use march::vector::dot;

use super::Model;
use crate::blocks::add_scalar_product;

impl Model {
    /// Powers by which the total energy changes at a state with this acceleration.
    pub(super) fn energy_rates(&mut self, at: At, a: &[f64]) -> Powers {
        self.place(at.t, at.u, at.v);
        self.work.f.fill([0.0; 3]);
        self.add_weight(at.t);
        self.for_each_potential(|p, x, work| {
            p.add_force(x, &mut work.f);
        });
        self.work.sum.copy_from_slice(&self.work.f);
        let mut powers = self.outer_powers(at.t, Model::sum_up);

        // M a of all nodes; prescribed components have the acceleration of their motion.
        let work = &mut self.work;
        work.x.copy_from_slice(&self.placed.a);
        for (&(i, k), a) in self.free.iter().zip(a) {
            work.x[i as usize][k as usize] = *a;
        }
        work.f.fill([0.0; 3]);
        add_scalar_product(&self.pattern, &self.mass, 1.0, &work.x, &mut work.f);
        let all: f64 = (work.f.as_flattened().iter().zip(work.sum.as_flattened()))
            .zip(self.placed.v.as_flattened())
            .map(|((ma, f), v)| (ma - f) * v)
            .sum();
        let over = |&(i, k): &(u32, u8)| {
            let (i, k) = (i as usize, k as usize);
            (work.f[i][k] - work.sum[i][k]) * self.placed.v[i][k]
        };
        powers.residual = self.free.iter().map(over).sum();
        self.note_reactions(at);
        if self.moves {
            powers.work += all - powers.residual;
        }
        powers
    }

    /// Sum of damping, friction and work of [`Model::energy_rates`]. The potentials are evaluated only if reactions of moving nodes
    /// do work.
    pub(super) fn exchange_rate(&mut self, at: At, a: &[f64]) -> f64 {
        let powers = if self.moves {
            self.energy_rates(at, a)
        } else {
            self.place(at.t, at.u, at.v);
            self.outer_powers(at.t, |_| {})
        };
        powers.damping + powers.friction + powers.work
    }

    /// Powers of damping, friction, and of loads and anchors, at the current state; `each` is called after each force buffer is
    /// filled.
    fn outer_powers(&mut self, t: f64, each: impl Fn(&mut Model)) -> Powers {
        let mut powers = Powers::default();
        self.refresh_damping();
        self.work.f.fill([0.0; 3]);
        self.add_damping_without_friction();
        powers.damping = self.power_of_buffer();
        each(self);
        self.work.f.fill([0.0; 3]);
        self.add_friction();
        let friction = self.friction_powers();
        powers.friction = friction.dissipated;
        each(self);

        self.work.f.fill([0.0; 3]);
        self.add_all_loads(t);
        let mut anchors = 0.0;
        self.for_each_potential(|p, x, _| anchors += p.anchor_power(x));
        powers.work = self.power_of_buffer() + anchors + friction.obstacles;
        each(self);
        powers
    }

    /// Work of the impulses at which prescribed velocities jump by Δv after `from` and up to a state:
    /// Δvᵀ M (v − ½ Δv), where v is the velocity at the state and the unknowns do not jump, J.
    pub(super) fn work_of_velocity_jumps(&mut self, from: f64, at: At) -> f64 {
        if !self
            .motions
            .iter()
            .any(|m| m.next_kink(from) <= at.t && m.has_velocity_jumps())
        {
            return 0.0;
        }
        self.place(at.t, at.u, at.v);
        let work = &mut self.work;
        work.x.fill([0.0; 3]);
        for held in &self.held {
            let i = held.node as usize;
            let motion = &self.motions[held.motion as usize];
            let jump = motion.velocity_jump(from, at.t, self.rest[i]);
            for k in (0..3).filter(|&k| held.axes[k]) {
                work.x[i][k] = jump[k];
            }
        }
        for ((mean, v), jump) in work.sum.iter_mut().zip(&self.placed.v).zip(&work.x) {
            *mean = [0, 1, 2].map(|k| v[k] - 0.5 * jump[k]);
        }
        work.f.fill([0.0; 3]);
        add_scalar_product(&self.pattern, &self.mass, 1.0, &work.sum, &mut work.f);
        dot(work.x.as_flattened(), work.f.as_flattened())
    }

    /// v·f of the force buffer.
    pub(super) fn power_of_buffer(&self) -> f64 {
        dot(self.work.f.as_flattened(), self.placed.v.as_flattened())
    }

    /// Adds the force buffer to the buffer of sums.
    fn sum_up(&mut self) {
        let work = &mut self.work;
        for (sum, f) in work
            .sum
            .as_flattened_mut()
            .iter_mut()
            .zip(work.f.as_flattened())
        {
            *sum += f;
        }
    }
}
