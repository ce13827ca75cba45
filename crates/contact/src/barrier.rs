//! Barrier functions of the distance d with reach d̂: zero from the reach on, infinite at d ≤ 0, twice continuously
//! differentiable between and at the reach.
//!
//! | shape | b(d) | source |
//! |---|---|---|
//! | [`Log`](BarrierShape::Log) | −(d − d̂)² ln(d/d̂) | [Ascher et al. 2021, eq. 28], corrected (docs/references.md, E21) |
//! | [`SquaredLog`](BarrierShape::SquaredLog) | −(d² − d̂²)² ln(d²/d̂²) | [Li et al. 2020, eq. 6] of squared distances |
//! | [`Cubic`](BarrierShape::Cubic) | (d̂ − d)³/d | a rational one with a zero of third order at d̂ |
//!
//! A [`Barrier`] is normalised: B = b/(−b′(d̂/2)), in metres, so that a stiffness times −B′(d) is a pressure, which equals the
//! stiffness at half the reach; stiffness times area times B is an energy.

/// Shape of a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BarrierShape {
    /// −(d − d̂)² ln(d/d̂).
    Log,
    /// −(d² − d̂²)² ln(d²/d̂²).
    SquaredLog,
    /// (d̂ − d)³/d.
    Cubic,
}

impl BarrierShape {
    /// All shapes with their names in scene files.
    pub const ALL: [(&'static str, BarrierShape); 3] = [
        ("log", BarrierShape::Log),
        ("squared-log", BarrierShape::SquaredLog),
        ("cubic", BarrierShape::Cubic),
    ];

    /// Returns b(d) without normalisation, b′(d) and b″(d). At d ≤ 0 these are ∞, −∞ and ∞; at d ≥ d̂ they are exactly 0.
    #[inline]
    pub fn derivatives(self, d: f64, reach: f64) -> [f64; 3] {
        if d >= reach {
            return [0.0; 3];
        }
        if d <= 0.0 {
            return [f64::INFINITY, f64::NEG_INFINITY, f64::INFINITY];
        }
        let u = reach - d;
        match self {
            BarrierShape::Log => {
                let log = log_ratio(d, reach);
                [
                    -u * u * log,
                    2.0 * u * log - u * u / d,
                    -2.0 * log + u * (4.0 + u / d) / d,
                ]
            }
            BarrierShape::SquaredLog => {
                let log = 2.0 * log_ratio(d, reach);
                let v = u * (reach + d);
                [
                    -v * v * log,
                    4.0 * d * v * log - 2.0 * v * v / d,
                    (4.0 * v - 8.0 * d * d) * log + v * (16.0 + 2.0 * v / (d * d)),
                ]
            }
            BarrierShape::Cubic => {
                let w = u / d;
                [
                    u * u * w,
                    -u * w * (3.0 + w),
                    w * (6.0 + w * (6.0 + 2.0 * w)),
                ]
            }
        }
    }

    /// Pressure −b′(d̂/2) of the shape without normalisation.
    fn half_reach_pressure(self, reach: f64) -> f64 {
        let ln2 = std::f64::consts::LN_2;
        match self {
            BarrierShape::Log => (ln2 + 0.5) * reach,
            BarrierShape::SquaredLog => (3.0 * ln2 + 2.25) * reach * reach * reach,
            BarrierShape::Cubic => 2.0 * reach,
        }
    }
}

/// ln(d/d̂), accurate near d̂ too. Written out, so that it is inlined and the same on every machine: the kernel of fdlibm
/// [Sun Microsystems 1993, e_log.c], ln(1 + f) = f − f²/2 + s (f²/2 + R) with s = f/(2 + f) and R a polynomial in s².
#[expect(clippy::excessive_precision, reason = "the digits as published")]
#[inline]
fn log_ratio(d: f64, reach: f64) -> f64 {
    const COEFFICIENTS: [f64; 7] = [
        6.666666666666735130e-01,
        3.999999999940941908e-01,
        2.857142874366239149e-01,
        2.222219843214978396e-01,
        1.818357216161805012e-01,
        1.531383769920937332e-01,
        1.479819860511658591e-01,
    ];
    /// ln 2 in two parts; multiples of the first are exact.
    const LN2: [f64; 2] = [6.93147180369123816490e-01, 1.90821492927058770002e-10];
    let (f, exponent) = if d > std::f64::consts::FRAC_1_SQRT_2 * reach {
        // d − d̂ is exact here.
        ((d - reach) / reach, 0.0)
    } else {
        let ratio = d / reach;
        if ratio.is_nan() || ratio < f64::MIN_POSITIVE {
            return ratio.ln();
        }
        // ratio = 2ᵏ m with m in [√½, √2).
        let shifted = ratio.to_bits() + (0x3ff0_0000_0000_0000 - 0x3fe6_a09e_0000_0000);
        let exponent = (shifted >> 52) as i64 - 1023;
        let mantissa = (shifted & 0x000f_ffff_ffff_ffff) + 0x3fe6_a09e_0000_0000;
        (f64::from_bits(mantissa) - 1.0, exponent as f64)
    };
    let s = f / (2.0 + f);
    let z = s * s;
    let w = z * z;
    let [c1, c2, c3, c4, c5, c6, c7] = COEFFICIENTS;
    let even = w * (c2 + w * (c4 + w * c6));
    let odd = z * (c1 + w * (c3 + w * (c5 + w * c7)));
    let half = 0.5 * f * f;
    exponent * LN2[0] - ((half - (s * (half + even + odd) + exponent * LN2[1])) - f)
}

/// Barrier of a shape and a reach, normalised to the pressure 1 at half the reach.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Barrier {
    shape: BarrierShape,
    reach: f64,
    factor: f64,
}

impl Barrier {
    /// Creates a barrier with a reach above zero, m.
    pub fn new(shape: BarrierShape, reach: f64) -> Barrier {
        Barrier {
            shape,
            reach,
            factor: 1.0 / shape.half_reach_pressure(reach),
        }
    }

    /// Shape of the barrier.
    pub fn shape(&self) -> BarrierShape {
        self.shape
    }

    /// Distance from which on the barrier is zero, m.
    pub fn reach(&self) -> f64 {
        self.reach
    }

    /// Returns B(d) in m, B′(d) and B″(d) in 1/m. At d ≤ 0 these are ∞, −∞ and ∞; at d ≥ d̂ they are exactly 0.
    #[inline]
    pub fn derivatives(&self, d: f64) -> [f64; 3] {
        self.shape
            .derivatives(d, self.reach)
            .map(|b| b * self.factor)
    }

    /// Returns B(d) in m.
    #[inline]
    pub fn value(&self, d: f64) -> f64 {
        self.derivatives(d)[0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The logarithm against that of the standard library, over all exponents and near 1.
    #[test]
    fn the_logarithm_is_accurate() {
        let mut random = base::random::Random::new(3);
        for k in 0..200_000 {
            let share = 0.5 * (1.0 + random.signed());
            let ratio = match k % 3 {
                0 => share,
                1 => 1.0 - share * share * 1e-3,
                _ => (-700.0 * share).exp(),
            };
            let reach = 0.37;
            let d = ratio * reach;
            if d >= reach {
                continue;
            }
            // d − d̂ is exact where d is near d̂.
            let wanted = match d > 0.5 * reach {
                true => ((d - reach) / reach).ln_1p(),
                false => (d / reach).ln(),
            };
            let got = log_ratio(d, reach);
            let error = (got - wanted).abs();
            let rounding = 4.0 * f64::EPSILON * wanted.abs();
            assert!(error <= rounding, "{ratio}: {got}, {wanted}");
        }
        assert_eq!(log_ratio(1e-320, 1.0), 1e-320f64.ln());
    }
}
