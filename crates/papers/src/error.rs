//! Why a result could not be computed.

use std::path::PathBuf;

use march::{MethodError, StepError, StepFailure};
use scene::error::SceneErrors;
use scene::session::SessionError;

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
    /// Names the method and step an error belongs to.
    pub(crate) fn step(what: impl Into<String>) -> impl FnOnce(StepError) -> PaperError {
        let what = what.into();
        move |why| PaperError::Step { what, why }
    }

    /// Names the method and step a failure belongs to.
    pub(crate) fn failure(what: impl Into<String>) -> impl FnOnce(StepFailure) -> PaperError {
        let named = PaperError::step(what);
        move |failure| named(failure.why)
    }

    /// Names the method and step at which a session ended.
    pub(crate) fn session(what: impl Into<String>) -> impl FnOnce(SessionError) -> PaperError {
        let what = what.into();
        move |error| match error {
            SessionError::Step(failure) => PaperError::failure(what)(failure),
            SessionError::Observer(why) => PaperError::Write {
                path: what.into(),
                why,
            },
        }
    }
}
