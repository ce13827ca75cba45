//! Three numbers and what is done with them.

pub(crate) use mesh::vector::{add, cross, dot, norm, scale, sub};

/// A point or direction.
pub(crate) type V3 = [f64; 3];

/// `a` at length 1, or `otherwise` where it has no direction.
pub(crate) fn unit_or(a: V3, otherwise: V3) -> V3 {
    let n = norm(a);
    if n > 0.0 && n.is_finite() {
        scale(1.0 / n, a)
    } else {
        otherwise
    }
}

pub(crate) fn finite(a: V3) -> bool {
    a.iter().all(|x| x.is_finite())
}

/// Two directions that make a right-handed frame with the unit direction `n`.
pub(crate) fn beside(n: V3) -> (V3, V3) {
    let other = if n[0].abs() < 0.7 {
        [1.0, 0.0, 0.0]
    } else {
        [0.0, 1.0, 0.0]
    };
    let a = unit_or(cross(other, n), [0.0, 0.0, 1.0]);
    (a, cross(n, a))
}

/// 0 below `a`, 1 above `b`, smooth between.
pub(crate) fn smoothstep(a: f64, b: f64, x: f64) -> f64 {
    let t = ((x - a) / (b - a)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}
