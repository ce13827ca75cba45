//! Mesh files out. A file appears whole or not at all: it is written beside its place and then moved there.

mod gmsh;
mod solid_text;
mod surface;
mod text;
mod vtk;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use base::file::PartFile;
use mesh::{Kind, Mesh};
use thiserror::Error;

use crate::import::{FORMATS, Format, Notice};

/// Why a mesh could not be written.
#[derive(Debug, Error)]
pub enum ExportError {
    /// The ending of the name says nothing.
    #[error("{file}: the ending does not name a mesh format. Known endings: {known}.")]
    UnknownEnding {
        /// The file as the user named it.
        file: String,
        /// Endings there are.
        known: String,
    },
    /// The format has no place for something in the mesh.
    #[error("{file}: {format} files cannot hold {what}. Formats that can: {able}.")]
    CannotHold {
        /// The file as the user named it.
        file: String,
        /// The format.
        format: &'static str,
        /// What it cannot hold.
        what: String,
        /// Names of formats that can.
        able: String,
    },
    /// The operating system refused.
    #[error("{file}: cannot be written: {source}")]
    Io {
        /// The file as the user named it.
        file: String,
        /// What the system says.
        source: io::Error,
    },
}

/// How numbers are written, in formats that have both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// Decimal text with as many digits as a double needs.
    Text,
    /// Bytes of doubles and integers (STL: single precision).
    Binary,
}

/// Writes a mesh in the format its name ends with: text, but binary for .vtu. Returns what had to be left out.
pub fn write(path: &Path, mesh: &Mesh) -> Result<Vec<Notice>, ExportError> {
    let Some(format) = Format::of_path(path) else {
        let known: Vec<_> = FORMATS
            .iter()
            .flat_map(|f| f.extensions)
            .map(|e| format!(".{e}"))
            .collect();
        return Err(ExportError::UnknownEnding {
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

/// Writes a mesh in a given format. TetGen's two files are named after the path.
pub fn write_as(
    path: &Path,
    mesh: &Mesh,
    format: Format,
    encoding: Encoding,
) -> Result<Vec<Notice>, ExportError> {
    let file = path.display().to_string();
    refuse(&file, mesh, format)?;
    let failed = |source| ExportError::Io {
        file: file.clone(),
        source,
    };
    let places: Vec<PathBuf> = match format {
        Format::Tetgen => vec![path.with_extension("node"), path.with_extension("ele")],
        _ => vec![path.to_path_buf()],
    };
    let mut parts = Vec::new();
    for (i, place) in places.iter().enumerate() {
        let mut part = PartFile::create(place).map_err(failed)?;
        body(mesh, format, encoding, i, &mut part)
            .and_then(|()| part.sync())
            .map_err(failed)?;
        parts.push(part);
    }
    for part in parts {
        part.commit().map_err(failed)?;
    }
    Ok(left_out(mesh, format))
}

/// The bytes of a mesh in a format; TetGen's .node and .ele follow each other.
pub fn to_bytes(mesh: &Mesh, format: Format, encoding: Encoding) -> Result<Vec<u8>, ExportError> {
    let name = "mesh";
    refuse(name, mesh, format)?;
    let mut out = Vec::new();
    let parts = if format == Format::Tetgen { 2 } else { 1 };
    for i in 0..parts {
        body(mesh, format, encoding, i, &mut out).map_err(|source| ExportError::Io {
            file: name.to_string(),
            source,
        })?;
    }
    Ok(out)
}

fn body(
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

/// Kinds a format has a place for.
fn holds(format: Format, kind: Kind) -> bool {
    match format {
        Format::Msh22 | Format::Msh41 | Format::Vtk | Format::Vtu => true,
        Format::Medit => !kind.info().medit.is_empty(),
        Format::Tetgen => kind == Kind::Tet4,
        Format::Vega => matches!(kind, Kind::Tet4 | Kind::Hex8),
        Format::Obj | Format::Ply | Format::Off => {
            kind.dimension() == 2 && kind.node_count() == kind.corner_count()
        }
        Format::Stl => kind == Kind::Tri3,
    }
}

/// Refuses what the format cannot hold, naming formats that can hold all of it.
fn refuse(file: &str, mesh: &Mesh, format: Format) -> Result<(), ExportError> {
    let cannot = |what: String| {
        let all = |f: &&crate::import::FormatInfo| {
            mesh.kinds.iter().all(|&k| holds(f.format, k)) && f.format != format
        };
        let able: Vec<_> = FORMATS.iter().filter(all).map(|f| f.name).collect();
        Err(ExportError::CannotHold {
            file: file.to_string(),
            format: format.info().name,
            what,
            able: able.join(", "),
        })
    };
    if let Some(&kind) = mesh.kinds.iter().find(|k| !holds(format, **k)) {
        let n = mesh.kinds.iter().filter(|k| **k == kind).count();
        return cannot(format!("cells of kind {} (there are {n})", kind.name()));
    }
    if format == Format::Vega && mesh.kinds.windows(2).any(|w| w[0] != w[1]) {
        return cannot("tetrahedra and hexahedra in one file".to_string());
    }
    Ok(())
}

/// What a format has no place for, and so was left out.
fn left_out(mesh: &Mesh, format: Format) -> Vec<Notice> {
    let mut notices = Vec::new();
    let name = format.info().name;
    let n = mesh.groups.len();
    let of_points = mesh.groups.iter().filter(|g| g.cells.is_empty()).count();
    match format {
        Format::Vtk | Format::Vtu => {}
        Format::Msh41 | Format::Msh22 | Format::Obj | Format::Vega if of_points == 0 => {}
        Format::Msh41 | Format::Msh22 | Format::Obj | Format::Vega => {
            let text = format!(
                "{of_points} groups of points alone were left out: {name} groups hold cells"
            );
            notices.push(Notice::warning(text));
        }
        Format::Medit if n > 0 => {
            let text = "groups became reference numbers, without their names".to_string();
            notices.push(Notice::warning(text));
        }
        _ if n > 0 => {
            let text = format!("{n} groups were left out: {name} files have none");
            notices.push(Notice::warning(text));
        }
        _ => {}
    }
    let one_only = matches!(format, Format::Msh22 | Format::Medit);
    let shared = text::group_of_cells(mesh).1;
    if one_only && shared > 0 {
        let text =
            format!("{shared} cells are in several groups; {name} files keep the first of them");
        notices.push(Notice::warning(text));
    }
    let sorted = mesh.kinds.windows(2).filter(|w| w[0] != w[1]).count() + 1;
    let mut distinct = mesh.kinds.clone();
    distinct.sort_unstable();
    distinct.dedup();
    if format == Format::Medit && sorted > distinct.len() {
        let text = "cells were sorted by kind: Medit files list each kind by itself".to_string();
        notices.push(Notice::note(text));
    }
    notices
}
