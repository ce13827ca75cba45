//! SIMD vectors of four numbers: one number for each of four elements.
//!
//! Materials and element kernels are written once, on [`Lanes`], and vectorise to the register width of the machine. There
//! is no fused multiply-add and no call of the system's mathematics library, so every machine computes the same bytes. All
//! functions are `#[inline(always)]`: a caller compiled with `#[target_feature(enable = "avx2")]` gets AVX2 code
//! throughout.

use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

/// Four `f64` numbers, one for each of four elements.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(32))]
pub struct Lanes(pub [f64; 4]);

/// Four 3×3 matrices, row-major, one for each of four elements.
pub type Mat3 = [[Lanes; 3]; 3];

/// Four 3-vectors, one for each of four elements.
pub type Vec3 = [Lanes; 3];

/// Four booleans, one for each of four elements: all bits set for true, none for false.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(32))]
pub struct Mask([u64; 4]);

macro_rules! per_lane {
    ($i:ident => $e:expr) => {
        [
            {
                const $i: usize = 0;
                $e
            },
            {
                const $i: usize = 1;
                $e
            },
            {
                const $i: usize = 2;
                $e
            },
            {
                const $i: usize = 3;
                $e
            },
        ]
    };
}

mod functions;

macro_rules! operator {
    ($trait:ident, $method:ident, $op:tt) => {
        impl $trait for Lanes {
            type Output = Lanes;
            #[inline(always)]
            fn $method(self, b: Lanes) -> Lanes {
                Lanes(per_lane!(I => self.0[I] $op b.0[I]))
            }
        }
        impl $trait<f64> for Lanes {
            type Output = Lanes;
            #[inline(always)]
            fn $method(self, b: f64) -> Lanes {
                Lanes(per_lane!(I => self.0[I] $op b))
            }
        }
        impl $trait<Lanes> for f64 {
            type Output = Lanes;
            #[inline(always)]
            fn $method(self, b: Lanes) -> Lanes {
                Lanes(per_lane!(I => self $op b.0[I]))
            }
        }
    };
}
operator!(Add, add, +);
operator!(Sub, sub, -);
operator!(Mul, mul, *);
operator!(Div, div, /);

macro_rules! assign {
    ($trait:ident, $method:ident, $op:tt) => {
        impl $trait for Lanes {
            #[inline(always)]
            fn $method(&mut self, b: Lanes) {
                *self = *self $op b;
            }
        }
    };
}
assign!(AddAssign, add_assign, +);
assign!(SubAssign, sub_assign, -);
assign!(MulAssign, mul_assign, *);

impl Neg for Lanes {
    type Output = Lanes;
    #[inline(always)]
    fn neg(self) -> Lanes {
        Lanes(per_lane!(I => -self.0[I]))
    }
}

impl From<f64> for Lanes {
    #[inline(always)]
    fn from(x: f64) -> Lanes {
        Lanes::splat(x)
    }
}

impl From<[f64; 4]> for Lanes {
    #[inline(always)]
    fn from(x: [f64; 4]) -> Lanes {
        Lanes(x)
    }
}

impl Default for Lanes {
    #[inline(always)]
    fn default() -> Lanes {
        Lanes::ZERO
    }
}

#[inline(always)]
fn bits(yes: bool) -> u64 {
    if yes { u64::MAX } else { 0 }
}

impl Mask {
    /// Returns `true` if any lane is true.
    #[inline(always)]
    pub fn any(self) -> bool {
        (self.0[0] | self.0[1] | self.0[2] | self.0[3]) != 0
    }

    /// Returns `true` if all lanes are true.
    #[inline(always)]
    pub fn all(self) -> bool {
        (self.0[0] & self.0[1] & self.0[2] & self.0[3]) != 0
    }

    /// Lane-wise logical and.
    #[inline(always)]
    pub fn and(self, b: Mask) -> Mask {
        Mask(per_lane!(I => self.0[I] & b.0[I]))
    }

    /// Lane-wise logical not.
    #[inline(always)]
    #[allow(clippy::should_implement_trait)] // reads better as a word
    pub fn not(self) -> Mask {
        Mask(per_lane!(I => !self.0[I]))
    }

    /// Lane-wise logical or.
    #[inline(always)]
    pub fn or(self, b: Mask) -> Mask {
        Mask(per_lane!(I => self.0[I] | b.0[I]))
    }

    /// Selects `yes` in lanes that are true and `no` in the others; both are evaluated.
    #[inline(always)]
    pub fn select(self, yes: Lanes, no: Lanes) -> Lanes {
        Lanes(per_lane!(I => if self.0[I] != 0 { yes.0[I] } else { no.0[I] }))
    }
}

impl Lanes {
    /// Number of lanes.
    pub const WIDTH: usize = 4;
    /// Zero in all lanes.
    pub const ZERO: Lanes = Lanes::splat(0.0);
    /// One in all lanes.
    pub const ONE: Lanes = Lanes::splat(1.0);

    /// The same number in all lanes.
    #[inline(always)]
    pub const fn splat(x: f64) -> Lanes {
        Lanes([x; 4])
    }

    /// Square root; NaN for negative numbers.
    #[inline(always)]
    pub fn sqrt(self) -> Lanes {
        Lanes(per_lane!(I => self.0[I].sqrt()))
    }

    /// Absolute value.
    #[inline(always)]
    pub fn abs(self) -> Lanes {
        Lanes(per_lane!(I => self.0[I].abs()))
    }

    /// Lane-wise minimum; `b` if either number is NaN.
    #[inline(always)]
    pub fn min(self, b: Lanes) -> Lanes {
        self.below(b).select(self, b)
    }

    /// Lane-wise maximum; `b` if either number is NaN.
    #[inline(always)]
    pub fn max(self, b: Lanes) -> Lanes {
        self.above(b).select(self, b)
    }

    /// Magnitude of `self` with the sign of `b`.
    #[inline(always)]
    pub fn copysign(self, b: Lanes) -> Lanes {
        Lanes(per_lane!(I => self.0[I].copysign(b.0[I])))
    }

    /// Lane-wise comparison self < b.
    #[inline(always)]
    pub fn below(self, b: Lanes) -> Mask {
        Mask(per_lane!(I => bits(self.0[I] < b.0[I])))
    }

    /// Lane-wise comparison self > b.
    #[inline(always)]
    pub fn above(self, b: Lanes) -> Mask {
        Mask(per_lane!(I => bits(self.0[I] > b.0[I])))
    }

    /// Lane-wise comparison self ≥ b.
    #[inline(always)]
    pub fn at_least(self, b: Lanes) -> Mask {
        Mask(per_lane!(I => bits(self.0[I] >= b.0[I])))
    }

    /// True in lanes that are not NaN.
    #[inline(always)]
    pub fn is_number(self) -> Mask {
        Mask(per_lane!(I => bits(!self.0[I].is_nan())))
    }

    /// The square.
    #[inline(always)]
    pub fn squared(self) -> Lanes {
        self * self
    }

    /// Replaces NaN by +∞: an energy whose evaluation overflowed belongs to a forbidden state.
    #[inline(always)]
    pub fn or_infinite(self) -> Lanes {
        self.is_number().select(self, Lanes::splat(f64::INFINITY))
    }

    /// Returns the power of two 2ᵏ with 2ᵏ ≤ |x| < 2ᵏ⁺¹, and 2⁻ᵏ; both are finite for every x.
    #[inline(always)]
    pub fn binade(self) -> (Lanes, Lanes) {
        let k = per_lane!(I => ((self.0[I].to_bits() >> 52) & 0x7ff).clamp(1, 2045));
        (
            Lanes(per_lane!(I => f64::from_bits(k[I] << 52))),
            Lanes(per_lane!(I => f64::from_bits((2046 - k[I]) << 52))),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binade_is_finite_for_all_numbers() {
        let (up, down) = Lanes([3.0, 0.0, f64::INFINITY, f64::NAN]).binade();
        assert_eq!((up.0[0], down.0[0]), (2.0, 0.5));
        assert!(
            up.0.iter()
                .chain(&down.0)
                .all(|x| x.is_finite() && *x > 0.0)
        );
    }
}
