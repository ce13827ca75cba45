//! Errors of recorders, with the file in which they occurred.

use std::io;
use std::path::{Path, PathBuf};

/// Error of a recorder. It is passed inside an [`io::Error`], whose kind is kept.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The operating system reported an error.
    #[error("could not {doing} {}: {source}{}", path.display(), advice(source))]
    Io {
        /// Operation, as a verb.
        doing: &'static str,
        /// File or folder.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// A frame does not fit the output mesh the recorder was opened with.
    #[error(
        "frame {index} has {found} {what}, the recording has {wanted}; a recording keeps one mesh from start to end"
    )]
    Count {
        /// Number of the frame.
        index: usize,
        /// Counted quantity.
        what: String,
        /// Expected count.
        wanted: usize,
        /// Count in the frame.
        found: usize,
    },
    /// Two cell fields have the same name.
    #[error("frame {index} has two cell fields named \"{name}\"; names of fields must be unique")]
    DuplicateField {
        /// Number of the frame.
        index: usize,
        /// Name of the fields.
        name: String,
    },
    /// The output mesh contradicts itself.
    #[error("the output_mesh has {found} {what}, it needs {wanted}")]
    OutputMesh {
        /// Counted quantity.
        what: &'static str,
        /// Expected count.
        wanted: usize,
        /// Actual count.
        found: usize,
    },
    /// A triangle of the surface refers to a vertex that does not exist.
    #[error(
        "surface triangle {triangle} refers to vertex {vertex}, but the surface has {vertices} vertices (counted from 0)"
    )]
    Triangle {
        /// Number of the triangle.
        triangle: usize,
        /// Vertex that it refers to.
        vertex: u32,
        /// Number of vertices.
        vertices: usize,
    },
    /// An existing file was not written by this recorder, or belongs to another mesh.
    #[error("cannot continue {}: {why}; move it away or record into another folder", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// Reason.
        why: String,
    },
    /// The data exceed a limit of the file format.
    #[error("{} would need {found} {what}, but its format allows at most {most}; try fewer frames or a coarser surface", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Counted quantity.
        what: &'static str,
        /// Limit of the format.
        most: u64,
        /// Required count.
        found: u64,
    },
    /// `[output] formats` names an unknown format.
    #[error("there is no format \"{name}\"; there are {known}")]
    Unknown {
        /// Given name.
        name: String,
        /// Names of all formats.
        known: String,
    },
}

impl RecordError {
    /// Returns a function for `map_err` that adds the operation and the file to an error.
    pub fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> io::Error {
        let path = path.to_path_buf();
        move |source| {
            RecordError::Io {
                doing,
                path,
                source,
            }
            .into()
        }
    }
}

impl From<RecordError> for io::Error {
    fn from(error: RecordError) -> io::Error {
        let kind = match &error {
            RecordError::Io { source, .. } => source.kind(),
            RecordError::Foreign { .. } => io::ErrorKind::InvalidData,
            _ => io::ErrorKind::InvalidInput,
        };
        io::Error::new(kind, error)
    }
}

fn advice(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "; free some space, then resume from the last checkpoint"
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "; choose a folder you may write to with -o"
        }
        _ => "",
    }
}
