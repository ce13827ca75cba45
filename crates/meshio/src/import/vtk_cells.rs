//! Conversion of VTK cells, for legacy and XML files.

use mesh::CellKind;

use super::cells::{self, CellType};
use super::error::{Fault, ImportError};
use super::lexer::Lexer;
use super::mesh_builder::MeshBuilder;

const VERTEX: CellType = CellType::of_kind(CellKind::Vertex);
const LINE: CellType = CellType::of_kind(CellKind::Line2);
const TRIANGLE: CellType = CellType::of_kind(CellKind::Tri3);

/// Adds cell `index` (from 0) of VTK type `id` to a mesh; polylines, strips and polygons are split.
pub(crate) fn push(
    builder: &mut MeshBuilder,
    lexer: &Lexer,
    at: usize,
    index: usize,
    id: i64,
    nodes: &[u32],
) -> Result<(), ImportError> {
    let label = || format!("cell {index}");
    match id {
        0 => builder.cells_read += 1,
        2 => parts(builder, lexer, at, index, &VERTEX, nodes.chunks(1))?,
        4 => parts(builder, lexer, at, index, &LINE, nodes.windows(2))?,
        6 => strip(builder, lexer, at, index, nodes)?,
        7 => polygon(builder, lexer, at, label, nodes)?,
        _ => match cells::from_vtk(id, nodes.len()) {
            Ok(kind) => {
                let label = || format!("cell {index} ({})", kind.name);
                builder.push(lexer, at, label, &kind, nodes)?;
            }
            Err(Some(kind)) => {
                let fault = Fault::Unexpected {
                    expected: format!("{} points for cell {index} ({})", kind.nodes, kind.name),
                    found: format!("{} with {} points", kind.name, nodes.len()),
                };
                return Err(lexer.error_at(at, fault, ""));
            }
            Err(None) => {
                let name = if id == 42 { " (polyhedron)" } else { "" };
                let what = format!("unknown cell type {id}{name} of cell {index}");
                let hint = "Vertices, lines, triangles, quads, tetrahedra, hexahedra, wedges and pyramids are read.";
                return Err(lexer.error_at(at, Fault::Unsupported { what }, hint));
            }
        },
    }
    Ok(())
}

/// Adds the parts of a polyvertex or polyline.
fn parts<'n>(
    builder: &mut MeshBuilder,
    lexer: &Lexer,
    at: usize,
    index: usize,
    kind: &CellType,
    cells: impl Iterator<Item = &'n [u32]>,
) -> Result<(), ImportError> {
    builder.cells_read += 1;
    for nodes in cells {
        builder.push_part(lexer, at, || format!("cell {index}"), kind, nodes)?;
    }
    Ok(())
}

/// Adds the triangles of a strip; every second one is reversed.
fn strip(
    builder: &mut MeshBuilder,
    lexer: &Lexer,
    at: usize,
    index: usize,
    nodes: &[u32],
) -> Result<(), ImportError> {
    builder.cells_read += 1;
    for (i, w) in nodes.windows(3).enumerate() {
        let triangle = if i % 2 == 0 {
            [w[0], w[1], w[2]]
        } else {
            [w[1], w[0], w[2]]
        };
        builder.push_part(lexer, at, || format!("cell {index}"), &TRIANGLE, &triangle)?;
    }
    Ok(())
}

/// Adds a face of any number of corners: triangles and quads unchanged, larger polygons as a fan of triangles.
pub(crate) fn polygon(
    builder: &mut MeshBuilder,
    lexer: &Lexer,
    at: usize,
    label: impl Fn() -> String,
    nodes: &[u32],
) -> Result<(), ImportError> {
    builder.cells_read += 1;
    match nodes.len() {
        0..3 => builder.short_faces += 1,
        3 => {
            builder.push_part(lexer, at, label, &TRIANGLE, nodes)?;
        }
        4 => {
            builder.push_part(lexer, at, label, &CellType::of_kind(CellKind::Quad4), nodes)?;
        }
        n => {
            builder.split_faces[1] += 1;
            for i in 1..n - 1 {
                let triangle = [nodes[0], nodes[i], nodes[i + 1]];
                builder.push_part(lexer, at, &label, &TRIANGLE, &triangle)?;
            }
        }
    }
    Ok(())
}
