//! Filling surfaces with tetrahedra.

mod fill_common;

use std::f64::consts::{PI, TAU};

use fill_common::{both, carried, cube, filled, inside_out, moved, skin, sound, sphere};
use mesh::quality;
use meshing::fill::{Embedding, Lattice, Notices, fill, stuff};
use meshing::shapes::{Ball, Element, Torus};

#[test]
fn sphere_fills_to_its_volume_at_second_order() {
    let s = sphere(1.0);
    let exact = quality(
        &Ball {
            radius: 1.0,
            cells: 16,
            element: Element::Tet4,
        }
        .mesh()
        .unwrap(),
    )
    .volume;
    let error = |cell: f64| {
        let f = filled(&s, cell);
        let q = sound(&f, &s.0);
        assert_eq!((q.components, q.surface.genus), (1, Some(0)));
        assert!(q.angles.unwrap().min > 14.0);
        (1.0 - q.volume / exact).abs()
    };
    let (coarse, fine) = (error(0.4), error(0.1));
    assert!(coarse < 0.06 && fine < coarse / 10.0, "{coarse} {fine}");
}

#[test]
fn turned_inside_out_is_the_same() {
    let s = sphere(1.0);
    let (a, b) = (filled(&s, 0.2).mesh, filled(&inside_out(s), 0.2).mesh);
    assert!(a.nodes == b.nodes);
    let near = |(p, q): (&[f64; 3], &[f64; 3])| (0..3).all(|k| (p[k] - q[k]).abs() < 1e-12);
    assert!(a.points.iter().zip(&b.points).all(near));
}

#[test]
fn torus_keeps_its_hole() {
    let s = skin(
        &Torus {
            cells: 12,
            element: Element::Tet4,
            ..Torus::default()
        }
        .mesh()
        .unwrap(),
    );
    let f = filled(&s, 0.05);
    let q = sound(&f, &s.0);
    assert_eq!((q.components, q.surface.genus), (1, Some(1)));
    assert!((q.volume / (TAU * PI * 0.5 * 0.04) - 1.0).abs() < 0.03);
}

#[test]
fn cubes_on_and_off_the_lattice() {
    for (cell, slack) in [(0.1, 0.06), (0.25, 0.2), (0.0777, 0.04)] {
        let s = cube(1.0);
        let q = sound(&filled(&s, cell), &s.0);
        assert!(
            q.volume <= 1.0 + 1e-9 && q.volume > 1.0 - slack,
            "{}",
            q.volume
        );
        assert_eq!((q.components, q.surface.genus), (1, Some(0)));
    }
}

#[test]
fn nested_surfaces_are_hollow_when_turned_inwards() {
    let ball = |r: f64| 4.0 / 3.0 * PI * r.powi(3);
    let hollow = both(sphere(1.0), inside_out(sphere(0.5)));
    let f = filled(&hollow, 0.1);
    let q = sound(&f, &hollow.0);
    assert_eq!(
        (f.notices.pieces, q.surface.components, q.components),
        (2, 2, 1)
    );
    assert!(
        (q.volume / (ball(1.0) - ball(0.5)) - 1.0).abs() < 0.03,
        "{}",
        q.volume
    );
    let solid = both(sphere(1.0), sphere(0.5));
    let q = sound(&filled(&solid, 0.1), &solid.0);
    assert!((q.volume / ball(1.0) - 1.0).abs() < 0.03, "{}", q.volume);
    let apart = both(sphere(1.0), inside_out(moved(sphere(0.5), [2.0, 0.0, 0.0])));
    let q = sound(&filled(&apart, 0.1), &apart.0);
    assert_eq!(q.components, 2);
}

#[test]
fn any_surface_whatever_keeps_the_angles() {
    // Random values at lattice vertices bring every stencil with every cut; the secant rule reads them as linear.
    let lattice = Lattice::around([0.0; 3], [1.0; 3], 0.05);
    for seed in 0..10u64 {
        let share = 0.3 + 0.05 * seed as f64;
        let mesh = stuff(&lattice, |p| {
            let key = p.iter().fold(seed, |k, x| {
                (k ^ x.to_bits())
                    .wrapping_mul(0x9e37_79b9_7f4a_7c15)
                    .rotate_left(29)
            });
            let random =
                (key.wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 11) as f64 / (1u64 << 53) as f64;
            if p.iter().all(|x| (0.0..=1.0).contains(x)) {
                random - share
            } else {
                1.0
            }
        });
        let q = quality(&mesh);
        assert_eq!(
            (
                q.inverted,
                q.degenerate,
                q.surface.open_edges,
                q.crowded_faces
            ),
            (0, 0, 0, 0)
        );
        let angles = q.angles.unwrap();
        assert!(
            angles.min >= 10.78 && angles.max <= 164.75,
            "{seed}: {angles:?}"
        );
    }
}

#[test]
fn same_bytes_for_any_number_of_threads() {
    let s = sphere(1.0);
    let [a, b] = [1, 3].map(|n| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(n)
            .build()
            .unwrap();
        pool.install(|| filled(&s, 0.15))
    });
    assert!(a == b);
}

#[test]
fn loose_vertices_are_welded_with_a_notice() {
    let (points, triangles) = cube(1.0);
    let loose: Vec<[f64; 3]> = triangles
        .iter()
        .flatten()
        .map(|&n| points[n as usize])
        .collect();
    let mut own: Vec<[u32; 3]> = (0..12).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    own.push([0, 1, 1]);
    let f = fill(&loose, &own, 0.2).unwrap();
    assert_eq!(
        f.notices,
        Notices {
            welded: 28,
            dropped: 1,
            pieces: 1,
            pinched: 0,
            parts: 1
        }
    );
    assert!(f.mesh == filled(&cube(1.0), 0.2).mesh);
    carried(&f, &loose);
}

#[test]
fn embedded_points_are_in_their_tet_or_beside_it() {
    let mesh = filled(&sphere(1.0), 0.3).mesh;
    let weights = |i: usize, p: [f64; 3]| {
        let c = mesh.cell(i);
        let x = |k: usize| [0, 1, 2].map(|j| mesh.points[c[k] as usize][j] - p[j]);
        let det = |a: [f64; 3], b: [f64; 3], c: [f64; 3]| {
            a[0] * (b[1] * c[2] - b[2] * c[1])
                + a[1] * (b[2] * c[0] - b[0] * c[2])
                + a[2] * (b[0] * c[1] - b[1] * c[0])
        };
        let [a, b, c, d] = [x(0), x(1), x(2), x(3)];
        let parts = [det(b, c, d), -det(a, c, d), det(a, b, d), -det(a, b, c)];
        parts.map(|v| v / parts.iter().sum::<f64>())
    };
    let depth = |i: usize, p: [f64; 3]| weights(i, p).into_iter().fold(f64::INFINITY, f64::min);
    let points: Vec<[f64; 3]> = (0..400u32)
        .map(|i| [1.0, 2.0, 3.0].map(|k: f64| 1.15 * (f64::from(i) * k.sqrt() * 1.618).sin()))
        .collect();
    let e = Embedding::new(&mesh, &points);
    let mut outside = 0;
    for (i, &p) in points.iter().enumerate() {
        let mine = e.tets[i] as usize;
        let w = weights(mine, p);
        assert!((0..4).all(|k| (w[k] - e.weights[i][k]).abs() < 1e-9));
        if (0..mesh.len()).any(|t| depth(t, p) >= 0.0) {
            assert!(depth(mine, p) >= -1e-12);
        } else {
            outside += 1;
            // Within a cell or so of the nearest node, though not always around it.
            let away = |n: u32| {
                (0..3)
                    .map(|k| (mesh.points[n as usize][k] - p[k]).powi(2))
                    .sum::<f64>()
                    .sqrt()
            };
            let least = (0..mesh.points.len() as u32)
                .map(away)
                .fold(f64::INFINITY, f64::min);
            let own = mesh
                .cell(mine)
                .iter()
                .map(|&n| away(n))
                .fold(f64::INFINITY, f64::min);
            assert!(own < least + 0.35, "{own} {least}");
        }
    }
    assert!((100..390).contains(&outside), "{outside}");
}

/// Vertices well outside are carried by many nodes: every affine motion exactly, and no weight is wild.
#[test]
fn vertices_well_outside_follow_affine_motion_without_wild_weights() {
    let side = 0.3;
    let lattice = Lattice::around([-1.0; 3], [1.0; 3], side);
    let mesh = stuff(&lattice, |p| {
        p.iter().map(|x| x * x).sum::<f64>().sqrt() - 0.8
    });
    let points: Vec<[f64; 3]> = (0..300u32)
        .map(|i| [1.0, 2.0, 3.0].map(|k: f64| (f64::from(i) * k.sqrt() * 1.618).sin()))
        .collect();
    let e = Embedding::new(&mesh, &points);
    assert!(e.far.len() > 50, "{} far", e.far.len());
    let turn = |[x, y, z]: [f64; 3]| [0.3 - 2.0 * y + z, x + 0.5 * z, 1.0 - x + 0.2 * y];
    let moved: Vec<[f64; 3]> = mesh.points.iter().map(|&p| turn(p)).collect();
    let mut carried = vec![[0.0; 3]; points.len()];
    e.carry(&mesh, &moved, &mut carried);
    for (i, (found, want)) in carried
        .iter()
        .zip(points.iter().map(|&p| turn(p)))
        .enumerate()
    {
        assert!(
            (0..3).all(|k| (found[k] - want[k]).abs() < 1e-11),
            "{i}: {found:?} {want:?}"
        );
    }
    for (vertex, fit) in &e.far {
        let least = fit.iter().map(|(_, w)| *w).fold(f64::INFINITY, f64::min);
        let p = points[*vertex as usize];
        let reach = p.iter().map(|x| x * x).sum::<f64>().sqrt() - 0.8;
        assert!(
            least > -0.5 - reach / side,
            "{vertex}: weight {least} at {reach} outside"
        );
    }
}
