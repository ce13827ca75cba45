//! Checkpoints: files from which a run continues bit for bit as if it had not been stopped.

use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::binary_format::{BinaryFormat, fnv1a};
use crate::observe::FilePositions;
use crate::session::Snapshot;
use crate::spec::Scene;

/// Version 3 was the last with positional arrays, version 4 the last without patterns of matrices and totals of step
/// control, version 6 the last without inverted elements and contact,
/// version 7 the last without fracture, version 8 the last without modes, version 9 the last without candidates of contact.
const FORMAT: BinaryFormat = BinaryFormat {
    kind: "checkpoint",
    version: 10,
};

/// State of a run and the lengths of its files.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// Hash of the scene; see [`scene_fingerprint`].
    pub scene: u64,
    /// Snapshot of the session.
    pub session: Snapshot,
    /// Lengths of the output files.
    pub files: FilePositions,
}

/// Error while a checkpoint is read or resumed.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// The file cannot be read.
    #[error("{path}: the checkpoint cannot be read: {why}")]
    Read {
        /// The file.
        path: String,
        /// Error of the operating system.
        why: io::Error,
    },
    /// The file is not a checkpoint, has another version, or is damaged.
    #[error("{path}: {what}; resume from another checkpoint or restart the run")]
    Broken {
        /// The file.
        path: String,
        /// What is wrong.
        what: String,
    },
    /// The file belongs to another scene.
    #[error(
        "{path}: the checkpoint was written by another scene, method or step; resume with the scene it came from"
    )]
    Foreign {
        /// The file.
        path: String,
    },
}

impl Checkpoint {
    /// Writes the checkpoint to a file, atomically.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        FORMAT.write(path, self)
    }

    /// Reads a checkpoint from a file.
    pub fn read(path: &Path) -> Result<Checkpoint, CheckpointError> {
        let name = path.display().to_string();
        let bytes = std::fs::read(path).map_err(|why| CheckpointError::Read {
            path: name.clone(),
            why,
        })?;
        Checkpoint::parse(&bytes).map_err(|what| CheckpointError::Broken { path: name, what })
    }

    /// Parses the bytes of a checkpoint. Returns an error message for any bytes that are not a valid checkpoint.
    pub fn parse(bytes: &[u8]) -> Result<Checkpoint, String> {
        FORMAT.parse(bytes)
    }
}

/// Returns a hash of the scene without keys that do not affect the motion: title, `until` (which scales the loads of
/// statics), checkpoints, probes and output.
pub fn scene_fingerprint(scene: &Scene) -> u64 {
    let mut scene = scene.clone();
    scene.title.clear();
    if !scene.time.is_static() {
        scene.time.until = 0.0;
    }
    scene.time.checkpoint_every = None;
    scene.output = Default::default();
    scene.probe.clear();
    fnv1a(serde_json::to_string(&scene).unwrap_or_default().as_bytes())
}
