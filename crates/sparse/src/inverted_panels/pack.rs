//! Inversion of one panel and its packing for block products.

use faer::linalg::triangular_solve::solve_upper_triangular_in_place;
use faer::{MatMut, MatRef, Par};
use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

use super::RIGHT_HAND_SIDES;

/// The number of rows, or columns, that one block product computes.
pub(super) const BLOCK: usize = 8;
/// The three right-hand sides of one unknown, padded to four numbers for alignment.
pub(super) type SideVector<T> = [T; 4];

/// A floating-point type in which packed panels are stored and multiplied.
pub(super) trait Scalar:
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
    fn from_f64(x: f64) -> Self;
    fn to_f64(self) -> f64;
}

impl Scalar for f32 {
    fn from_f64(x: f64) -> f32 {
        x as f32
    }

    fn to_f64(self) -> f64 {
        f64::from(self)
    }
}

impl Scalar for f64 {
    fn from_f64(x: f64) -> f64 {
        x
    }

    fn to_f64(self) -> f64 {
        self
    }
}

/// Returns G of a panel of `width` columns, by rows, T⁻¹ first.
pub(super) fn invert_panel(values: &[f64], width: usize) -> Vec<f64> {
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

/// Returns the number of columns of G that can be non-zero in row block b, because T⁻¹ is lower triangular.
#[inline(always)]
pub(super) fn nonzero_columns(b: usize, width: usize) -> usize {
    width.min(BLOCK * (b + 1))
}

/// Appends G in the order of the forward substitution: blocks of rows, each column by column.
pub(super) fn pack_rows<T: Scalar>(g: &[f64], width: usize, out: &mut Vec<T>) {
    let height = g.len() / width;
    for b in 0..height.div_ceil(BLOCK) {
        for c in 0..nonzero_columns(b, width) {
            let row = |l: usize| BLOCK * b + l;
            out.extend((0..BLOCK).map(|l| match row(l) < height {
                true => T::from_f64(g[row(l) * width + c]),
                false => T::default(),
            }));
        }
    }
}

/// Appends G in the order of the backward substitution: blocks of columns, each row by row.
pub(super) fn pack_columns<T: Scalar>(g: &[f64], width: usize, out: &mut Vec<T>) {
    let height = g.len() / width;
    for b in 0..width.div_ceil(BLOCK) {
        for i in BLOCK * b..height {
            let column = |l: usize| BLOCK * b + l;
            out.extend((0..BLOCK).map(|l| match column(l) < width {
                true => T::from_f64(g[i * width + column(l)]),
                false => T::default(),
            }));
        }
    }
}

/// Computes Σₖ matrix[k] ⊗ x[k], eight numbers for each of three right-hand sides, in two independent partial sums.
#[inline(always)]
pub(super) fn block_product<T: Scalar>(
    matrix: &[T],
    x: &[SideVector<T>],
) -> [[T; BLOCK]; RIGHT_HAND_SIDES] {
    let mut sums = [[[T::default(); BLOCK]; RIGHT_HAND_SIDES]; 2];
    let (pairs, last) = x.as_chunks::<2>();
    let (rows, left) = matrix.as_chunks::<{ 2 * BLOCK }>();
    for (a, x) in rows.iter().zip(pairs) {
        for run in 0..2 {
            for q in 0..RIGHT_HAND_SIDES {
                for l in 0..BLOCK {
                    sums[run][q][l] += a[BLOCK * run + l] * x[run][q];
                }
            }
        }
    }
    if let [x] = last {
        for q in 0..RIGHT_HAND_SIDES {
            for l in 0..BLOCK {
                sums[0][q][l] += left[l] * x[q];
            }
        }
    }
    let [mut a, b] = sums;
    for q in 0..RIGHT_HAND_SIDES {
        for l in 0..BLOCK {
            a[q][l] += b[q][l];
        }
    }
    a
}
