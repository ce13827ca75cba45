//! Everything a run needs to continue as if it had never stopped, to the bit.

use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::binary_format::{BinaryFormat, fnv1a};
use crate::observe::FilePositions;
use crate::session::Snapshot;
use crate::spec::Scene;

/// Version 3 was the last that kept positional arrays, version 4 the last whose matrices did not tell their pattern and
/// that had no totals of step control.
const FORMAT: BinaryFormat = BinaryFormat {
    kind: "checkpoint",
    version: 6,
};

/// Where a run stood.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// Fingerprint of the scene, without how long and how it is shown.
    pub scene: u64,
    /// The session.
    pub session: Snapshot,
    /// Where its files ended.
    pub files: FilePositions,
}

/// Why a run cannot be resumed.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// The file cannot be read.
    #[error("{path}: the checkpoint cannot be read: {why}")]
    Read {
        /// The file.
        path: String,
        /// The system's words.
        why: io::Error,
    },
    /// The file is not a checkpoint, of another version, or damaged.
    #[error("{path}: {what}; resume from another checkpoint or start anew")]
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
    /// Writes the file in one go: it is whole, or the old one stays.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        FORMAT.write(path, self)
    }

    /// Reads a file.
    pub fn read(path: &Path) -> Result<Checkpoint, CheckpointError> {
        let name = path.display().to_string();
        let bytes = std::fs::read(path).map_err(|why| CheckpointError::Read {
            path: name.clone(),
            why,
        })?;
        Checkpoint::parse(&bytes).map_err(|what| CheckpointError::Broken { path: name, what })
    }

    /// Reads bytes; any bytes at all.
    pub fn parse(bytes: &[u8]) -> Result<Checkpoint, String> {
        FORMAT.parse(bytes)
    }
}

/// Fingerprint of what decides the motion: the scene without `until`, checkpoints, title and output.
pub fn scene_fingerprint(scene: &Scene) -> u64 {
    let mut scene = scene.clone();
    scene.title.clear();
    scene.time.until = 0.0;
    scene.time.checkpoint_every = None;
    scene.output = Default::default();
    scene.probe.clear();
    fnv1a(serde_json::to_string(&scene).unwrap_or_default().as_bytes())
}
