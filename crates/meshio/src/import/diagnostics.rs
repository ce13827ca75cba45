//! Diagnostics of a mesh that is not repaired: unused and duplicate points, duplicate cells, components that may
//! interpenetrate, and open or non-manifold surfaces.

use base::text::counted;
use mesh::{CellKind, CellShape, Mesh};

use super::mesh_builder::MeshBuilder;

/// The bounding boxes of more components than this are not compared.
const MAX_COMPARED_COMPONENTS: usize = 2000;

/// Adds notices about all defects of a mesh.
pub(crate) fn report(builder: &mut MeshBuilder) {
    kinds(builder);
    points(builder);
    duplicate_cells(builder);
    if !builder.mesh.kinds.iter().any(|k| k.dimension() == 3) {
        surface(builder);
    }
    components(builder);
}

fn count(mesh: &Mesh, wanted: impl Fn(CellKind) -> bool) -> usize {
    mesh.kinds.iter().filter(|k| wanted(**k)).count()
}

fn kinds(builder: &mut MeshBuilder) {
    let mesh = &builder.mesh;
    let solids = count(mesh, |k| k.dimension() == 3);
    let lower = mesh.len() - solids;
    let wedges = count(mesh, |k| k.dimension() == 3 && !k.has_element());
    let quadratic = count(mesh, |k| {
        k.dimension() == 3 && k.node_count() > k.corner_count()
    });
    if solids > 0 && lower > 0 {
        builder.note(format!(
            "points, lines and faces ({lower}) beside the solid cells ({solids}) are used for groups only"
        ));
    }
    if wedges > 0 {
        builder.warn(format!(
            "{}: kept, but only tetrahedra and hexahedra can be simulated",
            counted(wedges, "prism or pyramid", "prisms and pyramids")
        ));
    }
    if quadratic > 0 {
        builder.note(format!(
            "{} mid-side nodes",
            counted(
                quadratic,
                "second-order cell keeps its",
                "second-order cells keep their"
            )
        ));
    }
}

fn points(builder: &mut MeshBuilder) {
    let mesh = &builder.mesh;
    let mut used = vec![false; mesh.points.len()];
    for &n in &mesh.nodes {
        used[n as usize] = true;
    }
    let unused = used.iter().filter(|u| !**u).count();
    let first = used.iter().position(|u| !u).unwrap_or(0);
    drop(used);
    let mut order: Vec<u32> = (0..mesh.points.len() as u32).collect();
    let compare = |a: u32, b: u32| {
        let (p, q) = (&mesh.points[a as usize], &mesh.points[b as usize]);
        let axes = p.iter().zip(q);
        // Adding zero makes −0 and 0 the same point.
        axes.fold(std::cmp::Ordering::Equal, |o, (x, y)| {
            o.then((x + 0.0).total_cmp(&(y + 0.0)))
        })
    };
    order.sort_unstable_by(|&a, &b| compare(a, b).then(a.cmp(&b)));
    let pair = order.windows(2).find(|w| compare(w[0], w[1]).is_eq());
    let pair = pair.map(|w| (w[0] + 1, w[1] + 1));
    let duplicates = order
        .windows(2)
        .filter(|w| compare(w[0], w[1]).is_eq())
        .count();
    if unused > 0 {
        builder.warn(format!(
            "{} not used by any cell (the first is point {})",
            counted(unused, "point is", "points are"),
            first + 1
        ));
    }
    if let Some((a, b)) = pair {
        builder.warn(format!(
            "{} (points {a} and {b} coincide)",
            counted(
                duplicates,
                "point is a duplicate of another",
                "points are duplicates of others"
            )
        ));
    }
}

/// Hash of a set of nodes, independent of their order.
fn node_set_hash(nodes: &[u32]) -> u64 {
    nodes
        .iter()
        .map(|&n| {
            let x = (u64::from(n) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            (x ^ (x >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9)
        })
        .fold(0, u64::wrapping_add)
}

fn duplicate_cells(builder: &mut MeshBuilder) {
    let mesh = &builder.mesh;
    let mut hashes: Vec<(u64, u32)> = (0..mesh.len())
        .map(|i| (node_set_hash(mesh.cell(i)), i as u32))
        .collect();
    hashes.sort_unstable();
    let same = |a: u32, b: u32| {
        let sorted = |i: u32| {
            let mut nodes = mesh.cell(i as usize).to_vec();
            nodes.sort_unstable();
            nodes
        };
        mesh.kinds[a as usize] == mesh.kinds[b as usize] && sorted(a) == sorted(b)
    };
    let pairs = hashes
        .windows(2)
        .filter(|w| w[0].0 == w[1].0 && same(w[0].1, w[1].1));
    let (mut n, mut first) = (0, None);
    for w in pairs {
        n += 1;
        let pair = (w[0].1 + 1, w[1].1 + 1);
        first = first.min(Some(pair)).or(Some(pair));
    }
    if let Some((a, b)) = first {
        builder.warn(format!(
            "{} (cells {a} and {b} have the same nodes)",
            counted(
                n,
                "cell is a duplicate of another",
                "cells are duplicates of others"
            )
        ));
    }
}

/// Root of a disjoint set, with path halving.
fn root(sets: &mut [u32], mut i: u32) -> u32 {
    while sets[i as usize] != i {
        sets[i as usize] = sets[sets[i as usize] as usize];
        i = sets[i as usize];
    }
    i
}

/// Unites two disjoint sets. The smaller root stays, which makes roots independent of the order of unions.
fn union(sets: &mut [u32], a: u32, b: u32) {
    let (a, b) = (root(sets, a), root(sets, b));
    sets[a.max(b) as usize] = a.min(b);
}

/// Edge as part of one face: its nodes, ascending, and the corners of the face at them.
struct HalfEdge {
    ends: (u32, u32),
    corners: (u32, u32),
    forward: bool,
}

/// Half-edges of all faces, sorted by nodes, and the node of each corner.
fn half_edges(mesh: &Mesh) -> (Vec<HalfEdge>, Vec<u32>) {
    let mut edges = Vec::new();
    let mut corners: Vec<u32> = Vec::new();
    for (kind, cell) in mesh.cells() {
        if kind.dimension() != 2 {
            continue;
        }
        let sides = kind.corner_count();
        let base = corners.len() as u32;
        corners.extend_from_slice(&cell[..sides]);
        for k in 0..sides {
            let next = (k + 1) % sides;
            let (a, b) = (cell[k], cell[next]);
            let (ca, cb) = (base + k as u32, base + next as u32);
            edges.push(HalfEdge {
                ends: (a.min(b), a.max(b)),
                corners: if a < b { (ca, cb) } else { (cb, ca) },
                forward: a < b,
            });
        }
    }
    edges.sort_unstable_by_key(|e| (e.ends, e.corners));
    (edges, corners)
}

fn surface(builder: &mut MeshBuilder) {
    let mesh = &builder.mesh;
    let (edges, corners) = half_edges(mesh);
    if edges.is_empty() {
        return;
    }
    let mut fans: Vec<u32> = (0..corners.len() as u32).collect();
    let (mut open, mut non_manifold, mut inconsistent) = (0, 0, 0);
    let mut first_non_manifold = None;
    for run in edges.chunk_by(|a, b| a.ends == b.ends) {
        match run {
            [_] => open += 1,
            [a, b] => inconsistent += usize::from(a.forward == b.forward),
            _ => {
                non_manifold += 1;
                first_non_manifold.get_or_insert((run[0].ends, run.len()));
            }
        }
        for e in &run[1..] {
            union(&mut fans, run[0].corners.0, e.corners.0);
            union(&mut fans, run[0].corners.1, e.corners.1);
        }
    }
    let mut fan_count = vec![0u8; mesh.points.len()];
    for (i, &p) in corners.iter().enumerate() {
        if fans[i] == i as u32 {
            fan_count[p as usize] = fan_count[p as usize].saturating_add(1);
        }
    }
    let split_vertices = fan_count.iter().filter(|n| **n > 1).count();
    let first_split_vertex = fan_count.iter().position(|n| *n > 1).unwrap_or(0);
    let degenerate = degenerate_faces(mesh);
    if open > 0 {
        let edges = counted(open, "boundary edge", "boundary edges");
        builder.warn(format!("the surface is not closed: {edges}"));
    }
    if let Some(((a, b), faces)) = first_non_manifold {
        builder.warn(format!(
            "{} shared by more than two faces (the edge between points {} and {} by {faces}): not manifold",
            counted(non_manifold, "edge is", "edges are"),
            a + 1,
            b + 1
        ));
    }
    if split_vertices > 0 {
        builder.warn(format!(
            "{} separate fans of faces (the first is point {}): not manifold",
            counted(split_vertices, "point joins", "points join"),
            first_split_vertex + 1
        ));
    }
    if inconsistent > 0 {
        builder.warn(format!(
            "{} between faces of opposite orientation",
            counted(inconsistent, "edge lies", "edges lie")
        ));
    }
    if let (n @ 1.., first) = degenerate {
        builder.warn(format!(
            "{} no area (the first is cell {})",
            counted(n, "face has", "faces have"),
            first + 1
        ));
    }
}

/// Number of triangles without area, relative to their longest edge, and the first of them.
fn degenerate_faces(mesh: &Mesh) -> (usize, usize) {
    let (mut n, mut first) = (0, 0);
    for (i, (kind, cell)) in mesh.cells().enumerate() {
        if !kind.has_shape(CellShape::Triangle) {
            continue;
        }
        let p = [0, 1, 2].map(|k| mesh.points[cell[k] as usize]);
        let e = |a: usize, b: usize| [0, 1, 2].map(|k| p[b][k] - p[a][k]);
        let (u, v, w) = (e(0, 1), e(0, 2), e(1, 2));
        let square = |a: [f64; 3]| a[0] * a[0] + a[1] * a[1] + a[2] * a[2];
        let longest = square(u).max(square(v)).max(square(w));
        let normal = [
            u[1] * v[2] - u[2] * v[1],
            u[2] * v[0] - u[0] * v[2],
            u[0] * v[1] - u[1] * v[0],
        ];
        if square(normal).sqrt() <= 1e-14 * longest {
            first = if n == 0 { i } else { first };
            n += 1;
        }
    }
    (n, first)
}

/// Adds a note on separate components and on those whose bounding boxes overlap: they may interpenetrate.
fn components(builder: &mut MeshBuilder) {
    let mesh = &builder.mesh;
    let dimension = mesh.kinds.iter().map(|k| k.dimension()).max().unwrap_or(0);
    if dimension < 2 {
        return;
    }
    let mut sets: Vec<u32> = (0..mesh.points.len() as u32).collect();
    let mut used = vec![false; mesh.points.len()];
    for (kind, cell) in mesh.cells() {
        if kind.dimension() == dimension {
            for &n in cell {
                used[n as usize] = true;
                union(&mut sets, cell[0], n);
            }
        }
    }
    let mut boxes: Vec<([f64; 3], [f64; 3])> = Vec::new();
    let mut number = vec![u32::MAX; mesh.points.len()];
    for i in (0..mesh.points.len()).filter(|&i| used[i]) {
        let r = root(&mut sets, i as u32) as usize;
        if number[r] == u32::MAX {
            number[r] = boxes.len() as u32;
            boxes.push(([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]));
        }
        let (low, high) = &mut boxes[number[r] as usize];
        for k in 0..3 {
            low[k] = low[k].min(mesh.points[i][k]);
            high[k] = high[k].max(mesh.points[i][k]);
        }
    }
    let n = boxes.len();
    if !(2..=MAX_COMPARED_COMPONENTS).contains(&n) {
        return;
    }
    let overlap = |a: &([f64; 3], [f64; 3]), b: &([f64; 3], [f64; 3])| {
        (0..3).all(|k| a.0[k] < b.1[k] && b.0[k] < a.1[k])
    };
    let pairs = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j)));
    let mut overlapping = pairs.filter(|&(i, j)| overlap(&boxes[i], &boxes[j]));
    let more = match overlapping.next() {
        Some((i, j)) => format!(
            "; the bounding boxes of {} of them overlap (pieces {} and {}): they may interpenetrate",
            counted(overlapping.count() + 1, "pair", "pairs"),
            i + 1,
            j + 1
        ),
        None => String::new(),
    };
    builder.note(format!("the mesh has {n} separate pieces{more}"));
}
