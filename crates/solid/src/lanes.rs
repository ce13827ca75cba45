//! Four numbers that march together: one number of each of four elements.
//!
//! Materials and element kernels are written once, on [`Lanes`]; the loops inside vectorise to whatever width
//! the machine has. Nothing here uses fused multiply-add or the system's mathematics library, so every machine
//! computes the same bytes. Everything is `#[inline(always)]`: a caller compiled with
//! `#[target_feature(enable = "avx2")]` gets AVX2 code all the way down.

use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

/// One number of each of four elements.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(32))]
pub struct Lanes(pub [f64; 4]);

/// A 3×3 matrix, row by row, of each of four elements.
pub type Mat3 = [[Lanes; 3]; 3];

/// A vector of each of four elements.
pub type Vec3 = [Lanes; 3];

/// Yes (all bits set) or no (no bit set) for each of four elements.
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
    /// Yes if any element says yes.
    #[inline(always)]
    pub fn any(self) -> bool {
        (self.0[0] | self.0[1] | self.0[2] | self.0[3]) != 0
    }

    /// Yes if every element says yes.
    #[inline(always)]
    pub fn all(self) -> bool {
        (self.0[0] & self.0[1] & self.0[2] & self.0[3]) != 0
    }

    /// Both, element by element.
    #[inline(always)]
    pub fn and(self, b: Mask) -> Mask {
        Mask(per_lane!(I => self.0[I] & b.0[I]))
    }

    /// The opposite.
    #[inline(always)]
    #[allow(clippy::should_implement_trait)] // reads better as a word
    pub fn not(self) -> Mask {
        Mask(per_lane!(I => !self.0[I]))
    }

    /// Either, element by element.
    #[inline(always)]
    pub fn or(self, b: Mask) -> Mask {
        Mask(per_lane!(I => self.0[I] | b.0[I]))
    }

    /// `yes` where the mask says yes, `no` elsewhere; both are evaluated.
    #[inline(always)]
    pub fn select(self, yes: Lanes, no: Lanes) -> Lanes {
        Lanes(per_lane!(I => if self.0[I] != 0 { yes.0[I] } else { no.0[I] }))
    }
}

impl Lanes {
    /// How many elements march together.
    pub const WIDTH: usize = 4;
    /// Zero for everyone.
    pub const ZERO: Lanes = Lanes::splat(0.0);
    /// One for everyone.
    pub const ONE: Lanes = Lanes::splat(1.0);

    /// The same number for every element.
    #[inline(always)]
    pub const fn splat(x: f64) -> Lanes {
        Lanes([x; 4])
    }

    /// Square root; NaN of a negative number.
    #[inline(always)]
    pub fn sqrt(self) -> Lanes {
        Lanes(per_lane!(I => self.0[I].sqrt()))
    }

    /// Absolute value.
    #[inline(always)]
    pub fn abs(self) -> Lanes {
        Lanes(per_lane!(I => self.0[I].abs()))
    }

    /// The smaller one; `b` where either is NaN.
    #[inline(always)]
    pub fn min(self, b: Lanes) -> Lanes {
        self.below(b).select(self, b)
    }

    /// The larger one; `b` where either is NaN.
    #[inline(always)]
    pub fn max(self, b: Lanes) -> Lanes {
        self.above(b).select(self, b)
    }

    /// Magnitude of `self` with the sign of `b`.
    #[inline(always)]
    pub fn copysign(self, b: Lanes) -> Lanes {
        Lanes(per_lane!(I => self.0[I].copysign(b.0[I])))
    }

    /// self < b.
    #[inline(always)]
    pub fn below(self, b: Lanes) -> Mask {
        Mask(per_lane!(I => bits(self.0[I] < b.0[I])))
    }

    /// self > b.
    #[inline(always)]
    pub fn above(self, b: Lanes) -> Mask {
        Mask(per_lane!(I => bits(self.0[I] > b.0[I])))
    }

    /// self ≥ b.
    #[inline(always)]
    pub fn at_least(self, b: Lanes) -> Mask {
        Mask(per_lane!(I => bits(self.0[I] >= b.0[I])))
    }

    /// Whether the number is a number.
    #[inline(always)]
    pub fn is_number(self) -> Mask {
        Mask(per_lane!(I => bits(!self.0[I].is_nan())))
    }

    /// The square.
    #[inline(always)]
    pub fn squared(self) -> Lanes {
        self * self
    }

    /// The energy itself, or +∞ where arithmetic overflowed into NaN: a state nobody may enter.
    #[inline(always)]
    pub fn or_infinite(self) -> Lanes {
        self.is_number().select(self, Lanes::splat(f64::INFINITY))
    }

    /// The power of two 2ᵏ with 2ᵏ ≤ |x| < 2ᵏ⁺¹, and 2⁻ᵏ; finite whatever x is.
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
    fn binade_is_finite_for_everything() {
        let (up, down) = Lanes([3.0, 0.0, f64::INFINITY, f64::NAN]).binade();
        assert_eq!((up.0[0], down.0[0]), (2.0, 0.5));
        assert!(
            up.0.iter()
                .chain(&down.0)
                .all(|x| x.is_finite() && *x > 0.0)
        );
    }
}
