//! φ-functions of the block of one vibration mode, in closed form.
//!
//! A mode q̈ + γ q̇ + λ q = 0 is the first-order system with the matrix B = [[0, 1], [−λ, −γ]]. Its eigenvalues z₁, z₂ of
//! hB are complex for an underdamped mode, equal for a critically damped one, real for an overdamped one, and one of them
//! is zero for a rigid motion. In all cases f(hB) = f(z₂) I + f[z₁, z₂] (hB − z₂ I) with the divided difference f[z₁, z₂]
//! (Higham 2008, eq. 4.14). Divided differences of φ-functions follow from Leibniz' rule on z φ_(k+1)(z) = φ_k(z) − 1/k!:
//!
//! φ_(k+1)[z₁, z₂] = (φ_k[z₁, z₂] − φ_(k+1)(z₂)) / z₁, φ₀[z₁, z₂] = e^m sinh(d)/d, m = (z₁+z₂)/2, d = (z₁−z₂)/2,
//!
//! with |z₁| ≥ |z₂|. Small blocks are summed as a series, because the quotients cancel there.

use crate::phi::{Complex, Phi, SERIES_TERMS};

/// Modulus of z₁ below which the series is summed.
const SERIES_RADIUS: f64 = 1.0;

/// Matrix [[0, 1], [−stiffness, −damping]] of a mode of unit mass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ModeBlock {
    /// λ = ω², 1/s²; negative for a mode that buckles.
    pub stiffness: f64,
    /// γ, 1/s.
    pub damping: f64,
}

impl ModeBlock {
    /// Returns the eigenvalues of h times the block, the one of larger modulus first.
    fn eigenvalues(&self, h: f64) -> [Complex; 2] {
        let half = 0.5 * h * self.damping;
        let discriminant = half * half - h * h * self.stiffness;
        if discriminant < 0.0 {
            let im = (-discriminant).sqrt();
            return [Complex::new(-half, im), Complex::new(-half, -im)];
        }
        // The larger root without cancellation, the other from the product.
        let large = -half - discriminant.sqrt().copysign(half);
        let small = if large == 0.0 {
            0.0
        } else {
            h * h * self.stiffness / large
        };
        [Complex::new(large, 0.0), Complex::new(small, 0.0)]
    }

    /// Returns the largest modulus of an eigenvalue, 1/s: ω for an underdamped mode.
    pub fn fastest_rate(&self) -> f64 {
        self.eigenvalues(1.0)[0].modulus()
    }

    /// Computes φ(hB), by rows.
    pub fn phi(&self, phi: Phi, h: f64) -> [[f64; 2]; 2] {
        let [z1, z2] = self.eigenvalues(h);
        if z1.modulus() < SERIES_RADIUS {
            return self.series(phi, h);
        }
        let d = divided_difference(phi, z1, z2);
        let first = phi.at(z2).minus(z2.times(d)).re;
        let last = phi.at(z1).plus(z2.times(d)).re;
        [[first, h * d.re], [-self.stiffness * h * d.re, last]]
    }

    /// Sums φ_k(hB) = Σ (hB)ʲ/(j+k)! by Horner's rule.
    fn series(&self, phi: Phi, h: f64) -> [[f64; 2]; 2] {
        let k = phi.index();
        let (a, b) = (-h * self.stiffness, -h * self.damping);
        let mut sum = [[0.0; 2]; 2];
        for j in (0..SERIES_TERMS).rev() {
            let n = f64::from(j + k + 1);
            // I + hB sum / n with hB = [[0, h], [a, b]].
            let next = |c: usize| [h * sum[1][c] / n, (a * sum[0][c] + b * sum[1][c]) / n];
            let (left, right) = (next(0), next(1));
            sum = [[1.0 + left[0], right[0]], [left[1], 1.0 + right[1]]];
        }
        let factorial: f64 = (1..=k).map(f64::from).product();
        sum.map(|row| row.map(|x| x / factorial))
    }

    /// Computes h φ₁(hB) b + h² φ₂(hB) (0, c): the change in time h of a mode whose rates are b = (q̇, q̈) now, under a
    /// force that grows by c per unit of time.
    pub fn increment(&self, h: f64, b: [f64; 2], c: f64) -> [f64; 2] {
        let one = self.phi(Phi::One, h);
        let two = if c == 0.0 {
            [[0.0; 2]; 2]
        } else {
            self.phi(Phi::Two, h)
        };
        [0, 1].map(|i| h * (one[i][0] * b[0] + one[i][1] * b[1]) + h * h * two[i][1] * c)
    }
}

/// Computes φ[z₁, z₂] for |z₁| ≥ |z₂|, |z₁| not small, and conjugate or real z₁, z₂.
fn divided_difference(phi: Phi, z1: Complex, z2: Complex) -> Complex {
    let lower = match phi {
        Phi::Zero => return exponential_difference(z1, z2),
        Phi::One => Phi::Zero,
        Phi::Two => Phi::One,
    };
    let difference = divided_difference(lower, z1, z2);
    difference.minus(phi.at(z2)).over(z1)
}

/// Computes (e^z₁ − e^z₂)/(z₁ − z₂) of a conjugate or a real pair.
fn exponential_difference(z1: Complex, z2: Complex) -> Complex {
    if z1.im != 0.0 {
        return Complex::new(z1.re.exp() * z1.im.sin() / z1.im, 0.0);
    }
    let (high, low) = (z1.re.max(z2.re), z1.re.min(z2.re));
    let d = high - low;
    // e^high (1 − e^(−d))/d does not overflow where the result does not.
    let slope = if d == 0.0 { 1.0 } else { -(-d).exp_m1() / d };
    Complex::new(high.exp() * slope, 0.0)
}
