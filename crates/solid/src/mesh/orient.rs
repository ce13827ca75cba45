//! Cells the right way round.

use super::{Kind, Mesh, volume};

/// Turns every solid cell of negative volume into its mirror image and says how many there were. Cells that fold over
/// themselves with a positive volume are left for [`super::quality`] to name.
pub fn repair_orientation(mesh: &mut Mesh) -> usize {
    let mut count = 0;
    let mut old = Vec::with_capacity(27);
    for i in 0..mesh.len() {
        if volume(mesh, i) >= 0.0 {
            continue;
        }
        let start = mesh.starts[i] as usize;
        old.clear();
        old.extend_from_slice(mesh.cell(i));
        for (k, &from) in mirror(mesh.kinds[i]).iter().enumerate() {
            mesh.nodes[start + k] = old[from as usize];
        }
        count += 1;
    }
    count
}

/// Which old node each node of the mirrored cell is.
fn mirror(kind: Kind) -> &'static [u8] {
    const HEX: [u8; 27] = [
        0, 3, 2, 1, 4, 7, 6, 5, 11, 10, 9, 8, 15, 14, 13, 12, 16, 19, 18, 17, 22, 23, 20, 21, 24,
        25, 26,
    ];
    const TET: [u8; 10] = [0, 2, 1, 3, 6, 5, 4, 7, 9, 8];
    match kind {
        Kind::Tet4 => &TET[..4],
        Kind::Tet10 => &TET,
        Kind::Hex8 => &HEX[..8],
        Kind::Hex20 => &HEX[..20],
        Kind::Hex27 => &HEX,
        Kind::Prism6 => &[0, 2, 1, 3, 5, 4],
        Kind::Pyramid5 => &[0, 3, 2, 1, 4],
        _ => &[],
    }
}
