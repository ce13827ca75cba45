//! Logarithm and cube root of four numbers in basic arithmetic; every machine computes the same bytes.
//!
//! ln(1 + x) = k ln 2 + 2 artanh(s) after division by 2ᵏ, with a short series in s² (error below one or two units in the
//! last place). For k = 0, s = x/(2 + x) is formed from x itself, which keeps full relative accuracy for tiny x.

use super::{Lanes, Mask, bits};

impl Lanes {
    /// ln(1 + x), with full relative accuracy for small x; −∞ at x = −1, NaN below.
    #[inline(always)]
    pub fn ln_1p(self) -> Lanes {
        let log = Log1p::of(self);
        log.guard(log.near.select(log.twice_s + log.tail, log.far))
    }

    /// x − ln(1 + x) ≥ 0, with full relative accuracy for small x, where it is about x²/2.
    #[inline(always)]
    pub fn x_minus_ln_1p(self) -> Lanes {
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
        // A third of the upper half of the bits is an estimate with 5 correct bits. It is computed in floating point
        // because vectors of integers have no division. Halley's iteration triples the number of correct bits.
        let upper =
            Lanes(per_lane!(I => f64::from_bits(MAGIC | (self.0[I].to_bits() >> 32)))) - TWO_52;
        let third = upper * (1.0 / 3.0) + (TWO_52 + 715_094_163.0);
        let mut t = Lanes(per_lane!(I => f64::from_bits(third.0[I].to_bits() << 32)));
        for _ in 0..3 {
            let cube = t * t * t;
            t = t + t * ((self - cube) / (cube + cube + self));
        }
        t
    }
}

/// Bits of 2⁵²: a small integer in the lower bits is added to the number.
const MAGIC: u64 = 0x4330_0000_0000_0000;
const TWO_52: f64 = 4503599627370496.0;

/// The terms of ln(1 + x) = k ln 2 + 2 artanh(s).
struct Log1p {
    /// 1 + x.
    whole: Lanes,
    /// Lanes with k = 0.
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
        let whole = 1.0 + x;
        // 1 + x = 2ᵏ m with √½ ≤ m < √2
        let shifted = per_lane!(I => whole.0[I].to_bits().wrapping_sub(SQRT_HALF));
        let m = Lanes(per_lane!(I => f64::from_bits(
            whole.0[I].to_bits().wrapping_sub(shifted[I] & EXPONENT)
        )));
        // k is between −1074 and 1024: biased by 2048 it is a small positive integer
        let k = Lanes(per_lane!(I => f64::from_bits(
            MAGIC | ((shifted[I] >> 52).wrapping_add(2048) & 0xfff)
        ))) - (TWO_52 + 2048.0);
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
            let (ln, gap) = (x.ln_1p(), x.x_minus_ln_1p());
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
        let gap = Lanes([-1.0, -7.0, f64::INFINITY, 0.0]).x_minus_ln_1p();
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
}
