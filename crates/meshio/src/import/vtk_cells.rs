//! VTK's cells into ours, for the legacy and the XML files alike.

use mesh::Kind;

use super::cells::{self, CellType};
use super::draft::Draft;
use super::error::{Fault, ImportError};
use super::scan::Scan;

const VERTEX: CellType = CellType::plain(Kind::Vertex);
const LINE: CellType = CellType::plain(Kind::Line2);
const TRIANGLE: CellType = CellType::plain(Kind::Tri3);

/// Adds cell `index` (from 0) of VTK type `id`.
pub(crate) fn push(
    draft: &mut Draft,
    scan: &Scan,
    at: usize,
    index: usize,
    id: i64,
    nodes: &[u32],
) -> Result<(), ImportError> {
    let label = || format!("cell {index}");
    match id {
        0 => draft.seen += 1,
        2 => parts(draft, scan, at, index, &VERTEX, nodes.chunks(1))?,
        4 => parts(draft, scan, at, index, &LINE, nodes.windows(2))?,
        6 => strip(draft, scan, at, index, nodes)?,
        7 => polygon(draft, scan, at, label, nodes)?,
        _ => match cells::vtk(id, nodes.len()) {
            Ok(kind) => {
                let label = || format!("cell {index} ({})", kind.name);
                draft.push(scan, at, label, &kind, nodes)?;
            }
            Err(Some(kind)) => {
                let fault = Fault::Unexpected {
                    expected: format!("{} points for cell {index} ({})", kind.nodes, kind.name),
                    found: format!("{} with {} points", kind.name, nodes.len()),
                };
                return Err(scan.fail_at(at, fault, ""));
            }
            Err(None) => {
                let name = if id == 42 { " (polyhedron)" } else { "" };
                let what = format!("unknown cell type {id}{name} of cell {index}");
                let hint = "Vertices, lines, triangles, quads, tetrahedra, hexahedra, wedges and pyramids are read.";
                return Err(scan.fail_at(at, Fault::Unsupported { what }, hint));
            }
        },
    }
    Ok(())
}

fn parts<'n>(
    draft: &mut Draft,
    scan: &Scan,
    at: usize,
    index: usize,
    kind: &CellType,
    cells: impl Iterator<Item = &'n [u32]>,
) -> Result<(), ImportError> {
    draft.seen += 1;
    for nodes in cells {
        draft.push_part(scan, at, || format!("cell {index}"), kind, nodes)?;
    }
    Ok(())
}

/// Every second triangle of a strip is turned round.
fn strip(
    draft: &mut Draft,
    scan: &Scan,
    at: usize,
    index: usize,
    nodes: &[u32],
) -> Result<(), ImportError> {
    draft.seen += 1;
    for (i, w) in nodes.windows(3).enumerate() {
        let triangle = if i % 2 == 0 {
            [w[0], w[1], w[2]]
        } else {
            [w[1], w[0], w[2]]
        };
        draft.push_part(scan, at, || format!("cell {index}"), &TRIANGLE, &triangle)?;
    }
    Ok(())
}

/// A face of any number of corners: triangles and quads as they are, others as a fan of triangles.
pub(crate) fn polygon(
    draft: &mut Draft,
    scan: &Scan,
    at: usize,
    label: impl Fn() -> String,
    nodes: &[u32],
) -> Result<(), ImportError> {
    draft.seen += 1;
    match nodes.len() {
        0..3 => draft.thin += 1,
        3 => {
            draft.push_part(scan, at, label, &TRIANGLE, nodes)?;
        }
        4 => {
            draft.push_part(scan, at, label, &CellType::plain(Kind::Quad4), nodes)?;
        }
        n => {
            draft.split[1] += 1;
            for i in 1..n - 1 {
                let triangle = [nodes[0], nodes[i], nodes[i + 1]];
                draft.push_part(scan, at, &label, &TRIANGLE, &triangle)?;
            }
        }
    }
    Ok(())
}
