//! Gradients and Hessians of squared distances, see the formulas of the [parent module](super).

use mesh::vector::{add, cross, dot, scale, sub};

use super::closest::{Feature, Point, WELL_CONDITIONED, project_to_plane};

/// The vector r = Σ wᵢ xᵢ between the closest points of a feature, and its dependence on the points.
///
/// Besides the derivatives of d², this gives contact forces and relative velocities: a point takes the share wᵢ of a force
/// along r, and Σ wᵢ vᵢ is the velocity of the first primitive relative to the second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Combination {
    /// Weights wᵢ of the stencil's points; their sum is zero.
    pub weights: [f64; 4],
    /// The vector r.
    pub r: Point,
    /// Number of parameters q of the closest points: 0 to 2.
    pub parameters: usize,
    /// Derivatives E = ∂r/∂q: edges of the primitives.
    pub edges: [Point; 2],
    /// Derivatives ∂wᵢ/∂q: for each parameter −1, 0 or 1 for each point.
    pub weight_slopes: [[f64; 4]; 2],
    /// Position of the feature's last point in the stencil.
    pub last: usize,
}

/// Computes the vector between the closest points of a feature. Lines and planes are infinite here: the parameters are not
/// clamped to the primitives.
#[inline]
pub fn combination(feature: Feature, x: &[Point; 4]) -> Combination {
    match feature {
        Feature::PointPoint(at) => point_point(at.map(usize::from), x),
        Feature::PointEdge(at) => point_line(at.map(usize::from), x),
        Feature::PointTriangle => point_plane(x),
        Feature::EdgeEdge => line_line(x),
    }
}

#[inline]
fn point_point([p, q]: [usize; 2], x: &[Point; 4]) -> Combination {
    let mut weights = [0.0; 4];
    weights[p] = 1.0;
    weights[q] = -1.0;
    Combination {
        weights,
        r: sub(x[p], x[q]),
        parameters: 0,
        edges: [[0.0; 3]; 2],
        weight_slopes: [[0.0; 4]; 2],
        last: q,
    }
}

#[inline]
fn point_line([p, a, b]: [usize; 3], x: &[Point; 4]) -> Combination {
    let (e, ap) = (sub(x[b], x[a]), sub(x[p], x[a]));
    let length2 = dot(e, e);
    let mut s = dot(e, ap) / length2;
    let mut r = sub(ap, scale(s, e));
    let correction = dot(e, r) / length2;
    s += correction;
    r = sub(r, scale(correction, e));
    let (mut weights, mut slope) = ([0.0; 4], [0.0; 4]);
    weights[p] = 1.0;
    weights[a] = s - 1.0;
    weights[b] = -s;
    slope[a] = 1.0;
    slope[b] = -1.0;
    Combination {
        weights,
        r,
        parameters: 1,
        edges: [scale(-1.0, e), [0.0; 3]],
        weight_slopes: [slope, [0.0; 4]],
        last: b,
    }
}

#[inline]
fn point_plane(x: &[Point; 4]) -> Combination {
    let Some(plane) = project_to_plane(x) else {
        // A triangle without area has no plane. Closest features never ask for it.
        return point_point([0, 3], x);
    };
    let [o, i, j] = plane.vertices;
    let mut weights = [1.0, 0.0, 0.0, 0.0];
    weights[i] = -plane.v;
    weights[j] = -plane.w;
    weights[o] = plane.v + plane.w - 1.0;
    let mut slopes = [[0.0; 4]; 2];
    for (slope, end) in slopes.iter_mut().zip([i, j]) {
        slope[end] = -1.0;
        slope[o] = 1.0;
    }
    let edges = plane.edges.map(|e| scale(-1.0, e));
    Combination {
        weights,
        r: plane.r,
        parameters: 2,
        edges,
        weight_slopes: slopes,
        last: 3,
    }
}

#[inline]
fn line_line(x: &[Point; 4]) -> Combination {
    let (ea, eb, ca) = (sub(x[1], x[0]), sub(x[3], x[2]), sub(x[0], x[2]));
    let n = cross(ea, eb);
    let n2 = dot(n, n);
    let s = dot(cross(eb, ca), n) / n2;
    let t = dot(add(ca, scale(s, ea)), eb) / dot(eb, eb);
    let r = if n2 > WELL_CONDITIONED * dot(ea, ea) * dot(eb, eb) {
        scale(dot(ca, n) / n2, n)
    } else {
        sub(add(ca, scale(s, ea)), scale(t, eb))
    };
    Combination {
        weights: [1.0 - s, s, t - 1.0, -t],
        r,
        parameters: 2,
        edges: [ea, scale(-1.0, eb)],
        weight_slopes: [[-1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, -1.0]],
        last: 3,
    }
}

/// Computes d² of a feature, its gradient with respect to the stencil's points and, if asked, its Hessian. Entries of points
/// that are not part of the feature are zero. Stencils of two or three points leave the rest of `x` unused.
///
/// Translations change nothing: the last point of the feature takes minus the sum of the others, so that the gradient's
/// blocks, added in the order of the feature's points, give exactly zero in floating point, and so do the rows of the Hessian
/// above its last block of rows. That block of rows is the transpose of the last block of columns; its sums are zero up to
/// rounding, because the Hessian is exactly symmetric.
pub fn derivatives(
    feature: Feature,
    x: &[Point; 4],
    hessian: Option<&mut [[f64; 12]; 12]>,
) -> (f64, [f64; 12]) {
    let c = combination(feature, x);
    let mut gradient = [0.0; 12];
    let mut others = [0.0; 3];
    for i in (0..4).filter(|&i| i != c.last) {
        for k in 0..3 {
            let g = 2.0 * c.weights[i] * c.r[k];
            gradient[3 * i + k] = g;
            others[k] += g;
        }
    }
    for k in 0..3 {
        gradient[3 * c.last + k] = -others[k];
    }
    if let Some(hessian) = hessian {
        fill_hessian(&c, hessian);
    }
    (dot(c.r, c.r), gradient)
}

/// Writes the Hessian of d²: 2 wᵢ wⱼ I − 2 B (EᵀE)⁻¹ Bᵀ with Bᵢ = wᵢ E + r Dᵢᵀ.
fn fill_hessian(c: &Combination, out: &mut [[f64; 12]; 12]) {
    let mut b = [[0.0; 12]; 2];
    for q in 0..c.parameters {
        for i in 0..4 {
            for k in 0..3 {
                b[q][3 * i + k] = c.weights[i] * c.edges[q][k] + c.weight_slopes[q][i] * c.r[k];
            }
        }
    }
    let inverse = inverse_gram(c);
    let mut scaled = [[0.0; 12]; 2];
    for k in 0..12 {
        scaled[0][k] = 2.0 * (inverse[0] * b[0][k] + inverse[1] * b[1][k]);
        scaled[1][k] = 2.0 * (inverse[1] * b[0][k] + inverse[2] * b[1][k]);
    }
    for i in 0..12 {
        for j in i..12 {
            let mut h = -(scaled[0][i] * b[0][j] + scaled[1][i] * b[1][j]);
            if i % 3 == j % 3 {
                h += 2.0 * c.weights[i / 3] * c.weights[j / 3];
            }
            out[i][j] = h;
            out[j][i] = h;
        }
    }
    balance(c, out);
}

/// Upper triangle of (EᵀE)⁻¹.
fn inverse_gram(c: &Combination) -> [f64; 3] {
    let [e0, e1] = c.edges;
    match c.parameters {
        0 => [0.0; 3],
        1 => [1.0 / dot(e0, e0), 0.0, 0.0],
        _ => {
            let n = cross(e0, e1);
            let n2 = dot(n, n);
            [dot(e1, e1) / n2, -dot(e0, e1) / n2, dot(e0, e0) / n2]
        }
    }
}

/// Makes the blocks of every row add up to zero through the blocks of the last point.
fn balance(c: &Combination, h: &mut [[f64; 12]; 12]) {
    let last = 3 * c.last;
    for i in (0..12).filter(|i| i / 3 != c.last) {
        for k in 0..3 {
            let mut others = 0.0;
            for j in (0..4).filter(|&j| j != c.last) {
                others += h[i][3 * j + k];
            }
            h[i][last + k] = -others;
            h[last + k][i] = -others;
        }
    }
    for l in 0..3 {
        for k in l..3 {
            let mut others = 0.0;
            for j in (0..4).filter(|&j| j != c.last) {
                others += h[last + l][3 * j + k];
            }
            h[last + l][last + k] = -others;
            h[last + k][last + l] = -others;
        }
    }
}
