//! How far elements may go along a straight path before one of them is inverted.
//!
//! On the path u(s) = u₀ + s (u₁ − u₀) the deformation gradient at a point is F(s) = F₀ + s ΔF, and
//!
//! det F(s) = det F₀ + s cof F₀ : ΔF + s² F₀ : cof ΔF + s³ det ΔF,
//!
//! a cubic with exact coefficients, so the first inversion is its first root in (0, 1], at every integration point
//! (J. Smith, S. Schaefer, "Bijective Parameterization with Free Boundaries", 2015, §3.3, do this for triangles). Points
//! whose cubic has only positive control points are passed over four at a time; the others are solved one by one.

use std::ops::Range;

use super::elements::Elements;
use crate::lanes::{Lanes, Mat3};
use crate::potential::simd::on_this_machine;
use crate::potential::{Configuration, PathSearch};
use crate::small3::{Cubic, cofactor, dot, inner, mat3, plus_identity, trace};

/// Coefficients of det F along a path between two displacement gradients.
#[inline(always)]
fn coefficients(from: &Mat3, to: &Mat3) -> [Lanes; 4] {
    let f = plus_identity(from);
    let d = mat3(|i, j| to[i][j] - from[i][j]);
    let (cof_f, cof_d) = (cofactor(&f), cofactor(&d));
    [
        dot(&f[0], &cof_f[0]),
        inner(&cof_f, &d),
        inner(&f, &cof_d),
        dot(&d[0], &cof_d[0]),
    ]
}

/// Whether det F stays positive by far on all four paths: all control points of its cubic are more than a thousandth of
/// the start, and that is more than rounding.
#[inline(always)]
fn all_free([c0, c1, c2, c3]: &[Lanes; 4]) -> bool {
    let far = 1e-3 * *c0;
    let rounding = 1e-14 * (c0.abs() + c1.abs() + c2.abs() + c3.abs());
    let first = *c0 + (1.0 / 3.0) * *c1;
    let second = *c0 + (2.0 / 3.0) * *c1 + (1.0 / 3.0) * *c2;
    let end = (*c0 + *c1) + (*c2 + *c3);
    let points = first.above(far).and(second.above(far));
    points.and(end.above(far)).and(far.above(rounding)).all()
}

/// det F of F = I + g, positive exactly where the laws that forbid inversion say so: they forbid det F − 1 ≤ −1.
#[inline(always)]
fn volume(g: &Mat3) -> Lanes {
    let cof = cofactor(g);
    1.0 + (trace(g) + trace(&cof) + dot(&g[0], &cof[0]))
}

/// Fractions of four paths between displacement gradients up to which det F is positive.
#[inline(never)]
fn free_fractions(mut c: [Lanes; 4], from: &Mat3, to: &Mat3) -> [f64; 4] {
    let end = volume(to);
    c[0] = volume(from);
    [0, 1, 2, 3].map(|lane| free_fraction(c.map(|c| c.0[lane]), end.0[lane]))
}

/// Fraction of one path up to which det F is positive.
fn free_fraction(c: [f64; 4], end: f64) -> f64 {
    let fraction = Cubic(c).positive_until();
    // The cubic at 1 and the determinant at the end are one number but for rounding. The law looks at the latter.
    if fraction == 1.0 && (end.is_nan() || end <= 0.0) {
        return 1.0 - f64::EPSILON;
    }
    fraction
}

impl<const N: usize> Elements<N> {
    /// Least fraction of the path up to which every element of a chunk keeps det F > 0.
    pub fn max_step(&self, range: Range<usize>, from: &[[f64; 3]], to: &[[f64; 3]]) -> f64 {
        on_this_machine!(_H => self.max_step_on(range, from, to))
    }

    #[inline(always)]
    fn max_step_on(&self, range: Range<usize>, from: &[[f64; 3]], to: &[[f64; 3]]) -> f64 {
        let mut least = 1.0f64;
        for b in range {
            let batch = self.batch(b);
            let (from, to) = (batch.gather(from), batch.gather(to));
            for p in 0..self.points() {
                let (from, to) = (batch.strain(&from, p).g, batch.strain(&to, p).g);
                let c = coefficients(&from, &to);
                if all_free(&c) {
                    continue;
                }
                let fractions = free_fractions(c, &from, &to);
                for fraction in &fractions[..self.lanes(b)] {
                    least = least.min(*fraction);
                }
            }
        }
        least
    }

    /// Looks for an element that is inverted sooner on the path than all so far.
    pub fn first_inverted(
        &self,
        from: &Configuration,
        to: &Configuration,
        search: &mut PathSearch,
    ) {
        let first = search.seen;
        search.seen += self.count;
        for b in 0..self.batches() {
            let least = self.max_step(b..b + 1, from.u, to.u);
            if least >= search.fraction {
                continue;
            }
            let batch = self.batch(b);
            let (from, to) = (batch.gather(from.u), batch.gather(to.u));
            for p in 0..self.points() {
                let (from, to) = (batch.strain(&from, p).g, batch.strain(&to, p).g);
                let fractions = free_fractions(coefficients(&from, &to), &from, &to);
                for (lane, &fraction) in fractions[..self.lanes(b)].iter().enumerate() {
                    if fraction < search.fraction {
                        search.fraction = fraction;
                        search.element = Some(first + self.order[4 * b + lane] as usize);
                    }
                }
            }
        }
    }

    /// Distance by which every node of a chunk may move, each in any direction, with det F > 0 everywhere; 0 if det F is
    /// not positive already.
    ///
    /// F + ΔF is regular while ‖ΔF‖ < σ₃(F), the least singular value, which is at least det F/‖cof F‖; and
    /// ‖ΔF‖ ≤ Σ |Δu_a| |∂N_a/∂X|.
    pub fn free_radius(&self, range: Range<usize>, u: &[[f64; 3]]) -> f64 {
        on_this_machine!(_H => self.free_radius_on(range, u))
    }

    #[inline(always)]
    fn free_radius_on(&self, range: Range<usize>, u: &[[f64; 3]]) -> f64 {
        let mut least_square = Lanes::splat(f64::INFINITY);
        for b in range {
            let batch = self.batch(b);
            let u = batch.gather(u);
            for p in 0..self.points() {
                let f = plus_identity(&batch.strain(&u, p).g);
                let cof = cofactor(&f);
                let volume = dot(&f[0], &cof[0]).max(Lanes::ZERO);
                let bound = self.gradient_bounds[b * self.points() + p];
                let square = (volume * volume) / (inner(&cof, &cof) * (bound * bound));
                least_square = least_square.min(square);
            }
        }
        let [a, b, c, d] = least_square.0;
        let least = a.min(b).min(c.min(d)).sqrt();
        // Written so that what is no number gives no distance.
        if least > 0.0 { least } else { 0.0 }
    }
}
