//! Registry of mesh file formats, and their detection by name and content.

use std::path::Path;

use super::error::{Fault, ImportError};
use super::lexer::{find, quoted};

/// A mesh file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Gmsh 4.1.
    Msh41,
    /// Gmsh 2.2 (and 1.0, 2.0, 2.1 for reading).
    Msh22,
    /// Legacy VTK.
    Vtk,
    /// VTK's XML unstructured grid.
    Vtu,
    /// Medit (INRIA).
    Medit,
    /// TetGen's .node and .ele.
    Tetgen,
    /// Vega FEM.
    Vega,
    /// Wavefront OBJ.
    Obj,
    /// Stanford PLY.
    Ply,
    /// Stereolithography.
    Stl,
    /// Object file format of Geomview.
    Off,
}

/// Name, file extensions and capabilities of a format.
#[derive(Clone, Copy, Debug)]
pub struct FormatInfo {
    /// The format.
    pub format: Format,
    /// Name in listings.
    pub name: &'static str,
    /// File extensions, the usual one first.
    pub extensions: &'static [&'static str],
    /// Whether it can be read.
    pub reads: bool,
    /// Whether it can be written.
    pub writes: bool,
    /// One-line description.
    pub description: &'static str,
}

macro_rules! formats {
    ($($format:ident $name:literal $extensions:tt $description:literal;)*) => {
        /// All mesh file formats.
        pub const FORMATS: &[FormatInfo] = &[$(FormatInfo {
            format: Format::$format,
            name: $name,
            extensions: &$extensions,
            reads: true,
            writes: true,
            description: $description,
        }),*];
    };
}

formats! {
    Msh41 "msh" ["msh", "msh4"] "Gmsh mesh 4.1, ascii or binary";
    Msh22 "msh22" ["msh2"] "Gmsh mesh 2.2, ascii or binary (1.0 to 2.2 are read)";
    Vtk "vtk" ["vtk"] "legacy VTK, ascii or binary";
    Vtu "vtu" ["vtu"] "VTK XML unstructured grid, ascii, base64, raw, zlib or lzma";
    Medit "mesh" ["mesh"] "Medit mesh, ascii";
    Tetgen "node" ["node", "ele"] "TetGen node and element files";
    Vega "veg" ["veg"] "Vega FEM mesh";
    Obj "obj" ["obj"] "Wavefront OBJ surface";
    Ply "ply" ["ply"] "Stanford PLY surface, ascii or binary";
    Stl "stl" ["stl"] "stereolithography surface, ascii or binary";
    Off "off" ["off", "coff", "noff"] "Geomview object file surface";
}

impl Format {
    /// Format of a file extension. Returns `None` for an unknown one.
    pub fn of_path(path: &Path) -> Option<Format> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        FORMATS
            .iter()
            .find(|f| f.extensions.contains(&extension.as_str()))
            .map(|f| f.format)
    }

    /// Entry of the format in [`FORMATS`].
    pub fn info(self) -> &'static FormatInfo {
        FORMATS
            .iter()
            .find(|f| f.format == self)
            .unwrap_or(&FORMATS[0])
    }

    /// Representative of the formats that one reader reads.
    pub(crate) fn family(self) -> Format {
        match self {
            Format::Msh22 => Format::Msh41,
            other => other,
        }
    }
}

/// Detects the format of a file by its content. Returns `None` if the content does not tell.
pub fn detect_format(bytes: &[u8]) -> Option<Format> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let head = &bytes[..bytes.len().min(4096)];
    let text = head.trim_ascii_start();
    let lower = text[..text.len().min(64)].to_ascii_lowercase();
    let starts = |word: &str| lower.starts_with(word.as_bytes());
    Some(if starts("$meshformat") || starts("$nod") {
        Format::Msh41
    } else if starts("# vtk datafile") || starts("#vtk datafile") {
        Format::Vtk
    } else if starts("<") && find(head, b"<VTKFile", 0).is_some() {
        Format::Vtu
    } else if starts("meshversionformatted") {
        Format::Medit
    } else if starts("ply\n") || starts("ply\r") {
        Format::Ply
    } else if ["off", "coff", "noff", "cnoff", "stoff"]
        .iter()
        .any(|w| starts(w) && lower.get(w.len()).is_none_or(u8::is_ascii_whitespace))
    {
        Format::Off
    } else if starts("solid") && find(head, b"facet", 0).is_some() {
        Format::Stl
    } else if starts("*vertices") {
        Format::Vega
    } else {
        return None;
    })
}

/// Error for a file of unknown format.
pub(crate) fn unknown_format(file: &str, bytes: &[u8]) -> ImportError {
    let known: Vec<_> = FORMATS
        .iter()
        .flat_map(|f| f.extensions)
        .map(|e| format!(".{e}"))
        .collect();
    if bytes.is_empty() {
        return ImportError::whole(file, Fault::Empty, "");
    }
    let found = format!("it begins with {}", quoted(&bytes[..bytes.len().min(24)]));
    let hint = format!("Known extensions: {}.", known.join(" "));
    ImportError::whole(file, Fault::UnknownFormat { found }, hint)
}

/// Error for an archive, an HDF5 file or UTF-16 text. Returns `None` for other content.
pub(crate) fn unsupported_container(file: &str, bytes: &[u8]) -> Option<ImportError> {
    let known: [(&[u8], &str, &str); 6] = [
        (b"\x1f\x8b", "a gzip archive", "Unpack it first."),
        (b"PK\x03\x04", "a zip archive", "Unpack it first."),
        (b"\xfd7zXZ", "an xz archive", "Unpack it first."),
        (b"\x89HDF", "an HDF5 file", "Convert it to .vtu or .msh."),
        (b"\xff\xfe", "UTF-16 text", "Save it as UTF-8."),
        (b"\xfe\xff", "UTF-16 text", "Save it as UTF-8."),
    ];
    // A binary STL may begin with anything, but not plausibly with these.
    let (_, what, hint) = known.iter().find(|(magic, ..)| bytes.starts_with(magic))?;
    let what = what.to_string();
    Some(ImportError::whole(file, Fault::Unsupported { what }, *hint))
}
