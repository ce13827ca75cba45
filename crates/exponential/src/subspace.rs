//! Modes of a system and the motion in their subspace.
//!
//! The columns of X are M-orthonormal, XᵀM X = I [Ascher et al. 2021, sec. 3.5.2; docs/references.md, E20]. The modal part
//! of a displacement is X XᵀM u, that of a force M X Xᵀf. With λᵢ = xᵢᵀK xᵢ and γᵢ = xᵢᵀD xᵢ of the current state, the
//! matrix of the modal part is
//!
//! J_G = [[0, X XᵀM], [−X Λ XᵀM, −X Γ XᵀM]],
//!
//! one 2×2 block for each mode ([`crate::mode`]). Eq. 23 of the paper has XᵀK X, which is Λ for eigenvectors of the
//! current stiffness. Other modes are first turned within their span into Ritz vectors, for which XᵀK X is diagonal: a
//! translation, which no internal force opposes, is one of them with λ = 0, so linear momentum is kept. Of XᵀD X we keep the
//! diagonal. The part of the system that is not in J_G is integrated implicitly, whatever it is, so the order does not
//! depend on the age of the modes.

use crate::dense::diagonalise;
use crate::mode::ModeBlock;
use crate::{SecondOrder, add, dot};

/// Largest ‖(c²K + cD) x − (c²λ + cγ) M x‖ relative to ‖(1 + cγ + c²λ) M x‖ of modes that count as those of the current
/// state.
const FRESH_RESIDUAL: f64 = 1e-7;

/// M-orthonormal modes with their linearised motion.
#[derive(Clone, Debug, Default)]
pub struct ModalSubspace {
    /// Modes as they were given.
    pub given: Vec<Vec<f64>>,
    given_mass: Vec<Vec<f64>>,
    /// Ritz vectors xᵢ of the last linearisation.
    pub vectors: Vec<Vec<f64>>,
    /// M xᵢ.
    pub(crate) mass_vectors: Vec<Vec<f64>>,
    /// K xᵢ and D xᵢ of the last linearisation.
    pub(crate) stiffness_vectors: Vec<Vec<f64>>,
    pub(crate) damping_vectors: Vec<Vec<f64>>,
    /// λᵢ and γᵢ of the last linearisation.
    pub blocks: Vec<ModeBlock>,
    /// Indices of the modes in use.
    pub active: Vec<usize>,
    /// Whether modes that are not those of the current state follow it ([`ModalSubspace::follow`]).
    pub follows: bool,
    /// Whether they have done so since they were set.
    pub has_followed: bool,
    /// Projected stiffness and its eigenvectors.
    small: [Vec<f64>; 2],
}

/// Largest |hλ| of modes that a method integrates by φ-functions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ModeLimits {
    /// Limit of eigenvectors of the current state.
    pub fresh: f64,
    /// Limit of other modes.
    pub stale: f64,
}

/// State of a system split by modes: coefficients of the modes, in the order of [`ModalSubspace::active`].
#[derive(Clone, Debug, Default)]
pub struct ModalState {
    /// XᵀM u.
    pub u: Vec<f64>,
    /// XᵀM v, which are the rates of the displacements.
    pub v: Vec<f64>,
    /// Xᵀf, which are the rates of the velocities.
    pub f: Vec<f64>,
    /// Xᵀ ∂f/∂t.
    pub rate: Vec<f64>,
}

impl ModalSubspace {
    /// Replaces the modes by M-orthonormal vectors; all of them become active.
    pub fn set_vectors<S: SecondOrder>(&mut self, system: &mut S, vectors: Vec<Vec<f64>>) {
        let (count, n) = (vectors.len(), vectors.first().map_or(0, Vec::len));
        for list in [
            &mut self.given_mass,
            &mut self.vectors,
            &mut self.mass_vectors,
            &mut self.stiffness_vectors,
            &mut self.damping_vectors,
        ] {
            list.resize(count, Vec::new());
            list.iter_mut().for_each(|x| x.resize(n, 0.0));
        }
        for (x, mx) in vectors.iter().zip(&mut self.given_mass) {
            system.mass_times(x, mx);
        }
        self.given = vectors;
        self.has_followed = false;
        let still = ModeBlock {
            stiffness: 0.0,
            damping: 0.0,
        };
        self.blocks.clear();
        self.blocks.resize(count, still);
        self.active.clear();
        self.active.extend(0..count);
    }

    /// Turns the modes into Ritz vectors of the current state of the system and computes K x, D x, λ and γ of them.
    pub fn linearise<S: SecondOrder>(&mut self, system: &mut S) {
        let s = self.given.len();
        let [projected, turn] = &mut self.small;
        projected.clear();
        projected.resize(s * s, 0.0);
        for (i, x) in self.given.iter().enumerate() {
            let kx = &mut self.stiffness_vectors[i];
            system.stiffness_times(x, kx);
            for j in 0..=i {
                let entry = dot(&self.given[j], kx);
                projected[i * s + j] = entry;
                projected[j * s + i] = entry;
            }
        }
        let turned = diagonalise(s, projected, turn);
        for i in 0..s {
            for (out, given) in [
                (&mut self.vectors[i], &self.given),
                (&mut self.mass_vectors[i], &self.given_mass),
            ] {
                if !turned {
                    out.copy_from_slice(&given[i]);
                    continue;
                }
                out.fill(0.0);
                for (j, x) in given.iter().enumerate() {
                    add(out, turn[j * s + i], x);
                }
            }
        }
        self.update_products(system);
        for (i, x) in self.vectors.iter().enumerate() {
            self.blocks[i] = ModeBlock {
                stiffness: dot(x, &self.stiffness_vectors[i]),
                damping: dot(x, &self.damping_vectors[i]),
            };
        }
    }

    /// Replaces the modes by M-orthonormal vectors of the span of A⁻¹M X; `solve` solves with A = M + c D + c² K. This is one
    /// step of subspace iteration (Bathe 1996, sec. 11.6): the part of the modes along another eigenvector of stiffness λ'
    /// shrinks by (1 + c²λ)/(1 + c²λ'), so that of stiff motion all but vanishes.
    pub fn follow<S: SecondOrder>(
        &mut self,
        system: &mut S,
        mut solve: impl FnMut(&mut S, &mut [f64]) -> Result<(), S::Error>,
    ) -> Result<(), S::Error> {
        self.has_followed = true;
        for i in 0..self.given.len() {
            let (done, rest) = self.given.split_at_mut(i);
            let (x, mx) = (&mut rest[0], &mut self.mass_vectors[i]);
            x.copy_from_slice(mx);
            solve(system, x)?;
            for _pass in 0..2 {
                for (y, my) in done.iter().zip(&self.given_mass) {
                    let along = dot(my, x);
                    add(x, -along, y);
                }
            }
            system.mass_times(x, mx);
            let length = dot(mx, x).sqrt();
            x.iter_mut().for_each(|x| *x /= length);
            // The products are those of the vectors as they are saved, to the bit.
            system.mass_times(x, &mut self.given_mass[i]);
        }
        Ok(())
    }

    /// Computes K x and D x of all modes at the current state of the system, and keeps λ and γ.
    pub fn update_products<S: SecondOrder>(&mut self, system: &mut S) {
        for (i, x) in self.vectors.iter().enumerate() {
            system.stiffness_times(x, &mut self.stiffness_vectors[i]);
            system.damping_times(x, &mut self.damping_vectors[i]);
        }
    }

    /// Activates the modes whose fastest rate times the step h is within the limit for their age; c is the length of the
    /// implicit stage.
    pub fn activate_within(&mut self, [c, h]: [f64; 2], limits: ModeLimits) {
        self.activate(h, limits.fresh);
        if limits.stale < limits.fresh && !self.is_fresh(c) {
            self.activate(h, limits.stale);
        }
    }

    /// Activates the modes whose fastest rate times the step is at most `limit`.
    pub fn activate(&mut self, h: f64, limit: f64) {
        self.active.clear();
        let blocks = self.blocks.iter().enumerate();
        let slow = blocks.filter(|(_, b)| h * b.fastest_rate() <= limit);
        self.active.extend(slow.map(|(i, _)| i));
    }

    /// Returns `true` if the active modes are eigenvectors of c²K + cD of the last linearisation.
    pub fn is_fresh(&self, c: f64) -> bool {
        self.active.iter().all(|&i| {
            let (kx, dx) = (&self.stiffness_vectors[i], &self.damping_vectors[i]);
            let mx = &self.mass_vectors[i];
            let shift = self.shift(i, c);
            let (mut off, mut whole) = (0.0, 0.0);
            for j in 0..mx.len() {
                let r = c * c * kx[j] + c * dx[j] - shift * mx[j];
                off += r * r;
                whole += mx[j] * mx[j];
            }
            off.sqrt() <= FRESH_RESIDUAL * (1.0 + shift.abs()) * whole.sqrt()
        })
    }

    /// Returns c²λ + cγ of a mode.
    pub(crate) fn shift(&self, i: usize, c: f64) -> f64 {
        c * c * self.blocks[i].stiffness + c * self.blocks[i].damping
    }

    /// Computes XᵀM x of the active modes.
    pub fn coefficients(&self, x: &[f64], out: &mut Vec<f64>) {
        out.clear();
        out.extend(self.active.iter().map(|&i| dot(&self.mass_vectors[i], x)));
    }

    /// Computes Xᵀf of the active modes.
    pub fn force_coefficients(&self, f: &[f64], out: &mut Vec<f64>) {
        out.clear();
        out.extend(self.active.iter().map(|&i| dot(&self.vectors[i], f)));
    }

    /// Computes y ← y + X c.
    pub fn add_expanded(&self, c: &[f64], y: &mut [f64]) {
        for (&i, &c) in self.active.iter().zip(c) {
            add(y, c, &self.vectors[i]);
        }
    }

    /// Computes y ← y + M X c.
    pub fn add_expanded_force(&self, c: &[f64], y: &mut [f64]) {
        for (&i, &c) in self.active.iter().zip(c) {
            add(y, c, &self.mass_vectors[i]);
        }
    }

    /// Computes y ← y − X c.
    pub fn remove(&self, c: &[f64], y: &mut [f64]) {
        for (&i, &c) in self.active.iter().zip(c) {
            add(y, -c, &self.vectors[i]);
        }
    }

    /// Removes the modal part of a force: y ← y − M X Xᵀy; `scratch` holds Xᵀy afterwards.
    pub fn remove_force(&self, y: &mut [f64], scratch: &mut Vec<f64>) {
        self.force_coefficients(y, scratch);
        for (&i, c) in self.active.iter().zip(scratch.iter()) {
            add(y, -c, &self.mass_vectors[i]);
        }
    }

    /// Computes the forces of the linear motion G = G_r + t ∂G/∂t + J_G (y − y_r) of the modes at other coefficients `u`
    /// and `v`, a time `t` after the state `r` at which the modes were split.
    pub fn linear_forces(&self, r: &ModalState, u: &[f64], v: &[f64], t: f64, out: &mut Vec<f64>) {
        out.clear();
        for (k, &i) in self.active.iter().enumerate() {
            let b = &self.blocks[i];
            let change = b.stiffness * (u[k] - r.u[k]) + b.damping * (v[k] - r.v[k]);
            out.push(r.f[k] + t * r.rate[k] - change);
        }
    }

    /// Computes the modal coefficients of a state with force `f` and force rate `rate`.
    pub fn split(&self, u: &[f64], v: &[f64], f: &[f64], rate: &[f64], out: &mut ModalState) {
        self.coefficients(u, &mut out.u);
        self.coefficients(v, &mut out.v);
        self.force_coefficients(f, &mut out.f);
        self.force_coefficients(rate, &mut out.rate);
    }

    /// Adds `scale` times h φ₁(hJ_G) G + h² φ₂(hJ_G) ∂G/∂t of a split state to displacements and velocities.
    pub fn add_increment(&self, s: &ModalState, h: f64, scale: f64, u: &mut [f64], v: &mut [f64]) {
        for (k, &i) in self.active.iter().enumerate() {
            let [du, dv] = self.blocks[i].increment(h, [s.v[k], s.f[k]], s.rate[k]);
            add(u, scale * du, &self.vectors[i]);
            add(v, scale * dv, &self.vectors[i]);
        }
    }
}
