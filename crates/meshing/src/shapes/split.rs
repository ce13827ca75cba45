//! Conforming splits of hexahedra into tetrahedra.
//!
//! Six: Kuhn's triangulation of the cube, one tetrahedron for each order of steps along x, y, z from corner 0 to
//! corner 6; faces match because it is the same in every cell of a grid. Five: a central tetrahedron on every other
//! corner and one at each remaining corner. Every face is split along the diagonal between nodes of one colour of a
//! two-colouring; neighbours agree if the nodes of the mesh can be two-coloured.

use mesh::{CellKind, Mesh, dihedral_range, edges};
use rayon::prelude::*;

/// Appends six tetrahedra around the diagonal 0–6 of hexahedron `h` to a mesh.
pub(super) fn six_tets(h: &[u32; 8], mesh: &mut Mesh) {
    for [b, c] in [[1, 2], [2, 3], [3, 7], [7, 4], [4, 5], [5, 1]] {
        mesh.push(CellKind::Tet4, &[h[0], h[b], h[c], h[6]]);
    }
}

/// Appends five tetrahedra whose diagonals join the corners 0, 2, 5, 7 of hexahedron `h`, or 1, 3, 4, 6 if `mirrored`.
pub(super) fn five_tets(h: &[u32; 8], mirrored: bool, mesh: &mut Mesh) {
    const PLAIN: [[usize; 4]; 5] = [
        [0, 2, 7, 5],
        [1, 2, 0, 5],
        [3, 0, 2, 7],
        [4, 5, 0, 7],
        [6, 2, 5, 7],
    ];
    const MIRRORED: [[usize; 4]; 5] = [
        [1, 3, 4, 6],
        [0, 1, 3, 4],
        [2, 3, 1, 6],
        [5, 1, 4, 6],
        [7, 4, 3, 6],
    ];
    for t in if mirrored { MIRRORED } else { PLAIN } {
        mesh.push(CellKind::Tet4, &t.map(|i| h[i]));
    }
}

/// Splits every hexahedron of a mesh into five tetrahedra along the diagonals of one colour; of the two colours, the one
/// with the larger smallest dihedral angle. Returns `None` if the nodes cannot be two-coloured (a ring of an odd number
/// of cells).
pub(super) fn split_hexes(mesh: &Mesh) -> Option<Mesh> {
    let colour = two_colouring(mesh)?;
    let split_along = |other_colour: bool| {
        let mut out = Mesh::with_points(mesh.points.clone());
        for (_, cell) in mesh.cells() {
            let mut h = [0; 8];
            h.copy_from_slice(&cell[..8]);
            five_tets(&h, colour[h[0] as usize] != other_colour, &mut out);
        }
        let worst = (0..out.len())
            .into_par_iter()
            .map(|i| dihedral_range(&out, i)[0])
            .reduce(|| f64::INFINITY, f64::min);
        (out, worst)
    };
    let (a, worst_a) = split_along(false);
    let (b, worst_b) = split_along(true);
    Some(if worst_b > worst_a { b } else { a })
}

/// Two-colouring of the nodes, different at the two ends of every edge. Returns `None` if there is none.
fn two_colouring(mesh: &Mesh) -> Option<Vec<bool>> {
    let list = edges(mesh);
    let n = mesh.points.len();
    let mut starts = vec![0u32; n + 1];
    for e in list.iter().flatten() {
        starts[*e as usize + 1] += 1;
    }
    for i in 1..=n {
        starts[i] += starts[i - 1];
    }
    let mut next = starts.clone();
    let mut targets = vec![0u32; 2 * list.len()];
    for &[a, b] in &list {
        for (from, to) in [(a, b), (b, a)] {
            targets[next[from as usize] as usize] = to;
            next[from as usize] += 1;
        }
    }
    let mut colour = vec![None; n];
    let mut queue = Vec::new();
    for seed in 0..n {
        if colour[seed].is_none() {
            colour[seed] = Some(false);
            queue.push(seed);
        }
        while let Some(a) = queue.pop() {
            for &b in &targets[starts[a] as usize..starts[a + 1] as usize] {
                match colour[b as usize] {
                    None => {
                        colour[b as usize] = colour[a].map(|c: bool| !c);
                        queue.push(b as usize);
                    }
                    Some(c) if Some(c) == colour[a] => return None,
                    Some(_) => {}
                }
            }
        }
    }
    Some(colour.into_iter().flatten().collect())
}
