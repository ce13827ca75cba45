//! Writers of mesh files. A file is written completely or not at all: it is written under a temporary name and then
//! renamed.

mod gmsh;
mod solid_text;
mod surface;
mod text;
mod vtk;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use base::file::PartFile;
use mesh::{CellKind, Mesh};
use thiserror::Error;

use crate::import::{FORMATS, Format, Notice};

/// Reason why a mesh could not be written.
#[derive(Debug, Error)]
pub enum ExportError {
    /// The file extension is not that of a mesh format.
    #[error("{file}: the file extension does not name a mesh format. Known extensions: {known}.")]
    UnknownExtension {
        /// The file as the user named it.
        file: String,
        /// Known extensions.
        known: String,
    },
    /// The format cannot represent something in the mesh.
    #[error("{file}: {format} files cannot hold {what}. Formats that can: {able}.")]
    UnsupportedContent {
        /// The file as the user named it.
        file: String,
        /// Name of the format.
        format: &'static str,
        /// Content that the format cannot hold.
        what: String,
        /// Names of formats that can.
        able: String,
    },
    /// The operating system reported an error.
    #[error("{file}: cannot be written: {source}")]
    Io {
        /// The file as the user named it.
        file: String,
        /// Error of the operating system.
        source: io::Error,
    },
}

/// Encoding of numbers, for formats that have both a text and a binary variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// Decimal text with the fewest digits that reproduce each double.
    Text,
    /// Binary doubles and integers (STL: single precision).
    Binary,
}

/// Writes a mesh in the format of the file extension, as text except for .vtu, which is binary. Returns notices about
/// what was left out.
pub fn write(path: &Path, mesh: &Mesh) -> Result<Vec<Notice>, ExportError> {
    let Some(format) = Format::of_path(path) else {
        let known: Vec<_> = FORMATS
            .iter()
            .flat_map(|f| f.extensions)
            .map(|e| format!(".{e}"))
            .collect();
        return Err(ExportError::UnknownExtension {
            file: path.display().to_string(),
            known: known.join(" "),
        });
    };
    let encoding = if format == Format::Vtu {
        Encoding::Binary
    } else {
        Encoding::Text
    };
    write_as(path, mesh, format, encoding)
}

/// Writes a mesh in a given format. The extension of TetGen's two files replaces that of the path. Returns notices about
/// what was left out.
pub fn write_as(
    path: &Path,
    mesh: &Mesh,
    format: Format,
    encoding: Encoding,
) -> Result<Vec<Notice>, ExportError> {
    let file = path.display().to_string();
    check_supported(&file, mesh, format)?;
    let io_error = |source| ExportError::Io {
        file: file.clone(),
        source,
    };
    let paths: Vec<PathBuf> = match format {
        Format::Tetgen => vec![path.with_extension("node"), path.with_extension("ele")],
        _ => vec![path.to_path_buf()],
    };
    let mut parts = Vec::new();
    for (i, path) in paths.iter().enumerate() {
        let mut part = PartFile::create(path).map_err(io_error)?;
        write_part(mesh, format, encoding, i, &mut part)
            .and_then(|()| part.sync())
            .map_err(io_error)?;
        parts.push(part);
    }
    for part in parts {
        part.commit().map_err(io_error)?;
    }
    Ok(omissions(mesh, format))
}

/// Writes a mesh into bytes in a given format; TetGen's .node and .ele are concatenated.
pub fn to_bytes(mesh: &Mesh, format: Format, encoding: Encoding) -> Result<Vec<u8>, ExportError> {
    let name = "mesh";
    check_supported(name, mesh, format)?;
    let mut out = Vec::new();
    let parts = if format == Format::Tetgen { 2 } else { 1 };
    for i in 0..parts {
        write_part(mesh, format, encoding, i, &mut out).map_err(|source| ExportError::Io {
            file: name.to_string(),
            source,
        })?;
    }
    Ok(out)
}

/// Writes file `part` of a format: 0, or 1 for TetGen's .ele.
fn write_part(
    mesh: &Mesh,
    format: Format,
    encoding: Encoding,
    part: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    match format {
        Format::Msh22 => gmsh::write22(mesh, encoding, out),
        Format::Msh41 => gmsh::write41(mesh, encoding, out),
        Format::Vtk => vtk::write_legacy(mesh, encoding, out),
        Format::Vtu => vtk::write_xml(mesh, encoding, out),
        Format::Medit => solid_text::medit(mesh, out),
        Format::Tetgen if part == 0 => solid_text::tetgen_nodes(mesh, out),
        Format::Tetgen => solid_text::tetgen_elements(mesh, out),
        Format::Vega => solid_text::vega(mesh, out),
        Format::Obj => surface::obj(mesh, out),
        Format::Ply => surface::ply(mesh, encoding, out),
        Format::Stl => surface::stl(mesh, encoding, out),
        Format::Off => surface::off(mesh, out),
    }
}

/// Whether a format can represent cells of a kind.
fn supports(format: Format, kind: CellKind) -> bool {
    match format {
        Format::Msh22 | Format::Msh41 | Format::Vtk | Format::Vtu => true,
        Format::Medit => !kind.info().medit.is_empty(),
        Format::Tetgen => kind == CellKind::Tet4,
        Format::Vega => matches!(kind, CellKind::Tet4 | CellKind::Hex8),
        Format::Obj | Format::Ply | Format::Off => {
            kind.dimension() == 2 && kind.node_count() == kind.corner_count()
        }
        Format::Stl => kind == CellKind::Tri3,
    }
}

/// Checks that a format can represent a mesh. The error names the formats that can.
fn check_supported(file: &str, mesh: &Mesh, format: Format) -> Result<(), ExportError> {
    let unsupported = |what: String| {
        let all = |f: &&crate::import::FormatInfo| {
            mesh.kinds.iter().all(|&k| supports(f.format, k)) && f.format != format
        };
        let able: Vec<_> = FORMATS.iter().filter(all).map(|f| f.name).collect();
        Err(ExportError::UnsupportedContent {
            file: file.to_string(),
            format: format.info().name,
            what,
            able: able.join(", "),
        })
    };
    if let Some(&kind) = mesh.kinds.iter().find(|k| !supports(format, **k)) {
        let n = mesh.kinds.iter().filter(|k| **k == kind).count();
        return unsupported(format!("cells of kind {} (there are {n})", kind.name()));
    }
    if format == Format::Vega && mesh.kinds.windows(2).any(|w| w[0] != w[1]) {
        return unsupported("tetrahedra and hexahedra in one file".to_string());
    }
    Ok(())
}

/// Notices about content that a format cannot represent and that was left out.
fn omissions(mesh: &Mesh, format: Format) -> Vec<Notice> {
    let mut notices = Vec::new();
    let name = format.info().name;
    let n = mesh.groups.len();
    let of_points = mesh.groups.iter().filter(|g| g.cells.is_empty()).count();
    match format {
        Format::Vtk | Format::Vtu => {}
        Format::Msh41 | Format::Msh22 | Format::Obj | Format::Vega if of_points == 0 => {}
        Format::Msh41 | Format::Msh22 | Format::Obj | Format::Vega => {
            let text = format!(
                "{of_points} groups of points were left out: {name} groups hold cells only"
            );
            notices.push(Notice::warning(text));
        }
        Format::Medit if n > 0 => {
            let text = "groups were written as reference numbers without their names".to_string();
            notices.push(Notice::warning(text));
        }
        _ if n > 0 => {
            let text = format!("{n} groups were left out: {name} files cannot hold groups");
            notices.push(Notice::warning(text));
        }
        _ => {}
    }
    let one_group_per_cell = matches!(format, Format::Msh22 | Format::Medit);
    let shared = text::first_groups(mesh).1;
    if one_group_per_cell && shared > 0 {
        let text =
            format!("{shared} cells are in several groups; {name} files hold the first group only");
        notices.push(Notice::warning(text));
    }
    let runs = mesh.kinds.windows(2).filter(|w| w[0] != w[1]).count() + 1;
    let mut distinct = mesh.kinds.clone();
    distinct.sort_unstable();
    distinct.dedup();
    if format == Format::Medit && runs > distinct.len() {
        let text = "cells were sorted by kind: Medit files list each kind separately".to_string();
        notices.push(Notice::note(text));
    }
    notices
}
