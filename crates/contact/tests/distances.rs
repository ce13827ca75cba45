//! Distances, closest features and their derivatives.

mod common;

use std::collections::BTreeMap;

use base::random::Random;
use common::{close, gradient, jacobian, number, point, random_point, reference};
use contact::Point;
use contact::distance::{Feature, derivatives, edge_edge, point_edge, point_triangle};
use mesh::vector::{add, cross, dot, norm, scale, sub};

#[test]
fn point_triangle_distances_are_those_of_the_reference() {
    let Some(data) = reference("ipc_distance_cases.json") else {
        return;
    };
    let data = &data["point_triangle"];
    let [a, b, c] = ["t0", "t1", "t2"].map(|k| point(&data[k]));
    let cases = data["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 833);
    for case in cases {
        let x = [point(&case[1]), a, b, c];
        let (feature, d2) = point_triangle(&x);
        close(d2, number(&case[2]), 1e-12);
        close(derivatives(feature, &x, None).0, number(&case[2]), 1e-12);
    }
}

#[test]
fn edge_edge_distances_are_those_of_the_reference() {
    let Some(data) = reference("ipc_distance_cases.json") else {
        return;
    };
    let data = &data["edge_edge"];
    let [c, d] = ["eb0", "eb1"].map(|k| point(&data[k]));
    let cases = data["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 1575);
    for case in cases {
        let x = [point(&case[0]), point(&case[1]), c, d];
        let wanted = number(&case[2]);
        let (feature, d2) = edge_edge(&x);
        close(d2, wanted, 1e-12);
        close(derivatives(feature, &x, None).0, wanted, 1e-12);
        let swapped = [c, d, x[1], x[0]];
        close(edge_edge(&swapped).1, wanted, 1e-12);
    }
}

/// Squared distance of a point and a triangle by minimisation over its barycentric coordinates: the best of all features
/// whose closest point lies in the triangle.
fn brute_point_triangle(x: &[Point; 4]) -> f64 {
    let [p, a, b, c] = *x;
    let mut best = [(a, b), (b, c), (c, a)]
        .map(|(a, b)| point_edge(&[p, a, b]).1)
        .into_iter()
        .fold(f64::INFINITY, f64::min);
    let n = cross(sub(b, a), sub(c, a));
    let inside = [(a, b), (b, c), (c, a)]
        .iter()
        .all(|&(a, b)| dot(cross(sub(b, a), sub(p, a)), n) >= 0.0);
    if inside {
        best = best.min(dot(sub(p, a), n).powi(2) / dot(n, n));
    }
    best
}

/// Squared distance of two segments by alternating projections from many starts.
fn brute_edge_edge(x: &[Point; 4]) -> f64 {
    let on = |a: Point, b: Point, p: Point| {
        let e = sub(b, a);
        let s = (dot(e, sub(p, a)) / dot(e, e)).clamp(0.0, 1.0);
        add(a, scale(s, e))
    };
    let mut p = scale(0.5, add(x[0], x[1]));
    let mut q = p;
    for _ in 0..3000 {
        q = on(x[2], x[3], p);
        p = on(x[0], x[1], q);
    }
    let r = sub(p, q);
    dot(r, r)
}

#[test]
fn random_distances_are_those_of_plain_searches() {
    let mut random = Random::new(1);
    for _ in 0..4000 {
        let x = [(); 4].map(|()| random_point(&mut random, 1.0));
        close(point_triangle(&x).1, brute_point_triangle(&x), 1e-12);
    }
    for _ in 0..1500 {
        let x = [(); 4].map(|()| random_point(&mut random, 1.0));
        let n = cross(sub(x[1], x[0]), sub(x[3], x[2]));
        if norm(n) > 0.3 * norm(sub(x[1], x[0])) * norm(sub(x[3], x[2])) {
            close(edge_edge(&x).1, brute_edge_edge(&x), 1e-11);
        }
    }
}

/// Point of a stencil in the unit coordinates of a given class: base features and the offset between them.
fn every_class() -> BTreeMap<String, usize> {
    let mut random = Random::new(2);
    let mut classes = BTreeMap::new();
    for _ in 0..3000 {
        let x = [(); 4].map(|()| random_point(&mut random, 1.0));
        *classes
            .entry(format!("pt {:?}", point_triangle(&x).0))
            .or_insert(0) += 1;
        *classes
            .entry(format!("ee {:?}", edge_edge(&x).0))
            .or_insert(0) += 1;
        *classes
            .entry(format!("pe {:?}", point_edge(&[x[0], x[1], x[2]]).0))
            .or_insert(0) += 1;
    }
    classes
}

#[test]
fn all_classes_occur() {
    let classes = every_class();
    let count = |kind: &str| classes.keys().filter(|k| k.starts_with(kind)).count();
    assert_eq!(
        (count("pt"), count("ee"), count("pe")),
        (7, 9, 3),
        "{classes:?}"
    );
}

/// Checks value, gradient and Hessian of a feature at x by differences with steps of `h`.
#[track_caller]
fn check_derivatives(feature: Feature, x: &[Point; 4], h: f64, tolerance: f64) {
    let mut hessian = [[f64::NAN; 12]; 12];
    let (_, g) = derivatives(feature, x, Some(&mut hessian));
    let value = |x: &[Point; 4]| derivatives(feature, x, None).0;
    let by_differences = gradient(value, x, h);
    let size = g.iter().fold(0.0f64, |m, g| m.max(g.abs()));
    for i in 0..12 {
        assert!(
            (g[i] - by_differences[i]).abs() <= tolerance * size,
            "{feature:?} gradient {i}: {} instead of {}",
            g[i],
            by_differences[i]
        );
    }
    let by_differences = jacobian(|x| derivatives(feature, x, None).1, x, h);
    let size = hessian
        .as_flattened()
        .iter()
        .fold(0.0f64, |m, g| m.max(g.abs()));
    for i in 0..12 {
        for j in 0..12 {
            assert!(
                (hessian[i][j] - by_differences[i][j]).abs() <= 10.0 * tolerance * size,
                "{feature:?} Hessian {i} {j}: {} instead of {}",
                hessian[i][j],
                by_differences[i][j]
            );
            assert_eq!(hessian[i][j], hessian[j][i], "{feature:?}: not symmetric");
        }
    }
}

#[test]
fn derivatives_are_those_of_differences_in_every_class() {
    let mut random = Random::new(3);
    let mut seen = BTreeMap::new();
    for _ in 0..600 {
        let x = [(); 4].map(|()| random_point(&mut random, 1.0));
        for (kind, feature) in [
            ("pt", point_triangle(&x).0),
            ("ee", edge_edge(&x).0),
            ("pe", point_edge(&[x[0], x[1], x[2]]).0),
        ] {
            let well_shaped = match feature {
                Feature::EdgeEdge => norm(cross(sub(x[1], x[0]), sub(x[3], x[2]))) > 0.1,
                Feature::PointTriangle => norm(cross(sub(x[2], x[1]), sub(x[3], x[1]))) > 0.1,
                Feature::PointEdge(at) => {
                    norm(sub(x[usize::from(at[2])], x[usize::from(at[1])])) > 0.2
                }
                Feature::PointPoint(_) => true,
            };
            if well_shaped {
                check_derivatives(feature, &x, 1e-3, 1e-6);
                *seen.entry(format!("{kind} {feature:?}")).or_insert(0) += 1;
            }
        }
    }
    assert_eq!(seen.len(), 19, "{seen:?}");
}

#[test]
fn derivatives_are_those_of_differences_near_degenerate_states() {
    let mut random = Random::new(4);
    for exponent in 1..=3 {
        let thin = 10.0f64.powi(-exponent);
        for _ in 0..20 {
            let mut bent = |x: Point| add(x, random_point(&mut random, 0.05));
            // A flat triangle, and edges that are nearly parallel.
            let [a, b] = [bent([0.0, 0.0, 0.0]), bent([1.0, 0.0, 0.0])];
            let along = sub(b, a);
            let c = add(add(a, scale(0.4, along)), [0.0, thin, 0.0]);
            let p = add(add(a, scale(0.5, along)), [0.0, 0.3 * thin, 0.2]);
            check_derivatives(Feature::PointTriangle, &[p, a, b, c], 1e-2 * thin, 1e-5);
            let [e, f] = [
                add(a, [0.1, -0.5 * thin, 0.2]),
                add(b, [0.1, 0.5 * thin, 0.2]),
            ];
            check_derivatives(Feature::EdgeEdge, &[a, b, e, f], 1e-2 * thin, 1e-5);
        }
    }
}

#[test]
fn sums_over_the_points_vanish_in_floating_point() {
    let mut random = Random::new(5);
    let mut worst = 0.0f64;
    for _ in 0..2000 {
        let x = [(); 4].map(|()| random_point(&mut random, 1.0));
        for feature in [point_triangle(&x).0, edge_edge(&x).0] {
            let mut hessian = [[0.0; 12]; 12];
            let (_, g) = derivatives(feature, &x, Some(&mut hessian));
            let order: Vec<usize> = match feature {
                Feature::PointPoint(at) => at.map(usize::from).to_vec(),
                Feature::PointEdge([p, a, b]) => {
                    let mut first = [usize::from(p), usize::from(a)];
                    first.sort_unstable();
                    vec![first[0], first[1], usize::from(b)]
                }
                _ => vec![0, 1, 2, 3],
            };
            let last = *order.last().unwrap();
            for k in 0..3 {
                let sum = order.iter().fold(0.0, |s, i| s + g[3 * i + k]);
                assert_eq!(sum, 0.0, "{feature:?}");
                for row in (0..12).filter(|r| r / 3 != last) {
                    let sum = order.iter().fold(0.0, |s, i| s + hessian[row][3 * i + k]);
                    assert_eq!(sum, 0.0, "{feature:?} row {row}");
                }
                let size = hessian
                    .as_flattened()
                    .iter()
                    .fold(0.0f64, |m, h| m.max(h.abs()));
                let sum = order
                    .iter()
                    .fold(0.0, |s, i| s + hessian[3 * last + k][3 * i + k]);
                worst = worst.max(sum.abs() / size);
            }
        }
    }
    assert!(worst < 1e-14, "{worst:e}");
}

#[test]
fn slivers_and_parallel_edges_lose_no_digits() {
    let mut random = Random::new(6);
    for exponent in 0..=15 {
        let thin = 10.0f64.powi(-exponent);
        for _ in 0..200 {
            // Everything in one direction e plus a little: distances are known by construction.
            let e = random_point(&mut random, 1.0);
            let e = scale(1.0 / norm(e), e);
            let side = cross(e, random_point(&mut random, 1.0));
            let side = scale(1.0 / norm(side), side);
            let up = cross(e, side);
            let at = |x: f64, y: f64, z: f64| add(add(scale(x, e), scale(y, side)), scale(z, up));
            let height = 1e-3;
            let (s, t) = (random.between(0.2, 0.8), random.between(0.1, 0.9));
            // Point above a flat triangle whose obtuse corner is off by `thin`.
            let x = [
                at(0.5, 0.25 * thin, height),
                at(0.0, 0.0, 0.0),
                at(1.0, 0.0, 0.0),
                at(s, thin, 0.0),
            ];
            let d = point_triangle(&x).1.sqrt();
            assert!((d - height).abs() < 4e-15, "{exponent}: {:e}", d - height);
            // Edges crossing at a small angle.
            let x = [
                at(0.0, 0.0, 0.0),
                at(1.0, 0.0, 0.0),
                at(0.0, -t * thin, height),
                at(1.0, (1.0 - t) * thin, height),
            ];
            let d = edge_edge(&x).1.sqrt();
            assert!((d - height).abs() < 4e-15, "{exponent}: {:e}", d - height);
        }
    }
}

#[test]
fn degenerate_primitives_have_distances() {
    let o = [0.0; 3];
    let e = |x: f64| [x, 0.0, 0.0];
    let p = [0.5, 2.0, 0.0];
    assert_eq!(point_edge(&[p, o, o]).1, 4.25);
    assert_eq!(point_triangle(&[p, o, o, o]).1, 4.25);
    assert_eq!(point_triangle(&[p, o, e(1.0), e(2.0)]).1, 4.0);
    assert_eq!(edge_edge(&[o, o, o, o]).1, 0.0);
    assert_eq!(edge_edge(&[p, p, o, e(1.0)]).1, 4.0);
    assert_eq!(edge_edge(&[o, e(1.0), p, p]).1, 4.0);
    // Parallel, side by side and one behind the other.
    let up = |x: f64| [x, 3.0, 0.0];
    let (feature, d2) = edge_edge(&[o, e(1.0), up(0.5), up(2.0)]);
    assert!(matches!(feature, Feature::PointEdge(_)), "{feature:?}");
    assert_eq!(d2, 9.0);
    let (feature, d2) = edge_edge(&[o, e(1.0), up(5.0), up(6.0)]);
    assert_eq!((feature, d2), (Feature::PointPoint([1, 2]), 25.0));
    let (_, d2) = edge_edge(&[o, e(1.0), e(2.0), e(3.0)]);
    assert_eq!(d2, 1.0);
}
