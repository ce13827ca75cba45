//! Arithmetic of vectors with three components.

/// A point or direction in space.
pub(crate) type Vec3 = [f64; 3];

/// Returns a + b.
pub(crate) fn add(a: Vec3, b: Vec3) -> Vec3 {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// Returns a − b.
pub(crate) fn sub(a: Vec3, b: Vec3) -> Vec3 {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// Returns s a.
pub(crate) fn scale(s: f64, a: Vec3) -> Vec3 {
    [s * a[0], s * a[1], s * a[2]]
}

/// Returns the dot product.
pub(crate) fn dot(a: Vec3, b: Vec3) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Returns the cross product.
pub(crate) fn cross(a: Vec3, b: Vec3) -> Vec3 {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

/// Returns the Euclidean norm.
pub(crate) fn norm(a: Vec3) -> f64 {
    dot(a, a).sqrt()
}

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
