//! Energy, force and stiffness of one contact stencil: E = stiffness · weight · m(x) · B(d(x) − offset).
//!
//! B is the barrier function, d the distance of the closest features and m the mollifier of nearly parallel edges
//! [Li et al. 2020, "Incremental Potential Contact", eqs. 6 and 24]. The definite stiffness is
//! stiffness · weight · m B″ ∇d ∇dᵀ: with B″ ≥ 0 it is positive semi-definite without an eigenvalue decomposition. The
//! terms with B′ < 0, which it leaves out, are small beside it because B″ d ≫ |B′| in contact.

use contact::collision::{Collision, NO_POINT};
use contact::distance;
use contact::{Barrier, Point};
use march::Curvature;

/// Gradient of a stencil with respect to its four points.
pub type Gradient = [f64; 12];
/// Second derivative of a stencil with respect to its four points.
pub type Hessian = [[f64; 12]; 12];

/// Positions of the points of a stencil; unused ones are zero.
#[inline]
pub fn gather(c: &Collision, x: &[Point]) -> [Point; 4] {
    c.points.map(|i| {
        if i == NO_POINT {
            [0.0; 3]
        } else {
            x[i as usize]
        }
    })
}

/// Mollifier of a stencil: value, gradient and, if asked for, second derivative. `None` if it has none.
#[inline]
fn mollifier(
    c: &Collision,
    x: &[Point; 4],
    hessian: Option<&mut Hessian>,
) -> Option<(f64, Gradient)> {
    // Edges at a larger angle have none either.
    if c.mollified_below == 0.0 || contact::squared_area(x) >= c.mollified_below {
        return None;
    }
    Some(contact::mollifier(x, c.mollified_below, hessian))
}

/// Energy of a stencil over the stiffness, m³.
pub fn energy(c: &Collision, barrier: &Barrier, x: &[Point; 4]) -> f64 {
    let b = barrier.value(c.distance - c.offset);
    let m = mollifier(c, x, None).map_or(1.0, |(m, _)| m);
    c.weight * m * b
}

/// Normal force of a stencil over the stiffness, m²; negative if it corrects a double count.
pub fn normal_force(c: &Collision, barrier: &Barrier, x: &[Point]) -> f64 {
    let slope = barrier.derivatives(c.distance - c.offset)[1];
    let m = mollifier(c, &gather(c, x), None).map_or(1.0, |(m, _)| m);
    -c.weight * m * slope
}

/// Force on the points of a stencil over the stiffness, m². The last point takes minus the sum of the others.
#[inline]
pub fn force(c: &Collision, barrier: &Barrier, x: &[Point; 4]) -> Gradient {
    let between = distance::combination(c.feature, x);
    let [b, b1, _] = barrier.derivatives(c.distance - c.offset);
    // ∇d = w r / d for the weight w of a point in the vector r between the closest points.
    let slope = -c.weight * b1 / c.distance;
    let mut f = [0.0; 12];
    match mollifier(c, x, None) {
        None => {
            let r = between.r.map(|r| slope * r);
            for (p, w) in between.weights.into_iter().enumerate() {
                (0..3).for_each(|k| f[3 * p + k] = w * r[k]);
            }
        }
        Some((m, dm)) => {
            for (i, f) in f.iter_mut().enumerate() {
                *f = slope * m * between.weights[i / 3] * between.r[i % 3] - c.weight * b * dm[i];
            }
        }
    }
    let last = match c.points {
        [_, _, NO_POINT, _] => 1,
        [_, _, _, NO_POINT] => 2,
        _ => 3,
    };
    for k in 0..3 {
        let mut others = 0.0;
        (0..last).for_each(|p| others += f[3 * p + k]);
        f[3 * last + k] = -others;
    }
    f
}

/// Second derivative of the energy of a stencil over the stiffness, m, exact or definite.
pub fn stiffness(
    c: &Collision,
    barrier: &Barrier,
    x: &[Point; 4],
    curvature: Curvature,
    out: &mut Hessian,
) {
    let d = c.distance;
    let [b, b1, b2] = barrier.derivatives(d - c.offset);
    if curvature == Curvature::Definite {
        let (_, grad) = distance::derivatives(c.feature, x, None);
        let m = mollifier(c, x, None).map_or(1.0, |(m, _)| m);
        let scale = (c.weight * m * b2).max(0.0) / (4.0 * d * d);
        for (row, gi) in out.iter_mut().zip(grad) {
            *row = grad.map(|gj| scale * gi * gj);
        }
        return;
    }
    let (_, grad) = distance::derivatives(c.feature, x, Some(out));
    // B(d) as a function of D = d²: B_D = B′/(2d), B_DD = (B″ − B′/d)/(4d²).
    let (g1, g2) = (b1 / (2.0 * d), (b2 - b1 / d) / (4.0 * d * d));
    let mut second = [[0.0; 12]; 12];
    let molli = mollifier(c, x, Some(&mut second));
    let m = molli.map_or(1.0, |(m, _)| m);
    for (i, row) in out.iter_mut().enumerate() {
        for (j, h) in row.iter_mut().enumerate() {
            *h = c.weight * m * (g2 * grad[i] * grad[j] + g1 * *h);
            if let Some((_, dm)) = molli {
                *h += c.weight * (b * second[i][j] + g1 * (grad[i] * dm[j] + dm[i] * grad[j]));
            }
        }
    }
}
