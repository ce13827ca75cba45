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

/// ln(d/d̂), accurate near d̂ too.
fn log_ratio(d: f64, reach: f64) -> f64 {
    if d > 0.5 * reach {
        // d − d̂ is exact here.
        ((d - reach) / reach).ln_1p()
    } else {
        (d / reach).ln()
    }
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
    pub fn derivatives(&self, d: f64) -> [f64; 3] {
        self.shape
            .derivatives(d, self.reach)
            .map(|b| b * self.factor)
    }

    /// Returns B(d) in m.
    pub fn value(&self, d: f64) -> f64 {
        self.derivatives(d)[0]
    }
}
