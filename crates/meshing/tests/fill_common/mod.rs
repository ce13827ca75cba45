//! Surfaces to fill, and checks of filled ones.
#![allow(dead_code)] // each test file uses some of them

use mesh::{Mesh, Quality, quality, surface};
use meshing::fill::{FillError, FilledSurface, fill};
use meshing::shapes::{Ball, Box, ElementKind};

/// Points and triangles of a surface.
pub type Surface = (Vec<[f64; 3]>, Vec<[u32; 3]>);

/// Checks what holds for every filled surface, and returns the quality of the mesh.
pub fn check_fill(filled: &FilledSurface, points: &[[f64; 3]]) -> Quality {
    let q = quality(&filled.mesh);
    assert_eq!((q.inverted, q.degenerate, q.duplicate_cells), (0, 0, 0));
    assert_eq!((q.unreferenced_points, q.duplicate_points), (0, 0));
    assert_eq!((q.surface.open_edges, q.non_manifold_faces), (0, 0));
    let angles = q.angles.unwrap();
    assert!(angles.min >= 8.0 && angles.max <= 165.0, "{angles:?}");
    check_embedding(filled, points);
    q
}

/// Checks that the embedding reproduces the rest positions and every affine map of them.
pub fn check_embedding(filled: &FilledSurface, points: &[[f64; 3]]) {
    let e = &filled.embedding;
    assert_eq!(
        (e.tets.len(), e.weights.len()),
        (points.len(), points.len())
    );
    let map = |[x, y, z]: [f64; 3]| [2.0 * x - y + 1.0, y + 0.5 * z, z - 3.0 * x];
    let moved: Vec<[f64; 3]> = filled.mesh.points.iter().map(|&p| map(p)).collect();
    let scale = points.iter().flatten().fold(0.0f64, |m, x| m.max(x.abs()));
    for (nodes, expected) in [
        (&filled.mesh.points, points.to_vec()),
        (&moved, points.iter().map(|&p| map(p)).collect()),
    ] {
        let mut out = vec![[f64::NAN; 3]; points.len()];
        e.interpolate(&filled.mesh, nodes, &mut out);
        for (x, y) in out.iter().zip(&expected) {
            let error = (0..3).map(|k| (x[k] - y[k]).abs()).fold(0.0, f64::max);
            assert!(error <= 1e-10 * scale.max(1.0), "{x:?} {y:?}");
        }
    }
    for w in &e.weights {
        assert!((w.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }
}

/// Boundary of a mesh.
pub fn boundary(mesh: &Mesh) -> Surface {
    (mesh.points.clone(), surface(mesh).triangles)
}

pub fn sphere(radius: f64) -> Surface {
    boundary(
        &Ball {
            radius,
            cells: 16,
            element: ElementKind::Tet4,
        }
        .mesh()
        .unwrap(),
    )
}

pub fn cube(side: f64) -> Surface {
    boundary(
        &Box {
            size: [side; 3],
            cells: [1; 3],
            ..Box::default()
        }
        .mesh()
        .unwrap(),
    )
}

pub fn moved((points, triangles): Surface, by: [f64; 3]) -> Surface {
    (
        points
            .iter()
            .map(|p| [0, 1, 2].map(|k| p[k] + by[k]))
            .collect(),
        triangles,
    )
}

/// Surface with the opposite orientation.
pub fn reversed((points, triangles): Surface) -> Surface {
    (
        points,
        triangles.iter().map(|t| [t[0], t[2], t[1]]).collect(),
    )
}

/// Both surfaces as one.
pub fn union(a: Surface, b: Surface) -> Surface {
    let shift = a.0.len() as u32;
    let (mut points, mut triangles) = a;
    points.extend(b.0);
    triangles.extend(b.1.iter().map(|t| t.map(|n| n + shift)));
    (points, triangles)
}

pub fn filled(s: &Surface, cell: f64) -> FilledSurface {
    fill(&s.0, &s.1, cell).unwrap()
}

pub fn refused(s: &Surface, cell: f64) -> FillError {
    fill(&s.0, &s.1, cell).unwrap_err()
}
