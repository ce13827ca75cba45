//! Volumes and orientations of tetrahedra.

use mesh::vector::{cross, dot, sub};

/// Six times the signed volume of a tetrahedron.
pub(super) fn six_volumes([a, b, c, d]: [[f64; 3]; 4]) -> f64 {
    dot(cross(sub(b, a), sub(c, a)), sub(d, a))
}

/// The sign of six times the signed volume; 0 where rounding could have made it (Shewchuk 1997, the static filter of
/// orient3d).
pub(super) fn side([a, b, c, d]: [[f64; 3]; 4]) -> i8 {
    let (u, v, w) = (sub(a, d), sub(b, d), sub(c, d));
    let abs = |x: [f64; 3]| x.map(f64::abs);
    let (ua, va, wa) = (abs(u), abs(v), abs(w));
    let volume = -dot(cross(u, v), w);
    let permanent = wa[0] * (ua[1] * va[2] + ua[2] * va[1])
        + wa[1] * (ua[2] * va[0] + ua[0] * va[2])
        + wa[2] * (ua[0] * va[1] + ua[1] * va[0]);
    let doubt = 16.0 * f64::EPSILON * permanent;
    i8::from(volume > doubt) - i8::from(volume < -doubt)
}
