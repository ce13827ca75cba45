//! Geometric predicates of tetrahedra.

use mesh::vector::{cross, dot, sub};

/// Six times the signed volume of a tetrahedron.
pub(super) fn six_times_volume([a, b, c, d]: [[f64; 3]; 4]) -> f64 {
    dot(cross(sub(b, a), sub(c, a)), sub(d, a))
}

/// Sign of the volume of a tetrahedron; 0 if rounding errors could change it (Shewchuk 1997, static filter of orient3d).
pub(super) fn orient3d([a, b, c, d]: [[f64; 3]; 4]) -> i8 {
    let (u, v, w) = (sub(a, d), sub(b, d), sub(c, d));
    let abs = |x: [f64; 3]| x.map(f64::abs);
    let (ua, va, wa) = (abs(u), abs(v), abs(w));
    let volume = -dot(cross(u, v), w);
    let permanent = wa[0] * (ua[1] * va[2] + ua[2] * va[1])
        + wa[1] * (ua[2] * va[0] + ua[0] * va[2])
        + wa[2] * (ua[0] * va[1] + ua[1] * va[0]);
    let error_bound = 16.0 * f64::EPSILON * permanent;
    i8::from(volume > error_bound) - i8::from(volume < -error_bound)
}
