//! Calibration: correction factors of bonds such that sums over particles have the elasticity of the continuum.
//!
//! The elasticity tensor of the bonds at particle i is the fully symmetric T = ½ Σ_j k_ij r_ij² / V_i · n⊗n⊗n⊗n, with 15
//! components. In an isotropic solid T_xxxx = 1.2 E, T_xxyy = 0.4 E, and the others follow by symmetry (zero if an index
//! occurs an odd number of times). Sums over particles miss this: inside, because a ball of few particles is a coarse
//! quadrature; at surfaces, because a part of the ball is missing.
//!
//! Each particle has a factor f_i(n) = 1 + Σ λ_ik m_k(n), with the 15 monomials m_k of fourth degree of the direction n,
//! the correction of least weighted norm that gives its tensor. A bond has the mean of the factors of its particles. On a
//! lattice all particles inside have the same factor, so their tensors are exact; at surfaces the mean leaves a small error.
//! Repeating the correction there would pass it on to the inside. The surface corrections in use [Le & Bobaru 2018] scale three directions by the
//! energies of three uniaxial strains; with all components of T the correction does not depend on the axes.

use mesh::vector::{norm, scale, sub};
use rayon::prelude::*;

use crate::network::Bond;

/// Number of components of a fully symmetric tensor of fourth order.
const COMPONENTS: usize = 15;
/// Exponents of the monomials of fourth degree.
const EXPONENTS: [[u8; 3]; COMPONENTS] = [
    [4, 0, 0],
    [0, 4, 0],
    [0, 0, 4],
    [2, 2, 0],
    [2, 0, 2],
    [0, 2, 2],
    [3, 1, 0],
    [3, 0, 1],
    [1, 3, 0],
    [0, 3, 1],
    [1, 0, 3],
    [0, 1, 3],
    [2, 1, 1],
    [1, 2, 1],
    [1, 1, 2],
];
/// Smallest and largest factor of a bond. At a corner an eighth of the ball is left.
const FACTORS: [f64; 2] = [0.1, 8.0];
/// Weight of the norm of the correction, relative to the largest diagonal entry of the normal equations.
const REGULARISATION: f64 = 1e-9;

type Moments = [f64; COMPONENTS];

fn monomials(n: [f64; 3]) -> Moments {
    let powers = n.map(|x| [1.0, x, x * x, x * x * x, x * x * x * x]);
    EXPONENTS.map(|e| (0..3).map(|k| powers[k][e[k] as usize]).product())
}

/// Elasticity tensor of an isotropic solid with Poisson's ratio ¼ and this Young's modulus.
fn isotropic(young: f64) -> Moments {
    std::array::from_fn(|c| match c {
        0..3 => 1.2 * young,
        3..6 => 0.4 * young,
        _ => 0.0,
    })
}

/// The bonds of each particle.
struct Adjacency {
    starts: Vec<u32>,
    bonds: Vec<u32>,
}

impl Adjacency {
    fn new(particles: usize, bonds: &[Bond]) -> Adjacency {
        let mut starts = vec![0u32; particles + 1];
        for b in bonds {
            b.ends.iter().for_each(|&i| starts[i as usize + 1] += 1);
        }
        for i in 0..particles {
            starts[i + 1] += starts[i];
        }
        let mut next = starts.clone();
        let mut list = vec![0; 2 * bonds.len()];
        for (number, b) in (0u32..).zip(bonds) {
            for &i in &b.ends {
                list[next[i as usize] as usize] = number;
                next[i as usize] += 1;
            }
        }
        Adjacency {
            starts,
            bonds: list,
        }
    }

    fn of(&self, particle: usize) -> &[u32] {
        &self.bonds[self.starts[particle] as usize..self.starts[particle + 1] as usize]
    }
}

/// Direction of a bond at rest.
fn direction(points: &[[f64; 3]], bond: &Bond) -> [f64; 3] {
    let [a, b] = bond.ends.map(|i| points[i as usize]);
    let arm = sub(b, a);
    scale(1.0 / norm(arm), arm)
}

/// Elasticity tensor of a particle.
fn tensor(own: &[u32], bonds: &[Bond], directions: &[[f64; 3]], volume: f64) -> Moments {
    let mut sum = [0.0; COMPONENTS];
    for &b in own {
        let b = b as usize;
        let weight = bonds[b].energy(1.0) / volume;
        let m = monomials(directions[b]);
        (0..COMPONENTS).for_each(|k| sum[k] += weight * m[k]);
    }
    sum
}

/// Returns the relative error of the mean modulus T_xxxx or T_xxyy, whichever is larger, of the particles whose
/// neighbourhoods are nearly complete.
pub fn elasticity_error(points: &[[f64; 3]], volumes: &[f64], bonds: &[Bond], young: f64) -> f64 {
    let around = Adjacency::new(points.len(), bonds);
    let directions: Vec<[f64; 3]> = bonds.iter().map(|b| direction(points, b)).collect();
    let tensors: Vec<Moments> = (0..points.len())
        .into_par_iter()
        .map(|i| tensor(around.of(i), bonds, &directions, volumes[i]))
        .collect();
    let mean = |t: &Moments, k: usize| t[k..k + 3].iter().sum::<f64>() / 3.0;
    let most = tensors.iter().map(|t| mean(t, 0)).fold(0.0, f64::max);
    let complete = tensors.iter().filter(|t| mean(t, 0) > 0.98 * most);
    let wanted = isotropic(young);
    let error = |t: &Moments| [0, 3].map(|k| mean(t, k) / wanted[k] - 1.0);
    let (mut sums, mut count) = ([0.0; 2], 0.0);
    for t in complete {
        let e = error(t);
        sums = [sums[0] + e[0], sums[1] + e[1]];
        count += 1.0;
    }
    let [normal, shear] = sums.map(|s| s / count);
    match normal.abs() > shear.abs() {
        true => normal,
        false => shear,
    }
}

/// Multiplies the stiffness of the bonds with correction factors.
pub fn calibrate(points: &[[f64; 3]], volumes: &[f64], young: f64, bonds: &mut [Bond]) {
    let around = Adjacency::new(points.len(), bonds);
    let directions: Vec<[f64; 3]> = bonds.iter().map(|b| direction(points, b)).collect();
    let wanted = isotropic(young);
    let coefficients: Vec<Moments> = (0..points.len())
        .into_par_iter()
        .map(|i| {
            let now = tensor(around.of(i), bonds, &directions, volumes[i]);
            let equations = NormalEquations::new(around.of(i), bonds, &directions, volumes[i]);
            equations.solve(std::array::from_fn(|k| wanted[k] - now[k]))
        })
        .collect();
    bonds.par_iter_mut().zip(&directions).for_each(|(b, n)| {
        let m = monomials(*n);
        let [p, q] = b.ends.map(|i| &coefficients[i as usize]);
        let mean: f64 = (0..COMPONENTS).map(|k| 0.5 * (p[k] + q[k]) * m[k]).sum();
        b.stiffness *= (1.0 + mean).clamp(FACTORS[0], FACTORS[1]);
    });
}

/// Cholesky factor of the normal equations of a particle's correction.
struct NormalEquations([[f64; COMPONENTS]; COMPONENTS]);

impl NormalEquations {
    fn new(own: &[u32], bonds: &[Bond], directions: &[[f64; 3]], volume: f64) -> NormalEquations {
        let mut a = [[0.0; COMPONENTS]; COMPONENTS];
        for &b in own {
            let b = b as usize;
            let weight = bonds[b].energy(1.0) / volume;
            let m = monomials(directions[b]);
            for i in 0..COMPONENTS {
                for j in 0..=i {
                    a[i][j] += weight * m[i] * m[j];
                }
            }
        }
        let most = (0..COMPONENTS).map(|i| a[i][i]).fold(0.0, f64::max);
        for (i, row) in a.iter_mut().enumerate() {
            row[i] += REGULARISATION * most;
        }
        for i in 0..COMPONENTS {
            for j in 0..=i {
                let sum: f64 = (0..j).map(|k| a[i][k] * a[j][k]).sum();
                let rest = a[i][j] - sum;
                a[i][j] = if j < i { rest / a[j][j] } else { rest.sqrt() };
            }
        }
        NormalEquations(a)
    }

    fn solve(&self, mut x: Moments) -> Moments {
        let l = &self.0;
        for i in 0..COMPONENTS {
            let sum: f64 = (0..i).map(|k| l[i][k] * x[k]).sum();
            x[i] = (x[i] - sum) / l[i][i];
        }
        for i in (0..COMPONENTS).rev() {
            let sum: f64 = (i + 1..COMPONENTS).map(|k| l[k][i] * x[k]).sum();
            x[i] = (x[i] - sum) / l[i][i];
        }
        x
    }
}
