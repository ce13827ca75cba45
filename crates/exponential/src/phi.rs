//! φ₀, φ₁ and φ₂ of complex numbers.
//!
//! φ₀(z) = eᶻ, φ₁(z) = (eᶻ − 1)/z, φ₂(z) = (φ₁(z) − 1)/z (Hochbruck & Ostermann 2010, eq. 2.9). The quotients cancel for
//! small z, where the Taylor series Σ zʲ/(j+k)! is summed instead, so the functions are entire here too: z = 0 is no
//! special case.

/// Modulus below which the Taylor series is summed; above it the quotients lose less than two digits.
const SERIES_RADIUS: f64 = 1.0;
/// Number of terms of a series at [`SERIES_RADIUS`] until a term is below round-off.
pub(crate) const SERIES_TERMS: u32 = 20;

/// Complex number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Complex {
    /// Real part.
    pub re: f64,
    /// Imaginary part.
    pub im: f64,
}

impl Complex {
    /// Creates a number from its parts.
    pub const fn new(re: f64, im: f64) -> Complex {
        Complex { re, im }
    }

    /// Returns |z|.
    pub fn modulus(self) -> f64 {
        self.re.hypot(self.im)
    }

    pub(crate) fn plus(self, z: Complex) -> Complex {
        Complex::new(self.re + z.re, self.im + z.im)
    }

    pub(crate) fn minus(self, z: Complex) -> Complex {
        Complex::new(self.re - z.re, self.im - z.im)
    }

    pub(crate) fn times(self, z: Complex) -> Complex {
        Complex::new(
            self.re * z.re - self.im * z.im,
            self.re * z.im + self.im * z.re,
        )
    }

    /// Divides without overflow of the squares [Smith 1962].
    pub(crate) fn over(self, z: Complex) -> Complex {
        if z.re.abs() >= z.im.abs() {
            let r = z.im / z.re;
            let d = z.re + z.im * r;
            Complex::new((self.re + self.im * r) / d, (self.im - self.re * r) / d)
        } else {
            let r = z.re / z.im;
            let d = z.re * r + z.im;
            Complex::new((self.re * r + self.im) / d, (self.im * r - self.re) / d)
        }
    }
}

/// φ-function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phi {
    /// φ₀(z) = eᶻ.
    Zero,
    /// φ₁(z) = (eᶻ − 1)/z.
    One,
    /// φ₂(z) = (eᶻ − 1 − z)/z².
    Two,
}

impl Phi {
    /// Evaluates the function.
    pub fn at(self, z: Complex) -> Complex {
        match self {
            Phi::Zero => exp(z),
            Phi::One if z.modulus() >= SERIES_RADIUS => exp_minus_one(z).over(z),
            Phi::Two if z.modulus() >= SERIES_RADIUS => {
                Phi::One.at(z).minus(Complex::new(1.0, 0.0)).over(z)
            }
            Phi::One => series(1, z),
            Phi::Two => series(2, z),
        }
    }

    /// Returns k of φ_k.
    pub fn index(self) -> u32 {
        match self {
            Phi::Zero => 0,
            Phi::One => 1,
            Phi::Two => 2,
        }
    }
}

fn exp(z: Complex) -> Complex {
    let r = z.re.exp();
    let (s, c) = z.im.sin_cos();
    Complex::new(r * c, r * s)
}

/// Computes eᶻ − 1 = (eˣ − 1) cos y − 2 sin²(y/2) + i eˣ sin y without cancellation near z = 0.
fn exp_minus_one(z: Complex) -> Complex {
    let half = (0.5 * z.im).sin();
    let (s, c) = z.im.sin_cos();
    Complex::new(z.re.exp_m1() * c - 2.0 * half * half, z.re.exp() * s)
}

/// Sums Σ zʲ/(j+k)! by Horner's rule.
fn series(k: u32, z: Complex) -> Complex {
    let mut sum = Complex::new(0.0, 0.0);
    for j in (0..SERIES_TERMS).rev() {
        sum =
            Complex::new(1.0, 0.0).plus(z.times(sum).over(Complex::new(f64::from(j + k + 1), 0.0)));
    }
    let factorial: f64 = (1..=k).map(f64::from).product();
    Complex::new(sum.re / factorial, sum.im / factorial)
}
