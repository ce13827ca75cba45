//! Tests of filling surfaces from files of the shared data folder.

mod fill_common;

use std::path::Path;

use fill_common::{Surface, check_fill, filled, refused};
use meshing::fill::{FillError, fill};

/// Reads the subset of OBJ, OFF and STL that the files below use.
fn read_surface(path: &Path) -> Surface {
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

fn size(points: &[[f64; 3]]) -> f64 {
    let range = |k: usize| {
        let x = points.iter().map(|p| p[k]);
        x.clone().fold(f64::NEG_INFINITY, f64::max) - x.fold(f64::INFINITY, f64::min)
    };
    (0..3).map(range).fold(0.0, f64::max)
}

#[test]
fn collected_surfaces_are_filled_or_refused() {
    let Some(folder) = testdata::shared("data/meshes/surfaces") else {
        return;
    };
    for (file, components) in [
        ("oded_armadillo.obj", 1),
        ("oded_bunny.obj", 1),
        ("oded_spot_low_resolution.obj", 1),
        ("bullet_duck.obj", 1),
        ("cgal_cactus.off", 1),
        ("sofa_Bunny.stl", 1),
    ] {
        let s = read_surface(&folder.join(file));
        for across in [11.0, 24.0] {
            let f = filled(&s, size(&s.0) / across);
            check_fill(&f, &s.0);
            assert_eq!(f.notices.surface_components, components, "{file}");
        }
    }
    let bob = read_surface(&folder.join("bob_rubber_duck_float.obj"));
    // The number of intersecting pairs was counted in rational arithmetic.
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
        let s = read_surface(&folder.join(file));
        assert!(
            matches!(refused(&s, 0.1), FillError::Open { edges, .. } if edges == open),
            "{file}"
        );
    }
}

#[test]
fn defective_surfaces_are_refused_or_repaired() {
    let Some(folder) = testdata::shared("data/bad_meshes/surface") else {
        return;
    };
    let of = |file: &str| {
        let s = read_surface(&folder.join(file));
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
        Err(FillError::NonManifold { edges: 1, .. })
    ));
    assert!(matches!(
        of("self_intersecting.obj"),
        Err(FillError::SelfIntersecting { .. })
    ));
    assert!(matches!(of("vertices_only.obj"), Err(FillError::Empty)));
    assert_eq!(of("unwelded.obj").unwrap().notices.welded_vertices, 28);
    assert_eq!(
        of("zero_area_triangle.obj")
            .unwrap()
            .notices
            .degenerate_triangles,
        2
    );
}
