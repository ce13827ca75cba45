//! A failed step in one small file, and its replay.
//!
//! A capsule holds the scene, the state before the step, the method's history, the step's length, and how it failed: the
//! stage, its iterations, the element that was worst off. Rebuilding the scene and attempting the step again must give the
//! same iterations, to the bit.

use std::path::Path;

use march::{FixedSteps, State, StepError, TimeLoopState, Trace};
use serde::{Deserialize, Serialize};
use solid::potential::Worst;

use crate::binary_format::{BinaryFormat, same_bits};
use crate::build::build;
use crate::error::SceneErrors;
use crate::run::FailureCause;
use crate::session::Session;
use crate::spec::{Scene, Source};

/// Version 1 was JSON.
const FORMAT: BinaryFormat = BinaryFormat {
    kind: "capsule",
    version: 3,
};

/// A failed step.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Capsule {
    /// Why the step failed, by name.
    pub cause: FailureCause,
    /// The same in a sentence.
    pub sentence: String,
    /// File the scene was read from; meshes are found beside it.
    pub file: String,
    /// The scene, as JSON.
    scene: String,
    /// Everything that the step depends on.
    before: TimeLoopState,
    /// Length of the step, s.
    pub h: f64,
    /// The stage that failed and its iterations.
    pub trace: Trace,
    /// The element that was worst off.
    pub worst: Option<WorstElement>,
}

/// An element in trouble.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct WorstElement {
    /// Its cell in the frames.
    pub cell: usize,
    /// Deformation gradient.
    pub f: [[f64; 3]; 3],
    /// Its determinant.
    pub volume_ratio: f64,
    /// Smallest eigenvalue of its stiffness, N/m.
    pub eigenvalue: f64,
    /// The motion of its nodes that belongs to it.
    pub eigenvector: Vec<[f64; 3]>,
}

/// Why a capsule cannot be replayed.
#[derive(Debug, thiserror::Error)]
pub enum CapsuleError {
    /// The file cannot be read.
    #[error("{path}: the capsule cannot be read: {why}")]
    Read {
        /// The file.
        path: String,
        /// The system's words.
        why: std::io::Error,
    },
    /// The file is not a capsule, of another version, or damaged.
    #[error("{path}: {why}")]
    Broken {
        /// The file.
        path: String,
        /// What is wrong.
        why: String,
    },
    /// Its scene cannot be built: its mesh is gone, say.
    #[error(transparent)]
    Scene(#[from] SceneErrors),
}

/// What a replay showed.
#[derive(Debug)]
pub struct Replay {
    /// How the iteration on the failed stage went this time.
    pub trace: Trace,
    /// Why the step failed this time, if it did.
    pub error: Option<StepError>,
    /// Whether every number is what the capsule holds.
    pub same: bool,
}

impl Capsule {
    /// The step of length `h` that just failed; the session is as before it.
    pub fn new(
        session: &Session,
        h: f64,
        cause: FailureCause,
        worst: Option<&Worst>,
        sentence: String,
    ) -> Capsule {
        let time = session.time_loop();
        Capsule {
            cause,
            sentence,
            file: session.file.clone(),
            scene: serde_json::to_string(&session.scene).unwrap_or_default(),
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

    /// Displacements and velocities before the step.
    pub fn state(&self) -> &State {
        &self.before.state
    }

    /// Writes the file in one go.
    pub fn write(&self, path: &Path) -> std::io::Result<()> {
        FORMAT.write(path, self)
    }

    /// Reads a file.
    pub fn read(path: &Path) -> Result<Capsule, CapsuleError> {
        let name = || path.display().to_string();
        let bytes = std::fs::read(path).map_err(|why| CapsuleError::Read { path: name(), why })?;
        FORMAT
            .parse(&bytes)
            .map_err(|why| CapsuleError::Broken { path: name(), why })
    }

    /// Attempts the step again.
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
