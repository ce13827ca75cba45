//! The exact edge–triangle test, and continuous collision detection of whole surfaces against it.

mod common;

use base::random::Random;
use common::random_point;
use contact::broad::{BroadPhase, Candidates};
use contact::ccd::{self, CcdOptions, free_fraction};
use contact::intersect::{Intersection, edge_intersects_triangle, intersections};
use contact::{CollisionSurface, Point};
use mesh::vector::{add, scale, sub};
use meshing::shapes::{Ball, ElementKind};

const TRIANGLE: [Point; 3] = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]];

#[test]
fn touching_counts_and_missing_by_a_rounding_error_does_not() {
    let hits = |p: Point, q: Point| {
        let both = [[p, q], [q, p]].map(|e| edge_intersects_triangle(&e, &TRIANGLE));
        assert_eq!(both[0], both[1]);
        let [a, b, c] = TRIANGLE;
        assert_eq!(edge_intersects_triangle(&[p, q], &[b, a, c]), both[0]);
        assert_eq!(edge_intersects_triangle(&[p, q], &[b, c, a]), both[0]);
        both[0]
    };
    let tiny = f64::MIN_POSITIVE;
    // Through the inside, a side, a corner; ending on it.
    assert!(hits([1.0, 1.0, 1.0], [1.0, 1.0, -1.0]));
    assert!(hits([2.0, 2.0, 1.0], [2.0, 2.0, -1.0]));
    assert!(hits([0.0, 0.0, 1.0], [0.0, 0.0, -1.0]));
    assert!(hits([1.0, 1.0, 0.0], [1.0, 1.0, 5.0]));
    // Past a side by one unit in the last place; above by the smallest number.
    assert!(!hits(
        [2.0, 2.0 + 4.0 * f64::EPSILON, 1.0],
        [2.0, 2.0 + 4.0 * f64::EPSILON, -1.0]
    ));
    assert!(!hits([-tiny, 1.0, 1.0], [-tiny, 1.0, -1.0]));
    assert!(!hits([1.0, 1.0, tiny], [1.0, 1.0, 1.0]));
    // In the plane: inside, across, along a side, beside.
    assert!(hits([1.0, 1.0, 0.0], [1.5, 1.0, 0.0]));
    assert!(hits([-1.0, 1.0, 0.0], [9.0, 1.0, 0.0]));
    assert!(hits([4.0, 0.0, 0.0], [5.0, 0.0, 0.0]));
    assert!(!hits([-1.0, -1.0, 0.0], [9.0, -1.0, 0.0]));
    assert!(!hits([3.0, 3.0, 0.0], [9.0, 9.0, 0.0]));
    // A triangle without area.
    let flat = [[0.0; 3], [1.0, 1.0, 1.0], [3.0, 3.0, 3.0]];
    assert!(edge_intersects_triangle(
        &[[2.0, 2.0, 0.0], [2.0, 2.0, 4.0]],
        &flat
    ));
    assert!(!edge_intersects_triangle(
        &[[2.0, 1.0, 0.0], [2.0, 1.0, 4.0]],
        &flat
    ));
}

/// Two balls side by side, as one surface.
fn two_balls(distance: f64) -> (CollisionSurface, Vec<Point>) {
    let mesh = Ball {
        radius: 0.5,
        cells: 6,
        element: ElementKind::Tet4,
    }
    .mesh()
    .unwrap();
    let one = CollisionSurface::from_mesh(&mesh, &Default::default());
    let mut surface = CollisionSurface::default();
    surface.append(&one, 0, 0);
    surface.append(&one, mesh.points.len() as u32, 1);
    let mut x = mesh.points.clone();
    x.extend(
        mesh.points
            .iter()
            .map(|&p| add(p, [distance, 0.013, 0.007])),
    );
    (surface, x)
}

#[test]
fn all_intersections_of_a_surface_are_found() {
    for (distance, meet) in [(1.1, false), (0.9, true), (0.2, true)] {
        let (surface, x) = two_balls(distance);
        let p = &surface.primitives;
        let found = intersections(p, &x, |_, _| true);
        assert_eq!(!found.is_empty(), meet);
        let mut brute = Vec::new();
        for (edge, e) in (0u32..).zip(&p.edges) {
            for (triangle, t) in (0u32..).zip(&p.triangles) {
                let at = |v: u32| x[v as usize];
                if !t.iter().any(|v| e.contains(v))
                    && edge_intersects_triangle(&e.map(at), &t.map(at))
                {
                    brute.push(Intersection { edge, triangle });
                }
            }
        }
        assert_eq!(found, brute);
        assert!(intersections(p, &x, |a, b| a == b).is_empty());
    }
}

/// Balls flying through each other while they are deformed: the free part of the path has no intersection, and is the same
/// for any number of threads and any larger set of candidates.
#[test]
fn surfaces_stop_before_they_intersect() {
    let mut random = Random::new(41);
    let mut broad = BroadPhase::new();
    let mut candidates = Candidates::default();
    for i in 0..12 {
        let (surface, mut x) = two_balls(1.2);
        for x in &mut x {
            *x = add(*x, random_point(&mut random, 0.01));
        }
        let p = &surface.primitives;
        let motion: Vec<Point> = (0..x.len())
            .map(|v| {
                let towards = if p.groups[v] == 0 { 0.8 } else { -0.8 };
                add([towards, 0.0, 0.0], random_point(&mut random, 0.2))
            })
            .collect();
        let end: Vec<Point> = x.iter().zip(&motion).map(|(&x, &v)| add(x, v)).collect();
        let options = CcdOptions {
            gap_fraction: if i % 2 == 0 { 0.1 } else { 0.0 },
            ..CcdOptions::default()
        };
        broad.swept_candidates(p, &x, &end, 0.0, |_, _| true, &mut candidates);
        let few = candidates.len();
        let blocking = free_fraction(p, &candidates, &x, &end, &options).unwrap();
        for (threads, inflation) in [(1, 0.0), (2, 0.0), (4, 0.05)] {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            pool.install(|| {
                broad.swept_candidates(p, &x, &end, inflation, |_, _| true, &mut candidates);
                assert_eq!(
                    free_fraction(p, &candidates, &x, &end, &options),
                    Some(blocking)
                );
            });
        }
        assert!(candidates.len() > few);
        let at = |t: f64| -> Vec<Point> {
            let mix = |(&x, &y): (&Point, &Point)| add(x, scale(t, sub(y, x)));
            x.iter().zip(&end).map(mix).collect()
        };
        assert!(blocking.fraction > 0.01 && blocking.fraction < 0.5);
        for k in 0..=8 {
            let there = at(blocking.fraction * f64::from(k) / 8.0);
            assert!(intersections(p, &there, |_, _| true).is_empty());
        }
        assert!(!intersections(p, &at(0.5), |_, _| true).is_empty());
        // The blocking pair has the answer of its own.
        let own = match blocking.pair {
            ccd::Pair::PointTriangle(c) => {
                let v = c.vertices(p);
                let [a, b] = [&x, &end].map(|x| v.map(|v| x[v as usize]));
                ccd::point_triangle(&a, &b, &options)
            }
            ccd::Pair::EdgeEdge(c) => {
                let v = c.vertices(p);
                let [a, b] = [&x, &end].map(|x| v.map(|v| x[v as usize]));
                ccd::edge_edge(&a, &b, &options)
            }
            _ => unreachable!(),
        };
        assert_eq!(own, blocking.fraction);
    }
}
