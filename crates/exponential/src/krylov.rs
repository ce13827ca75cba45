//! h φ₁(hJ) b + h² φ₂(hJ) c for the second-order block form J = [[0, I], [−M⁻¹K, −M⁻¹D]], by Krylov subspaces.
//!
//! The value is y(h) of y′ = J y + b + t c, y(0) = 0, which is the upper part of exp(hĴ) e for the augmented matrix Ĵ =
//! [[J, c, b], [0, 0, 1], [0, 0, 0]] and e = (0, 0, 1) (Al-Mohy & Higham 2011, th. 2.1). The interval is passed in
//! substeps; each builds an Arnoldi basis of at most [`MAX_DIMENSION`] vectors from where the last one ended, so memory is
//! bounded, and its length is as large as the error estimate h_(m+1,m) |e_mᵀ τφ₁(τH) e₁| allows (Saad 1992, eq. 31;
//! Niesen & Wright 2012). φ is never inverted: J may be singular.
//!
//! We orthogonalise in the energy inner product uᵀ(K + σM)u′ + vᵀM v′ with σ = 1/h². An undamped J is then
//! skew-symmetric but for σ, exponentials of its projections grow by at most e^½ over the whole interval, and damping only
//! lowers them; in the Euclidean inner product they would grow like the exponential of the stiffness. If K is so
//! indefinite that a norm becomes imaginary, σ is raised and the computation repeated.

use crate::dense::DenseExponential;
use crate::krylov_basis::{Augmented, BasisVector, products};
use crate::{SecondOrder, add, dot};

/// Largest number of basis vectors of a substep.
pub const MAX_DIMENSION: usize = 40;
/// Largest number of products of a computation.
const MAX_PRODUCTS: u64 = 2_000_000;
/// Fraction of the substep that the error estimate allows.
const SAFETY: f64 = 0.9;
/// Smallest factor by which a substep is shortened at once.
const MIN_SHRINK: f64 = 0.2;
/// Factor of σ after a norm became imaginary, and the largest number of such changes.
const SHIFT_GROWTH: f64 = 100.0;
const MAX_SHIFTS: u32 = 12;
/// Round-off of an entry of the projected exponential, relative to its largest.
const ROUNDOFF: f64 = 4.0 * f64::EPSILON;
/// Relative length after orthogonalisation below which the basis is complete.
const BREAKDOWN: f64 = 1e-14;

/// Work of a computation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KrylovWork {
    /// Products with J, each with one solve with the mass matrix.
    pub products: u64,
    /// Substeps.
    pub substeps: u64,
}

/// Error of a computation.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum KrylovError<E> {
    /// The number of products is too large.
    #[error("{products} products with the Jacobian did not suffice")]
    TooManyProducts {
        /// Products so far.
        products: u64,
    },
    /// A number became infinite or NaN, or the stiffness is too indefinite.
    #[error("the Krylov subspace has vectors of no finite length")]
    NotFinite,
    /// A solve with the mass matrix failed.
    #[error(transparent)]
    Solve(#[from] E),
}

/// Right-hand side b + t c of the linear system, as displacements and velocities; c has no displacements.
#[derive(Clone, Copy, Debug)]
pub struct Inhomogeneity<'a> {
    /// Displacement part of b.
    pub u: &'a [f64],
    /// Velocity part of b.
    pub v: &'a [f64],
    /// Velocity part of c.
    pub rate: &'a [f64],
}

/// Krylov evaluation of φ-functions; owns its basis.
#[derive(Clone, Debug, Default)]
pub struct KrylovPhi {
    basis: Vec<BasisVector>,
    /// Hessenberg matrix, (m+1) × m by rows of length [`MAX_DIMENSION`].
    hessenberg: Vec<f64>,
    y: Augmented,
    small: Vec<f64>,
    exponential: Vec<f64>,
    dense: DenseExponential,
    scratch: Vec<f64>,
    work: KrylovWork,
}

/// Quantities that stay the same during a computation.
#[derive(Clone, Copy)]
struct Setup<'a> {
    b: Inhomogeneity<'a>,
    h: f64,
    sigma: f64,
    /// Weight of the tail in the norm: the size of the result.
    tail_weight: f64,
    /// Absolute tolerance in the norm.
    tolerance: f64,
}

impl KrylovPhi {
    /// Computes h φ₁(hJ) b + h² φ₂(hJ) c into `du` and `dv`, with an error of about `tolerance` relative to their size in
    /// the energy norm.
    pub fn increment<S: SecondOrder>(
        &mut self,
        system: &mut S,
        h: f64,
        b: Inhomogeneity,
        tolerance: f64,
        du: &mut [f64],
        dv: &mut [f64],
    ) -> Result<KrylovWork, KrylovError<S::Error>> {
        self.work = KrylovWork::default();
        du.fill(0.0);
        dv.fill(0.0);
        let mut sigma = 1.0 / (h * h);
        for _ in 0..MAX_SHIFTS {
            if self.try_increment(system, h, sigma, b, tolerance)? {
                du.copy_from_slice(&self.y.u);
                dv.copy_from_slice(&self.y.v);
                return Ok(self.work);
            }
            sigma *= SHIFT_GROWTH;
        }
        Err(KrylovError::NotFinite)
    }

    /// Passes the interval; returns `false` if the inner product is not positive.
    fn try_increment<S: SecondOrder>(
        &mut self,
        system: &mut S,
        h: f64,
        sigma: f64,
        b: Inhomogeneity,
        tolerance: f64,
    ) -> Result<bool, KrylovError<S::Error>> {
        let n = b.u.len();
        self.reserve(n);
        let Some([size, scale]) = self.size(system, h, sigma, b)? else {
            return Ok(false);
        };
        if size == 0.0 {
            return Ok(true);
        }
        if !size.is_finite() {
            return Err(KrylovError::NotFinite);
        }
        let setup = Setup {
            b,
            h,
            sigma,
            tail_weight: scale,
            tolerance: tolerance * scale,
        };
        self.y.reset(n);
        self.y.tail[1] = 1.0;
        let mut done = 0.0;
        while done < h {
            // The tail is known exactly.
            self.y.tail = [done / h, 1.0];
            match self.substep(system, &setup, h - done)? {
                Some(tau) if tau >= h - done => break,
                Some(tau) => done += tau,
                None => return Ok(false),
            }
        }
        Ok(true)
    }

    fn reserve(&mut self, n: usize) {
        self.basis
            .resize_with(MAX_DIMENSION + 1, BasisVector::default);
        for q in &mut self.basis {
            q.x.reset(n);
            for x in [&mut q.ku, &mut q.su, &mut q.mv] {
                x.resize(n, 0.0);
            }
        }
        self.y.reset(n);
        self.scratch.resize(n, 0.0);
        self.hessenberg.clear();
        self.hessenberg
            .resize((MAX_DIMENSION + 1) * MAX_DIMENSION, 0.0);
    }

    /// Returns the norm of h b + h² c and the size that the result has if b oscillates, which is smaller by the angle
    /// h ‖J b‖/‖b‖; `None` if a squared norm is negative.
    fn size<S: SecondOrder>(
        &mut self,
        system: &mut S,
        h: f64,
        sigma: f64,
        b: Inhomogeneity,
    ) -> Result<Option<[f64; 2]>, KrylovError<S::Error>> {
        let [q, next, ..] = &mut self.basis[..] else {
            return Ok(None);
        };
        q.x.u.fill(0.0);
        q.x.v.copy_from_slice(b.rate);
        q.x.tail = [0.0; 2];
        let Some(of_rate) = products(system, q, sigma, 0.0) else {
            return Ok(None);
        };
        q.x.u.copy_from_slice(b.u);
        q.x.v.copy_from_slice(b.v);
        let Some(of_b) = products(system, q, sigma, 0.0) else {
            return Ok(None);
        };
        next.x.u.copy_from_slice(b.v);
        system.damping_times(b.v, &mut next.x.v);
        add(&mut next.x.v, 1.0, &q.ku);
        system
            .solve_mass(&mut next.x.v)
            .map_err(KrylovError::Solve)?;
        next.x.tail = [0.0; 2];
        let Some(of_jb) = products(system, next, sigma, 0.0) else {
            return Ok(None);
        };
        let size = h * of_b + h * h * of_rate;
        let angle = if of_b > 0.0 { h * of_jb / of_b } else { 1.0 };
        Ok(Some([size, size / angle.max(1.0)]))
    }

    /// Takes a substep of at most `remaining`; returns its length, or `None` if the inner product is not positive.
    fn substep<S: SecondOrder>(
        &mut self,
        system: &mut S,
        setup: &Setup,
        remaining: f64,
    ) -> Result<Option<f64>, KrylovError<S::Error>> {
        self.work.substeps += 1;
        let q = &mut self.basis[0];
        q.x.copy_from(&self.y);
        let Some(beta) = products(system, q, setup.sigma, setup.tail_weight) else {
            return Ok(None);
        };
        q.normalise(beta);
        let mut m = 0;
        let (mut tau, mut next_check) = (remaining, 4);
        loop {
            let Some(complete) = self.extend(system, setup, m)? else {
                return Ok(None);
            };
            m += 1;
            let full = m == MAX_DIMENSION;
            if !complete && !full && m < next_check {
                continue;
            }
            next_check = m + 4.max(m / 3);
            let roundoff = ROUNDOFF * beta * self.largest_entry(m);
            let wanted = |tau: f64| (setup.tolerance / setup.h + roundoff) * tau;
            let mut error = self.project(m, tau, beta, complete);
            if error.is_nan() {
                return Err(KrylovError::NotFinite);
            }
            if error > wanted(tau) && !full && !complete {
                continue;
            }
            while error > wanted(tau) {
                let shrink = SAFETY * (wanted(tau) / error).powf(1.0 / m as f64);
                tau *= shrink.clamp(MIN_SHRINK, SAFETY);
                error = self.project(m, tau, beta, complete);
                if tau < f64::MIN_POSITIVE || error.is_nan() {
                    return Err(KrylovError::NotFinite);
                }
            }
            self.advance(m, beta);
            return Ok(Some(tau));
        }
    }

    /// Adds the basis vector m+1; returns `true` if the basis is complete, and `None` if the inner product is not positive.
    fn extend<S: SecondOrder>(
        &mut self,
        system: &mut S,
        setup: &Setup,
        m: usize,
    ) -> Result<Option<bool>, KrylovError<S::Error>> {
        if self.work.products >= MAX_PRODUCTS {
            let products = self.work.products;
            return Err(KrylovError::TooManyProducts { products });
        }
        self.work.products += 1;
        let (old, new) = self.basis.split_at_mut(m + 1);
        let (from, w) = (&old[m], &mut new[0]);
        let [of_rate, of_b] = from.x.tail;
        // The factor of c is measured in units of h: c t = (h c) (t/h).
        w.x.u.copy_from_slice(&from.x.v);
        add(&mut w.x.u, of_b, setup.b.u);
        system.damping_times(&from.x.v, &mut w.x.v);
        add(&mut w.x.v, 1.0, &from.ku);
        system.add_position_damping(&from.x.u, &mut self.scratch, &mut w.x.v);
        w.x.v.iter_mut().for_each(|x| *x = -*x);
        system.solve_mass(&mut w.x.v).map_err(KrylovError::Solve)?;
        add(&mut w.x.v, of_b, setup.b.v);
        add(&mut w.x.v, of_rate * setup.h, setup.b.rate);
        w.x.tail = [of_b / setup.h, 0.0];
        let weight = setup.tail_weight * setup.tail_weight;
        let mut taken = [0.0; MAX_DIMENSION];
        for _pass in 0..2 {
            for (q, taken) in old.iter().zip(&mut taken) {
                let tails = q.x.tail[0] * w.x.tail[0] + q.x.tail[1] * w.x.tail[1];
                let c = dot(&q.su, &w.x.u) + dot(&q.mv, &w.x.v) + weight * tails;
                w.x.add(-c, &q.x);
                *taken += c;
            }
        }
        let Some(length) = products(system, w, setup.sigma, setup.tail_weight) else {
            return Ok(None);
        };
        for (i, c) in taken.iter().take(m + 1).enumerate() {
            self.hessenberg[i * MAX_DIMENSION + m] = *c;
        }
        self.hessenberg[(m + 1) * MAX_DIMENSION + m] = length;
        let size = taken.iter().fold(length, |s: f64, x| s.max(x.abs()));
        let complete = length <= BREAKDOWN * size;
        if !complete {
            w.normalise(length);
        }
        Ok(Some(complete))
    }

    /// Returns the largest absolute entry of H.
    fn largest_entry(&self, m: usize) -> f64 {
        let rows = self.hessenberg.chunks(MAX_DIMENSION).take(m);
        rows.flat_map(|row| &row[..m])
            .fold(0.0, |top: f64, x| top.max(x.abs()))
    }

    /// Computes τφ₁(τH) e₁ in the basis of m vectors and returns the estimated error.
    fn project(&mut self, m: usize, tau: f64, beta: f64, complete: bool) -> f64 {
        let size = m + 1;
        self.small.clear();
        self.small.resize(size * size, 0.0);
        for i in 0..m {
            for j in 0..m {
                self.small[i * size + j] = tau * self.hessenberg[i * MAX_DIMENSION + j];
            }
        }
        self.small[m] = tau;
        self.dense.exp(size, &self.small, &mut self.exponential);
        if complete {
            return 0.0;
        }
        let below = self.hessenberg[m * MAX_DIMENSION + m - 1];
        beta * below * self.exponential[(m - 1) * size + m].abs()
    }

    /// Moves y by the projected increment: exp(τĴ) y ≈ y + β Q H τφ₁(τH) e₁.
    fn advance(&mut self, m: usize, beta: f64) {
        let size = m + 1;
        for i in 0..m {
            let row = &self.hessenberg[i * MAX_DIMENSION..];
            let c: f64 = (0..m)
                .map(|j| row[j] * self.exponential[j * size + m])
                .sum();
            self.y.add(beta * c, &self.basis[i].x);
        }
        // The corrected scheme keeps the part along the next basis vector (Saad 1992, eq. 19).
        let below = self.hessenberg[m * MAX_DIMENSION + m - 1];
        let c = below * self.exponential[(m - 1) * size + m];
        self.y.add(beta * c, &self.basis[m].x);
    }
}
