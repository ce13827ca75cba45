//! Tests of every kind of cell against closed forms.

mod meshes;

use base::random::Random;

use super::vector::{cross, dot};
use super::*;

/// Nodes of one reference cell of unit size, and its volume.
fn reference(kind: CellKind) -> (Vec<[f64; 3]>, f64) {
    let cube = [
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [1.0, 1.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, 0.0, 1.0],
        [1.0, 0.0, 1.0],
        [1.0, 1.0, 1.0],
        [0.0, 1.0, 1.0],
    ];
    let tet = [cube[0], cube[1], cube[3], cube[4]];
    let (corners, volume) = match kind {
        CellKind::Tet4 | CellKind::Tet10 => (tet.to_vec(), 1.0 / 6.0),
        CellKind::Hex8 | CellKind::Hex20 | CellKind::Hex27 => (cube.to_vec(), 1.0),
        CellKind::Prism6 => (
            vec![cube[0], cube[1], cube[3], cube[4], cube[5], cube[7]],
            0.5,
        ),
        _ => (vec![cube[0], cube[1], cube[2], cube[3], cube[4]], 1.0 / 3.0),
    };
    let mut points = corners.clone();
    let middle = |of: &[u8]| {
        let sum = of.iter().fold([0.0; 3], |s, &i| {
            [0, 1, 2].map(|k| s[k] + corners[i as usize][k])
        });
        sum.map(|x| x / of.len() as f64)
    };
    if kind.node_count() > kind.corner_count() {
        points.extend(kind.edges().iter().map(|e| middle(e)));
    }
    if kind == CellKind::Hex27 {
        points.extend(kind.faces().iter().map(|f| middle(f)));
        points.push([0.5; 3]);
    }
    (points, volume)
}

fn single(kind: CellKind, map: impl Fn([f64; 3]) -> [f64; 3]) -> Mesh {
    let mut mesh = Mesh::with_points(reference(kind).0.into_iter().map(map).collect());
    let nodes: Vec<u32> = (0..kind.node_count() as u32).collect();
    mesh.push(kind, &nodes);
    mesh
}

const SOLIDS: [CellKind; 7] = [
    CellKind::Tet4,
    CellKind::Tet10,
    CellKind::Hex8,
    CellKind::Hex20,
    CellKind::Hex27,
    CellKind::Prism6,
    CellKind::Pyramid5,
];

/// Volume inside closed triangles, by the divergence theorem.
fn enclosed(mesh: &Mesh, triangles: &[[u32; 3]]) -> f64 {
    triangles
        .iter()
        .map(|t| {
            let [a, b, c] = t.map(|n| mesh.points[n as usize]);
            dot(cross(a, b), c) / 6.0
        })
        .sum()
}

fn random(rng: &mut Random) -> f64 {
    rng.between(-0.5, 0.5)
}

#[test]
fn affine_cells_have_the_volume_of_their_map_and_outward_normals() {
    let mut rng = Random::new(7);
    for kind in SOLIDS {
        for _ in 0..20 {
            let m = [0, 1, 2].map(|_| [0, 1, 2].map(|_| random(&mut rng)));
            let shift = [0, 1, 2].map(|_| 10.0 * random(&mut rng));
            let det = dot(cross(m[0], m[1]), m[2]);
            let mesh = single(kind, |x| {
                [0, 1, 2].map(|i| shift[i] + m[0][i] * x[0] + m[1][i] * x[1] + m[2][i] * x[2])
            });
            let exact = det * reference(kind).1;
            assert!((cell_volume(&mesh, 0) - exact).abs() < 1e-13, "{kind:?}");
            let boundary = surface(&mesh);
            assert!(
                (enclosed(&mesh, &boundary.triangles) - exact.abs()).abs() < 1e-12,
                "{kind:?}"
            );
            let t = surface_topology(boundary.faces.iter().map(|f| f.nodes()));
            assert_eq!(
                (t.genus, t.euler, t.faces),
                (Some(0), 2, kind.faces().len()),
                "{kind:?}"
            );
            let fine = surface_topology(boundary.triangles.iter().map(|t| t.as_slice()));
            assert_eq!(fine.genus, Some(0), "{kind:?}");
        }
    }
}

#[test]
fn curved_cells_are_integrated_exactly() {
    // x → x + c x y² has det 1 + c y², hence volume 1 + c/3 over the cube.
    for kind in [CellKind::Hex20, CellKind::Hex27] {
        let mesh = single(kind, |[x, y, z]| [x + 0.7 * x * y * y, y, z]);
        assert!(
            (cell_volume(&mesh, 0) - (1.0 + 0.7 / 3.0)).abs() < 1e-14,
            "{kind:?}"
        );
    }
    // Triquadratic: x → x + c x y²z² has volume 1 + c/9.
    let mesh = single(CellKind::Hex27, |[x, y, z]| {
        [x + 0.7 * x * y * y * z * z, y, z]
    });
    assert!((cell_volume(&mesh, 0) - (1.0 + 0.7 / 9.0)).abs() < 1e-14);
    // x → x + c x² has det 1 + 2 c x; ∫ x over the tetrahedron is 1/24.
    let mesh = single(CellKind::Tet10, |[x, y, z]| [x + 0.7 * x * x, y, z]);
    assert!((cell_volume(&mesh, 0) - (1.0 / 6.0 + 1.4 / 24.0)).abs() < 1e-14);
    // A twisted hexahedron: x → x + c x y z has volume 1 + c/4.
    let mesh = single(CellKind::Hex8, |[x, y, z]| [x + 0.7 * x * y * z, y, z]);
    assert!((cell_volume(&mesh, 0) - (1.0 + 0.7 / 4.0)).abs() < 1e-14);
}

#[test]
fn mirrored_cells_are_repaired() {
    for kind in SOLIDS {
        let bend = |[x, y, z]: [f64; 3]| [x + 0.1 * x * y, y + 0.15 * z * z, z];
        let good = single(kind, bend);
        let mut mesh = single(kind, |p| {
            let [x, y, z] = bend(p);
            [-x, y, z]
        });
        assert_eq!(cell_validity(&good, 0), CellValidity::Valid, "{kind:?}");
        assert_eq!(cell_validity(&mesh, 0), CellValidity::Inverted, "{kind:?}");
        let before = surface(&mesh);
        assert!(enclosed(&mesh, &before.triangles) > 0.0, "{kind:?}");
        assert_eq!(repair_orientation(&mut mesh), 1);
        assert_eq!(cell_validity(&mesh, 0), CellValidity::Valid, "{kind:?}");
        assert!(
            (cell_volume(&mesh, 0) - cell_volume(&good, 0)).abs() < 1e-14,
            "{kind:?}"
        );
        let after = surface(&mesh);
        assert!(
            (enclosed(&mesh, &after.triangles) - enclosed(&mesh, &before.triangles)).abs() < 1e-12
        );
        assert_eq!(repair_orientation(&mut mesh), 0);
    }
}

#[test]
fn degenerate_and_inverted_cells_are_detected_at_any_scale() {
    for scale in [1e-9, 1.0, 1e6] {
        let at = |p: [f64; 3]| p.map(|x| x * scale);
        assert_eq!(
            cell_validity(&single(CellKind::Tet4, at), 0),
            CellValidity::Valid
        );
        let flat = single(CellKind::Tet4, |[x, y, _]| at([x, y, x + y]));
        assert_eq!(cell_validity(&flat, 0), CellValidity::Degenerate);
        let sliver = single(CellKind::Tet4, |[x, y, z]| at([x, y, 1e-13 * z]));
        assert_eq!(cell_validity(&sliver, 0), CellValidity::Degenerate);
        // One corner pushed through the opposite side: positive volume, negative Jacobian at a corner.
        let mut hex = single(CellKind::Hex8, at);
        hex.points[6] = at([0.2, 0.2, 0.2]);
        assert!(cell_volume(&hex, 0) > 0.0);
        assert_eq!(cell_validity(&hex, 0), CellValidity::Inverted);
    }
}
