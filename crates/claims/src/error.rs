//! Errors of computing and writing results.

use std::path::PathBuf;

use march::{MethodError, StepError, StepFailure};
use scene::error::SceneErrors;
use scene::session::SessionError;

/// The reason why a result could not be computed or written.
#[derive(Debug, thiserror::Error)]
pub enum PaperError {
    /// No result has this id.
    #[error("unknown result \"{id}\"; {suggestion}")]
    UnknownResult {
        /// The id requested.
        id: String,
        /// A suggestion of similar ids.
        suggestion: String,
    },
    /// A scene of this crate cannot be built.
    #[error(transparent)]
    Scene(#[from] SceneErrors),
    /// A method is unknown or has wrong parameters.
    #[error(transparent)]
    Method(#[from] MethodError),
    /// A time step failed.
    #[error("{what}: {why}")]
    Step {
        /// The method and step.
        what: String,
        /// The cause.
        why: StepError,
    },
    /// A measurement has no data.
    #[error("{what}: no data to measure; the runs were too short or all failed")]
    NoMeasurement {
        /// The quantity to be measured.
        what: String,
    },
    /// A thread for a run could not be started.
    #[error("no thread could be started: {0}")]
    Threads(String),
    /// A file could not be written.
    #[error("{} could not be written: {why}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The cause.
        why: std::io::Error,
    },
}

impl PaperError {
    /// Returns a conversion of step errors that adds the method and step.
    pub fn from_step(what: impl Into<String>) -> impl FnOnce(StepError) -> PaperError {
        let what = what.into();
        move |why| PaperError::Step { what, why }
    }

    /// Returns a conversion of step failures that adds the method and step.
    pub fn from_failure(what: impl Into<String>) -> impl FnOnce(StepFailure) -> PaperError {
        let named = PaperError::from_step(what);
        move |failure| named(failure.why)
    }

    /// Returns a conversion of session errors that adds the method and step.
    pub fn from_session(what: impl Into<String>) -> impl FnOnce(SessionError) -> PaperError {
        let what = what.into();
        move |error| match error {
            SessionError::Step(failure) => PaperError::from_failure(what)(failure),
            SessionError::Observer(why) => PaperError::Write {
                path: what.into(),
                why,
            },
            SessionError::Change(error) => PaperError::Write {
                path: what.into(),
                why: std::io::Error::other(error),
            },
        }
    }
}
