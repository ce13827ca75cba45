//! Filling surfaces with tetrahedra.

use std::f64::consts::{PI, TAU};
use std::path::{Path, PathBuf};

use scene::fill::{FillError, Filled, Lattice, Notices, fill, stuff};
use scene::shapes::{Ball, Box, Element, Torus};
use solid::mesh::{Mesh, Quality, morton_order, quality, surface};

type Surface = (Vec<[f64; 3]>, Vec<[u32; 3]>);

/// What every filled surface promises.
fn sound(filled: &Filled, points: &[[f64; 3]]) -> Quality {
    let q = quality(&filled.mesh);
    assert_eq!((q.inverted, q.degenerate, q.duplicate_cells), (0, 0, 0));
    assert_eq!((q.unreferenced_points, q.duplicate_points), (0, 0));
    assert_eq!((q.surface.open_edges, q.crowded_faces), (0, 0));
    let angles = q.angles.unwrap();
    assert!(angles.min >= 8.0 && angles.max <= 165.0, "{angles:?}");
    carried(filled, points);
    q
}

/// The embedding gives every vertex its place at rest, and moves it with any affine map.
fn carried(filled: &Filled, points: &[[f64; 3]]) {
    let e = &filled.embedding;
    assert_eq!(
        (e.tets.len(), e.weights.len()),
        (points.len(), points.len())
    );
    let map = |[x, y, z]: [f64; 3]| [2.0 * x - y + 1.0, y + 0.5 * z, z - 3.0 * x];
    let moved: Vec<[f64; 3]> = filled.mesh.points.iter().map(|&p| map(p)).collect();
    let scale = points.iter().flatten().fold(0.0f64, |m, x| m.max(x.abs()));
    for (to, is) in [
        (&filled.mesh.points, points.to_vec()),
        (&moved, points.iter().map(|&p| map(p)).collect()),
    ] {
        let mut out = vec![[f64::NAN; 3]; points.len()];
        e.carry(&filled.mesh, to, &mut out);
        for (x, y) in out.iter().zip(&is) {
            let away = (0..3).map(|k| (x[k] - y[k]).abs()).fold(0.0, f64::max);
            assert!(away <= 1e-10 * scale.max(1.0), "{x:?} {y:?}");
        }
    }
    for w in &e.weights {
        assert!((w.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }
}

fn skin(mesh: &Mesh) -> Surface {
    (mesh.points.clone(), surface(mesh).triangles)
}

fn sphere(radius: f64) -> Surface {
    skin(
        &Ball {
            radius,
            cells: 24,
            element: Element::Tet4,
        }
        .mesh()
        .unwrap(),
    )
}

fn cube(side: f64) -> Surface {
    skin(
        &Box {
            size: [side; 3],
            cells: [1; 3],
            ..Box::default()
        }
        .mesh()
        .unwrap(),
    )
}

fn moved((points, triangles): Surface, by: [f64; 3]) -> Surface {
    (
        points
            .iter()
            .map(|p| [0, 1, 2].map(|k| p[k] + by[k]))
            .collect(),
        triangles,
    )
}

fn inside_out((points, triangles): Surface) -> Surface {
    (
        points,
        triangles.iter().map(|t| [t[0], t[2], t[1]]).collect(),
    )
}

fn both(a: Surface, b: Surface) -> Surface {
    let shift = a.0.len() as u32;
    let (mut points, mut triangles) = a;
    points.extend(b.0);
    triangles.extend(b.1.iter().map(|t| t.map(|n| n + shift)));
    (points, triangles)
}

fn filled(s: &Surface, cell: f64) -> Filled {
    fill(&s.0, &s.1, cell).unwrap()
}

fn refused(s: &Surface, cell: f64) -> FillError {
    fill(&s.0, &s.1, cell).unwrap_err()
}

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
            pinched: 0
        }
    );
    assert!(f.mesh == filled(&cube(1.0), 0.2).mesh);
    carried(&f, &loose);
}

#[test]
fn faults_are_refused_with_numbers() {
    let (points, triangles) = cube(1.0);
    let open = (points.clone(), triangles[1..].to_vec());
    assert!(matches!(
        refused(&open, 0.2),
        FillError::Open { edges: 3, .. }
    ));
    let mut crowded = triangles.clone();
    crowded.push([triangles[0][0], triangles[0][1], 7]);
    assert!(matches!(
        refused(&(points.clone(), crowded), 0.2),
        FillError::Crowded { .. }
    ));
    let mut clashing = triangles.clone();
    clashing[0].swap(1, 2);
    assert_eq!(
        refused(&(points.clone(), clashing), 0.2),
        FillError::Clashing { edges: 3 }
    );
    let flat = (
        points.iter().map(|p| [p[0], p[1], 0.0]).collect::<Vec<_>>(),
        triangles.clone(),
    );
    assert!(fill(&flat.0, &flat.1, 0.2).is_err());
    let thin = (
        points
            .iter()
            .map(|p| [p[0], p[1], 1e-14 * p[2]])
            .collect::<Vec<_>>(),
        triangles.clone(),
    );
    assert!(matches!(refused(&thin, 0.2), FillError::NoVolume { .. }));
    let crossing = both(cube(1.0), moved(cube(1.0), [0.5; 3]));
    let FillError::SelfIntersecting { pairs, .. } = refused(&crossing, 0.2) else {
        panic!()
    };
    // Three edges of each cube go through the other.
    assert!((6..=24).contains(&pairs), "{pairs}");
    let crossing = both(cube(1.0), moved(cube(1.0), [0.3, 0.4, 0.6]));
    assert!(matches!(
        refused(&crossing, 0.2),
        FillError::SelfIntersecting { .. }
    ));
    assert!(matches!(
        refused(&cube(1.0), 0.002),
        FillError::TooFine { .. }
    ));
    let cell = 40.0;
    let FillError::TooCoarse { try_cell, .. } = refused(&moved(cube(1.0), [0.3, 0.1, 0.2]), cell)
    else {
        panic!()
    };
    assert!(fill(&points, &triangles, try_cell).is_ok());
    for cell in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(
            refused(&cube(1.0), cell),
            FillError::BadCell { .. }
        ));
    }
    assert_eq!(refused(&(points.clone(), vec![]), 0.1), FillError::Empty);
    assert!(matches!(
        refused(&(points.clone(), vec![[0, 1, 8]]), 0.1),
        FillError::NoSuchVertex { node: 8, .. }
    ));
    let mut nan = points;
    nan[3][1] = f64::NAN;
    assert_eq!(
        refused(&(nan, triangles), 0.1),
        FillError::NotFinite { vertex: 3 }
    );
}

#[test]
fn messages_are_sentences() {
    let (points, triangles) = cube(1.0);
    let open = fill(&points, &triangles[1..], 0.2).unwrap_err().to_string();
    assert!(open.starts_with(
        "fill: the surface is open: 3 edges have a triangle on one side only, the first between"
    ));
    let fine = fill(&points, &triangles, 1e-3).unwrap_err().to_string();
    assert!(fine.contains("too fine: about 1.2e10 tetrahedra"), "{fine}");
}

/// Enough of OBJ, OFF and STL for the files below.
fn scan(path: &Path) -> Surface {
    let bytes = std::fs::read(path).unwrap();
    let number = |w: &str| w.split('/').next().unwrap().parse::<f64>().unwrap();
    let (mut points, mut triangles) = (Vec::new(), Vec::new());
    let mut fan = |f: &[u32]| (2..f.len()).for_each(|k| triangles.push([f[0], f[k - 1], f[k]]));
    let text = String::from_utf8_lossy(&bytes);
    match path.extension().and_then(|e| e.to_str()) {
        Some("stl") => {
            for t in bytes[84..].chunks_exact(50) {
                let x: Vec<f64> = t[12..48]
                    .chunks_exact(4)
                    .map(|b| f64::from(f32::from_le_bytes(b.try_into().unwrap())))
                    .collect();
                let n = points.len() as u32;
                points.extend(x.chunks_exact(3).map(|p| [p[0], p[1], p[2]]));
                fan(&[n, n + 1, n + 2]);
            }
        }
        Some("off") => {
            let mut rows = text.lines().skip(1).filter(|l| !l.trim().is_empty());
            let mut row = || -> Vec<f64> {
                rows.next()
                    .unwrap()
                    .split_whitespace()
                    .map(number)
                    .collect()
            };
            let counts = row();
            for _ in 0..counts[0] as usize {
                let x = row();
                points.push([x[0], x[1], x[2]]);
            }
            for _ in 0..counts[1] as usize {
                let f: Vec<u32> = row().iter().map(|&n| n as u32).collect();
                fan(&f[1..=f[0] as usize]);
            }
        }
        _ => {
            for line in text.lines() {
                let words: Vec<&str> = line.split_whitespace().collect();
                match words.first() {
                    Some(&"v") => points.push([1, 2, 3].map(|k| number(words[k]))),
                    Some(&"f") => fan(&words[1..]
                        .iter()
                        .map(|w| number(w) as u32 - 1)
                        .collect::<Vec<_>>()),
                    _ => {}
                }
            }
        }
    }
    (points, triangles)
}

fn shared(folder: &str) -> Option<PathBuf> {
    let data = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data")).join(folder);
    data.exists().then_some(data)
}

fn size(points: &[[f64; 3]]) -> f64 {
    let range = |k: usize| {
        let x = points.iter().map(|p| p[k]);
        x.clone().fold(f64::NEG_INFINITY, f64::max) - x.fold(f64::INFINITY, f64::min)
    };
    (0..3).map(range).fold(0.0, f64::max)
}

#[test]
fn known_surfaces_fill_or_are_refused() {
    let Some(folder) = shared("meshes/surfaces") else {
        return;
    };
    for (file, pieces) in [
        ("oded_armadillo.obj", 1),
        ("oded_bunny.obj", 1),
        ("oded_spot_low_resolution.obj", 1),
        ("bullet_duck.obj", 1),
        ("cgal_cactus.off", 1),
        ("sofa_Bunny.stl", 1),
    ] {
        let s = scan(&folder.join(file));
        for across in [11.0, 24.0] {
            let f = filled(&s, size(&s.0) / across);
            sound(&f, &s.0);
            assert_eq!(f.notices.pieces, pieces, "{file}");
        }
    }
    let bob = scan(&folder.join("bob_rubber_duck_float.obj"));
    // Counted in rational arithmetic.
    assert!(matches!(
        refused(&bob, 0.1),
        FillError::SelfIntersecting { pairs: 7, .. }
    ));
    for (file, open) in [
        ("codimipc_cloth_mat60x60.obj", 472),
        ("codimipc_cloth_square100.obj", 76),
        ("libuipc_cloth80x80.obj", 316),
        ("pbd_cloth_plane_50x50.obj", 200),
    ] {
        let s = scan(&folder.join(file));
        assert!(
            matches!(refused(&s, 0.1), FillError::Open { edges, .. } if edges == open),
            "{file}"
        );
    }
}

#[test]
fn bad_surfaces_are_answered() {
    let Some(folder) = shared("bad_meshes/surface") else {
        return;
    };
    let of = |file: &str| {
        let s = scan(&folder.join(file));
        fill(&s.0, &s.1, 0.2)
    };
    assert!(matches!(
        of("open_hole.obj"),
        Err(FillError::Open { edges: 3, .. })
    ));
    assert!(matches!(
        of("bowtie_vertex.obj"),
        Err(FillError::Open { edges: 6, .. })
    ));
    assert!(matches!(
        of("non_manifold_edge.obj"),
        Err(FillError::Crowded { edges: 1, .. })
    ));
    assert!(matches!(
        of("self_intersecting.obj"),
        Err(FillError::SelfIntersecting { .. })
    ));
    assert!(matches!(of("vertices_only.obj"), Err(FillError::Empty)));
    assert_eq!(of("unwelded.obj").unwrap().notices.welded, 28);
    assert_eq!(of("zero_area_triangle.obj").unwrap().notices.dropped, 2);
}

#[test]
fn vertices_sorted_along_the_curve_are_all_there() {
    let f = filled(&sphere(1.0), 0.3);
    let mut order = morton_order(&f.mesh.points);
    order.sort_unstable();
    assert!((0..f.mesh.points.len() as u32).eq(order));
}
