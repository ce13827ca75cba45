//! Order elevation: turns linear cells into quadratic ones.

use std::collections::HashSet;

use super::graph::upper_edges;
use super::{BoundaryFace, Mesh, surface};

/// Adds mid-edge nodes to all linear cells of a mesh, shared between neighbouring cells.
///
/// line2, tri3, quad4, tet4 and hex8 become line3, tri6, quad8, tet10 and hex20; other kinds stay. New points follow
/// the old ones in the order of [`edges`](super::edges). Edges that belong to unchanged cells only get no node. Groups
/// gain the new nodes of their cells.
pub fn elevate(mesh: &Mesh) -> Mesh {
    let upper = upper_edges(mesh);
    let mut number = vec![u32::MAX; upper.targets.len()];
    let find = |a: u32, b: u32| {
        let (low, high) = (a.min(b), a.max(b));
        let place = upper.neighbours(low as usize).binary_search(&high).ok()?;
        Some(upper.starts[low as usize] as usize + place)
    };
    for (kind, cell) in mesh.cells().filter(|(k, _)| k.with_edge_nodes().is_some()) {
        for e in kind.edges() {
            if let Some(i) = find(cell[e[0] as usize], cell[e[1] as usize]) {
                number[i] = 0;
            }
        }
    }
    let mut points = mesh.points.clone();
    for low in 0..upper.len() {
        for i in upper.starts[low] as usize..upper.starts[low + 1] as usize {
            if number[i] == 0 {
                number[i] = points.len() as u32;
                let (a, b) = (points[low], points[upper.targets[i] as usize]);
                points.push([0, 1, 2].map(|k| 0.5 * (a[k] + b[k])));
            }
        }
    }
    let mut out = Mesh::with_points(points);
    let mut nodes = Vec::with_capacity(20);
    for (kind, cell) in mesh.cells() {
        nodes.clear();
        nodes.extend_from_slice(cell);
        let quadratic = kind.with_edge_nodes();
        if quadratic.is_some() {
            for e in kind.edges() {
                let (a, b) = (cell[e[0] as usize], cell[e[1] as usize]);
                // A degenerate edge from a node to itself has that node as its mid-edge node.
                nodes.push(find(a, b).map_or(a, |i| number[i]));
            }
        }
        out.push(quadratic.unwrap_or(kind), &nodes);
    }
    out.groups = mesh.groups.clone();
    for group in &mut out.groups {
        for &c in &group.cells {
            group.points.extend_from_slice(
                &out.nodes[out.starts[c as usize] as usize..out.starts[c as usize + 1] as usize],
            );
        }
        group.points.sort_unstable();
        group.points.dedup();
    }
    out
}

/// Mid-edge nodes of a quadratic mesh on the boundary faces that `select` accepts, ascending.
pub fn boundary_mid_edge_nodes(mesh: &Mesh, select: impl Fn(&BoundaryFace) -> bool) -> Vec<u32> {
    let mut found = HashSet::new();
    for face in surface(mesh).faces.iter().filter(|f| select(f)) {
        let kind = mesh.kinds[face.owner as usize];
        let cell = mesh.cell(face.owner as usize);
        if cell.len() < kind.corner_count() + kind.edges().len() {
            continue;
        }
        for (i, e) in kind.edges().iter().enumerate() {
            let ends = [cell[e[0] as usize], cell[e[1] as usize]];
            if ends.iter().all(|n| face.nodes().contains(n)) {
                found.insert(cell[kind.corner_count() + i]);
            }
        }
    }
    let mut list: Vec<u32> = found.into_iter().collect();
    list.sort_unstable();
    list
}
