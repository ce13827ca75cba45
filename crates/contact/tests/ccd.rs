//! Continuous collision detection is never late and not much too early.
//!
//! That a path is free is proven in exact integer arithmetic: the interval of time is divided until for each part an integer
//! vector n is found with n·(xᵢ − yⱼ) > 0 for all pairs of vertices at both ends of the part. These numbers are linear in
//! time, so a plane separates the primitives during the whole part.

mod common;

use base::random::Random;
use common::{point, reference};
use contact::ccd::{self, CcdOptions};
use contact::{Point, distance};
use mesh::vector::{add, dot, norm, scale, sub};

/// Moving primitives: the first `first` points belong to one primitive, the others to the second.
#[derive(Clone, Debug)]
struct Path {
    first: usize,
    start: Vec<Point>,
    end: Vec<Point>,
}

fn array<const N: usize>(x: &[Point]) -> [Point; N] {
    x.try_into().unwrap()
}

impl Path {
    fn ccd(&self, options: &CcdOptions) -> f64 {
        let (x, y) = (&self.start, &self.end);
        match (self.first, x.len()) {
            (1, 4) => ccd::point_triangle(&array(x), &array(y), options),
            (2, 4) => ccd::edge_edge(&array(x), &array(y), options),
            (1, 3) => ccd::point_edge(&array(x), &array(y), options),
            (1, 2) => ccd::point_point(&array(x), &array(y), options),
            _ => unreachable!(),
        }
    }

    fn at(&self, t: f64) -> Vec<Point> {
        let mix = |(a, b): (&Point, &Point)| add(*a, scale(t, sub(*b, *a)));
        self.start.iter().zip(&self.end).map(mix).collect()
    }

    /// Vector between closest points.
    fn separation(&self, t: f64) -> Point {
        let x = self.at(t);
        match (self.first, x.len()) {
            (1, 4) => distance::point_triangle_separation(&array(&x)).1,
            (2, 4) => distance::edge_edge_separation(&array(&x)).1,
            (1, 3) => distance::point_edge_separation(&array(&x)).1,
            _ => sub(x[0], x[1]),
        }
    }

    fn distance(&self, t: f64) -> f64 {
        norm(self.separation(t))
    }
}

/// Bits of a part of the path: t = numerator / 2^53.
const TIME_BITS: u32 = 53;

/// Proves that the primitives do not meet for t in [from, to]; coordinates must be integers below 2^20.
fn proven_free(path: &Path, from: i128, to: i128, depth: usize) -> bool {
    let one = 1i128 << TIME_BITS;
    let as_time = |t: i128| t as f64 / one as f64;
    let integer = |x: f64| {
        assert!(x.fract() == 0.0 && x.abs() < f64::from(1 << 20));
        x as i128
    };
    let separated = |n: [i128; 3], t: i128| {
        let along = |k: usize| -> i128 {
            (0..3)
                .map(|c| {
                    let (x, y) = (integer(path.start[k][c]), integer(path.end[k][c]));
                    n[c] * (x * one + t * (y - x))
                })
                .sum()
        };
        let low = (0..path.first).map(along).min();
        let high = (path.first..path.start.len()).map(along).max();
        low > high
    };
    let middle = from + (to - from) / 2;
    for guess in [middle, to, from] {
        let r = path.separation(as_time(guess));
        let size = r.iter().fold(0.0f64, |m, r| m.max(r.abs()));
        let n = r.map(|r| (r / size * (1i64 << 44) as f64).round() as i128);
        if size > 0.0 && separated(n, from) && separated(n, to) {
            return true;
        }
    }
    depth > 0
        && middle > from
        && proven_free(path, from, middle, depth - 1)
        && proven_free(path, middle, to, depth - 1)
}

/// Options for answers that must not be early: large primitives that turn by large angles at a small distance need many steps.
const PATIENT: CcdOptions = CcdOptions {
    thickness: 0.0,
    gap_fraction: 0.1,
    max_kept_gap: f64::INFINITY,
    max_steps: 100_000,
};

/// Checks one answer: the path is free up to there, the gap is kept, and the path ends near the gap that is kept.
fn check(path: &Path, options: &CcdOptions) -> f64 {
    let t = path.ccd(options);
    assert!((0.0..=1.0).contains(&t), "{t}");
    let d0 = path.distance(0.0);
    let mut until = (t * (1i64 << TIME_BITS) as f64) as i128;
    if options.gap_fraction == 0.0 {
        // The path may end within rounding errors of the contact, where directions in double precision cannot separate.
        until -= until >> 20;
    }
    assert!(
        proven_free(path, 0, until, 40) || t == 0.0,
        "late: {t} {path:?}"
    );
    let gap = d0 - options.thickness;
    let target = options.thickness + options.gap_fraction * gap;
    let size = path
        .start
        .iter()
        .chain(&path.end)
        .fold(0.0f64, |m, &x| m.max(norm(x)));
    let rounding = 400.0 * f64::EPSILON * size;
    let d = path.distance(t);
    assert!(
        d >= target.min(d0) - rounding || t == 0.0,
        "{d} at {t} is below {target}"
    );
    if t < 1.0 && gap > rounding {
        let enough = target + ccd::CONVERGENCE * gap + rounding;
        assert!(
            d <= enough,
            "early: {d} at {t}, kept {target} of {d0}: {path:?}"
        );
    }
    t
}

/// Random integer below 2^bits in absolute value, times `step`.
fn grid(random: &mut Random, bits: u32, step: i64) -> f64 {
    let span = (1i64 << bits) / step;
    ((random.below(2 * span as usize) as i64 - span) * step) as f64
}

const KINDS: [(usize, usize); 4] = [(1, 4), (2, 4), (1, 3), (1, 2)];

fn random_path(random: &mut Random, kind: usize) -> Path {
    let (first, count) = KINDS[kind];
    let bits = [3, 6, 12, 18][random.below(4)];
    let flat = random.below(8) == 0; // all in a plane
    let mut points = |bits: u32| -> Vec<Point> {
        let mut coordinate = |k: usize| {
            if flat && k == 2 {
                0.0
            } else {
                grid(random, bits, 1)
            }
        };
        (0..count)
            .map(|_| [coordinate(0), coordinate(1), coordinate(2)])
            .collect()
    };
    let start = points(bits);
    let motion = points(bits);
    let end = start
        .iter()
        .zip(&motion)
        .map(|(&x, &v)| add(x, v))
        .collect();
    Path { first, start, end }
}

#[test]
fn random_paths_are_free_as_far_as_told() {
    let mut random = Random::new(21);
    let (mut blocked, mut free) = (0, 0);
    for i in 0..60_000 {
        let path = random_path(&mut random, i % 4);
        let options = CcdOptions {
            gap_fraction: [0.0, 0.1, 0.5][random.below(3)],
            ..PATIENT
        };
        let t = check(&path, &options);
        if t < 1.0 {
            blocked += 1;
        } else {
            free += 1;
        }
    }
    assert!(blocked > 5000 && free > 10_000, "{blocked} {free}");
}

/// Paths through a contact that is known exactly: all positions at the contact are integers, times are multiples of 1/64 and
/// motions multiples of 64.
fn colliding_path(random: &mut Random, kind: usize) -> (Path, f64) {
    let (first, count) = KINDS[kind];
    let bits = [5, 8, 14][random.below(3)];
    let mut x: Vec<Point> = (0..count)
        .map(|_| [0, 1, 2].map(|_| grid(random, bits, 4)))
        .collect();
    // Sometimes slivers and parallel edges.
    if count == 4 && random.below(3) == 0 {
        let [i, j, k] = if first == 1 { [1, 2, 3] } else { [0, 1, 3] };
        let mut near = scale(0.5, add(x[i], x[j]));
        near = near.map(|c| 4.0 * (c / 4.0).round());
        x[k] = add(near, [4.0, 0.0, 0.0]);
    }
    // The contact: quarters of the primitives' coordinates.
    let quarter = [0.0, 0.25, 0.5, 0.75, 1.0][random.below(5)];
    let other = if quarter < 1.0 && random.coin() {
        0.25
    } else {
        0.0
    };
    let along = |a: Point, b: Point, s: f64| add(a, scale(s, sub(b, a)));
    match (first, count) {
        (1, 4) => {
            let (b, c) = (sub(x[2], x[1]), sub(x[3], x[1]));
            x[0] = add(x[1], add(scale(quarter, b), scale(other, c)));
        }
        (1, 3) => x[0] = along(x[1], x[2], quarter),
        (1, 2) => x[0] = x[1],
        _ => {
            // Shift the second edge so that the points at quarters meet.
            let s = [0.0, 0.25, 0.5, 1.0][random.below(4)];
            let shift = sub(along(x[0], x[1], quarter), along(x[2], x[3], s));
            x[2] = add(x[2], shift);
            x[3] = add(x[3], shift);
        }
    }
    let t = (1 + random.below(63)) as f64 / 64.0;
    let flat = random.below(6) == 0;
    let motion: Vec<Point> = (0..count)
        .map(|_| {
            let mut v = [0, 1, 2].map(|_| grid(random, bits + 3, 64));
            v[2] = if flat { 0.0 } else { v[2] };
            v
        })
        .collect();
    let place = |s: f64| {
        let at = |(&x, &v): (&Point, &Point)| add(x, scale(s, v));
        x.iter().zip(&motion).map(at).collect::<Vec<Point>>()
    };
    let path = Path {
        first,
        start: place(-t),
        end: place(1.0 - t),
    };
    (path, t)
}

#[test]
fn known_contacts_are_never_passed() {
    let mut random = Random::new(22);
    let mut close = 0;
    for i in 0..50_000 {
        let (path, contact) = colliding_path(&mut random, i % 4);
        let options = CcdOptions {
            gap_fraction: [0.0, 0.1][random.below(2)],
            ..PATIENT
        };
        let t = check(&path, &options);
        assert!(
            t < contact,
            "{t} is after the contact at {contact}: {path:?}"
        );
        close += usize::from(t > 0.8 * contact);
    }
    assert!(close > 20_000, "{close}");
}

#[test]
fn a_thickness_is_kept() {
    let mut random = Random::new(23);
    let mut blocked = 0;
    for i in 0..10_000 {
        let path = random_path(&mut random, i % 4);
        let options = CcdOptions {
            thickness: path.distance(0.0) * random.between(0.0, 0.95),
            gap_fraction: 0.2,
            ..PATIENT
        };
        blocked += usize::from(check(&path, &options) < 1.0);
        let too_thick = CcdOptions {
            thickness: path.distance(0.0) * 1.01 + 1e-9,
            ..options
        };
        assert_eq!(path.ccd(&too_thick), 0.0);
    }
    assert!(blocked > 2000, "{blocked}");
}

#[test]
fn few_steps_give_a_safe_answer() {
    let mut random = Random::new(24);
    for i in 0..2000 {
        let (path, contact) = colliding_path(&mut random, i % 4);
        let mut last = 0.0;
        for max_steps in [0, 1, 2, 3, 1000] {
            let options = CcdOptions {
                max_steps,
                ..CcdOptions::default()
            };
            let t = path.ccd(&options);
            assert!(t >= last && t < contact);
            last = t;
        }
    }
}

#[test]
fn cases_of_the_ipc_toolkit_are_answered() {
    let Some(data) = reference("ipc_ccd_cases.json") else {
        return;
    };
    let cases = data["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 165);
    let (mut spurious, mut missed) = (0, 0);
    for case in cases {
        let points =
            |key: &str| -> Vec<Point> { case[key].as_array().unwrap().iter().map(point).collect() };
        let path = Path {
            first: if case["kind"] == "point_triangle" {
                1
            } else {
                2
            },
            start: points("t0"),
            end: points("t1"),
        };
        for gap_fraction in [0.0, 0.1] {
            let options = CcdOptions {
                gap_fraction,
                ..CcdOptions::default()
            };
            let t = path.ccd(&options);
            let name = &case["name"];
            if case["collides"] == true {
                assert!(t < 1.0, "{name} has a collision");
                if let Some(contact) = case["toi"].as_f64() {
                    assert!(t <= contact, "{name}: {t} is after {contact}");
                    let kept = gap_fraction + ccd::CONVERGENCE;
                    let early = path.distance(t) > (kept + 1e-9) * path.distance(0.0);
                    missed += usize::from(early);
                }
            } else if gap_fraction == 0.0 && t < 1.0 {
                // Only where the end of the path is closer than the steps can tell.
                let share = path.distance(t) / path.distance(0.0);
                assert!(share <= ccd::CONVERGENCE, "{name}: {t}, {share}");
                spurious += 1;
            }
        }
    }
    // The misses by 2^-23 of the initial distance are within what the steps can tell.
    assert!(spurious <= 8 && missed == 0, "{spurious} {missed}");
}

/// Moves every coordinate of a colliding path by rounding errors and looks at the answers in plain arithmetic too.
#[test]
fn answers_do_not_depend_on_the_place() {
    let mut random = Random::new(25);
    for i in 0..2000 {
        let (path, contact) = colliding_path(&mut random, i % 4);
        let shift = [1e6, -3e5, 7e4];
        let far = Path {
            first: path.first,
            start: path.start.iter().map(|&x| add(x, shift)).collect(),
            end: path.end.iter().map(|&x| add(x, shift)).collect(),
        };
        let options = CcdOptions::default();
        // Integers are shifted without rounding, and only differences count.
        assert_eq!(path.ccd(&options), far.ccd(&options));
        assert!(path.ccd(&options) < contact);
        assert!(dot(shift, shift) > 0.0);
    }
}

/// A pair limits its own groups and no other; the least of several limits counts, in any order of the pairs.
#[test]
fn blocked_pairs_limit_their_own_groups() {
    use contact::broad::{Candidates, PointPoint, Primitives};
    let primitives = Primitives {
        groups: vec![0, 1, 2, 3, 0],
        ..Primitives::default()
    };
    // The first point meets the second after half of its path, the last one of the same group the third after a quarter.
    let start = [
        [0.0; 3],
        [1.0, 0.0, 0.0],
        [0.5, 1.0, 0.0],
        [9.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
    ];
    let mut end = start;
    end[0][0] = 2.0;
    end[4][0] = 2.0;
    end[3][2] = 1.0;
    let options = CcdOptions {
        gap_fraction: 0.0,
        ..CcdOptions::default()
    };
    let mut pairs = [[0, 1], [2, 4], [0, 3]].map(|points| PointPoint { points });
    for _ in 0..2 {
        let candidates = Candidates {
            point_point: pairs.to_vec(),
            ..Candidates::default()
        };
        let mut fractions = [1.0; 4];
        let paths = [&start[..], &end[..]];
        ccd::limit_groups(
            &primitives,
            &candidates,
            paths,
            &options,
            0.8,
            &mut fractions,
        );
        for (found, wanted) in fractions.into_iter().zip([0.2, 0.4, 0.2, 1.0]) {
            assert!((found - wanted).abs() < 1e-3, "{found}, not {wanted}");
        }
        pairs.reverse();
    }
}
