//! Linear solves on the M-orthogonal complement of the modes.
//!
//! If a step takes the projection G = P F, P = X XᵀM, out of the whole force ([`crate::additive`]), an implicit stage of
//! length c leaves a system for the change Δv of velocities whose modal part XᵀM Δv = Xᵀb is known. The rest z = Q z,
//! Q = I − P, solves
//!
//! Qᵀ A z = Qᵀ (b − c D X Xᵀb), A = M + c D + c² K,
//!
//! which is symmetric, and positive definite wherever A is, for modes of any age. As XᵀM z = 0 is a constraint with
//! multipliers μ, z = A⁻¹Qᵀ(…) + V μ with V = A⁻¹M X and (XᵀM V) μ = −XᵀM A⁻¹Qᵀ(…): s more solves, for V. For eigenvectors
//! V = X S⁻¹ with a diagonal S, and A⁻¹Qᵀ(…) is in the complement without them.

use crate::dense::DenseLu;
use crate::low_rank::{LowRankError, largest_angle};
use crate::subspace::ModalSubspace;
use crate::{add, dot};

/// Solves with A on the complement of the modes.
#[derive(Clone, Debug, Default)]
pub struct Complement {
    /// V = A⁻¹M X of stale modes; empty for eigenvectors.
    v: Vec<Vec<f64>>,
    fresh: bool,
    small: DenseLu,
    c: f64,
    t: Vec<f64>,
    modal: Vec<f64>,
    matrix: Vec<f64>,
    norms: Vec<[f64; 2]>,
    /// Sine of the largest angle between the modes and what a step makes of the elastic force along one of them, 0 for
    /// eigenvectors; that of [`crate::low_rank::LowRank::angle`].
    pub angle: f64,
}

impl Complement {
    /// Prepares solves for the active modes and a step c; `solve` solves with A and returns xᵀM x of the solution. It is
    /// called once for each mode that is not an eigenvector of the current state. Returns the number of solves.
    pub fn prepare<E>(
        &mut self,
        modes: &ModalSubspace,
        c: f64,
        mut solve: impl FnMut(&mut [f64]) -> Result<f64, E>,
    ) -> Result<usize, LowRankError<E>> {
        let s = modes.active.len();
        self.c = c;
        self.angle = 0.0;
        self.fresh = modes.is_fresh(c);
        if self.fresh {
            return Ok(0);
        }
        self.v.resize_with(s.max(self.v.len()), Vec::new);
        self.matrix.clear();
        self.matrix.resize(s * s, 0.0);
        self.norms.clear();
        for (k, &i) in modes.active.iter().enumerate() {
            let v = &mut self.v[k];
            v.clone_from(&modes.mass_vectors[i]);
            let squared_norm = solve(v).map_err(LowRankError::Solve)?;
            let mut within = 0.0;
            for (l, &j) in modes.active.iter().enumerate() {
                let inside = dot(&modes.mass_vectors[j], v);
                within += inside * inside;
                self.matrix[l * s + k] = inside;
            }
            // With K x = λM x + r, D x = γM x + d and S = 1 + cγ + c²λ the part outside is A⁻¹(c²r + c d)/S, of which only r
            // counts: new modes would not be rid of damping that couples them.
            let outside = (squared_norm - within).max(0.0).sqrt() * elastic_share(modes, i, c);
            let along = modes.blocks[i].stiffness * (c / (1.0 + modes.shift(i, c).abs())).powi(2);
            self.norms.push([along.hypot(outside), outside]);
        }
        self.angle = largest_angle(&self.norms);
        match self.small.factor(s, &self.matrix) {
            true => Ok(s),
            false => Err(LowRankError::Singular),
        }
    }

    /// Computes Δv from its right-hand side b, which `x` holds on entry; `solve` solves with A.
    pub fn solve<E>(
        &mut self,
        modes: &ModalSubspace,
        x: &mut [f64],
        solve: impl FnOnce(&mut [f64]) -> Result<(), E>,
    ) -> Result<(), E> {
        modes.force_coefficients(x, &mut self.modal);
        for (&i, b) in modes.active.iter().zip(&self.modal) {
            add(x, -self.c * b, &modes.damping_vectors[i]);
        }
        modes.remove_force(x, &mut self.t);
        solve(x)?;
        if !self.fresh {
            modes.coefficients(x, &mut self.t);
            self.small.solve(&mut self.t);
            for (t, v) in self.t.iter().zip(&self.v) {
                add(x, -t, v);
            }
        }
        modes.add_expanded(&self.modal, x);
        Ok(())
    }
}

/// Returns ‖c²r‖ / ‖c²r + c d‖ of a mode, at most 1: the share of elastic forces in what leads out of it.
fn elastic_share(modes: &ModalSubspace, i: usize, c: f64) -> f64 {
    let (kx, dx) = (&modes.stiffness_vectors[i], &modes.damping_vectors[i]);
    let (mx, block) = (&modes.mass_vectors[i], &modes.blocks[i]);
    let (mut elastic, mut whole) = (0.0, 0.0);
    for j in 0..mx.len() {
        let r = c * c * (kx[j] - block.stiffness * mx[j]);
        let d = c * (dx[j] - block.damping * mx[j]);
        elastic += r * r;
        whole += (r + d) * (r + d);
    }
    if whole > elastic {
        (elastic / whole).sqrt()
    } else {
        1.0
    }
}
