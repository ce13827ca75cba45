//! Moving points against moving obstacles of simple shapes.
//!
//! All points of an obstacle travel on straight lines between its two poses. If it only translates, it keeps its shape. If it
//! turns, it is smaller between the poses, because a mean of rotations shortens vectors; where that is not followed exactly,
//! the obstacle is taken larger than it is, and the answer is early, never late.

use mesh::vector::{add, cross, dot, norm, scale, sub};

use super::{CONVERGENCE, CcdOptions, MAX_PAIRS, ROUNDING, advance, point_edge};
use crate::Point;
use crate::obstacle::{Frame, Obstacle};

/// Returns the largest part in [0, 1] of its straight path that a point can go without coming too close to an obstacle, which
/// moves from the first to the second frame. It is 1 only if the whole path is free, and never late. It is 0 if the point is
/// within the thickness at the start.
///
/// Closed forms: a root of a linear function for planes that do not turn and of a quadratic one for spheres. Planes that
/// turn, capsules and boxes take a few steps of [additive CCD](super).
pub fn point_obstacle(
    obstacle: &Obstacle,
    frames: &[Frame; 2],
    point: &[Point; 2],
    options: &CcdOptions,
) -> f64 {
    match *obstacle {
        Obstacle::Plane => plane(frames, point, options),
        Obstacle::Sphere { radius } => sphere(frames, point, radius, options),
        Obstacle::Capsule {
            half_length,
            radius,
        } => {
            let stencil = |k: usize| {
                let end = |z: f64| frames[k].to_world([0.0, 0.0, z]);
                [point[k], end(-half_length), end(half_length)]
            };
            let thickness = options.thickness + radius;
            let wider = CcdOptions {
                thickness: thickness + ROUNDING * (norm(frames[0].origin) + norm(frames[1].origin)),
                ..*options
            };
            point_edge(&stencil(0), &stencil(1), &wider)
        }
        Obstacle::OrientedBox { half_extents } => {
            oriented_box(frames, point, half_extents, options)
        }
    }
}

/// Bound of rounding errors for a point and a frame that move.
fn rounding(frames: &[Frame; 2], point: &[Point; 2], size: f64) -> f64 {
    let distance = |k: usize| norm(point[k]) + norm(frames[k].origin);
    ROUNDING * (distance(0) + distance(1) + size)
}

/// First root in [0, 1] of |s + t m| = R, as closed form.
fn sphere(frames: &[Frame; 2], point: &[Point; 2], radius: f64, options: &CcdOptions) -> f64 {
    let start = sub(point[0], frames[0].origin);
    let motion = sub(sub(point[1], frames[1].origin), start);
    let error = rounding(frames, point, radius);
    let distance = norm(start) - error;
    let gap = distance - radius - options.thickness;
    if gap.is_nan() || gap <= 0.0 {
        return 0.0;
    }
    // The distance from the centre that is kept.
    let kept = radius + options.target(gap);
    let approach = -dot(start, motion);
    let speed2 = dot(motion, motion);
    if approach <= 0.0 || speed2 == 0.0 {
        return 1.0;
    }
    // The distance of the line of motion from the centre, by its own vector: b² − a c would lose digits.
    let nearest = norm(add(start, scale(approach / speed2, motion))) - error;
    if nearest >= kept {
        return 1.0;
    }
    let half_chord = if nearest > 0.0 {
        ((kept - nearest) * (kept + nearest)).sqrt()
    } else {
        kept
    };
    let speed = speed2.sqrt();
    let along = approach / speed;
    let until = (distance - kept) * (distance + kept) / (along + half_chord);
    let t = (until - error) / speed;
    if t >= 1.0 { 1.0 } else { t.max(0.0) }
}

/// First t where a point may be below a moving plane.
///
/// With tangents a and b of the plane at time t, the height times |a × b| ≤ 1 is the cubic (p − o)·(a × b).
fn plane(frames: &[Frame; 2], point: &[Point; 2], options: &CcdOptions) -> f64 {
    let start = sub(point[0], frames[0].origin);
    let end = sub(point[1], frames[1].origin);
    let error = rounding(frames, point, 0.0);
    let height = |f: &Frame, r: Point| dot(f.axes[2], r) - error;
    let gap = height(&frames[0], start) - options.thickness;
    if gap.is_nan() || gap <= 0.0 {
        return 0.0;
    }
    let target = options.target(gap);
    // Coefficients of the cubic in Bernstein's basis, minus the target.
    let [a, b] = [0, 1].map(|k| [frames[0].axes[k], frames[1].axes[k]]);
    let (n0, n2) = (frames[0].axes[2], frames[1].axes[2]);
    let n1 = scale(0.5, add(cross(a[0], b[1]), cross(a[1], b[0])));
    let thirds = |x: f64, y: f64| (x + 2.0 * y) / 3.0;
    let cubic = if frames[0].axes == frames[1].axes {
        let (h0, h1) = (dot(n0, start), dot(n0, end));
        [h0, thirds(h1, h0), thirds(h0, h1), h1]
    } else {
        [
            dot(n0, start),
            thirds(dot(n0, end), dot(n1, start)),
            thirds(dot(n2, start), dot(n1, end)),
            dot(n2, end),
        ]
    };
    let cubic = cubic.map(|h| h - error - target);
    first_root(cubic, CONVERGENCE * gap, options.max_steps)
}

/// Lower bound of the first t in [0, 1] where a cubic in Bernstein's basis reaches zero, or 1.
///
/// The graph lies above the lines from the first control point to the others, so the cubic is positive before the first of
/// these lines reaches zero. The rest of the interval is treated likewise, as in Bézier clipping [Sederberg & Nishita 1990].
fn first_root(mut cubic: [f64; 4], enough: f64, max_steps: usize) -> f64 {
    let mut t = 0.0;
    for _ in 0..max_steps.max(1) {
        if cubic[0] <= 0.0 || (t > 0.0 && cubic[0] <= enough) {
            return t;
        }
        if cubic.iter().all(|&c| c > 0.0) {
            return 1.0;
        }
        let mut part = 1.0f64;
        for k in 1..4 {
            // Lines to control points above zero count too: the graph may fall along them first.
            let slope = (cubic[0] - cubic[k]) * 3.0 / k as f64;
            if slope > 0.0 {
                part = part.min(cubic[0] / slope);
            }
        }
        t += part * (1.0 - t);
        cubic = after(cubic, part);
    }
    t
}

/// Control points of a cubic on [s, 1], by de Casteljau's algorithm.
fn after(c: [f64; 4], s: f64) -> [f64; 4] {
    let mix = |a: f64, b: f64| a + s * (b - a);
    let [p, q, r] = [mix(c[0], c[1]), mix(c[1], c[2]), mix(c[2], c[3])];
    let (u, v) = (mix(p, q), mix(q, r));
    [mix(u, v), v, r, c[3]]
}

fn oriented_box(
    frames: &[Frame; 2],
    point: &[Point; 2],
    half_extents: [f64; 3],
    options: &CcdOptions,
) -> f64 {
    let corner =
        |k: usize| [0, 1, 2].map(|i| half_extents[i] * if k >> i & 1 == 0 { -1.0 } else { 1.0 });
    let corners = |frame: &Frame, p: Point| -> [Point; MAX_PAIRS] {
        std::array::from_fn(|k| sub(p, frame.to_world(corner(k))))
    };
    let (from, to) = (corners(&frames[0], point[0]), corners(&frames[1], point[1]));
    let rates: [Point; MAX_PAIRS] = std::array::from_fn(|k| sub(to[k], from[k]));
    let error = rounding(frames, point, 2.0 * norm(half_extents));
    advance(&rates, error, options, 1.0, |t, out| {
        for k in 0..MAX_PAIRS {
            out[k] = add(from[k], scale(t, rates[k]));
        }
        let frame = frames[0].between(&frames[1], t);
        let p = add(point[0], scale(t, sub(point[1], point[0])));
        box_separation(&frame, half_extents, p)
    })
}

/// Vector to a point from the closest point of a box whose axes may be shorter than one and not quite orthogonal.
fn box_separation(frame: &Frame, half_extents: [f64; 3], p: Point) -> Point {
    let [x, y, z] = frame.axes;
    let r = sub(p, frame.origin);
    let volume = dot(x, cross(y, z));
    let duals = [cross(y, z), cross(z, x), cross(x, y)];
    let local = duals.map(|dual| dot(dual, r) / volume);
    let nearest = [0, 1, 2].map(|k| local[k].clamp(-half_extents[k], half_extents[k]));
    let outside = [0, 1, 2].map(|k| local[k] - nearest[k]);
    // With one coordinate outside, the normal of that face separates best, also if the axes are not orthogonal.
    let beyond = |k: usize| outside[k] != 0.0;
    match (0..3).filter(|&k| beyond(k)).count() {
        1 => (0..3).fold([0.0; 3], |n, k| {
            if beyond(k) {
                scale(outside[k].signum() * volume.signum(), duals[k])
            } else {
                n
            }
        }),
        _ => frame.direction_to_world(outside),
    }
}
