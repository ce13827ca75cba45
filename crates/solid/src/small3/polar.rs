//! The rotation in a matrix, four at a time.

use super::{
    cofactor, determinant, dot, inner, mat3, mul, mul_transpose, scale, svd, transpose_mul, vec3,
};
use crate::lanes::{Lanes, Mask, Mat3};

/// The rotation nearest to `f`, R = U Vᵀ with det R = 1 even where det F < 0.
///
/// Newton's iteration X ← (X + X⁻ᵀ)/2 (N. Higham, "Computing the polar decomposition—with applications", SIAM J. Sci.
/// Stat. Comput. 7, 1986) squares the error at every turn: four turns at a tenth of strain. It needs det F > 0 and a
/// matrix that is not almost singular; others take the derivative of their trace of stretch, and where two stretches all
/// but cancel the singular values. No lane sees what its neighbours need.
#[inline(always)]
pub fn rotation(f: &Mat3) -> Mat3 {
    let (j, mean) = (determinant(f), inner(f, f) * (1.0 / 3.0));
    let well_conditioned = j
        .above(Lanes::ZERO)
        .and((j * j).above(0.01 * (mean * mean * mean)));
    let (r, found) = newton(f, well_conditioned);
    if found.all() {
        return r;
    }
    let (other, too) = from_trace_derivative(f, found.not());
    let r = mat3(|i, j| found.select(r[i][j], other[i][j]));
    let found = found.or(too);
    if found.all() {
        return r;
    }
    let svd = svd(f);
    let other = mul_transpose(&svd.u, &svd.v);
    mat3(|i, j| found.select(r[i][j], other[i][j]))
}

/// The rotation of lanes that are asked for, whatever the sign of det F, and which of them have found it.
///
/// tr S of F = R S is the greatest of tr(QᵀF) over rotations Q, so that R = ∂(tr S)/∂F; and with a = |F|², b = |cof F|² and
/// j = det F it is the greatest root of λ⁴ − 2aλ² − 8jλ + a² − 4b, whose others are σ₁ − σ₂ − σ₃ and the like. Hence
///
/// R = ((λ² + a) F + 2λ cof F − 2 F FᵀF)/(λ³ − aλ − 2j), the divisor being 2(σ₁ + σ₂)(σ₂ + σ₃)(σ₃ + σ₁).
///
/// Rounding leaves an error that is the greater the smaller the divisor; one step of Newton's on the angles squares it: the
/// derivative of tr(QᵀF) by a turn θ of Q is w, twice the axis of the skew part of S, and the second one −(tr S I − S).
#[inline(always)]
fn from_trace_derivative(f: &Mat3, asked: Mask) -> (Mat3, Mask) {
    const MAX_ITERATIONS: usize = 24;
    let size = (inner(f, f) * (1.0 / 3.0)).sqrt();
    let f = scale(1.0 / size, f);
    let c = cofactor(&f);
    let (j, b) = (dot(&f[0], &c[0]), inner(&c, &c));
    // From above, where the polynomial is convex: |F|² = 3 now, so that its roots are at most 3.
    let mut trace = Lanes::splat(3.0);
    let mut found = asked.and(asked.not());
    for _ in 0..MAX_ITERATIONS {
        let square = trace * trace;
        let value = (square - 6.0) * square - 8.0 * (j * trace) + (9.0 - 4.0 * b);
        let step = value / (4.0 * ((square - 3.0) * trace - 2.0 * j));
        trace = found.select(trace, trace - step);
        found = found.or(step.below(Lanes::splat(1e-8)));
        if found.or(asked.not()).all() {
            break;
        }
    }
    let square = trace * trace;
    let divisor = (square - 3.0) * trace - 2.0 * j;
    let ffff = mul(&f, &transpose_mul(&f, &f));
    let r = mat3(|i, j| {
        ((square + 3.0) * f[i][j] + 2.0 * (trace * c[i][j]) - 2.0 * ffff[i][j]) / divisor
    });
    // Its own rotation first: what is not one would look like a turn.
    let c = cofactor(&r);
    let det = dot(&r[0], &c[0]);
    let r = newton_step(&r, &c, det);
    let s = transpose_mul(&r, &f);
    let h = mat3(|i, j| {
        let half = -0.5 * (s[i][j] + s[j][i]);
        if i == j { trace + half } else { half }
    });
    let inverse = cofactor(&h);
    let w = [s[2][1] - s[1][2], s[0][2] - s[2][0], s[1][0] - s[0][1]];
    let over = 1.0 / dot(&h[0], &inverse[0]);
    let t = vec3(|i| over * dot(&inverse[i], &w));
    // I + [θ] + [θ]²/2.
    let long = 1.0 - 0.5 * dot(&t, &t);
    let turn = [
        [
            long + 0.5 * t[0] * t[0],
            0.5 * (t[0] * t[1]) - t[2],
            0.5 * (t[0] * t[2]) + t[1],
        ],
        [
            0.5 * (t[0] * t[1]) + t[2],
            long + 0.5 * t[1] * t[1],
            0.5 * (t[1] * t[2]) - t[0],
        ],
        [
            0.5 * (t[0] * t[2]) - t[1],
            0.5 * (t[1] * t[2]) + t[0],
            long + 0.5 * t[2] * t[2],
        ],
    ];
    let near = dot(&t, &t)
        .below(Lanes::splat(1e-12))
        .and((det - 1.0).abs().below(Lanes::splat(1e-6)))
        .and(divisor.above(Lanes::splat(1e-3)));
    (mul(&r, &turn), asked.and(near))
}

/// (X + X⁻ᵀ)/2 from the cofactors and the determinant of X.
#[inline(always)]
fn newton_step(x: &Mat3, c: &Mat3, det: Lanes) -> Mat3 {
    let half = 0.5 / det;
    mat3(|i, j| 0.5 * x[i][j] + half * c[i][j])
}

/// The rotation of lanes that are well_conditioned, and which of them have found it.
#[inline(always)]
fn newton(f: &Mat3, well_conditioned: Mask) -> (Mat3, Mask) {
    const MAX_ITERATIONS: usize = 12;
    let c = cofactor(f);
    let mut x = newton_step(f, &c, dot(&f[0], &c[0]));
    let mut found = well_conditioned.and(well_conditioned.not());
    for _ in 1..MAX_ITERATIONS {
        let c = cofactor(&x);
        let det = dot(&x[0], &c[0]);
        let next = newton_step(&x, &c, det);
        x = mat3(|i, j| found.select(x[i][j], next[i][j]));
        // All singular values are at least one by now, so that their product bounds each: what is left is its square.
        found = found.or(well_conditioned.and((det - 1.0).below(Lanes::splat(1e-8))));
        if found.or(well_conditioned.not()).all() {
            break;
        }
    }
    (x, found)
}
