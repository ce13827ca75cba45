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

    /// ln(1 + x), with full relative accuracy for small x; −∞ at x = −1, NaN below.
    #[inline(always)]
    pub fn ln_1p(self) -> Lanes {
        let log = Log1p::of(self);
        log.guard(log.near.select(log.twice_s + log.tail, log.far))
    }

    /// x − ln(1 + x) ≥ 0, with full relative accuracy for small x, where it is x²/2.
    #[inline(always)]
    pub fn ln_1p_gap(self) -> Lanes {
        let log = Log1p::of(self);
        // x − 2s = x s, free of cancellation
        let gap = log
            .near
            .select(0.5 * self * log.twice_s - log.tail, self - log.far);
        (self.below(Lanes::splat(f64::INFINITY)))
            .and(self.above(Lanes::splat(-1.0)))
            .select(gap, Lanes::splat(f64::INFINITY))
    }

    /// Cube root of a positive normal number.
    #[inline(always)]
    pub fn cbrt(self) -> Lanes {
        // A third of the exponent is a 5-bit guess; Halley's iteration triples the number of good bits.
        let guess =
            |x: f64| f64::from_bits((((x.to_bits() >> 32) as u32 / 3) as u64 + 0x2a9f_7893) << 32);
        let mut t = Lanes(per_lane!(I => guess(self.0[I])));
        for _ in 0..3 {
            let cube = t * t * t;
            t = t + t * ((self - cube) / (cube + cube + self));
        }
        t
    }
}

/// The pieces of ln(1 + x) = 2 artanh(s), s = x/(2 + x), after taking out a power of two where x is not small.
struct Log1p {
    /// 1 + x.
    whole: Lanes,
    /// Where no power of two was taken out.
    near: Mask,
    /// 2s.
    twice_s: Lanes,
    /// 2 artanh(s) − 2s.
    tail: Lanes,
    /// k ln 2 + 2 artanh(s).
    far: Lanes,
}

impl Log1p {
    #[inline(always)]
    fn of(x: Lanes) -> Log1p {
        const SQRT_HALF: u64 = 0x3fe6_a09e_667f_3bcd;
        const EXPONENT: u64 = 0xfff0_0000_0000_0000;
        /// 2⁵² as bits: adding a small integer to the bits adds it to the number.
        const MAGIC: u64 = 0x4330_0000_0000_0000;
        let whole = 1.0 + x;
        // 1 + x = 2ᵏ m with √½ ≤ m < √2
        let shifted = per_lane!(I => whole.0[I].to_bits().wrapping_sub(SQRT_HALF));
        let m = Lanes(per_lane!(I => f64::from_bits(
            whole.0[I].to_bits().wrapping_sub(shifted[I] & EXPONENT)
        )));
        // k is between −1074 and 1024: biased by 2048 it is a small positive integer
        let k = Lanes(per_lane!(I => f64::from_bits(
            MAGIC | ((shifted[I] >> 52).wrapping_add(2048) & 0xfff)
        ))) - (4503599627370496.0 + 2048.0);
        let near = Mask(per_lane!(I => bits(k.0[I] == 0.0)));
        let f = near.select(x, m - 1.0);
        let s = f / (2.0 + f);
        let z = s * s;
        // Σ 2 zⁿ/(2n + 1), n = 1 … 11; z ≤ 0.0295
        let z2 = z * z;
        let z4 = z2 * z2;
        let low = (2.0 / 3.0 + z * (2.0 / 5.0)) + z2 * (2.0 / 7.0 + z * (2.0 / 9.0));
        let mid = (2.0 / 11.0 + z * (2.0 / 13.0)) + z2 * (2.0 / 15.0 + z * (2.0 / 17.0));
        let high = (2.0 / 19.0 + z * (2.0 / 21.0)) + z2 * (2.0 / 23.0);
        let tail = s * z * (low + z4 * (mid + z4 * high));
        let twice_s = s + s;
        Log1p {
            whole,
            near,
            twice_s,
            tail,
            far: k * std::f64::consts::LN_2 + (twice_s + tail),
        }
    }

    #[inline(always)]
    fn guard(&self, ln: Lanes) -> Lanes {
        let infinite = Lanes::splat(f64::INFINITY);
        let ln = self.whole.at_least(infinite).select(infinite, ln);
        let edge = self
            .whole
            .at_least(Lanes::ZERO)
            .select(-infinite, Lanes::splat(f64::NAN));
        self.whole.above(Lanes::ZERO).select(ln, edge)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64, tol: f64) {
        assert!(
            a == b || (a - b).abs() <= tol * b.abs(),
            "{a:e} is not {b:e}"
        );
    }

    #[test]
    fn logarithm_agrees_with_the_library() {
        for i in 0..4000 {
            let size = 10f64.powf(-18.0 + 0.01 * i as f64);
            let near = 1.0 - 10f64.powf(-15.9 + 0.004 * i as f64);
            let x = Lanes([
                size,
                if size < 1.0 { -size } else { size * 3.3 },
                near,
                size * 1.37,
            ]);
            let (ln, gap) = (x.ln_1p(), x.ln_1p_gap());
            for lane in 0..4 {
                let x = x.0[lane];
                if x > -1.0 {
                    close(ln.0[lane], x.ln_1p(), 4e-16);
                    let exact = if x.abs() < 1e-3 {
                        x * x
                            * (0.5
                                - x * (1.0 / 3.0
                                    - x * (0.25 - x * (0.2 - x * (1.0 / 6.0 - x / 7.0)))))
                    } else {
                        x - x.ln_1p()
                    };
                    close(
                        gap.0[lane],
                        exact,
                        if x.abs() < 1e-3 { 1e-15 } else { 1e-12 },
                    );
                }
            }
        }
    }

    #[test]
    fn logarithm_at_the_edges() {
        let ln = Lanes([-1.0, -1.5, f64::INFINITY, f64::NAN]).ln_1p();
        assert_eq!(ln.0[0], f64::NEG_INFINITY);
        assert!(ln.0[1].is_nan() && ln.0[3].is_nan());
        assert_eq!(ln.0[2], f64::INFINITY);
        assert_eq!(Lanes::ZERO.ln_1p(), Lanes::ZERO);
        let gap = Lanes([-1.0, -7.0, f64::INFINITY, 0.0]).ln_1p_gap();
        assert_eq!(
            gap,
            Lanes([f64::INFINITY, f64::INFINITY, f64::INFINITY, 0.0])
        );
    }

    #[test]
    fn cube_root_agrees_with_the_library() {
        for i in -290..290 {
            let x = 1.2345 * 10f64.powi(i);
            let root = Lanes([x, 2.0 * x, 3.0 * x, 7.1 * x]).cbrt();
            for (root, x) in root.0.iter().zip([x, 2.0 * x, 3.0 * x, 7.1 * x]) {
                close(*root, x.cbrt(), 5e-16);
            }
        }
    }

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
