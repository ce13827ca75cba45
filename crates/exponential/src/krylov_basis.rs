//! Vectors of the augmented system and their products, for Krylov subspaces.

use crate::{SecondOrder, add, dot};

/// Vector of the augmented system: displacements, velocities, and the factors of c and b.
#[derive(Clone, Debug, Default)]
pub(crate) struct Augmented {
    pub u: Vec<f64>,
    pub v: Vec<f64>,
    /// Factors of c, divided by h, and of b.
    pub tail: [f64; 2],
}

/// Basis vector with its products (K + σM) u, K u and M v.
#[derive(Clone, Debug, Default)]
pub(crate) struct BasisVector {
    pub x: Augmented,
    pub ku: Vec<f64>,
    pub su: Vec<f64>,
    pub mv: Vec<f64>,
}

impl Augmented {
    pub fn reset(&mut self, n: usize) {
        for x in [&mut self.u, &mut self.v] {
            x.clear();
            x.resize(n, 0.0);
        }
        self.tail = [0.0; 2];
    }

    /// Copies a vector of the same length without allocation.
    pub fn copy_from(&mut self, x: &Augmented) {
        self.u.copy_from_slice(&x.u);
        self.v.copy_from_slice(&x.v);
        self.tail = x.tail;
    }

    pub fn add(&mut self, c: f64, x: &Augmented) {
        add(&mut self.u, c, &x.u);
        add(&mut self.v, c, &x.v);
        self.tail[0] += c * x.tail[0];
        self.tail[1] += c * x.tail[1];
    }

    pub fn scale(&mut self, c: f64) {
        self.u.iter_mut().chain(&mut self.v).for_each(|x| *x *= c);
        self.tail.iter_mut().for_each(|x| *x *= c);
    }
}

impl BasisVector {
    pub fn normalise(&mut self, length: f64) {
        let c = 1.0 / length;
        self.x.scale(c);
        for list in [&mut self.ku, &mut self.su, &mut self.mv] {
            list.iter_mut().for_each(|x| *x *= c);
        }
    }
}

/// Computes K u, (K + σM) u and M v of a vector, and its norm; `None` if its square is negative.
pub(crate) fn products<S: SecondOrder>(
    system: &mut S,
    q: &mut BasisVector,
    sigma: f64,
    tail_weight: f64,
) -> Option<f64> {
    system.stiffness_times(&q.x.u, &mut q.ku);
    system.mass_times(&q.x.u, &mut q.su);
    let inertial = sigma * dot(&q.su, &q.x.u);
    q.su.iter_mut().for_each(|x| *x *= sigma);
    add(&mut q.su, 1.0, &q.ku);
    system.mass_times(&q.x.v, &mut q.mv);
    let elastic = dot(&q.su, &q.x.u);
    let tails = q.x.tail[0] * q.x.tail[0] + q.x.tail[1] * q.x.tail[1];
    let square = elastic + dot(&q.mv, &q.x.v) + tail_weight * tail_weight * tails;
    // Rounding of K u may be larger than a short u.
    (square >= 0.0 && elastic >= -1e-3 * inertial).then(|| square.sqrt())
}
