//! Mesh files in: one reader a format, found by name or by content.
//!
//! Readers work on the bytes of the file, allocate no more than the file can fill, and refuse with a sentence that
//! names file, line or byte, section and what to try. What is repaired or ignored is told in [`Loaded::notices`].

pub(crate) mod cells;
mod check;
mod codec;
mod draft;
mod error;
mod formats;
mod gmsh;
mod gmsh2;
mod gmsh4;
mod groups;
mod medit;
mod obj;
mod oddities;
mod off;
mod ply;
mod scan;
mod stl;
mod tags;
mod tetgen;
mod values;
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

use draft::Draft;
pub use error::{Fault, ImportError, Level, Notice, Place};
pub use formats::{FORMATS, Format, FormatInfo, sniff};

/// A mesh as read, and what there is to say about it.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// Points, cells and groups.
    pub mesh: Mesh,
    /// What the file turned out to be.
    pub format: Format,
    /// What was repaired, ignored or looks wrong.
    pub notices: Vec<Notice>,
    /// Numbers that belong to points.
    pub point_data: Vec<DataArray>,
    /// Numbers that belong to cells.
    pub cell_data: Vec<DataArray>,
}

/// Numbers that belong to the points or cells of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct DataArray {
    /// Its name in the file.
    pub name: String,
    /// Numbers for each point or cell.
    pub components: usize,
    /// All numbers, point by point or cell by cell.
    pub values: Vec<f64>,
}

/// What to do with quadrilateral faces in surface files (OBJ, PLY, OFF).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Quads {
    /// Each becomes two triangles: what simulation, contact and display want.
    #[default]
    Split,
    /// They stay as they are: what conversion wants.
    Keep,
}

/// Reads a mesh file; quadrilaterals of surface files become triangles.
pub fn read(path: &Path) -> Result<Loaded, ImportError> {
    read_with(path, Quads::Split)
}

/// Reads a mesh file.
pub fn read_with(path: &Path, quads: Quads) -> Result<Loaded, ImportError> {
    let file = path.display().to_string();
    let bytes = slurp(path, &file)?;
    let by_name = Format::of_path(path);
    let by_content = sniff(&bytes);
    let mut moved = None;
    let format = match (by_name, by_content) {
        (Some(name), Some(content)) if name.family() != content.family() => {
            moved = Some(Notice::warning(format!(
                "the name says {} but the content is {}; read as that",
                name.info().description,
                content.info().description
            )));
            content
        }
        (Some(name), _) => name,
        (None, Some(content)) => content,
        (None, None) => return Err(formats::unknown(&file, &bytes)),
    };
    let mut draft = parse(&bytes, format, &file, Some(path))?;
    draft.notices.extend(moved);
    draft.split(quads);
    // The checks look at the mesh alone; the file's memory is free for them.
    drop(bytes);
    finish(draft, &file)
}

/// Reads a mesh out of bytes; `name` is used in messages. TetGen's two files follow each other, .node first.
pub fn read_bytes(bytes: &[u8], format: Format, name: &str) -> Result<Loaded, ImportError> {
    let mut draft = parse(bytes, format, name, None)?;
    draft.split(Quads::Split);
    finish(draft, name)
}

fn slurp(path: &Path, file: &str) -> Result<Vec<u8>, ImportError> {
    std::fs::read(path).map_err(|e| ImportError::whole(file, Fault::Io(e), ""))
}

fn parse(
    bytes: &[u8],
    format: Format,
    file: &str,
    path: Option<&Path>,
) -> Result<Draft, ImportError> {
    if bytes.is_empty() {
        return Err(ImportError::whole(
            file,
            Fault::Empty,
            "Was it ever written?",
        ));
    }
    if let Some(rest) = bytes.strip_prefix(b"\xef\xbb\xbf") {
        let mut draft = parse(rest, format, file, path)?;
        draft.note("the file starts with a UTF-8 byte order mark, which was skipped");
        return Ok(draft);
    }
    if let Some(e) = formats::foreign(file, bytes) {
        return Err(e);
    }
    // Lines that end as on the first Macintoshes. STL and VTU may be binary without a line end.
    let has_lines = !matches!(format, Format::Stl | Format::Vtu);
    if has_lines && bytes.contains(&b'\r') && !bytes.contains(&b'\n') {
        let lines: Vec<u8> = bytes
            .iter()
            .map(|&b| if b == b'\r' { b'\n' } else { b })
            .collect();
        let mut draft = parse(&lines, format, file, path)?;
        draft.note("lines end with carriage returns alone");
        return Ok(draft);
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

fn finish(mut draft: Draft, file: &str) -> Result<Loaded, ImportError> {
    draft.report();
    check::shapes(&mut draft, file)?;
    oddities::tell(&mut draft);
    draft.align_cell_data();
    draft.groups_from_data();
    draft.collect_groups();
    Ok(Loaded {
        mesh: Mesh {
            groups: draft.groups,
            ..draft.mesh
        },
        format: draft.format,
        notices: draft.notices,
        point_data: draft.point_data,
        cell_data: draft.cell_data,
    })
}
