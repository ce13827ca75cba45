//! The rotation in a matrix, four at a time.

use super::{cofactor, determinant, dot, inner, mat3, mul_transpose, svd};
use crate::lanes::{Lanes, Mask, Mat3};

/// The rotation nearest to `f`, R = U Vᵀ with det R = 1 even where det F < 0.
///
/// Newton's iteration X ← (X + X⁻ᵀ)/2 (N. Higham, "Computing the polar decomposition—with applications", SIAM J. Sci.
/// Stat. Comput. 7, 1986) squares the error at every turn: four turns at a tenth of strain. It needs det F > 0 and a
/// matrix that is not almost singular; others take the singular values. No lane sees what its neighbours need.
#[inline(always)]
pub fn rotation(f: &Mat3) -> Mat3 {
    let (j, mean) = (determinant(f), inner(f, f) * (1.0 / 3.0));
    let tame = j
        .above(Lanes::ZERO)
        .and((j * j).above(0.01 * (mean * mean * mean)));
    let (r, found) = newton(f, tame);
    if found.all() {
        return r;
    }
    let svd = svd(f);
    let other = mul_transpose(&svd.u, &svd.v);
    mat3(|i, j| found.select(r[i][j], other[i][j]))
}

/// The rotation of lanes that are tame, and which of them have found it.
#[inline(always)]
fn newton(f: &Mat3, tame: Mask) -> (Mat3, Mask) {
    const TURNS: usize = 12;
    let turned = |x: &Mat3, c: &Mat3, det: Lanes| {
        let half = 0.5 / det;
        mat3(|i, j| 0.5 * x[i][j] + half * c[i][j])
    };
    let c = cofactor(f);
    let mut x = turned(f, &c, dot(&f[0], &c[0]));
    let mut found = tame.and(tame.not());
    for _ in 1..TURNS {
        let c = cofactor(&x);
        let det = dot(&x[0], &c[0]);
        let next = turned(&x, &c, det);
        x = mat3(|i, j| found.select(x[i][j], next[i][j]));
        // All singular values are at least one by now, so that their product bounds each: what is left is its square.
        found = found.or(tame.and((det - 1.0).below(Lanes::splat(1e-8))));
        if found.or(tame.not()).all() {
            break;
        }
    }
    (x, found)
}
