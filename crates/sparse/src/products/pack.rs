//! One panel, inverted and packed for products.

use faer::linalg::triangular_solve::solve_upper_triangular_in_place;
use faer::{MatMut, MatRef, Par};
use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

use super::SIDES;

/// Rows, or columns, that a product yields at once.
pub(super) const BLOCK: usize = 8;
/// The right-hand sides of one unknown, and a place to keep them aligned.
pub(super) type Sides<T> = [T; 4];

/// A number that products are computed in.
pub(super) trait Number:
    Copy
    + Default
    + Send
    + Sync
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
{
    fn of(x: f64) -> Self;
    fn wide(self) -> f64;
}

impl Number for f32 {
    fn of(x: f64) -> f32 {
        x as f32
    }

    fn wide(self) -> f64 {
        f64::from(self)
    }
}

impl Number for f64 {
    fn of(x: f64) -> f64 {
        x
    }

    fn wide(self) -> f64 {
        self
    }
}

/// Gᵀ of a panel of `width` columns, given by columns: G by rows, T⁻¹ first.
pub(super) fn inverted(values: &[f64], width: usize) -> Vec<f64> {
    let height = values.len() / width;
    let panel = MatRef::from_column_major_slice(values, height, width);
    let mut out = vec![0.0; values.len()];
    for i in 0..height {
        for c in 0..width {
            out[i * width + c] = match i < width {
                true => f64::from(u8::from(i == c)),
                false => panel[(i, c)],
            };
        }
    }
    let triangle = panel.subrows(0, width).transpose();
    let unknown = MatMut::from_column_major_slice_mut(&mut out, width, height);
    solve_upper_triangular_in_place(triangle, unknown, Par::Seq);
    out
}

/// Columns of G that rows from `8 b` on have: T⁻¹ is a lower triangle.
#[inline(always)]
pub(super) fn reach(b: usize, width: usize) -> usize {
    width.min(BLOCK * (b + 1))
}

/// Adds G in the order of the forward half: blocks of rows, each column by column.
pub(super) fn pack_rows<T: Number>(g: &[f64], width: usize, out: &mut Vec<T>) {
    let height = g.len() / width;
    for b in 0..height.div_ceil(BLOCK) {
        for c in 0..reach(b, width) {
            let row = |l: usize| BLOCK * b + l;
            out.extend((0..BLOCK).map(|l| match row(l) < height {
                true => T::of(g[row(l) * width + c]),
                false => T::default(),
            }));
        }
    }
}

/// Adds G in the order of the backward half: blocks of columns, each row by row.
pub(super) fn pack_columns<T: Number>(g: &[f64], width: usize, out: &mut Vec<T>) {
    let height = g.len() / width;
    for b in 0..width.div_ceil(BLOCK) {
        for i in BLOCK * b..height {
            let column = |l: usize| BLOCK * b + l;
            out.extend((0..BLOCK).map(|l| match column(l) < width {
                true => T::of(g[i * width + column(l)]),
                false => T::default(),
            }));
        }
    }
}

/// Σₖ matrix[k] ⊗ x[k], eight numbers by three sides, in two fixed runs that do not wait for each other.
#[inline(always)]
pub(super) fn product<T: Number>(matrix: &[T], x: &[Sides<T>]) -> [[T; BLOCK]; SIDES] {
    let mut sums = [[[T::default(); BLOCK]; SIDES]; 2];
    let (pairs, last) = x.as_chunks::<2>();
    let (rows, left) = matrix.as_chunks::<{ 2 * BLOCK }>();
    for (a, x) in rows.iter().zip(pairs) {
        for run in 0..2 {
            for q in 0..SIDES {
                for l in 0..BLOCK {
                    sums[run][q][l] += a[BLOCK * run + l] * x[run][q];
                }
            }
        }
    }
    if let [x] = last {
        for q in 0..SIDES {
            for l in 0..BLOCK {
                sums[0][q][l] += left[l] * x[q];
            }
        }
    }
    let [mut a, b] = sums;
    for q in 0..SIDES {
        for l in 0..BLOCK {
            a[q][l] += b[q][l];
        }
    }
    a
}
