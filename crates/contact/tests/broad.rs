//! Broad phase against brute force.

mod common;

use base::random::Random;
use common::random_point;
use contact::Point;
use contact::broad::{
    BroadPhase, Candidates, EdgeEdge, PointEdge, PointPoint, PointTriangle, Primitives,
};
use contact::distance;

/// Random soup of triangles, wire edges and particles in several groups, with short edges.
fn soup(random: &mut Random, count: usize, size: f64) -> (Primitives, Vec<Point>) {
    let mut p = Primitives::default();
    let mut x: Vec<Point> = Vec::new();
    let mut cluster = |random: &mut Random, p: &mut Primitives, n: usize| -> Vec<u32> {
        let centre = random_point(random, 1.0);
        let group = random.below(4) as u32;
        (0..n)
            .map(|_| {
                let offset = random_point(random, size);
                x.push([0, 1, 2].map(|k| centre[k] + offset[k]));
                p.groups.push(group);
                (x.len() - 1) as u32
            })
            .collect()
    };
    let mut wires = Vec::new();
    for i in 0..count {
        match i % 4 {
            0 | 1 => {
                let v = cluster(random, &mut p, 4);
                p.triangles.push([v[0], v[1], v[2]]);
                p.triangles.push([v[1], v[3], v[2]]);
                for [a, b] in [[0, 1], [1, 2], [0, 2], [1, 3], [2, 3]] {
                    p.edges.push([v[a], v[b]]);
                }
                p.points.extend(v);
            }
            2 => {
                let v = cluster(random, &mut p, 3);
                wires.extend([[v[0], v[1]], [v[1], v[2]]]);
                p.edges.extend([[v[0], v[1]], [v[1], v[2]]]);
                p.points.extend(v);
            }
            _ => {
                let v = cluster(random, &mut p, 1);
                p.particles.extend(&v);
                p.points.extend(v);
            }
        }
    }
    p.edges.sort_unstable();
    p.wire_edges = (0u32..)
        .zip(&p.edges)
        .filter(|(_, e)| wires.contains(e))
        .map(|(i, _)| i)
        .collect();
    (p, x)
}

fn may_touch(a: u32, b: u32) -> bool {
    // Group 3 does not touch itself, groups 0 and 1 do not touch each other.
    !(a == 3 && b == 3 || a.min(b) == 0 && a.max(b) == 1)
}

fn bounds(vertices: &[u32], ends: &[&[Point]], inflation: f64) -> [Point; 2] {
    let mut b = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
    for (v, x) in vertices
        .iter()
        .flat_map(|v| ends.iter().map(move |x| (v, x)))
    {
        for k in 0..3 {
            b[0][k] = b[0][k].min(x[*v as usize][k] - inflation);
            b[1][k] = b[1][k].max(x[*v as usize][k] + inflation);
        }
    }
    b
}

/// All pairs by definition, with boxes larger by `slack`.
fn brute(p: &Primitives, ends: &[&[Point]], inflation: f64) -> Candidates {
    let accept = |a: &[u32], b: &[u32]| {
        let (ba, bb) = (bounds(a, ends, inflation), bounds(b, ends, inflation));
        let group = |v: u32| p.groups[v as usize];
        mesh::bvh::overlap(&ba, &bb)
            && a.iter().all(|v| !b.contains(v))
            && may_touch(group(a[0]), group(b[0]))
    };
    let mut out = Candidates::default();
    for &point in &p.points {
        for (triangle, t) in (0u32..).zip(&p.triangles) {
            if accept(&[point], t) {
                out.point_triangle.push(PointTriangle { point, triangle });
            }
        }
    }
    for (i, a) in p.edges.iter().enumerate() {
        for (j, b) in p.edges.iter().enumerate().skip(i + 1) {
            if accept(a, b) {
                out.edge_edge.push(EdgeEdge {
                    edges: [i as u32, j as u32],
                });
            }
        }
    }
    for &point in &p.particles {
        for &edge in &p.wire_edges {
            if accept(&[point], &p.edges[edge as usize]) {
                out.point_edge.push(PointEdge { point, edge });
            }
        }
    }
    for (i, &a) in p.particles.iter().enumerate() {
        for &b in &p.particles[i + 1..] {
            if accept(&[a], &[b]) {
                out.point_point.push(PointPoint { points: [a, b] });
            }
        }
    }
    out
}

fn in_pool<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.unwrap().install(work)
}

/// Whether all of `few` are in `many`; both are sorted.
fn subset<T: Ord>(few: &[T], many: &[T]) -> bool {
    assert!(few.is_sorted() && many.is_sorted());
    few.iter().all(|c| many.binary_search(c).is_ok())
}

/// Asserts that `inner` ⊆ `got` ⊆ `outer`.
#[track_caller]
fn between(inner: &Candidates, got: &Candidates, outer: &Candidates) {
    for (few, many) in [(inner, got), (got, outer)] {
        assert!(subset(&few.point_triangle, &many.point_triangle));
        assert!(subset(&few.edge_edge, &many.edge_edge));
        assert!(subset(&few.point_edge, &many.point_edge));
        assert!(subset(&few.point_point, &many.point_point));
    }
}

/// Boxes are rounded to single precision: by less than this in a scene of size 2.
const SLACK: f64 = 1e-6;

#[test]
fn candidates_are_those_of_brute_force_for_any_number_of_threads() {
    let mut random = Random::new(11);
    let mut most = [0; 4];
    for (count, size) in [
        (1, 0.3),
        (2, 0.3),
        (5, 1.0),
        (40, 0.3),
        (400, 0.1),
        (900, 0.05),
    ] {
        let (p, x) = soup(&mut random, count, size);
        let moved: Vec<Point> = x
            .iter()
            .map(|&x| mesh::vector::add(x, random_point(&mut random, 0.1)))
            .collect();
        let inflation = 0.02;
        let mut broad = BroadPhase::new();
        let mut got = Candidates::default();
        for ends in [vec![&x[..]], vec![&x, &moved]] {
            let few = brute(&p, &ends, inflation);
            let many = brute(&p, &ends, inflation + SLACK);
            let mut first = None;
            for threads in [1, 2, 4] {
                in_pool(threads, || match ends[..] {
                    [x] => broad.static_candidates(&p, x, inflation, may_touch, &mut got),
                    _ => broad.swept_candidates(&p, &x, &moved, inflation, may_touch, &mut got),
                });
                between(&few, &got, &many);
                assert_eq!(*first.get_or_insert_with(|| got.clone()), got);
            }
            // A hierarchy without history finds the same pairs.
            let mut fresh = Candidates::default();
            let mut broad = BroadPhase::new();
            match ends[..] {
                [x] => broad.static_candidates(&p, x, inflation, may_touch, &mut fresh),
                _ => broad.swept_candidates(&p, &x, &moved, inflation, may_touch, &mut fresh),
            }
            assert_eq!(fresh, got);
            most[0] = most[0].max(got.point_triangle.len());
            most[1] = most[1].max(got.edge_edge.len());
            most[2] = most[2].max(got.point_edge.len());
            most[3] = most[3].max(got.point_point.len());
        }
    }
    assert!(most.iter().all(|m| *m > 10), "{most:?}");
}

#[test]
fn a_refitted_hierarchy_finds_the_same_as_a_new_one() {
    let mut random = Random::new(12);
    let (p, mut x) = soup(&mut random, 300, 0.1);
    let mut broad = BroadPhase::new();
    let (mut old, mut new) = (Candidates::default(), Candidates::default());
    for step in 0..12 {
        for x in &mut x {
            *x = mesh::vector::add(*x, random_point(&mut random, 0.05));
        }
        broad.static_candidates(&p, &x, 0.01, may_touch, &mut old);
        BroadPhase::new().static_candidates(&p, &x, 0.01, may_touch, &mut new);
        assert_eq!(old, new, "step {step}");
        assert!(!old.is_empty());
    }
}

#[test]
fn pairs_within_twice_the_inflation_are_found_far_from_the_origin() {
    let mut random = Random::new(13);
    let (p, x) = soup(&mut random, 150, 0.2);
    let x: Vec<Point> = x.iter().map(|x| [x[0] + 1e5, x[1] - 3e6, x[2]]).collect();
    let inflation = 0.01;
    let mut got = Candidates::default();
    BroadPhase::new().static_candidates(&p, &x, inflation, |_, _| true, &mut got);
    let mut near = 0;
    for &point in &p.points {
        for (triangle, t) in (0u32..).zip(&p.triangles) {
            let [a, b, c] = t.map(|v| x[v as usize]);
            let (_, d2) = distance::point_triangle(&[x[point as usize], a, b, c]);
            if d2.sqrt() < 2.0 * inflation && !t.contains(&point) {
                near += 1;
                let pair = PointTriangle { point, triangle };
                assert!(got.point_triangle.binary_search(&pair).is_ok());
            }
        }
    }
    assert!(near > 10, "{near}");
}

#[test]
fn nothing_has_no_candidates() {
    let mut got = Candidates::default();
    let mut broad = BroadPhase::new();
    broad.static_candidates(&Primitives::default(), &[], 0.1, |_, _| true, &mut got);
    assert!(got.is_empty());
    let one = Primitives {
        points: vec![0],
        particles: vec![0],
        ..Primitives::default()
    };
    broad.static_candidates(&one, &[[0.0; 3]], 0.1, |_, _| true, &mut got);
    assert!(got.is_empty());
}

/// Pairs whose boxes touch within rounding errors of double precision are found, though boxes have single precision.
#[test]
fn boxes_that_touch_overlap() {
    let mut random = Random::new(14);
    let inflation = 0.01;
    let mut x: Vec<Point> = Vec::new();
    for i in 0..2000 {
        let p = random_point(&mut random, 100.0);
        let mut q = p;
        q[i % 3] += 2.0 * inflation;
        x.extend([p, q]);
    }
    let particles: Vec<u32> = (0..x.len() as u32).collect();
    let p = Primitives {
        points: particles.clone(),
        particles,
        ..Primitives::default()
    };
    let mut got = Candidates::default();
    BroadPhase::new().static_candidates(&p, &x, inflation, |_, _| true, &mut got);
    for i in (0..x.len() as u32).step_by(2) {
        let pair = PointPoint { points: [i, i + 1] };
        assert!(got.point_point.binary_search(&pair).is_ok(), "{i}");
    }
    assert!(got.point_point.len() < 2100);
}

/// Every pair closer than a search says it is complete to is among its candidates, wherever the surfaces have moved since.
#[test]
fn a_search_knows_how_far_its_candidates_are_complete() {
    use contact::CollisionSurface;
    use contact::collision::Range;
    use contact::search::Search;

    let mut random = Random::new(11);
    for round in 0..20 {
        let mut surface = CollisionSurface::default();
        let mut x = Vec::new();
        for group in 0..2u32 {
            let points: Vec<Point> = (0..40)
                .map(|_| [(); 3].map(|()| random.signed() + 0.7 * f64::from(group)))
                .collect();
            let triangles: Vec<[u32; 3]> = (0..38).map(|i| [i, i + 1, i + 2]).collect();
            let part = CollisionSurface::from_triangles(&points, &triangles);
            surface.append(&part, x.len() as u32, group);
            x.extend(points);
        }
        let range = Range {
            reach: 0.05,
            thickness: 0.01,
        };
        let mut search = Search::new(&surface, range.reach, round % 2 == 0, Vec::new());
        for _ in 0..4 {
            search.update(&surface, &x, range);
            let complete = search.complete_within(&surface, &x, range);
            assert!(complete >= range.reach);
            let p = &surface.primitives;
            for (j, t) in p.triangles.iter().enumerate() {
                for &v in p.points.iter().filter(|v| !t.contains(v)) {
                    let same = p.groups[v as usize] == p.groups[t[0] as usize];
                    if same && round % 2 == 1 {
                        continue;
                    }
                    let stencil = [v, t[0], t[1], t[2]].map(|i| x[i as usize]);
                    let gap =
                        contact::distance::point_triangle(&stencil).1.sqrt() - range.thickness;
                    let found = search
                        .near
                        .point_triangle
                        .binary_search_by_key(&(v, j as u32), |c| (c.point, c.triangle));
                    assert!(gap >= complete || found.is_ok(), "{gap} of {complete}");
                }
            }
            for p in &mut x {
                *p = p.map(|c| c + 0.02 * random.signed());
            }
        }
    }
    // A single surface that does not touch itself has nothing to search for.
    let mut alone = CollisionSurface::default();
    let points = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    alone.append(
        &CollisionSurface::from_triangles(&points, &[[0, 1, 2]]),
        0,
        0,
    );
    let range = Range {
        reach: 0.05,
        thickness: 0.0,
    };
    let mut search = Search::new(&alone, range.reach, false, Vec::new());
    search.update(&alone, &points, range);
    assert_eq!(search.counts.searches, 0);
    assert_eq!(
        search.complete_within(&alone, &points, range),
        f64::INFINITY
    );
}
