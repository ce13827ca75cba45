//! Linear solves of the part of a system that is not in its modes.
//!
//! An implicit step of length c on y′ = J_H y, J_H = J − J_G, is a system for the change of velocities with the matrix
//!
//! A − Y Zᵀ, A = M + c D + c² K, Y = c² K X + c M X Γ, Z = M X,
//!
//! because the modal part of the displacements is known: the paper's [Ascher et al. 2021, eq. 25] correction of rank 2s
//! in the first-order form has rank s in this one. A is sparse and factored; Woodbury's formula adds
//! (A − Y Zᵀ)⁻¹ = A⁻¹ + W (I − ZᵀW)⁻¹ ZᵀA⁻¹ with W = A⁻¹Y, at s more solves. The matrix is not symmetric unless the modes
//! are eigenvectors of the current state, but only A is factored. For eigenvectors A X = M X S with the diagonal
//! S = I + c Γ + c² Λ, and the formula becomes (A − Y Zᵀ)⁻¹ = A⁻¹ + X (I − S⁻¹) Xᵀ, without any further solve.

use crate::dense::DenseLu;
use crate::subspace::ModalSubspace;
use crate::{add, dot};

/// Correction of solves with A to solves with A − Y Zᵀ.
#[derive(Clone, Debug, Default)]
pub struct LowRank {
    /// A⁻¹Y of stale modes; empty for eigenvectors.
    w: Vec<Vec<f64>>,
    fresh: bool,
    small: DenseLu,
    c: f64,
    t: Vec<f64>,
    matrix: Vec<f64>,
    /// For each mode, what a step makes of the elastic force along it, and the part of that outside the modes.
    norms: Vec<[f64; 2]>,
    /// Sine of the largest angle between the modes and what a step makes of the elastic force along one of them, 0 for
    /// eigenvectors.
    pub angle: f64,
}

/// Error of a correction.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LowRankError<E> {
    /// The corrected matrix is singular.
    #[error(
        "the matrix without the modes is singular; compute the modes more often (refresh) or use fewer of them"
    )]
    Singular,
    /// A solve with A failed.
    #[error(transparent)]
    Solve(#[from] E),
}

/// Norm of such a part, relative to the largest one, below which its direction is not told from round-off and from what
/// little opposes rigid motions.
const MIN_RELATIVE_NORM: f64 = 1e-2;

/// Returns the largest ratio of the norm outside the modes to the whole norm of a column.
pub(crate) fn largest_angle(norms: &[[f64; 2]]) -> f64 {
    let largest = norms.iter().fold(0.0, |m: f64, [whole, _]| m.max(*whole));
    let sines = norms.iter().map(|[whole, outside]| {
        let whole = whole.max(MIN_RELATIVE_NORM * largest);
        if whole > 0.0 { outside / whole } else { 0.0 }
    });
    sines.fold(0.0, f64::max)
}

impl LowRank {
    /// Computes the correction for the active modes and a step c; `solve` solves with A and returns xᵀM x of the solution. It
    /// is called once for each mode that is not an eigenvector of the current state. Returns the number of solves.
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
        self.t.resize(s, 0.0);
        if self.fresh {
            return Ok(0);
        }
        self.w.resize_with(s.max(self.w.len()), Vec::new);
        self.matrix.clear();
        self.matrix.resize(s * s, 0.0);
        self.norms.clear();
        for (k, &i) in modes.active.iter().enumerate() {
            let w = &mut self.w[k];
            w.clear();
            w.resize(modes.vectors[i].len(), 0.0);
            add(w, c * c, &modes.stiffness_vectors[i]);
            add(w, c * modes.blocks[i].damping, &modes.mass_vectors[i]);
            let squared_norm = solve(w).map_err(LowRankError::Solve)?;
            let mut within = 0.0;
            for (l, &j) in modes.active.iter().enumerate() {
                let inside = dot(&modes.mass_vectors[j], w);
                within += inside * inside;
                self.matrix[l * s + k] = f64::from(u8::from(k == l)) - inside;
            }
            let outside = (squared_norm - within).max(0.0).sqrt();
            // With K x = λM x + r and S = 1 + cγ + c²λ the part outside is c²A⁻¹r/S, while λM x instead of r would give
            // c²λ x/S². Damping that couples modes must not count: new modes would not be rid of it.
            let along = modes.blocks[i].stiffness * (c / (1.0 + modes.shift(i, c).abs())).powi(2);
            self.norms.push([along.hypot(outside), outside]);
        }
        self.angle = largest_angle(&self.norms);
        match self.small.factor(s, &self.matrix) {
            true => Ok(s),
            false => Err(LowRankError::Singular),
        }
    }

    /// Solves (A − Y Zᵀ) x = b; `x` holds b on entry, and `solve` solves with A.
    pub fn solve<E>(
        &mut self,
        modes: &ModalSubspace,
        x: &mut [f64],
        solve: impl FnOnce(&mut [f64]) -> Result<(), E>,
    ) -> Result<(), E> {
        if self.fresh {
            for (t, &i) in self.t.iter_mut().zip(&modes.active) {
                let shift = modes.shift(i, self.c);
                *t = dot(&modes.vectors[i], x) * shift / (1.0 + shift);
            }
            solve(x)?;
            modes.add_expanded(&self.t, x);
            return Ok(());
        }
        solve(x)?;
        for (t, &i) in self.t.iter_mut().zip(&modes.active) {
            *t = dot(&modes.mass_vectors[i], x);
        }
        self.small.solve(&mut self.t);
        for (t, w) in self.t.iter().zip(&self.w) {
            add(x, *t, w);
        }
        Ok(())
    }
}
