//! Obstacles: signed distances, continuous collision detection, triangulations.

mod common;

use base::random::Random;
use common::random_point;
use contact::Point;
use contact::ccd::{CcdOptions, point_obstacle};
use contact::distance::point_triangle;
use contact::obstacle::{Frame, Obstacle, height_field, triangulate};
use mesh::vector::{add, cross, dot, norm, scale, sub};

const SHAPES: [Obstacle; 4] = [
    Obstacle::Plane,
    Obstacle::Sphere { radius: 0.6 },
    Obstacle::Capsule {
        half_length: 0.5,
        radius: 0.3,
    },
    Obstacle::OrientedBox {
        half_extents: [0.5, 0.3, 0.7],
    },
];

fn random_frame(random: &mut Random, size: f64) -> Frame {
    let frame = Frame::along(random_point(random, size), random_point(random, 1.0));
    // Turned about its own z axis too.
    let (s, c) = (6.0 * random.unit()).sin_cos();
    let [x, y, z] = frame.axes;
    Frame {
        origin: frame.origin,
        axes: [
            add(scale(c, x), scale(s, y)),
            sub(scale(c, y), scale(s, x)),
            z,
        ],
    }
}

#[test]
fn frames_are_rigid() {
    let mut random = Random::new(31);
    for _ in 0..100 {
        let frame = random_frame(&mut random, 2.0);
        let [x, y, z] = frame.axes;
        for (a, b, wanted) in [
            (x, x, 1.0),
            (y, y, 1.0),
            (x, y, 0.0),
            (y, z, 0.0),
            (x, z, 0.0),
        ] {
            assert!((dot(a, b) - wanted).abs() < 1e-14);
        }
        assert!(norm(sub(cross(x, y), z)) < 1e-14);
        let p = random_point(&mut random, 3.0);
        assert!(norm(sub(frame.to_world(frame.to_local(p)), p)) < 1e-14);
    }
}

#[test]
fn signed_distances_are_those_of_closed_forms() {
    let frame = Frame::along([1.0, 2.0, 3.0], [0.0, 0.0, 2.0]);
    let at = |shape: &Obstacle, p: Point| shape.signed_distance(&frame, frame.to_world(p));
    let [plane, sphere, capsule, cuboid] = SHAPES;
    assert_eq!(at(&plane, [5.0, 6.0, -0.25]), -0.25);
    for (shape, p, wanted) in [
        (&sphere, [0.0, 0.8, 0.6], 0.4),
        (&sphere, [0.1, 0.0, 0.0], -0.5),
        (&sphere, [0.0, 0.0, 0.0], -0.6),
        (&capsule, [0.4, 0.0, 0.3], 0.1),
        (&capsule, [0.0, 0.4, 0.8], 0.2),
        (&capsule, [0.0, 0.0, 0.0], -0.3),
        (&capsule, [0.0, 0.1, -0.2], -0.2),
        (&cuboid, [0.9, 0.0, 0.0], 0.4),
        (&cuboid, [0.8, 0.7, 0.0], 0.5),
        (&cuboid, [0.7, 0.6, -1.3], 0.7),
        (&cuboid, [0.0, 0.0, 0.0], -0.3),
        (&cuboid, [0.45, 0.1, 0.6], -0.05),
    ] {
        let got = at(shape, p);
        assert!((got - wanted).abs() < 1e-14, "{shape:?} {p:?}: {got}");
    }
}

#[test]
fn derivatives_are_those_of_differences() {
    let mut random = Random::new(32);
    let (mut outside, mut inside) = (0, 0);
    for i in 0..4000 {
        let shape = &SHAPES[i % 4];
        let frame = random_frame(&mut random, 1.0);
        let p = frame.to_world(random_point(&mut random, 1.2));
        let mut hessian = [[f64::NAN; 3]; 3];
        let (d, n) = shape.derivatives(&frame, p, Some(&mut hessian));
        assert!((norm(n) - 1.0).abs() < 1e-14);
        let h = 1e-4;
        let moved = |k: usize, s: f64| {
            let mut q = p;
            q[k] += s * h;
            shape.derivatives(&frame, q, None)
        };
        // Differences across an edge of a box's medial planes or the end of a face say nothing.
        let kink = (0..3).any(|k| {
            [-2.0, 2.0].iter().any(|&s| {
                let mut q = p;
                q[k] += s * h;
                let mut other = [[0.0; 3]; 3];
                let (_, m) = shape.derivatives(&frame, q, Some(&mut other));
                let jump = hessian.as_flattened().iter().zip(other.as_flattened());
                norm(sub(m, n)) > 0.1 || jump.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) > 0.1
            })
        });
        if kink || d < -0.28 && matches!(shape, Obstacle::Capsule { .. }) {
            continue;
        }
        let near_axis = 1.0
            / hessian
                .as_flattened()
                .iter()
                .fold(1.0f64, |m, h| m.max(h.abs()));
        let tolerance = 1e-8 / near_axis.powi(4);
        if d > 0.0 {
            outside += 1
        } else {
            inside += 1
        }
        for k in 0..3 {
            let (a, b, c, e) = (moved(k, 1.0), moved(k, -1.0), moved(k, 2.0), moved(k, -2.0));
            let slope = (8.0 * (a.0 - b.0) - (c.0 - e.0)) / (12.0 * h);
            assert!(
                (slope - n[k]).abs() < tolerance,
                "{shape:?} {d}: {slope} {}",
                n[k]
            );
            for j in 0..3 {
                let bend = (8.0 * (a.1[j] - b.1[j]) - (c.1[j] - e.1[j])) / (12.0 * h);
                assert!(
                    (bend - hessian[j][k]).abs() < tolerance,
                    "{shape:?} {d}: {bend} {}",
                    hessian[j][k]
                );
            }
        }
    }
    assert!(outside > 1500 && inside > 400, "{outside} {inside}");
}

/// A triangulation with many segments lies on the surface, is closed and turns outwards.
#[test]
fn triangulations_are_closed_and_turn_outwards() {
    let mut random = Random::new(33);
    for shape in SHAPES {
        let frame = random_frame(&mut random, 2.0);
        for segments in [3, 7, 24] {
            let (points, triangles) = triangulate(&shape, &frame, segments, 1.5);
            let topology = mesh::surface_topology(triangles.iter().map(|t| &t[..]));
            assert!(topology.is_manifold() && topology.inconsistent_edges == 0);
            assert_eq!(topology.vertices, points.len());
            assert_eq!(topology.is_closed(), shape != Obstacle::Plane);
            if shape != Obstacle::Plane {
                assert_eq!(topology.genus, Some(0));
            }
            for p in &points {
                assert!(shape.signed_distance(&frame, *p).abs() < 1e-13);
            }
            for t in &triangles {
                let [a, b, c] = t.map(|v| points[v as usize]);
                let n = cross(sub(b, a), sub(c, a));
                let middle = scale(1.0 / 3.0, add(a, add(b, c)));
                let (_, outward) = shape.derivatives(&frame, middle, None);
                assert!(dot(n, outward) > 0.0, "{shape:?}");
            }
        }
    }
}

/// Volumes of fine triangulations are those of the shapes.
#[test]
fn triangulations_fill_the_shapes() {
    let volume = |shape: &Obstacle| -> f64 {
        let (p, t) = triangulate(shape, &Frame::IDENTITY, 200, 1.0);
        let part = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|v| p[v as usize]);
            dot(a, cross(b, c)) / 6.0
        };
        t.iter().map(part).sum()
    };
    let pi = std::f64::consts::PI;
    for (shape, wanted) in [
        (SHAPES[1], 4.0 / 3.0 * pi * 0.216),
        (SHAPES[2], 4.0 / 3.0 * pi * 0.027 + pi * 0.09),
        (SHAPES[3], 8.0 * 0.5 * 0.3 * 0.7),
    ] {
        let got = volume(&shape);
        assert!(
            (got / wanted - 1.0).abs() < 2e-3,
            "{shape:?}: {got} {wanted}"
        );
    }
}

#[test]
fn a_height_field_has_its_heights() {
    let frame = Frame::along([1.0, 0.0, 0.0], [0.0, 0.0, 1.0]);
    let heights: Vec<f64> = (0..12).map(|k| f64::from(k % 4) * 0.1).collect();
    let (points, triangles) = height_field(&frame, &heights, 4, [0.5, 0.25]);
    assert_eq!((points.len(), triangles.len()), (12, 12));
    for (p, h) in points.iter().zip(&heights) {
        assert!((frame.to_local(*p)[2] - h).abs() < 1e-15);
    }
    for t in &triangles {
        let [a, b, c] = t.map(|v| points[v as usize]);
        assert!(cross(sub(b, a), sub(c, a))[2] > 0.0);
    }
    let topology = mesh::surface_topology(triangles.iter().map(|t| &t[..]));
    assert_eq!((topology.open_edges, topology.euler), (10, 1));
    assert!(height_field(&frame, &heights, 0, [1.0; 2]).1.is_empty());
    assert!(
        height_field(&frame, &heights[..4], 4, [1.0; 2])
            .1
            .is_empty()
    );
}

/// A frame whose points have gone the part t of straight lines; its axes are not unit vectors between the ends.
fn between(frames: &[Frame; 2], t: f64) -> Frame {
    let mix = |a: Point, b: Point| add(scale(1.0 - t, a), scale(t, b));
    Frame {
        origin: mix(frames[0].origin, frames[1].origin),
        axes: [0, 1, 2].map(|k| mix(frames[0].axes[k], frames[1].axes[k])),
    }
}

/// Distance of a point from the image of a shape under a frame with axes of any length, by a fine triangulation: a lower
/// bound up to the given error. Negative if the point is inside.
fn distance_of_image(shape: &Obstacle, frame: &Frame, p: Point) -> f64 {
    let [x, y, z] = frame.axes;
    let volume = dot(x, cross(y, z));
    let r = sub(p, frame.origin);
    let local = [cross(y, z), cross(z, x), cross(x, y)].map(|dual| dot(dual, r) / volume);
    let inside = shape.signed_distance(&Frame::IDENTITY, local) <= 0.0;
    if *shape == Obstacle::Plane {
        let n = cross(x, y);
        return dot(n, r) / norm(n);
    }
    let (points, triangles) = triangulate(shape, frame, 24, 1.0);
    let distance = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|v| points[v as usize]);
        point_triangle(&[p, a, b, c]).1.sqrt()
    };
    let least = triangles.iter().map(distance).fold(f64::INFINITY, f64::min);
    if inside { -least } else { least }
}

#[test]
fn points_keep_their_distance_from_moving_obstacles() {
    let mut random = Random::new(34);
    let mut blocked = [0; 4];
    for i in 0..1000 {
        let shape = &SHAPES[i % 4];
        let start = random_frame(&mut random, 0.3);
        let turns = random.coin();
        let mut end = if turns {
            // A turn by up to about 60°.
            let z = add(start.axes[2], random_point(&mut random, 0.5));
            let mut frame = Frame::along(start.origin, z);
            let x = start.axes[0];
            let z = frame.axes[2];
            let x = sub(x, scale(dot(x, z), z));
            frame.axes[0] = scale(1.0 / norm(x), x);
            frame.axes[1] = cross(z, frame.axes[0]);
            frame
        } else {
            start
        };
        end.origin = add(end.origin, random_point(&mut random, 0.5));
        let frames = [start, end];
        let path = [
            random_point(&mut random, 2.0),
            random_point(&mut random, 1.0),
        ];
        let options = CcdOptions {
            thickness: 0.02,
            ..CcdOptions::default()
        };
        let d0 = shape.signed_distance(&start, path[0]);
        let t = point_obstacle(shape, &frames, &path, &options);
        if d0 <= 0.02 {
            assert_eq!(t, 0.0);
            continue;
        }
        let kept = 0.02 + 0.1 * (d0 - 0.02);
        let at = |s: f64| {
            let p = add(scale(1.0 - s, path[0]), scale(s, path[1]));
            let frame = between(&frames, s);
            if turns {
                distance_of_image(shape, &frame, p)
            } else {
                shape.signed_distance(&frame, p)
            }
        };
        // Triangulations are inside the shapes: distances from them are not smaller.
        for k in 0..=5 {
            let d = at(t * f64::from(k) / 5.0);
            assert!(d >= kept - 1e-12, "{shape:?} {turns}: {d} below {kept}");
        }
        if t < 1.0 {
            blocked[i % 4] += 1;
            let wanted = kept + 1e-3 * d0 + 1e-12;
            // Obstacles that turn are taken larger than they are between their poses.
            if !turns {
                assert!(
                    at(t) <= wanted,
                    "{shape:?}: {} instead of {kept} of {d0}",
                    at(t)
                );
            }
        }
    }
    assert!(blocked.iter().all(|&b| b > 30), "{blocked:?}");
}

#[test]
fn closed_forms_give_known_times() {
    let still = [Frame::IDENTITY; 2];
    let exact = CcdOptions {
        gap_fraction: 0.0,
        ..CcdOptions::default()
    };
    let mut moved = still;
    moved[1].origin = [0.0, 0.0, 1.0];
    let down = [[0.0, 0.0, 2.0], [0.0, 0.0, 0.0]];
    for (shape, frames, wanted) in [
        (Obstacle::Plane, &moved, 2.0 / 3.0),
        (Obstacle::Sphere { radius: 0.5 }, &still, 0.75),
        (Obstacle::Sphere { radius: 0.5 }, &moved, 0.5),
    ] {
        let t = point_obstacle(&shape, frames, &down, &exact);
        assert!(t <= wanted && t > wanted - 1e-13, "{shape:?}: {t}");
    }
    // A sphere passed sideways: the point at height 0.3 meets it at x = −0.4.
    let aside = [[-2.0, 0.3, 0.0], [2.0, 0.3, 0.0]];
    let t = point_obstacle(&Obstacle::Sphere { radius: 0.5 }, &still, &aside, &exact);
    assert!(t <= 0.4 && t > 0.4 - 1e-13, "{t}");
    let above = [[-2.0, 0.51, 0.0], [2.0, 0.51, 0.0]];
    assert_eq!(
        point_obstacle(&Obstacle::Sphere { radius: 0.5 }, &still, &above, &exact),
        1.0
    );
    // Away from everything.
    for shape in SHAPES {
        let away = [[0.0, 0.0, 2.0], [0.0, 0.0, 4.0]];
        assert_eq!(point_obstacle(&shape, &still, &away, &exact), 1.0);
    }
}
