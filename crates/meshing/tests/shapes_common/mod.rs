//! What every solid shape promises.
#![allow(dead_code)] // each test file uses a part

use mesh::{Kind, Mesh, Quality, quality, surface};

/// What every solid shape promises; returns its quality for more.
pub fn sound(mesh: &Mesh, genus: i64) -> Quality {
    let q = quality(mesh);
    assert_eq!((q.inverted, q.degenerate, q.duplicate_cells), (0, 0, 0));
    assert_eq!((q.unreferenced_points, q.duplicate_points), (0, 0));
    assert_eq!((q.components, q.crowded_faces), (1, 0));
    // Every inner face has two cells, or the surface would show it.
    assert!(q.surface.is_closed() && q.surface.is_manifold());
    assert_eq!((q.surface.clashing_edges, q.surface.components), (0, 1));
    assert_eq!(q.surface.genus, Some(genus));
    outward(mesh, q.volume);
    q
}

/// Skin normals point out: by the divergence theorem the skin encloses the cells' volume. Quadratic cells are curved
/// between the skin's corners, so theirs is near, not equal.
pub fn outward(mesh: &Mesh, volume: f64) {
    let linear = mesh.kinds.iter().all(|k| *k == Kind::Tet4);
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
