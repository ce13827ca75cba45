//! Capsules: a failed step in one small file that can be replayed.
//!
//! A capsule holds the scene, the state before the step, the history of the method, the step length, and the failure: the
//! iterations of the failed stage and the most distorted element. Rebuilding the scene and repeating the step gives the
//! same iterations, bit for bit.

use std::path::Path;

use march::{FixedSteps, NewtonTrace, State, StepError, TimeLoopState};
use serde::{Deserialize, Serialize};
use solid::potential::MostCompressedElement;

use crate::binary_format::{BinaryFormat, same_bits};
use crate::build::build;
use crate::error::SceneErrors;
use crate::run::FailureCause;
use crate::session::Session;
use crate::spec::{Scene, Source};

/// Version 1 was JSON.
const FORMAT: BinaryFormat = BinaryFormat {
    kind: "capsule",
    version: 5,
};

/// A failed step with everything needed to repeat it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Capsule {
    /// Diagnosed cause of the failure.
    pub cause: FailureCause,
    /// Error message.
    pub sentence: String,
    /// File the scene was read from; mesh files are relative to it.
    pub file: String,
    /// The scene, as JSON.
    scene: String,
    /// State of the time loop before the step.
    before: TimeLoopState,
    /// Length of the step, s.
    pub h: f64,
    /// Iterations of the failed stage.
    pub trace: NewtonTrace,
    /// Most distorted element.
    pub worst: Option<WorstElement>,
}

/// Deformation of the most distorted element.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct WorstElement {
    /// Cell number in the frames.
    pub cell: usize,
    /// Deformation gradient F.
    pub f: [[f64; 3]; 3],
    /// Volume ratio det F.
    pub volume_ratio: f64,
    /// Smallest eigenvalue of the element stiffness, N/m.
    pub eigenvalue: f64,
    /// Eigenvector of that eigenvalue: a displacement of each node.
    pub eigenvector: Vec<[f64; 3]>,
}

/// Error while a capsule is read or replayed.
#[derive(Debug, thiserror::Error)]
pub enum CapsuleError {
    /// The file cannot be read.
    #[error("{path}: the capsule cannot be read: {why}")]
    Read {
        /// The file.
        path: String,
        /// Error of the operating system.
        why: std::io::Error,
    },
    /// The file is not a capsule, has another version, or is damaged.
    #[error("{path}: {why}")]
    Broken {
        /// The file.
        path: String,
        /// What is wrong.
        why: String,
    },
    /// The scene cannot be built, for example because its mesh file is missing.
    #[error(transparent)]
    Scene(#[from] SceneErrors),
}

/// Result of repeating a failed step.
#[derive(Debug)]
pub struct Replay {
    /// Iterations of the failed stage in the repetition.
    pub trace: NewtonTrace,
    /// Error of the repeated step, if it failed.
    pub error: Option<StepError>,
    /// Whether all numbers equal those of the capsule bit for bit.
    pub same: bool,
}

impl Capsule {
    /// Creates the capsule of a step of length `h` that just failed; the session has the state before it.
    pub fn new(
        session: &Session,
        h: f64,
        cause: FailureCause,
        worst: Option<&MostCompressedElement>,
        sentence: String,
    ) -> Capsule {
        let time = session.time_loop();
        Capsule {
            cause,
            sentence,
            file: session.file.clone(),
            scene: serde_json::to_string(&session.changed_scene()).unwrap_or_default(),
            before: time.save(&session.model),
            h,
            trace: time.solver().trace().clone(),
            worst: worst.map(|w| WorstElement {
                cell: session
                    .element_cells
                    .get(w.element)
                    .map_or(w.element, |&cell| cell as usize),
                f: w.f,
                volume_ratio: w.j,
                eigenvalue: w.eigenvalue,
                eigenvector: w.eigenvector.clone(),
            }),
        }
    }

    /// Returns the state before the step.
    pub fn state(&self) -> &State {
        &self.before.state
    }

    /// Writes the capsule to a file, atomically.
    pub fn write(&self, path: &Path) -> std::io::Result<()> {
        FORMAT.write(path, self)
    }

    /// Reads a capsule from a file.
    pub fn read(path: &Path) -> Result<Capsule, CapsuleError> {
        let name = || path.display().to_string();
        let bytes = std::fs::read(path).map_err(|why| CapsuleError::Read { path: name(), why })?;
        FORMAT
            .parse(&bytes)
            .map_err(|why| CapsuleError::Broken { path: name(), why })
    }

    /// Rebuilds the scene and repeats the step.
    pub fn replay(&self) -> Result<Replay, CapsuleError> {
        let broken = |why: String| CapsuleError::Broken {
            path: self.file.clone(),
            why,
        };
        let scene: Scene = serde_json::from_str(&self.scene).map_err(|e| broken(e.to_string()))?;
        let source = Source::new(&self.file, "")?;
        let mut session = build(scene, &source)?;
        let t = self.before.state.t;
        let taken = session
            .replay_step(&self.before, FixedSteps::from(t, self.h))
            .map_err(|e| broken(e.to_string()))?;
        let trace = session.time_loop().solver().trace().clone();
        Ok(Replay {
            same: taken.is_err() && same_bits(&trace, &self.trace),
            trace,
            error: taken.err(),
        })
    }
}
