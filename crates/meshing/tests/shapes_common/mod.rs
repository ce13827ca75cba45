//! Checks that hold for the mesh of every solid shape.
#![allow(dead_code)] // each test file uses some of them

use mesh::{CellKind, Mesh, Quality, quality, surface};

/// Checks what holds for the mesh of every solid shape, and returns its quality.
pub fn check_mesh(mesh: &Mesh, genus: i64) -> Quality {
    let q = quality(mesh);
    assert_eq!((q.inverted, q.degenerate, q.duplicate_cells), (0, 0, 0));
    assert_eq!((q.unreferenced_points, q.duplicate_points), (0, 0));
    assert_eq!((q.components, q.non_manifold_faces), (1, 0));
    // An inner face of one cell only would be part of the surface.
    assert!(q.surface.is_closed() && q.surface.is_manifold());
    assert_eq!((q.surface.inconsistent_edges, q.surface.components), (0, 1));
    assert_eq!(q.surface.genus, Some(genus));
    check_normals(mesh, q.volume);
    q
}

/// Checks that surface normals point outwards: by the divergence theorem the surface encloses the volume of the cells.
/// For cells with curved faces the two are only close.
pub fn check_normals(mesh: &Mesh, volume: f64) {
    let linear = mesh.kinds.iter().all(|k| *k == CellKind::Tet4);
    let inside: f64 = surface(mesh)
        .triangles
        .iter()
        .map(|t| {
            let [a, b, c] = t.map(|n| mesh.points[n as usize]);
            (a[0] * (b[1] * c[2] - b[2] * c[1])
                + a[1] * (b[2] * c[0] - b[0] * c[2])
                + a[2] * (b[0] * c[1] - b[1] * c[0]))
                / 6.0
        })
        .sum();
    let slack = if linear { 1e-10 } else { 0.35 };
    assert!(
        (inside - volume).abs() <= slack * volume,
        "{inside} {volume}"
    );
}

pub fn least_angle(q: &Quality) -> f64 {
    q.angles.unwrap().min
}
