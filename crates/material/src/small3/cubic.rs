//! The first root of a cubic in (0, 1], approximated from below.
//!
//! p(s) = det(F + s dF) is a cubic in the step fraction s, and an element inverts at its first root. If all Bernstein
//! control points of p over an interval are positive, the interval has no root, because p lies in their convex hull.
//! Otherwise the hull gives a lower bound of the first root, and the interval before it is cut off (Bézier clipping
//! [Sederberg & Nishita 1990, §2], here from the left only). If that removes less than half of the interval, its halves are
//! searched one after the other. No root is missed, for any degree and any multiplicity of roots.

/// Bound of the relative rounding error of a cubic evaluated by Horner's rule, and of its control points.
const ROUNDING: f64 = 16.0 * f64::EPSILON;
/// Relative length below which an interval is not divided.
const MIN_RELATIVE_INTERVAL: f64 = 4.0 * f64::EPSILON;

/// A cubic polynomial c₀ + c₁ s + c₂ s² + c₃ s³.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cubic(pub [f64; 4]);

impl Cubic {
    /// Returns the largest s ≤ 1 up to which the cubic is positive: 1 if it has no root in (0, 1], 0 if c₀ is not
    /// positive, and otherwise a number just below the first root, at which the cubic is positive in exact arithmetic.
    ///
    /// Values below a few roundings of Σ|cᵢ|, or below c₀/4 if that is smaller, count as roots: a cubic this close to zero
    /// may have one.
    pub fn positive_until(self) -> f64 {
        let Cubic([c0, c1, c2, c3]) = self;
        let size = c0.abs() + c1.abs() + c2.abs() + c3.abs();
        // This form returns 0 for NaN.
        if !(c0 > 0.0 && size < f64::INFINITY) {
            return 0.0;
        }
        let margin = (ROUNDING * size).min(0.25 * c0);
        self.first_below(margin, 0.0, 1.0)
            .map_or(1.0, |s| self.back_off(s))
    }

    /// Returns a point of [from, to) just before the first at which the cubic is not above `margin`, or `None` if there is
    /// no such point. The cubic is positive at `from`.
    fn first_below(self, margin: f64, from: f64, to: f64) -> Option<f64> {
        let mut reached = from;
        loop {
            let points = self.control_points(reached, to).map(|b| b - margin);
            if points.iter().all(|&b| b > 0.0) {
                return None;
            }
            if points[0] <= 0.0 {
                return Some(reached);
            }
            let length = to - reached;
            let cut = earliest_crossing(points);
            reached += cut * length;
            if to - reached <= MIN_RELATIVE_INTERVAL * to {
                return Some(reached);
            }
            if to - reached > 0.5 * length {
                let middle = reached + 0.5 * (to - reached);
                let found = self.first_below(margin, reached, middle);
                if found.is_some() {
                    return found;
                }
                reached = middle;
            }
        }
    }

    /// Control points of the part of the cubic over [s, to].
    fn control_points(self, s: f64, to: f64) -> [f64; 4] {
        let Cubic([c0, c1, c2, c3]) = self;
        let w = to - s;
        let value = c0 + s * (c1 + s * (c2 + s * c3));
        let slope = w / 3.0 * (c1 + s * (2.0 * c2 + s * (3.0 * c3)));
        let bend = w * w / 3.0 * (c2 + s * (3.0 * c3));
        let end = c0 + to * (c1 + to * (c2 + to * c3));
        [value, value + slope, value + 2.0 * slope + bend, end]
    }

    /// Moves back from a root until the cubic is positive by more than the rounding of its evaluation.
    fn back_off(self, s: f64) -> f64 {
        let Cubic([c0, c1, c2, c3]) = self;
        let mut share = f64::EPSILON;
        while share < 1.0 {
            let s = s * (1.0 - share);
            let value = c0 + s * (c1 + s * (c2 + s * c3));
            let error = c0 + s * (c1.abs() + s * (c2.abs() + s * c3.abs()));
            if value > ROUNDING * error {
                return s;
            }
            share *= 2.0;
        }
        0.0
    }
}

/// Returns the first zero of the convex hull of the control points; the first point is positive and another one is not.
fn earliest_crossing(points: [f64; 4]) -> f64 {
    let mut first = 1.0f64;
    for (i, above) in points.iter().enumerate().filter(|(_, b)| **b > 0.0) {
        for (j, below) in points.iter().enumerate().filter(|(_, b)| **b <= 0.0) {
            let along = above / (above - below);
            first = first.min((i as f64 + along * (j as f64 - i as f64)) / 3.0);
        }
    }
    first
}

#[cfg(test)]
mod tests {
    use base::random::Random;

    use super::*;

    /// Double-double number with about 32 digits [Dekker 1971].
    #[derive(Clone, Copy)]
    struct Double(f64, f64);

    impl Double {
        fn sum(a: f64, b: f64) -> Double {
            let s = a + b;
            let t = s - a;
            Double(s, (a - (s - t)) + (b - t))
        }

        fn times(self, x: f64) -> Double {
            let p = self.0 * x;
            let e = self.0.mul_add(x, -p) + self.1 * x;
            Double::sum(p, e)
        }

        fn plus(self, x: f64) -> Double {
            let s = Double::sum(self.0, x);
            Double::sum(s.0, s.1 + self.1)
        }
    }

    /// p(s) to about 32 digits of Σ|cᵢ|.
    fn value([c0, c1, c2, c3]: [f64; 4], s: f64) -> f64 {
        let p = Double(c3, 0.0).times(s).plus(c2).times(s).plus(c1);
        let p = p.times(s).plus(c0);
        p.0 + p.1
    }

    /// Least value in [0, until].
    fn least(c: [f64; 4], until: f64) -> f64 {
        let [_, c1, c2, c3] = c;
        let mut places = vec![0.0, until];
        // Both forms of the roots of p′ = c₁ + 2 c₂ s + 3 c₃ s²: neither has cancellation.
        let root = (c2 * c2 - 3.0 * c3 * c1).max(0.0).sqrt();
        let q = -(c2 + c2.signum() * root);
        places.extend([q / (3.0 * c3), c1 / q, -c2 / (3.0 * c3), -c1 / (2.0 * c2)]);
        places.extend((1..64).map(|k| until * f64::from(k) / 64.0));
        let inside = places.into_iter().filter(|s| (0.0..=until).contains(s));
        inside.map(|s| value(c, s)).fold(f64::INFINITY, f64::min)
    }

    fn size(c: [f64; 4]) -> f64 {
        c.iter().map(|c| c.abs()).sum()
    }

    /// The cubic is positive up to the fraction, and zero up to rounding there.
    fn check(c: [f64; 4]) {
        let s = Cubic(c).positive_until();
        let rounding = ROUNDING * size(c);
        if c[0] <= 0.0 {
            assert_eq!(s, 0.0, "{c:?}");
            return;
        }
        let low = least(c, s);
        // Within rounding, a start value near zero cannot be distinguished from a negative one.
        let floor = if c[0] > 4.0 * rounding {
            0.0
        } else {
            -rounding
        };
        assert!(low > floor, "{c:?}: {low:e} before {s}");
        assert!(value(c, s) > 0.0, "{c:?}: {:e} at {s}", value(c, s));
        if s < 1.0 {
            let left = value(c, s);
            assert!(
                left <= 4.0 * rounding,
                "{c:?}: {left:e} is left at {s}, size {:e}",
                size(c)
            );
        }
    }

    /// A power of ten with an exponent between these.
    fn power(random: &mut Random, a: f64, b: f64) -> f64 {
        10f64.powf(random.between(a, b))
    }

    /// k (r₁ − s)(r₂ − s)(r₃ − s), positive at 0.
    fn of_roots(k: f64, [a, b, c]: [f64; 3]) -> [f64; 4] {
        let k = k * (a * b * c).signum();
        [
            k * a * b * c,
            -k * (a * b + b * c + c * a),
            k * (a + b + c),
            -k,
        ]
    }

    #[test]
    fn random_cubics_are_positive_up_to_the_fraction_and_zero_there() {
        let mut random = Random::new(1);
        for _ in 0..40_000 {
            let scale = power(&mut random, -20.0, 20.0);
            let mut c = [0; 4].map(|_| scale * random.between(-1.0, 1.0));
            c[0] = c[0].abs() * power(&mut random, -12.0, 0.0);
            check(c);
        }
    }

    #[test]
    fn cubics_of_close_double_and_triple_roots() {
        let mut random = Random::new(2);
        for k in 0..40_000 {
            let root = random.between(0.01, 1.2);
            let gap = if k % 4 == 0 {
                0.0
            } else {
                power(&mut random, -12.0, -1.0)
            };
            let third = match k % 3 {
                0 => random.between(-3.0, 3.0),
                1 => root + gap * random.between(-1.0, 1.0),
                _ => power(&mut random, 0.0, 6.0),
            };
            let factor = power(&mut random, -9.0, 9.0);
            check(of_roots(factor, [root, root + gap, third]));
            // The same cubic shifted slightly up or down.
            let mut lifted = of_roots(factor, [root, root + gap, third]);
            lifted[0] += lifted[0] * random.between(-1.0, 1.0) * power(&mut random, -16.0, -6.0);
            check(lifted);
        }
    }

    #[test]
    fn lower_degrees_tiny_leading_coefficients_and_flat_starts() {
        let mut random = Random::new(3);
        for k in 0..40_000 {
            let mut c = [
                power(&mut random, -18.0, 0.0),
                random.between(-2.0, 2.0),
                random.between(-2.0, 2.0),
                random.between(-2.0, 2.0),
            ];
            for degree in 1..4 {
                if (k >> (2 * degree)) & 3 == 0 {
                    c[degree] = 0.0;
                } else if (k >> (2 * degree)) & 3 == 1 {
                    c[degree] *= power(&mut random, -300.0, -10.0);
                }
            }
            check(c);
        }
    }

    /// The first root of simple cubics is found to rounding.
    #[test]
    fn simple_roots_are_found_to_rounding() {
        let mut random = Random::new(4);
        for _ in 0..20_000 {
            let root = random.between(0.05, 0.95);
            let others = [random.between(1.5, 4.0), -random.between(0.5, 4.0)];
            let s = Cubic(of_roots(1.0, [root, others[0], others[1]])).positive_until();
            assert!(s <= root && root - s < 1e-12, "{root} {s}");
        }
        // All three roots are inside: the first one counts in any order of the factors.
        for roots in [[0.2, 0.5, 0.9], [0.9, 0.2, 0.5], [0.5, 0.9, 0.2]] {
            let s = Cubic(of_roots(3.0, roots)).positive_until();
            assert!(s <= 0.2 && 0.2 - s < 1e-13, "{s}");
        }
    }

    #[test]
    fn roots_at_the_end_double_roots_and_nan() {
        // A root at the end of the interval counts; one beyond does not.
        let s = Cubic([1.0, -1.0, 0.0, 0.0]).positive_until();
        assert!(s < 1.0 && s > 1.0 - 1e-13, "{s}");
        assert_eq!(Cubic([1.0, -0.999_999, 0.0, 0.0]).positive_until(), 1.0);
        // (1 − 2s)²: half a turn about an axis.
        let s = Cubic([1.0, -4.0, 4.0, 0.0]).positive_until();
        assert!(s <= 0.5 && s > 0.5 - 1e-6, "{s}");
        // A constant positive cubic has no root, however small it is, nor has one that increases from a small value.
        assert_eq!(Cubic([1e-18, 0.0, 0.0, 0.0]).positive_until(), 1.0);
        assert_eq!(Cubic([1e-18, 1.0, 3.0, -0.5]).positive_until(), 1.0);
        assert_eq!(Cubic([0.0, 1.0, 0.0, 0.0]).positive_until(), 0.0);
        for wrong in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            for at in 0..4 {
                let mut c = [1.0, 0.1, 0.1, 0.1];
                c[at] = wrong;
                assert_eq!(Cubic(c).positive_until(), 0.0);
            }
        }
    }
}
