//! Why a result could not be computed.

use std::path::PathBuf;

use march::{MethodError, StepError};
use scene::error::SceneErrors;

/// Why a result could not be computed or written.
#[derive(Debug, thiserror::Error)]
pub enum PaperError {
    /// No result has this name.
    #[error("unknown result \"{id}\"; {suggestion}")]
    Unknown {
        /// The name asked for.
        id: String,
        /// What may have been meant.
        suggestion: String,
    },
    /// A scene of ours does not build.
    #[error(transparent)]
    Scene(#[from] SceneErrors),
    /// A method cannot be had.
    #[error(transparent)]
    Method(#[from] MethodError),
    /// A step that should have been taken was not.
    #[error("{what}: {why}")]
    Step {
        /// Method and step.
        what: String,
        /// What went wrong.
        why: StepError,
    },
    /// A measurement came out empty.
    #[error("{what}: nothing could be measured")]
    Nothing {
        /// What was to be measured.
        what: String,
    },
    /// A run got no thread of its own.
    #[error("no thread could be started: {0}")]
    Threads(String),
    /// A file could not be written.
    #[error("{} could not be written: {why}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What went wrong.
        why: std::io::Error,
    },
}

impl PaperError {
    /// Names the method and step a failure belongs to.
    pub(crate) fn step(what: impl Into<String>) -> impl FnOnce(StepError) -> PaperError {
        let what = what.into();
        move |why| PaperError::Step { what, why }
    }
}
