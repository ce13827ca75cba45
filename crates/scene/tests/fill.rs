//! Filling surfaces with tetrahedra.

mod fill_common;

use std::f64::consts::{PI, TAU};

use fill_common::{both, carried, cube, filled, inside_out, moved, skin, sound, sphere};
use scene::fill::{Lattice, Notices, fill, stuff};
use scene::shapes::{Ball, Element, Torus};
use solid::mesh::{morton_order, quality};

#[test]
fn sphere_fills_to_its_volume_at_second_order() {
    let s = sphere(1.0);
    let exact = quality(
        &Ball {
            radius: 1.0,
            cells: 24,
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
fn vertices_sorted_along_the_curve_are_all_there() {
    let f = filled(&sphere(1.0), 0.3);
    let mut order = morton_order(&f.mesh.points);
    order.sort_unstable();
    assert!((0..f.mesh.points.len() as u32).eq(order));
}
