//! Element kernels: energy, nodal forces and stiffness blocks of four elements at a time.
//!
//! With reference shape derivatives ∂N_a/∂ξ and J⁻¹ = ∂ξ/∂X: g = (Σ u_a ⊗ ∂N_a/∂ξ) J⁻¹,
//! f_a = −w P J⁻ᵀ ∂N_a/∂ξ and K_ab = w B_aᵀ (∂²Ψ/∂F²) B_b with B_a = J⁻ᵀ ∂N_a/∂ξ, summed over points with weight w.

use crate::blocks::{Block, Slot};
use crate::lanes::{Lanes, Mat3};
use crate::material::{Curvature, Hessian, Law, Strain};
use crate::small3::{IDENTITY, determinant, mat3, mul, mul_transpose, plus_identity, rotation};

use super::chunks::DisjointSlice;
use super::force_accumulator::ScatterTarget;
use super::modes;
use super::simd::SimdTarget;

/// Nodal vectors of four elements with N nodes; for trilinear hexahedra their [`modes`].
pub type NodalLanes<const N: usize> = [[Lanes; 3]; N];

/// One batch of four elements with N nodes: nodes and integration points.
pub struct Batch<'a, const N: usize> {
    /// Nodes of the four elements, one entry per local node number.
    pub nodes: &'a [[u32; 4]],
    /// Inverse Jacobian J⁻¹ at each integration point.
    pub inverse: &'a [Mat3],
    /// Quadrature weight times det J at each integration point; 0 in padding lanes.
    pub weight: &'a [Lanes],
    /// Frozen rotation at each integration point; empty if the law does not need it.
    pub frozen: &'a [Mat3],
    /// Shape derivatives ∂N_a/∂ξ at each integration point.
    pub dn: &'a [[[f64; 3]; N]],
}

impl<const N: usize> Batch<'_, N> {
    /// Gathers the displacements of the nodes of the four elements.
    #[inline(always)]
    pub(super) fn gather(&self, u: &[[f64; 3]]) -> NodalLanes<N> {
        let mut out = [[Lanes::ZERO; 3]; N];
        for a in 0..N {
            let ids = self.nodes[a];
            let at = |l: usize| &u[ids[l] as usize];
            let [p, q, r, s] = [at(0), at(1), at(2), at(3)];
            for k in 0..3 {
                out[a][k] = Lanes([p[k], q[k], r[k], s[k]]);
            }
        }
        if N == 8 { modes::of_nodes(&out) } else { out }
    }

    /// Displacement gradient and frozen rotation at integration point p: the input of the law.
    #[inline(always)]
    pub(super) fn strain(&self, u: &NodalLanes<N>, p: usize) -> Strain<'_> {
        let dn = &self.dn[p];
        let mut h = [[Lanes::ZERO; 3]; 3];
        if N == 8 {
            h = modes::gradient(u, p);
        } else if N == 4 {
            h = mat3(|i, k| u[k + 1][i] - u[0][i]);
        }
        for a in 0..if N == 8 || N == 4 { 0 } else { N } {
            for i in 0..3 {
                for k in 0..3 {
                    h[i][k] += u[a][i] * dn[a][k];
                }
            }
        }
        let frozen = if self.frozen.is_empty() {
            &IDENTITY
        } else {
            &self.frozen[p]
        };
        Strain {
            g: mul(&h, &self.inverse[p]),
            frozen,
        }
    }

    /// Deformation gradient F of the four elements at integration point p.
    pub fn deformation_gradient(&self, u: &[[f64; 3]], p: usize) -> Mat3 {
        plus_identity(&self.strain(&self.gather(u), p).g)
    }

    /// Energy of the four elements.
    #[inline(always)]
    pub fn energy<H: SimdTarget>(&self, law: &Law, u: &[[f64; 3]]) -> Lanes {
        let u = self.gather(u);
        let mut sum = Lanes::ZERO;
        for p in 0..self.weight.len() {
            let (w, e) = (self.weight[p], H::energy(law, &self.strain(&u, p)));
            // Padding lanes have weight 0. They do not count even if their energy is infinite.
            let counted = w.above(Lanes::ZERO).select(w * e, Lanes::ZERO);
            sum += counted;
        }
        sum
    }

    /// Forces on the nodes of the four elements.
    #[inline(always)]
    pub fn force<H: SimdTarget>(&self, law: &Law, u: &[[f64; 3]]) -> NodalLanes<N> {
        let u = self.gather(u);
        let mut out = [[Lanes::ZERO; 3]; N];
        for p in 0..self.weight.len() {
            let stress = H::stress(law, &self.strain(&u, p));
            let pull = mul_transpose(&stress, &self.inverse[p]);
            let w = self.weight[p];
            let pull = mat3(|i, k| w * pull[i][k]);
            if N == 8 {
                modes::subtract_forces(&pull, p, &mut out);
                continue;
            }
            if N == 4 {
                for i in 0..3 {
                    out[0][i] += pull[i][0] + pull[i][1] + pull[i][2];
                    (0..3).for_each(|k| out[k + 1][i] -= pull[i][k]);
                }
                continue;
            }
            let dn = &self.dn[p];
            for a in 0..N {
                for i in 0..3 {
                    let f = pull[i][0] * dn[a][0] + pull[i][1] * dn[a][1] + pull[i][2] * dn[a][2];
                    out[a][i] -= f;
                }
            }
        }
        if N == 8 { modes::to_nodes(&out) } else { out }
    }

    /// Writes the stiffness blocks K_ab, a ≥ b, of the four elements to `out[a (a + 1)/2 + b]`.
    #[inline(always)]
    pub fn stiffness<H: SimdTarget>(
        &self,
        law: &Law,
        c: Curvature,
        u: &[[f64; 3]],
        out: &mut [[Lanes; 9]],
    ) {
        self.assemble(
            u,
            |strain, hessian| H::hessian(law, strain, c, hessian),
            out,
        );
    }

    /// Writes the blocks Σ w B_aᵀ H B_b, a ≥ b, where `fill` computes the 9×9 matrix H over the entries of F at each
    /// integration point.
    #[inline(always)]
    pub fn assemble(
        &self,
        u: &[[f64; 3]],
        fill: impl Fn(&Strain, &mut Hessian),
        out: &mut [[Lanes; 9]],
    ) {
        let u = self.gather(u);
        for block in out.iter_mut() {
            *block = [Lanes::ZERO; 9];
        }
        let mut hessian = [[Lanes::ZERO; 9]; 9];
        for p in 0..self.weight.len() {
            fill(&self.strain(&u, p), &mut hessian);
            if N == 4 {
                linear_tet(&hessian, &self.inverse[p], self.weight[p], out);
            } else {
                self.contract(&hessian, p, out);
            }
        }
    }

    #[inline(always)]
    fn contract(&self, hessian: &Hessian, p: usize, out: &mut [[Lanes; 9]]) {
        let (dn, inverse) = (&self.dn[p], &self.inverse[p]);
        let mut b = [[Lanes::ZERO; 3]; N];
        for a in 0..N {
            for j in 0..3 {
                b[a][j] =
                    dn[a][0] * inverse[0][j] + dn[a][1] * inverse[1][j] + dn[a][2] * inverse[2][j];
            }
        }
        for a in 0..N {
            let half = half_contract(hessian, &b[a], self.weight[p]);
            for other in 0..=a {
                let block = &mut out[a * (a + 1) / 2 + other];
                finish_contract(&half, &b[other], block);
            }
        }
    }

    /// Entry ∫ B_a · B_b of the Laplacian matrix of the four elements.
    pub fn laplacian(&self, a: usize, b: usize) -> Lanes {
        let mut sum = Lanes::ZERO;
        for p in 0..self.weight.len() {
            let (dn, inverse) = (&self.dn[p], &self.inverse[p]);
            let row = |a: usize, j: usize| {
                dn[a][0] * inverse[0][j] + dn[a][1] * inverse[1][j] + dn[a][2] * inverse[2][j]
            };
            let [x, y, z] = [0, 1, 2].map(|j| row(a, j) * row(b, j));
            sum += self.weight[p] * (x + y + z);
        }
        sum
    }

    /// Σ |∂N_a/∂X| at integration point p: bound of the change of F if each node moves by at most one metre.
    pub(super) fn gradient_bound(&self, p: usize) -> Lanes {
        let (dn, inverse) = (&self.dn[p], &self.inverse[p]);
        let mut sum = Lanes::ZERO;
        for dn in dn {
            let [x, y, z] = [0, 1, 2]
                .map(|j| dn[0] * inverse[0][j] + dn[1] * inverse[1][j] + dn[2] * inverse[2][j]);
            sum += (x * x + y * y + z * z).sqrt();
        }
        sum
    }

    /// Rotation of F at integration point p.
    #[inline(always)]
    pub fn rotation(&self, u: &[[f64; 3]], p: usize) -> Mat3 {
        rotation(&plus_identity(&self.strain(&self.gather(u), p).g))
    }

    /// Energy density and von Mises stress, averaged over the volume of each element.
    #[inline(always)]
    pub fn measures<H: SimdTarget>(&self, law: &Law, u: &[[f64; 3]]) -> [Lanes; 2] {
        let u = self.gather(u);
        let (mut volume, mut energy, mut mises) = (Lanes::ZERO, Lanes::ZERO, Lanes::ZERO);
        for p in 0..self.weight.len() {
            let (w, e) = (self.weight[p], self.strain(&u, p));
            let f = plus_identity(&e.g);
            let j = determinant(&f);
            let cauchy = mul_transpose(&H::stress(law, &e), &f);
            let [[xx, xy, xz], [_, yy, yz], [_, _, zz]] = cauchy;
            let normal = (xx - yy).squared() + (yy - zz).squared() + (zz - xx).squared();
            let shear = xy.squared() + yz.squared() + xz.squared();
            mises += w * ((0.5 * normal + 3.0 * shear).sqrt() / j.abs());
            energy += w * H::energy(law, &e);
            volume += w;
        }
        [energy / volume, mises / volume]
    }
}

/// First half of the contraction: T[i][(j, l)] = w Σ_k b_k ∂²Ψ/∂F_ik ∂F_jl.
#[inline(always)]
fn half_contract(hessian: &Hessian, b: &[Lanes; 3], w: Lanes) -> [[Lanes; 9]; 3] {
    let wb = [w * b[0], w * b[1], w * b[2]];
    let mut half = [[Lanes::ZERO; 9]; 3];
    for i in 0..3 {
        for q in 0..9 {
            half[i][q] = wb[0] * hessian[3 * i][q]
                + wb[1] * hessian[3 * i + 1][q]
                + wb[2] * hessian[3 * i + 2][q];
        }
    }
    half
}

/// Second half of the contraction: block[i][j] += Σ_l T[i][(j, l)] b_l.
#[inline(always)]
fn finish_contract(half: &[[Lanes; 9]; 3], b: &[Lanes; 3], block: &mut [Lanes; 9]) {
    for i in 0..3 {
        for j in 0..3 {
            let sum = half[i][3 * j] * b[0] + half[i][3 * j + 1] * b[1] + half[i][3 * j + 2] * b[2];
            block[3 * i + j] += sum;
        }
    }
}

/// Stiffness blocks of linear tetrahedra: B_1 to B_3 are the rows of J⁻¹, and B_0 is their negative sum.
#[inline(always)]
fn linear_tet(hessian: &Hessian, inverse: &Mat3, w: Lanes, out: &mut [[Lanes; 9]]) {
    let at = |a: usize, b: usize| a * (a + 1) / 2 + b;
    for a in 1..4 {
        let half = half_contract(hessian, &inverse[a - 1], w);
        for b in 1..=a {
            finish_contract(&half, &inverse[b - 1], &mut out[at(a, b)]);
        }
    }
    for i in 0..3 {
        for j in 0..3 {
            // K_a0 = −Σ_b K_ab, with K_ab = K_baᵀ above the diagonal.
            let (q, t) = (3 * i + j, 3 * j + i);
            let one = out[at(1, 1)][q] + out[at(2, 1)][t] + out[at(3, 1)][t];
            let two = out[at(2, 1)][q] + out[at(2, 2)][q] + out[at(3, 2)][t];
            let three = out[at(3, 1)][q] + out[at(3, 2)][q] + out[at(3, 3)][q];
            out[at(1, 0)][q] -= one;
            out[at(2, 0)][q] -= two;
            out[at(3, 0)][q] -= three;
        }
    }
    for i in 0..3 {
        for j in 0..3 {
            let t = 3 * j + i;
            // K_00 = −Σ_a K_0a = −Σ_a K_a0ᵀ.
            out[0][3 * i + j] = -(out[at(1, 0)][t] + out[at(2, 0)][t] + out[at(3, 0)][t]);
        }
    }
}

/// Adds forces to the copies of their nodes. Returns the sum of their squares.
///
/// # Safety
/// The copies must belong to a batch of the chunk that is being processed.
#[inline(always)]
pub unsafe fn scatter_force<const N: usize>(
    places: &[[u32; 4]],
    lanes: usize,
    forces: &NodalLanes<N>,
    target: &ScatterTarget,
) -> f64 {
    let mut squares = Lanes::ZERO;
    for a in 0..N {
        let [x, y, z] = forces[a];
        squares += x * x + y * y + z * z;
        for lane in 0..lanes {
            // SAFETY: guaranteed by the caller.
            unsafe { target.add(places[a][lane], [x.0[lane], y.0[lane], z.0[lane]]) };
        }
    }
    squares.0[..lanes].iter().sum()
}

/// Adds element blocks times a factor to the assembled matrix.
///
/// # Safety
/// No other thread may access these blocks.
#[inline(always)]
pub unsafe fn scatter_blocks(
    slots: &[[Slot; 4]],
    lanes: usize,
    factor: f64,
    blocks: &[[Lanes; 9]],
    k: &DisjointSlice<Block>,
) {
    for (slot, block) in slots.iter().zip(blocks) {
        for lane in 0..lanes {
            // SAFETY: guaranteed by the caller.
            let value = unsafe { k.at(slot[lane].index()) };
            // Entry by entry: a copy of the lane's block would be stored in parts and loaded as a whole, a
            // store-forwarding stall.
            if slot[lane].transposed() {
                for (i, j) in (0..3).flat_map(|i| (0..3).map(move |j| (i, j))) {
                    value[3 * i + j] += factor * block[3 * j + i].0[lane];
                }
            } else {
                for q in 0..9 {
                    value[q] += factor * block[q].0[lane];
                }
            }
        }
    }
}
