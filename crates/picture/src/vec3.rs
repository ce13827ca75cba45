//! Arithmetic of vectors with three components.

pub(crate) use mesh::vector::{add, cross, dot, norm, scale, sub};

/// A point or direction in space.
pub(crate) type Vec3 = [f64; 3];

/// Returns `a` normalised, or `otherwise` if it has no direction.
pub(crate) fn unit_or(a: Vec3, otherwise: Vec3) -> Vec3 {
    let n = norm(a);
    if n > 0.0 && n.is_finite() {
        scale(1.0 / n, a)
    } else {
        otherwise
    }
}

/// Returns whether all components are finite.
pub(crate) fn finite(a: Vec3) -> bool {
    a.iter().all(|x| x.is_finite())
}

/// Returns two unit vectors that form a right-handed orthonormal basis with the unit vector `n`.
pub(crate) fn orthonormal_basis(n: Vec3) -> (Vec3, Vec3) {
    let other = if n[0].abs() < 0.7 {
        [1.0, 0.0, 0.0]
    } else {
        [0.0, 1.0, 0.0]
    };
    let a = unit_or(cross(other, n), [0.0, 0.0, 1.0]);
    (a, cross(n, a))
}

/// Returns the smoothstep function: 0 below `a`, 1 above `b`, a cubic between.
pub(crate) fn smoothstep(a: f64, b: f64, x: f64) -> f64 {
    let t = ((x - a) / (b - a)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}
