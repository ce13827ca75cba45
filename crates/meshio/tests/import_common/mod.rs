//! Meshes for tests of readers and writers, with seeded random coordinates.
#![allow(dead_code, reason = "each test binary uses some of them")]

use std::collections::BTreeMap;

pub use base::random::Random;
use mesh::{CellKind, Group, Mesh};

/// Corners of the cells of a grid of hexahedra, jittered so that no coordinate is round.
pub fn hexes(n: [usize; 3], seed: u64) -> Mesh {
    let mut random = Random::new(seed);
    let mut points = Vec::new();
    for k in 0..=n[2] {
        for j in 0..=n[1] {
            for i in 0..=n[0] {
                let at = [i, j, k];
                points.push(at.map(|x| x as f64 + 0.1 * random.signed()));
            }
        }
    }
    let mut mesh = Mesh::with_points(points);
    let at = |i: usize, j: usize, k: usize| (i + (n[0] + 1) * (j + (n[1] + 1) * k)) as u32;
    for k in 0..n[2] {
        for j in 0..n[1] {
            for i in 0..n[0] {
                let ring = |k: usize| {
                    [
                        at(i, j, k),
                        at(i + 1, j, k),
                        at(i + 1, j + 1, k),
                        at(i, j + 1, k),
                    ]
                };
                let cell = [ring(k), ring(k + 1)].concat();
                mesh.push(CellKind::Hex8, &cell);
            }
        }
    }
    mesh
}

/// Grid of hexahedra split into six tetrahedra each.
pub fn tets(n: [usize; 3], seed: u64) -> Mesh {
    let grid = hexes(n, seed);
    let mut mesh = Mesh::with_points(grid.points.clone());
    for (_, c) in grid.cells() {
        for [a, b] in [[1, 2], [2, 3], [3, 7], [7, 4], [4, 5], [5, 1]] {
            mesh.push(CellKind::Tet4, &[c[0], c[a], c[b], c[6]]);
        }
    }
    mesh
}

/// Corners whose mean each mid node of a kind is, in VTK's order.
pub fn mid_nodes(kind: CellKind) -> Vec<Vec<usize>> {
    let of = |lists: &[&[usize]]| lists.iter().map(|l| l.to_vec()).collect::<Vec<_>>();
    let edges: &[&[usize]] = &[
        &[0, 1],
        &[1, 2],
        &[2, 3],
        &[3, 0],
        &[4, 5],
        &[5, 6],
        &[6, 7],
        &[7, 4],
        &[0, 4],
        &[1, 5],
        &[2, 6],
        &[3, 7],
    ];
    let faces: &[&[usize]] = &[
        &[0, 3, 4, 7],
        &[1, 2, 5, 6],
        &[0, 1, 4, 5],
        &[2, 3, 6, 7],
        &[0, 1, 2, 3],
        &[4, 5, 6, 7],
        &[0, 1, 2, 3, 4, 5, 6, 7],
    ];
    match kind {
        CellKind::Line3 => of(&[&[0, 1]]),
        CellKind::Tri6 => of(&[&[0, 1], &[1, 2], &[0, 2]]),
        CellKind::Quad8 => of(&[&[0, 1], &[1, 2], &[2, 3], &[3, 0]]),
        CellKind::Quad9 => of(&[&[0, 1], &[1, 2], &[2, 3], &[3, 0], &[0, 1, 2, 3]]),
        CellKind::Tet10 => of(&[&[0, 1], &[1, 2], &[0, 2], &[0, 3], &[1, 3], &[2, 3]]),
        CellKind::Hex20 => of(edges),
        CellKind::Hex27 => of(&[edges, faces].concat()),
        _ => Vec::new(),
    }
}

/// Number of corners of a kind.
pub fn corners(kind: CellKind) -> usize {
    kind.node_count() - mid_nodes(kind).len()
}

/// Quadratic mesh of cells of `kind`, with mid nodes exactly at the mean of their corners.
pub fn elevated(linear: &Mesh, kind: CellKind) -> Mesh {
    let mut mesh = Mesh::with_points(linear.points.clone());
    let mut made: BTreeMap<Vec<u32>, u32> = BTreeMap::new();
    for (_, cell) in linear.cells() {
        let mut nodes = cell.to_vec();
        for list in mid_nodes(kind) {
            let mut key: Vec<u32> = list.iter().map(|&k| cell[k]).collect();
            key.sort_unstable();
            let middle = [0, 1, 2].map(|a| {
                let sum: f64 = key.iter().map(|&p| linear.points[p as usize][a]).sum();
                sum / key.len() as f64
            });
            let next = mesh.points.len() as u32;
            let node = *made.entry(key).or_insert(next);
            if node == next {
                mesh.points.push(middle);
            }
            nodes.push(node);
        }
        mesh.push(kind, &nodes);
    }
    mesh
}

/// Sheet of quads or triangles.
pub fn sheet(kind: CellKind, seed: u64) -> Mesh {
    let grid = hexes([4, 3, 1], seed);
    let n = grid.points.len() / 2;
    let mut mesh = Mesh::with_points(grid.points[..n].to_vec());
    for (_, c) in grid.cells() {
        if kind == CellKind::Quad4 {
            mesh.push(kind, &c[..4]);
        } else {
            mesh.push(CellKind::Tri3, &[c[0], c[1], c[2]]);
            mesh.push(CellKind::Tri3, &[c[0], c[2], c[3]]);
        }
    }
    mesh
}

/// One separate cell of every kind, with overlapping groups.
pub fn all_kinds() -> Mesh {
    let mut mesh = Mesh::with_points(Vec::new());
    for (i, kind) in CellKind::ALL.into_iter().enumerate() {
        let base = mesh.points.len() as u32;
        let unit: &[[f64; 3]] = match corners(kind) {
            1 => &[[0., 0., 0.]],
            2 => &[[0., 0., 0.], [1., 0., 0.]],
            3 => &[[0., 0., 0.], [1., 0., 0.], [0., 1., 0.]],
            4 if kind.dimension() == 2 => &[[0., 0., 0.], [1., 0., 0.], [1., 1., 0.], [0., 1., 0.]],
            4 => &[[0., 0., 0.], [1., 0., 0.], [0., 1., 0.], [0., 0., 1.]],
            5 => &[
                [0., 0., 0.],
                [1., 0., 0.],
                [1., 1., 0.],
                [0., 1., 0.],
                [0.5, 0.5, 1.],
            ],
            6 => &[
                [0., 0., 0.],
                [1., 0., 0.],
                [0., 1., 0.],
                [0., 0., 1.],
                [1., 0., 1.],
                [0., 1., 1.],
            ],
            _ => &[
                [0., 0., 0.],
                [1., 0., 0.],
                [1., 1., 0.],
                [0., 1., 0.],
                [0., 0., 1.],
                [1., 0., 1.],
                [1., 1., 1.],
                [0., 1., 1.],
            ],
        };
        let shift = 3.0 * i as f64 + 1.0 / 3.0;
        let mut points: Vec<[f64; 3]> = unit
            .iter()
            .map(|p| [p[0] + shift, p[1] * 1e-3, p[2]])
            .collect();
        for list in mid_nodes(kind) {
            let mean =
                |a: usize| list.iter().map(|&k| points[k][a]).sum::<f64>() / list.len() as f64;
            points.push([0, 1, 2].map(mean));
        }
        let nodes: Vec<u32> = (0..points.len() as u32).map(|k| base + k).collect();
        mesh.points.extend(points);
        mesh.push(kind, &nodes);
    }
    let cells = mesh.len() as u32;
    mesh.groups = vec![
        group(&mesh, "odd ones", (0..cells).filter(|c| c % 2 == 1)),
        group(&mesh, "Größe", (0..cells).filter(|c| c % 3 == 0)),
    ];
    mesh
}

/// Group of cells with their points.
pub fn group(mesh: &Mesh, name: &str, cells: impl Iterator<Item = u32>) -> Group {
    let cells: Vec<u32> = cells.collect();
    let mut points: Vec<u32> = cells
        .iter()
        .flat_map(|&c| mesh.cell(c as usize).to_vec())
        .collect();
    points.sort_unstable();
    points.dedup();
    Group {
        name: name.to_string(),
        cells,
        points,
    }
}
