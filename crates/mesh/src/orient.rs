//! Orientation of solid cells: mirrors cells of negative volume.

use std::sync::OnceLock;

use super::{CellKind, Mesh, cell_volume};

/// Mirrors every solid cell of negative volume and returns the number of mirrored cells. Folded cells with a positive
/// volume stay; [`super::quality`] counts them as inverted.
pub fn repair_orientation(mesh: &mut Mesh) -> usize {
    let mut count = 0;
    for i in 0..mesh.len() {
        if cell_volume(mesh, i) >= 0.0 {
            continue;
        }
        mirror_cell(mesh, i);
        count += 1;
    }
    count
}

/// Mirrors solid cell `i` by permuting its nodes; cells of lower dimension stay.
pub fn mirror_cell(mesh: &mut Mesh, i: usize) {
    static TABLES: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    let tables = TABLES.get_or_init(|| CellKind::ALL.map(mirror).to_vec());
    let order = &tables[mesh.kinds[i] as usize];
    let mut old = [0; 27];
    old[..order.len()].copy_from_slice(&mesh.cell(i)[..order.len()]);
    let start = mesh.starts[i] as usize;
    for (k, &from) in order.iter().enumerate() {
        mesh.nodes[start + k] = old[from as usize];
    }
}

/// Permutation of the nodes that mirrors a cell; empty for kinds that are not solids. The table gives the permutation
/// of the corners; the permutation of mid-edge and mid-face nodes follows from it.
fn mirror(kind: CellKind) -> Vec<u8> {
    let shape = kind.shape_info();
    if shape.mirror.is_empty() {
        return Vec::new();
    }
    let image = |corners: &[u8]| {
        let mut image: Vec<u8> = corners.iter().map(|&c| shape.mirror[c as usize]).collect();
        image.sort_unstable();
        image
    };
    let sorted = |corners: &[u8]| {
        let mut corners = corners.to_vec();
        corners.sort_unstable();
        corners
    };
    // Position in `all` of the mirror image of each entry.
    let images = |all: Vec<&[u8]>| -> Vec<u8> {
        let find = |item: &&[u8]| all.iter().position(|other| sorted(other) == image(item));
        all.iter().filter_map(find).map(|i| i as u8).collect()
    };
    let mid_nodes = kind.info().mid_nodes;
    let mut order = shape.mirror.to_vec();
    let append = |order: &mut Vec<u8>, images: Vec<u8>| {
        let base = order.len() as u8;
        order.extend(images.iter().map(|i| base + i));
    };
    if mid_nodes.edges {
        append(
            &mut order,
            images(shape.edges.iter().map(|e| e.as_slice()).collect()),
        );
    }
    if mid_nodes.faces {
        append(&mut order, images(shape.faces.to_vec()));
    }
    if mid_nodes.centre {
        append(&mut order, vec![0]);
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mirror_permutation_includes_mid_nodes() {
        let hex = [
            0, 3, 2, 1, 4, 7, 6, 5, 11, 10, 9, 8, 15, 14, 13, 12, 16, 19, 18, 17, 22, 23, 20, 21,
            24, 25, 26,
        ];
        assert_eq!(mirror(CellKind::Hex27), hex);
        assert_eq!(mirror(CellKind::Hex20), hex[..20]);
        assert_eq!(mirror(CellKind::Tet10), [0, 2, 1, 3, 6, 5, 4, 7, 9, 8]);
        for kind in CellKind::ALL.into_iter().filter(|k| k.dimension() == 3) {
            let order = mirror(kind);
            assert_eq!(order.len(), kind.node_count(), "{kind:?}");
            // Mirroring twice is the identity.
            let twice: Vec<u8> = order.iter().map(|&i| order[i as usize]).collect();
            assert!(
                twice.iter().enumerate().all(|(i, &k)| i == k as usize),
                "{kind:?}"
            );
        }
    }
}
