//! Points inside closed surfaces, and how deep.

use base::random::Random;
use contact::enclosure::{deepest_inside, winding_number};

/// The cube [−1, 1]³ with triangles that turn outwards.
fn cube() -> (Vec<[f64; 3]>, Vec<[u32; 3]>) {
    let corner = |n: u32| [0, 1, 2].map(|k| f64::from(n >> k & 1) * 2.0 - 1.0);
    let quads = [
        [0, 4, 6, 2],
        [1, 3, 7, 5],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
        [0, 2, 3, 1],
        [4, 5, 7, 6],
    ];
    let halves = |q: [u32; 4]| [[q[0], q[1], q[2]], [q[0], q[2], q[3]]];
    (
        (0..8).map(corner).collect(),
        quads.into_iter().flat_map(halves).collect(),
    )
}

#[test]
fn the_depth_in_a_cube_is_the_distance_from_its_nearest_side() {
    let (mut x, triangles) = cube();
    let mut random = Random::new(7);
    for _ in 0..1000 {
        let p = [0, 1, 2].map(|_| 1.5 * random.signed());
        let outside = p.iter().fold(0.0f64, |m, x| m.max(x.abs())) - 1.0;
        x.truncate(8);
        x.push(p);
        let winding = winding_number(&x, &triangles, p);
        let wanted = f64::from(u8::from(outside < 0.0));
        assert!((winding - wanted).abs() < 1e-9, "{p:?}: {winding}");
        match deepest_inside(&x, &triangles, &[8]) {
            Some((depth, 8)) => assert!((depth + outside).abs() < 1e-12, "{p:?}: {depth}"),
            found => assert!(outside > 0.0 && found.is_none(), "{p:?}: {found:?}"),
        }
    }
    x.extend([[0.9, 0.0, 0.0], [0.0, -0.7, 0.2], [0.0, 5.0, 0.0]]);
    let (depth, which) = deepest_inside(&x, &triangles, &[9, 10, 11]).unwrap();
    assert!(
        (depth - 0.3).abs() < 1e-12 && which == 10,
        "{depth} {which}"
    );
    // A surface that turns inwards has no inside.
    let turned: Vec<[u32; 3]> = triangles.iter().map(|t| [t[0], t[2], t[1]]).collect();
    assert_eq!(deepest_inside(&x, &turned, &[9, 10]), None);
}
