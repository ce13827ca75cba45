//! Tests of whole meshes: quality, surfaces, graphs, elevation, merging, Morton order.

use base::random::Random;

use super::super::vector::{dot, sub};
use super::super::*;
use super::{random, reference, single};

/// Grid of n × m × 1 unit hexahedra.
fn grid(n: u32, m: u32) -> Mesh {
    let mut points = Vec::new();
    for k in 0..2 {
        for j in 0..=m {
            for i in 0..=n {
                points.push([f64::from(i), f64::from(j), f64::from(k)]);
            }
        }
    }
    let mut mesh = Mesh::with_points(points);
    let (row, layer) = (n + 1, (n + 1) * (m + 1));
    for j in 0..m {
        for i in 0..n {
            let a = j * row + i;
            let low = [a, a + 1, a + row + 1, a + row];
            let mut cell = [0; 8];
            cell[..4].copy_from_slice(&low);
            cell[4..].copy_from_slice(&low.map(|v| v + layer));
            mesh.push(CellKind::Hex8, &cell);
        }
    }
    mesh
}

#[test]
fn quality_of_a_grid() {
    let mut mesh = grid(3, 2);
    let q = quality(&mesh);
    assert_eq!(q.kinds, [(CellKind::Hex8, 6)]);
    assert_eq!(q.bounds, Some([[0.0; 3], [3.0, 2.0, 1.0]]));
    assert!((q.volume - 6.0).abs() < 1e-13);
    let angles = q.angles.unwrap();
    for a in [angles.min, angles.percentile_1, angles.median, angles.max] {
        assert!((a - 90.0).abs() < 1e-12);
    }
    let l = q.lengths.unwrap();
    assert!((l.min - 1.0).abs() + (l.mean - 1.0).abs() + (l.max - 1.0).abs() < 1e-12);
    assert_eq!((q.inverted, q.degenerate, q.duplicate_cells), (0, 0, 0));
    assert_eq!(
        (q.unreferenced_points, q.duplicate_points, q.components),
        (0, 0, 1)
    );
    assert_eq!((q.surface.faces, q.surface.genus), (22, Some(0)));

    // Adds a duplicate cell, a separate inverted cell, an unused point and a duplicate point.
    let first = mesh.cell(0).to_vec();
    mesh.push(CellKind::Hex8, &first);
    let far = mesh.points.len() as u32;
    mesh.points.extend(
        reference(CellKind::Tet4)
            .0
            .iter()
            .map(|p| p.map(|x| x + 9.0)),
    );
    mesh.push(CellKind::Tet4, &[far, far + 2, far + 1, far + 3]);
    mesh.points.push([-0.0, 0.0, 0.0]);
    let q = quality(&mesh);
    assert_eq!(
        (q.duplicate_cells, q.first_duplicates.as_slice()),
        (1, &[6][..])
    );
    assert_eq!((q.inverted, q.first_inverted.as_slice()), (1, &[7][..]));
    assert_eq!(
        (q.unreferenced_points, q.duplicate_points, q.components),
        (1, 1, 2)
    );
    assert_eq!(q.non_manifold_faces, 2);
}

#[test]
fn dihedral_angles_of_known_tetrahedra() {
    let mut regular = Mesh::with_points(vec![
        [1.0, 1.0, 1.0],
        [-1.0, 1.0, -1.0],
        [1.0, -1.0, -1.0],
        [-1.0, -1.0, 1.0],
    ]);
    regular.push(CellKind::Tet4, &[0, 1, 2, 3]);
    let exact = (1.0f64 / 3.0).acos().to_degrees();
    for a in dihedral_range(&regular, 0) {
        assert!((a - exact).abs() < 1e-12);
    }
    // The corner of a cube: three right angles and three of atan √2.
    let [low, high] = dihedral_range(&single(CellKind::Tet4, |p| p), 0);
    assert!((low - 2f64.sqrt().atan().to_degrees()).abs() < 1e-12 && (high - 90.0).abs() < 1e-12);
}

#[test]
fn surface_defects_are_counted() {
    let cube = CellKind::Hex8.faces();
    let face =
        |f: &[u8], shift: [u32; 8]| f.iter().map(|&i| shift[i as usize]).collect::<Vec<u32>>();
    let plain = [0, 1, 2, 3, 4, 5, 6, 7];
    let of = |faces: &[Vec<u32>]| surface_topology(faces.iter().map(|f| f.as_slice()));
    let mut faces: Vec<_> = cube.iter().map(|f| face(f, plain)).collect();
    let lid = faces.pop().unwrap();
    let open = of(&faces);
    assert_eq!(
        (open.open_edges, open.genus, open.is_closed()),
        (4, None, false)
    );
    assert_eq!(open.first_open_edges[0], [4, 5]);
    // The lid with the wrong orientation.
    faces.push(lid.iter().rev().copied().collect());
    assert_eq!(of(&faces).inconsistent_edges, 4);
    faces.pop();
    faces.push(lid);
    let closed = of(&faces);
    assert_eq!(
        (closed.genus, closed.components, closed.inconsistent_edges),
        (Some(0), 1, 0)
    );
    // Another cube on the edge 1–2, another on the corner 6.
    let mut touching = faces.clone();
    touching.extend(cube.iter().map(|f| face(f, [1, 10, 11, 2, 12, 13, 14, 15])));
    let t = of(&touching);
    assert_eq!(
        (t.non_manifold_edges, t.first_non_manifold_edges.as_slice()),
        (1, &[[1, 2]][..])
    );
    let mut pinched = faces.clone();
    pinched.extend(
        cube.iter()
            .map(|f| face(f, [6, 10, 11, 12, 13, 14, 15, 16])),
    );
    let t = of(&pinched);
    assert_eq!(
        (
            t.non_manifold_vertices,
            t.first_non_manifold_vertices.as_slice(),
            t.components
        ),
        (1, &[6][..], 2)
    );
    assert_eq!((t.non_manifold_edges, t.genus), (0, None));
    // A torus of quadrilaterals.
    let ring = |i: u32, j: u32| i % 5 * 4 + j % 4;
    let torus: Vec<Vec<u32>> = (0..5)
        .flat_map(|i| {
            (0..4).map(move |j| {
                vec![
                    ring(i, j),
                    ring(i + 1, j),
                    ring(i + 1, j + 1),
                    ring(i, j + 1),
                ]
            })
        })
        .collect();
    assert_eq!((of(&torus).genus, of(&torus).euler), (Some(1), 0));
}

#[test]
fn edges_and_neighbours_of_a_grid() {
    let mesh = grid(3, 2);
    let list = edges(&mesh);
    // Along x, y and z.
    assert_eq!(list.len(), 3 * 3 * 2 + 4 * 2 * 2 + 4 * 3);
    assert!(list.is_sorted() && list.iter().all(|e| e[0] < e[1]));
    let graph = vertex_graph(&mesh);
    assert_eq!(graph.len(), mesh.points.len());
    // A corner shares its cell with 7; a node between four cells shares them with 17.
    assert_eq!(graph.neighbours(0), [1, 4, 5, 12, 13, 16, 17]);
    assert_eq!(graph.neighbours(5).len(), 17);
}

#[test]
fn elevated_cells_share_mid_edge_nodes() {
    let mut mesh = grid(3, 2);
    mesh.groups.push(Group {
        name: "end".into(),
        cells: vec![0],
        points: mesh.cell(0).to_vec(),
    });
    mesh.groups[0].points.sort_unstable();
    let fine = elevate(&mesh);
    assert_eq!(fine.points.len(), mesh.points.len() + edges(&mesh).len());
    assert!(fine.kinds.iter().all(|&k| k == CellKind::Hex20));
    assert!((0..fine.len()).all(|i| (cell_volume(&fine, i) - 1.0).abs() < 1e-14));
    assert_eq!(fine.groups[0].points.len(), 20);
    for (_, cell) in fine.cells() {
        for (e, m) in CellKind::Hex20.edges().iter().zip(&cell[8..]) {
            let [a, b] = e.map(|i| fine.points[cell[i as usize] as usize]);
            assert_eq!(
                fine.points[*m as usize],
                [0, 1, 2].map(|k| 0.5 * (a[k] + b[k]))
            );
        }
    }
    // All edges of a plate one cell thick are on its boundary except the two inner vertical ones.
    assert_eq!(
        boundary_mid_edge_nodes(&fine, |_| true).len(),
        edges(&mesh).len() - 2
    );
}

#[test]
fn merge_shifts_numbers_and_joins_groups() {
    let mut a = grid(1, 1);
    a.groups.push(Group {
        name: "g".into(),
        cells: vec![0],
        points: vec![0, 3],
    });
    let mut b = grid(2, 1);
    b.groups.push(Group {
        name: "h".into(),
        cells: vec![1],
        points: vec![2],
    });
    b.groups.push(Group {
        name: "g".into(),
        cells: vec![0, 1],
        points: vec![1],
    });
    let all = merge(&[a.clone(), Mesh::default(), b.clone()]);
    assert_eq!((all.points.len(), all.len()), (8 + 12, 3));
    assert_eq!(
        all.cell(2),
        b.cell(1).iter().map(|n| n + 8).collect::<Vec<_>>()
    );
    assert_eq!(
        all.groups[0],
        Group {
            name: "g".into(),
            cells: vec![0, 1, 2],
            points: vec![0, 3, 9]
        }
    );
    assert_eq!(all.groups[1].cells, [2]);
    assert_eq!(quality(&all).volume, 3.0);
}

#[test]
fn morton_order_visits_octants_in_turn() {
    let corners: Vec<[f64; 3]> = (0..8)
        .map(|i| [0, 1, 2].map(|k| f64::from(i >> k & 1)))
        .collect();
    assert_eq!(morton_order(&corners), [0, 1, 2, 3, 4, 5, 6, 7]);
    let mut rng = Random::new(3);
    let points: Vec<[f64; 3]> = (0..4000)
        .map(|_| [0, 1, 2].map(|_| random(&mut rng)))
        .collect();
    let order = morton_order(&points);
    let mut sorted = order.clone();
    sorted.sort_unstable();
    assert!((0..4000).eq(sorted));
    // Consecutive points on the curve are much closer than random pairs.
    let step = |o: &[u32]| -> f64 {
        o.windows(2)
            .map(|w| {
                let d = sub(points[w[0] as usize], points[w[1] as usize]);
                dot(d, d).sqrt()
            })
            .sum()
    };
    let unsorted: Vec<u32> = (0..4000).collect();
    assert!(step(&order) < 0.2 * step(&unsorted));
    assert_eq!(morton_cell_order(&grid(2, 2)), [0, 1, 2, 3]);
}

#[test]
fn surface_of_a_mesh_without_solids_is_its_faces() {
    let mut mesh = Mesh::with_points(grid(1, 1).points);
    mesh.push(CellKind::Quad4, &[0, 1, 3, 2]);
    mesh.push(CellKind::Line2, &[0, 4]);
    mesh.push(CellKind::Tri3, &[4, 5, 7]);
    let boundary = surface(&mesh);
    assert_eq!(boundary.triangles, [[0, 1, 3], [0, 3, 2], [4, 5, 7]]);
    assert_eq!(boundary.triangle_face, [0, 0, 1]);
    assert_eq!(boundary.faces[1].owner, 2);
    assert_eq!(surface(&Mesh::default()), Surface::default());
    assert_eq!(quality(&Mesh::default()).angles, None);
}
