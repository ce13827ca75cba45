//! The rotation of the polar decomposition, four matrices at a time.

use super::{
    cofactor, determinant, dot, inner, mat3, mul, mul_transpose, scale, svd, transpose_mul, vec3,
};
use crate::lanes::{Lanes, Mask, Mat3};

/// The rotation nearest to `f`, R = U Vᵀ with det R = 1 even if det F < 0.
///
/// Newton's iteration X ← (X + X⁻ᵀ)/2 [Higham 1986] converges quadratically: four iterations at a strain of 0.1. It needs
/// det F > 0 and a matrix that is not nearly singular. For other matrices R is the derivative of the trace of the stretch,
/// and if σ₂ + σ₃ is nearly zero it is computed from the SVD. The result of a lane does not depend on the others.
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

/// The rotation of the lanes in `asked`, for any sign of det F, and a mask of the lanes in which it was found.
///
/// For F = R S, tr S is the maximum of tr(QᵀF) over rotations Q, hence R = ∂(tr S)/∂F. With a = |F|², b = |cof F|² and
/// j = det F, tr S is the largest root of λ⁴ − 2aλ² − 8jλ + a² − 4b; the other roots are σ₁ − σ₂ − σ₃ and its permutations.
/// Hence
///
/// R = ((λ² + a) F + 2λ cof F − 2 F FᵀF)/(λ³ − aλ − 2j), the divisor being 2(σ₁ + σ₂)(σ₂ + σ₃)(σ₃ + σ₁).
///
/// The rounding error grows as the divisor decreases. One Newton step on the rotation angles squares it: the first
/// derivative of tr(QᵀF) with respect to a rotation θ of Q is w, twice the axial vector of the skew part of S, and the
/// second derivative is −(tr S I − S).
#[inline(always)]
fn from_trace_derivative(f: &Mat3, asked: Mask) -> (Mat3, Mask) {
    const MAX_ITERATIONS: usize = 24;
    let size = (inner(f, f) * (1.0 / 3.0)).sqrt();
    let f = scale(1.0 / size, f);
    let c = cofactor(&f);
    let (j, b) = (dot(&f[0], &c[0]), inner(&c, &c));
    // Newton's method from above, where the polynomial is convex: |F|² = 3 after scaling, so all roots are at most 3.
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
    // Make r orthogonal first: its deviation would be taken for a rotation.
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

/// Newton step (X + X⁻ᵀ)/2 from the cofactors and the determinant of X.
#[inline(always)]
fn newton_step(x: &Mat3, c: &Mat3, det: Lanes) -> Mat3 {
    let half = 0.5 / det;
    mat3(|i, j| 0.5 * x[i][j] + half * c[i][j])
}

/// The rotation of well-conditioned lanes by Newton's iteration, and a mask of the lanes that converged.
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
        // All singular values are at least one now, so each is bounded by the determinant. The next step squares the
        // error.
        found = found.or(well_conditioned.and((det - 1.0).below(Lanes::splat(1e-8))));
        if found.or(well_conditioned.not()).all() {
            break;
        }
    }
    (x, found)
}
