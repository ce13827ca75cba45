//! How far elements may go along a straight path before one of them turns inside out.
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
use crate::potential::wide::on_this_machine;
use crate::potential::{PathSearch, Placed};
use crate::small3::{Cubic, cofactor, dot, inner, mat3, plus_identity, trace};

/// det F − 1 of F = I + g, as the laws that forbid inversion form it: they forbid det F − 1 ≤ −1.
#[inline(always)]
fn volume_change(g: &Mat3, cof: &Mat3) -> Lanes {
    trace(g) + trace(cof) + dot(&g[0], &cof[0])
}

/// Coefficients of det F along a path between two displacement gradients, and det F at its end.
#[inline(always)]
fn path(from: &Mat3, to: &Mat3) -> ([Lanes; 4], Lanes) {
    let f = plus_identity(from);
    let d = mat3(|i, j| to[i][j] - from[i][j]);
    let cof_d = cofactor(&d);
    let start = 1.0 + volume_change(from, &cofactor(from));
    let end = 1.0 + volume_change(to, &cofactor(to));
    let slope = inner(&cofactor(&f), &d);
    (
        [start, slope, inner(&f, &cof_d), dot(&d[0], &cof_d[0])],
        end,
    )
}

/// Whether det F stays positive by far on all four paths: all control points of its cubic are more than a thousandth of
/// the start, and that is more than rounding.
#[inline(always)]
fn all_free([c0, c1, c2, c3]: &[Lanes; 4], end: Lanes) -> bool {
    let far = 1e-3 * *c0;
    let rounding = 1e-14 * (c0.abs() + c1.abs() + c2.abs() + c3.abs());
    let first = *c0 + (1.0 / 3.0) * *c1;
    let second = *c0 + (2.0 / 3.0) * *c1 + (1.0 / 3.0) * *c2;
    let points = first.above(far).and(second.above(far));
    points.and(end.above(far)).and(far.above(rounding)).all()
}

/// Fraction of one path up to which det F is positive.
fn free_fraction(c: [f64; 4], end: f64) -> f64 {
    let fraction = Cubic(c).positive_until();
    // The cubic at 1 and the determinant at the end are one number but for rounding. The law looks at the latter.
    if fraction == 1.0 && !(end > 0.0) {
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
                let (c, end) = path(&batch.strain(&from, p).g, &batch.strain(&to, p).g);
                if all_free(&c, end) {
                    continue;
                }
                for lane in 0..self.lanes(b) {
                    least = least.min(free_fraction(c.map(|c| c.0[lane]), end.0[lane]));
                }
            }
        }
        least
    }

    /// Looks for an element that turns inside out sooner on the path than all so far.
    pub fn first_inverted(&self, from: &Placed, to: &Placed, search: &mut PathSearch) {
        let first = search.seen;
        search.seen += self.count;
        for b in 0..self.batches() {
            let least = self.max_step(b..b + 1, from.u, to.u);
            if least >= search.fraction {
                continue;
            }
            let batch = self.batch(b);
            let (from, to) = (batch.gather(from.u), batch.gather(to.u));
            for (p, lane) in
                (0..self.points()).flat_map(|p| (0..self.lanes(b)).map(move |l| (p, l)))
            {
                let (c, end) = path(&batch.strain(&from, p).g, &batch.strain(&to, p).g);
                let fraction = free_fraction(c.map(|c| c.0[lane]), end.0[lane]);
                if fraction < search.fraction {
                    search.fraction = fraction;
                    search.element = Some(first + self.order[4 * b + lane] as usize);
                }
            }
        }
    }
}
