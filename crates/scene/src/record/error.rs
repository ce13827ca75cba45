//! What can go wrong while frames are kept, with the file it went wrong in.

use std::io;
use std::path::{Path, PathBuf};

/// Why a recorder could not keep a frame. Travels inside [`io::Error`], whose kind it keeps.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The system refused.
    #[error("could not {doing} {}: {source}{}", path.display(), advice(source))]
    Io {
        /// What was being done, as a verb.
        doing: &'static str,
        /// To which file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A frame does not fit the output mesh the recorder was opened with.
    #[error(
        "frame {index} has {found} {what}, the recording has {wanted}; a recording keeps one mesh from start to end"
    )]
    Count {
        /// Number of the frame.
        index: usize,
        /// What was counted.
        what: String,
        /// How many there should be.
        wanted: usize,
        /// How many there are.
        found: usize,
    },
    /// Two cell fields of one name.
    #[error("frame {index} has two cell fields named \"{name}\"; a field's name must be its own")]
    Twice {
        /// Number of the frame.
        index: usize,
        /// The name.
        name: String,
    },
    /// The output mesh contradicts itself.
    #[error("the output_mesh has {found} {what}, it needs {wanted}")]
    OutputMesh {
        /// What was counted.
        what: &'static str,
        /// How many there should be.
        wanted: usize,
        /// How many there are.
        found: usize,
    },
    /// A triangle of the skin points past its vertices.
    #[error(
        "skin triangle {triangle} names vertex {vertex}, the skin has {vertices} (counted from 0)"
    )]
    Triangle {
        /// Which triangle.
        triangle: usize,
        /// The vertex it names.
        vertex: u32,
        /// How many vertices there are.
        vertices: usize,
    },
    /// A file on disk was not written by this recorder, or for another mesh.
    #[error("cannot continue {}: {why}; move it away or record into another folder", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What does not match.
        why: String,
    },
    /// A format cannot hold this much.
    #[error("{} would need {found} {what}, its format ends at {most}; try fewer frames or a coarser skin", path.display())]
    TooBig {
        /// The file.
        path: PathBuf,
        /// What was counted.
        what: &'static str,
        /// The format's limit.
        most: u64,
        /// How many were asked for.
        found: u64,
    },
    /// `[output] formats` names something else.
    #[error("there is no format \"{name}\"; there are {known}")]
    Unknown {
        /// What was written.
        name: String,
        /// The names in the registry.
        known: String,
    },
}

impl RecordError {
    /// For `map_err`: says what was being done to which file.
    pub(crate) fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> io::Error {
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
