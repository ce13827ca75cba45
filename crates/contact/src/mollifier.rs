//! Mollifier of nearly parallel edges [Li et al. 2020, eq. 24].
//!
//! The distance of two edges is not differentiable where they are parallel. Multiplied by
//! m(x) = (2 − x/eₓ) x/eₓ with x = |a × b|² of the edges a and b, its potential becomes C¹ there; m = 1 for x ≥ eₓ. The
//! threshold eₓ = 10⁻³ |a₀|²|b₀|² belongs to the edges at rest.

use mesh::vector::{cross, dot, sub};

use crate::Point;

/// Share of |a₀|²|b₀|² below which edges are mollified [Li et al. 2020, section 5.4].
const THRESHOLD: f64 = 1e-3;

/// Threshold eₓ of two edges with these squared lengths at rest, m⁴.
pub fn mollifier_threshold(a: f64, b: f64) -> f64 {
    THRESHOLD * a * b
}

/// The function m(x), its first and its second derivative with respect to x, for a threshold eₓ.
pub fn mollifier_of(x: f64, threshold: f64) -> [f64; 3] {
    if x >= threshold {
        return [1.0, 0.0, 0.0];
    }
    let y = x / threshold;
    [
        (2.0 - y) * y,
        2.0 * (1.0 - y) / threshold,
        -2.0 / (threshold * threshold),
    ]
}

/// Squared area |a × b|² of the edges a = x₁ − x₀ and b = x₃ − x₂, m⁴.
#[inline]
pub fn squared_area(x: &[Point; 4]) -> f64 {
    let n = cross(sub(x[1], x[0]), sub(x[3], x[2]));
    dot(n, n)
}

/// Computes m of the edges x₀–x₁ and x₂–x₃, its gradient with respect to the four points and, if asked, its Hessian.
///
/// The blocks of the gradient and of the rows of the Hessian add up to zero for each edge.
pub fn mollifier(
    x: &[Point; 4],
    threshold: f64,
    hessian: Option<&mut [[f64; 12]; 12]>,
) -> (f64, [f64; 12]) {
    let (a, b) = (sub(x[1], x[0]), sub(x[3], x[2]));
    let n = cross(a, b);
    let [m, slope, curvature] = mollifier_of(dot(n, n), threshold);
    let (ga, gb) = (cross(b, n), cross(n, a));
    // Gradient of |a × b|² with respect to (a, b).
    let mut inner = [0.0; 6];
    for k in 0..3 {
        inner[k] = 2.0 * ga[k];
        inner[3 + k] = 2.0 * gb[k];
    }

    let mut gradient = [0.0; 12];
    for k in 0..3 {
        gradient[k] = -slope * inner[k];
        gradient[3 + k] = slope * inner[k];
        gradient[6 + k] = -slope * inner[3 + k];
        gradient[9 + k] = slope * inner[3 + k];
    }
    if let Some(out) = hessian {
        *out = [[0.0; 12]; 12];
        if slope != 0.0 || curvature != 0.0 {
            let second = squared_area_hessian(a, b);
            for i in 0..12 {
                for j in 0..12 {
                    let (si, sj) = (sign(i), sign(j));
                    let (p, q) = (coordinate(i), coordinate(j));
                    let h = curvature * inner[p] * inner[q] + slope * second[p][q];
                    out[i][j] = si * sj * h;
                }
            }
        }
    }
    (m, gradient)
}

/// Coordinate of the edges (a, b) that coordinate `i` of the points acts on.
fn coordinate(i: usize) -> usize {
    i % 3 + 3 * (i / 6)
}

/// Sign with which coordinate `i` of the points enters its edge.
fn sign(i: usize) -> f64 {
    if (i / 3).is_multiple_of(2) { -1.0 } else { 1.0 }
}

/// Hessian of |a × b|² = |a|²|b|² − (a·b)² with respect to (a, b).
fn squared_area_hessian(a: Point, b: Point) -> [[f64; 6]; 6] {
    let (aa, bb, ab) = (dot(a, a), dot(b, b), dot(a, b));
    let mut h = [[0.0; 6]; 6];
    for i in 0..3 {
        for j in 0..3 {
            let one = f64::from(u8::from(i == j));
            h[i][j] = 2.0 * (bb * one - b[i] * b[j]);
            h[3 + i][3 + j] = 2.0 * (aa * one - a[i] * a[j]);
            h[i][3 + j] = 4.0 * a[i] * b[j] - 2.0 * b[i] * a[j] - 2.0 * ab * one;
            h[3 + j][i] = h[i][3 + j];
        }
    }
    h
}
