//! Tests of filling surfaces with tetrahedra.

mod fill_common;

use std::f64::consts::{PI, TAU};

use fill_common::{
    boundary, check_embedding, check_fill, cube, filled, moved, reversed, sphere, union,
};
use mesh::quality;
use meshing::fill::{BccLattice, Embedding, FillNotices, fill, isosurface_stuffing};
use meshing::shapes::{Ball, ElementKind, Torus};

#[test]
fn volume_of_a_filled_sphere_converges_at_second_order() {
    let s = sphere(1.0);
    let exact = quality(
        &Ball {
            radius: 1.0,
            cells: 16,
            element: ElementKind::Tet4,
        }
        .mesh()
        .unwrap(),
    )
    .volume;
    let error = |cell: f64| {
        let f = filled(&s, cell);
        let q = check_fill(&f, &s.0);
        assert_eq!((q.components, q.surface.genus), (1, Some(0)));
        assert!(q.angles.unwrap().min > 14.0);
        (1.0 - q.volume / exact).abs()
    };
    let (coarse, fine) = (error(0.4), error(0.1));
    assert!(coarse < 0.06 && fine < coarse / 10.0, "{coarse} {fine}");
}

#[test]
fn reversed_surface_gives_the_same_mesh() {
    let s = sphere(1.0);
    let (a, b) = (filled(&s, 0.2).mesh, filled(&reversed(s), 0.2).mesh);
    assert!(a.nodes == b.nodes);
    let near = |(p, q): (&[f64; 3], &[f64; 3])| (0..3).all(|k| (p[k] - q[k]).abs() < 1e-12);
    assert!(a.points.iter().zip(&b.points).all(near));
}

#[test]
fn filled_torus_has_genus_one() {
    let s = boundary(
        &Torus {
            cells: 12,
            element: ElementKind::Tet4,
            ..Torus::default()
        }
        .mesh()
        .unwrap(),
    );
    let f = filled(&s, 0.05);
    let q = check_fill(&f, &s.0);
    assert_eq!((q.components, q.surface.genus), (1, Some(1)));
    assert!((q.volume / (TAU * PI * 0.5 * 0.04) - 1.0).abs() < 0.03);
}

#[test]
fn cubes_fill_whether_or_not_their_faces_lie_on_the_lattice() {
    for (cell, slack) in [(0.1, 0.06), (0.25, 0.2), (0.0777, 0.04)] {
        let s = cube(1.0);
        let q = check_fill(&filled(&s, cell), &s.0);
        assert!(
            q.volume <= 1.0 + 1e-9 && q.volume > 1.0 - slack,
            "{}",
            q.volume
        );
        assert_eq!((q.components, q.surface.genus), (1, Some(0)));
    }
}

#[test]
fn nested_component_of_reversed_orientation_is_a_cavity() {
    let ball = |r: f64| 4.0 / 3.0 * PI * r.powi(3);
    let hollow = union(sphere(1.0), reversed(sphere(0.5)));
    let f = filled(&hollow, 0.1);
    let q = check_fill(&f, &hollow.0);
    assert_eq!(
        (
            f.notices.surface_components,
            q.surface.components,
            q.components
        ),
        (2, 2, 1)
    );
    assert!(
        (q.volume / (ball(1.0) - ball(0.5)) - 1.0).abs() < 0.03,
        "{}",
        q.volume
    );
    let solid = union(sphere(1.0), sphere(0.5));
    let q = check_fill(&filled(&solid, 0.1), &solid.0);
    assert!((q.volume / ball(1.0) - 1.0).abs() < 0.03, "{}", q.volume);
    let separate = union(sphere(1.0), reversed(moved(sphere(0.5), [2.0, 0.0, 0.0])));
    let q = check_fill(&filled(&separate, 0.1), &separate.0);
    assert_eq!(q.components, 2);
}

#[test]
fn random_level_sets_keep_the_bounds_on_dihedral_angles() {
    // Random values at lattice vertices produce every stencil with every cut; the false position method treats them
    // as linear along an edge.
    let lattice = BccLattice::covering([0.0; 3], [1.0; 3], 0.05);
    for seed in 0..10u64 {
        let share = 0.3 + 0.05 * seed as f64;
        let mesh = isosurface_stuffing(&lattice, |p| {
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
                q.non_manifold_faces
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
fn coincident_vertices_are_welded_and_counted() {
    let (points, triangles) = cube(1.0);
    let unwelded: Vec<[f64; 3]> = triangles
        .iter()
        .flatten()
        .map(|&n| points[n as usize])
        .collect();
    let mut separate: Vec<[u32; 3]> = (0..12).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    separate.push([0, 1, 1]);
    let f = fill(&unwelded, &separate, 0.2).unwrap();
    assert_eq!(
        f.notices,
        FillNotices {
            welded_vertices: 28,
            degenerate_triangles: 1,
            surface_components: 1,
            non_manifold_vertices: 0,
            mesh_components: 1
        }
    );
    assert!(f.mesh == filled(&cube(1.0), 0.2).mesh);
    check_embedding(&f, &unwelded);
}

#[test]
fn embedded_points_lie_in_or_near_their_tetrahedron() {
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
        let tet = e.tets[i] as usize;
        let w = weights(tet, p);
        assert!((0..4).all(|k| (w[k] - e.weights[i][k]).abs() < 1e-9));
        if (0..mesh.len()).any(|t| depth(t, p) >= 0.0) {
            assert!(depth(tet, p) >= -1e-12);
        } else {
            outside += 1;
            // The tetrahedron is within about a cell of the nearest node, though that need not be one of its own.
            let distance = |n: u32| {
                (0..3)
                    .map(|k| (mesh.points[n as usize][k] - p[k]).powi(2))
                    .sum::<f64>()
                    .sqrt()
            };
            let least = (0..mesh.points.len() as u32)
                .map(distance)
                .fold(f64::INFINITY, f64::min);
            let own = mesh
                .cell(tet)
                .iter()
                .map(|&n| distance(n))
                .fold(f64::INFINITY, f64::min);
            assert!(own < least + 0.35, "{own} {least}");
        }
    }
    assert!((100..390).contains(&outside), "{outside}");
}

/// Moving least squares weights of vertices far outside reproduce every affine motion exactly and are bounded.
#[test]
fn extrapolated_vertices_follow_affine_motion_with_bounded_weights() {
    let side = 0.3;
    let lattice = BccLattice::covering([-1.0; 3], [1.0; 3], side);
    let mesh = isosurface_stuffing(&lattice, |p| {
        p.iter().map(|x| x * x).sum::<f64>().sqrt() - 0.8
    });
    let points: Vec<[f64; 3]> = (0..300u32)
        .map(|i| [1.0, 2.0, 3.0].map(|k: f64| (f64::from(i) * k.sqrt() * 1.618).sin()))
        .collect();
    let e = Embedding::new(&mesh, &points);
    let count = e.extrapolated.len();
    assert!(count > 50, "{count} extrapolated");
    let affine = |[x, y, z]: [f64; 3]| [0.3 - 2.0 * y + z, x + 0.5 * z, 1.0 - x + 0.2 * y];
    let moved: Vec<[f64; 3]> = mesh.points.iter().map(|&p| affine(p)).collect();
    let mut interpolated = vec![[0.0; 3]; points.len()];
    e.interpolate(&mesh, &moved, &mut interpolated);
    for (i, (found, want)) in interpolated
        .iter()
        .zip(points.iter().map(|&p| affine(p)))
        .enumerate()
    {
        assert!(
            (0..3).all(|k| (found[k] - want[k]).abs() < 1e-11),
            "{i}: {found:?} {want:?}"
        );
    }
    for (vertex, weights) in &e.extrapolated {
        let least = weights
            .iter()
            .map(|(_, w)| *w)
            .fold(f64::INFINITY, f64::min);
        let p = points[*vertex as usize];
        let distance = p.iter().map(|x| x * x).sum::<f64>().sqrt() - 0.8;
        assert!(
            least > -0.5 - distance / side,
            "{vertex}: weight {least} at {distance} outside"
        );
    }
}
