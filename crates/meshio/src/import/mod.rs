//! Readers of mesh files, one per format; the format is found by name or content.
//!
//! Readers work on the bytes of the file and allocate no more than a file of its size can need. Errors name the file,
//! line or byte, section, reason and what to try. Repaired or ignored content is reported in [`ImportedMesh::notices`].

pub(crate) mod cells;
mod check;
mod codec;
mod diagnostics;
mod error;
mod formats;
mod gmsh;
mod gmsh2;
mod gmsh4;
mod groups;
mod lexer;
mod medit;
mod mesh_builder;
mod obj;
mod off;
mod ply;
mod scalar_type;
mod stl;
mod tag_map;
mod tetgen;
mod vega;
mod vtk_cells;
mod vtk_legacy;
mod vtk_legacy_data;
mod vtk_lists;
mod vtu;
mod vtu_arrays;
mod xml;

use std::path::Path;

use mesh::Mesh;

pub use error::{Fault, FilePosition, ImportError, Notice, Severity};
pub use formats::{FORMATS, Format, FormatInfo, detect_format};
use mesh_builder::MeshBuilder;

/// Mesh read from a file, with its data arrays and notices.
#[derive(Clone, Debug)]
pub struct ImportedMesh {
    /// Points, cells and groups.
    pub mesh: Mesh,
    /// Format of the file.
    pub format: Format,
    /// Messages about content that was repaired, ignored or looks wrong.
    pub notices: Vec<Notice>,
    /// Data arrays of the points.
    pub point_data: Vec<DataArray>,
    /// Data arrays of the cells.
    pub cell_data: Vec<DataArray>,
}

/// Array of numbers that belong to the points or cells of a mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct DataArray {
    /// Name in the file.
    pub name: String,
    /// Number of components per point or cell.
    pub components: usize,
    /// Values, point by point or cell by cell.
    pub values: Vec<f64>,
}

/// Treatment of quadrilateral faces of surface files (OBJ, PLY, OFF).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum QuadHandling {
    /// Split each quadrilateral into two triangles, for simulation and display.
    #[default]
    Split,
    /// Keep quadrilaterals, for conversion.
    Keep,
}

/// Reads a mesh file; quadrilaterals of surface files are split into triangles.
pub fn read(path: &Path) -> Result<ImportedMesh, ImportError> {
    read_with(path, QuadHandling::Split)
}

/// Reads a mesh file with a choice of how quadrilaterals of surface files are treated.
pub fn read_with(path: &Path, quads: QuadHandling) -> Result<ImportedMesh, ImportError> {
    let file = path.display().to_string();
    finish(read_cells(path, &file, quads)?, &file)
}

/// Reads a frame of a moving mesh. Its cells are neither checked nor repaired: they may be inverted, and those of a body that has
/// not appeared are points.
pub fn read_frame(path: &Path) -> Result<ImportedMesh, ImportError> {
    let file = path.display().to_string();
    Ok(collect(read_cells(path, &file, QuadHandling::Split)?))
}

/// Reads the points, cells and data of a mesh file.
fn read_cells(path: &Path, file: &str, quads: QuadHandling) -> Result<MeshBuilder, ImportError> {
    let bytes = read_file(path, file)?;
    let by_name = Format::of_path(path);
    let by_content = detect_format(&bytes);
    let mut mismatch = None;
    let format = match (by_name, by_content) {
        (Some(name), Some(content)) if name.family() != content.family() => {
            mismatch = Some(Notice::warning(format!(
                "the file extension means {} but the content is {}; the content decides",
                name.info().description,
                content.info().description
            )));
            content
        }
        (Some(name), _) => name,
        (None, Some(content)) => content,
        (None, None) => return Err(formats::unknown_format(file, &bytes)),
    };
    let mut builder = parse(&bytes, format, file, Some(path))?;
    builder.notices.extend(mismatch);
    builder.split_quads(quads);
    Ok(builder)
}

/// Reads a mesh from bytes; `name` is used in messages. TetGen's two files are concatenated, .node first.
pub fn read_bytes(bytes: &[u8], format: Format, name: &str) -> Result<ImportedMesh, ImportError> {
    let mut builder = parse(bytes, format, name, None)?;
    builder.split_quads(QuadHandling::Split);
    finish(builder, name)
}

/// Positions of the points of a file and their data arrays.
#[derive(Clone, Debug)]
pub struct PointFields {
    /// Positions of the points.
    pub points: Vec<[f64; 3]>,
    /// Data arrays of the points.
    pub fields: Vec<DataArray>,
}

/// Reads points and their data from the bytes of a VTK file (.vtu, .vtk); `path` is used in messages. Cells are not checked:
/// those of a frame may be inverted or flat.
pub fn read_points(bytes: &[u8], path: &Path) -> Result<PointFields, ImportError> {
    let file = path.display().to_string();
    let format = match detect_format(bytes).or(Format::of_path(path)) {
        Some(format @ (Format::Vtu | Format::Vtk)) => format,
        Some(other) => {
            let what = format!("data of points in {} files", other.info().description);
            return Err(ImportError::whole(&file, Fault::Unsupported { what }, ""));
        }
        None => return Err(formats::unknown_format(&file, bytes)),
    };
    let builder = parse(bytes, format, &file, None)?;
    Ok(PointFields {
        points: builder.mesh.points,
        fields: builder.point_data,
    })
}

fn read_file(path: &Path, file: &str) -> Result<Vec<u8>, ImportError> {
    std::fs::read(path).map_err(|e| ImportError::whole(file, Fault::Io(e), ""))
}

/// Reads a file of a known format; `path` locates the other files of a mesh.
fn parse(
    bytes: &[u8],
    format: Format,
    file: &str,
    path: Option<&Path>,
) -> Result<MeshBuilder, ImportError> {
    if bytes.is_empty() {
        return Err(ImportError::whole(
            file,
            Fault::Empty,
            "Check that the program that wrote it has finished.",
        ));
    }
    if let Some(rest) = bytes.strip_prefix(b"\xef\xbb\xbf") {
        let mut builder = parse(rest, format, file, path)?;
        builder.note("the file starts with a UTF-8 byte order mark, which was skipped");
        return Ok(builder);
    }
    if let Some(e) = formats::unsupported_container(file, bytes) {
        return Err(e);
    }
    // Lines may end with a carriage return only (classic Mac OS). STL and VTU may be binary without a line end.
    let has_lines = !matches!(format, Format::Stl | Format::Vtu);
    if has_lines && bytes.contains(&b'\r') && !bytes.contains(&b'\n') {
        let lines: Vec<u8> = bytes
            .iter()
            .map(|&b| if b == b'\r' { b'\n' } else { b })
            .collect();
        let mut builder = parse(&lines, format, file, path)?;
        builder.note("lines end with carriage returns only");
        return Ok(builder);
    }
    match format {
        Format::Msh22 | Format::Msh41 => gmsh::read(bytes, file),
        Format::Vtk => vtk_legacy::read(bytes, file),
        Format::Vtu => vtu::read(bytes, file),
        Format::Medit => medit::read(bytes, file),
        Format::Tetgen => tetgen::read(bytes, file, path),
        Format::Vega => vega::read(bytes, file, path),
        Format::Obj => obj::read(bytes, file),
        Format::Ply => ply::read(bytes, file),
        Format::Stl => stl::read(bytes, file),
        Format::Off => off::read(bytes, file),
    }
}

/// Checks a mesh, adds diagnostics and collects groups.
fn finish(mut builder: MeshBuilder, file: &str) -> Result<ImportedMesh, ImportError> {
    builder.report_changes();
    check::check_cells(&mut builder, file)?;
    diagnostics::report(&mut builder);
    Ok(collect(builder))
}

/// Collects groups and data of a mesh that has been checked, if it has to be.
fn collect(mut builder: MeshBuilder) -> ImportedMesh {
    builder.align_cell_data();
    builder.groups_from_data();
    builder.collect_groups();
    ImportedMesh {
        mesh: Mesh {
            groups: builder.groups,
            ..builder.mesh
        },
        format: builder.format,
        notices: builder.notices,
        point_data: builder.point_data,
        cell_data: builder.cell_data,
    }
}
