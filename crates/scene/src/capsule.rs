//! A failed step in one small file, and its replay.
//!
//! A capsule is JSON: the scene, the state before the step (little-endian numbers in base 64, to the bit), the method's
//! memory, the step's length, and what was seen: the stage, its iterations, the worst element. Rebuilding the scene and
//! taking the step again must give the same rows, to the bit.

use std::io::Write;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use march::{Iteration, State, StepError, Tangent, Trace};
use serde::{Deserialize, Serialize};
use solid::potential::Worst;

use crate::build::{Simulation, build};
use crate::error::SceneErrors;
use crate::record::write_whole;
use crate::run::Cause;
use crate::spec::{Scene, Source};

/// Version of the format.
const VERSION: u32 = 1;

/// A failed step.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Capsule {
    /// Version of the format.
    pub capsule: u32,
    /// Why the step failed, by name.
    pub cause: Cause,
    /// The same in a sentence.
    pub sentence: String,
    /// File the scene was read from; meshes are found beside it.
    pub file: String,
    /// The scene.
    pub scene: Scene,
    /// Time before the step, s.
    pub t: f64,
    /// Length of the step, s.
    pub h: f64,
    /// Displacements before the step.
    pub u: String,
    /// Velocities before the step.
    pub v: String,
    /// The method's memory.
    pub memory: String,
    /// The stage that failed: t, c_u, c_v.
    pub stage: String,
    /// Its iterations, seven numbers each.
    pub iterations: String,
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
    /// The file is no capsule, or damaged.
    #[error("{path}: this is not a capsule of this version of Supple: {why}")]
    Broken {
        /// The file.
        path: String,
        /// What is wrong.
        why: String,
    },
    /// Its scene cannot be built, its mesh is gone, say.
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

fn packed(numbers: impl IntoIterator<Item = f64>) -> String {
    let bytes: Vec<u8> = numbers
        .into_iter()
        .flat_map(|x| x.to_bits().to_le_bytes())
        .collect();
    STANDARD.encode(bytes)
}

fn unpacked(text: &str) -> Option<Vec<f64>> {
    let bytes = STANDARD.decode(text).ok()?;
    let words = bytes.chunks_exact(8);
    words.remainder().is_empty().then(|| {
        words
            .map(|w| f64::from_bits(u64::from_le_bytes(std::array::from_fn(|i| w[i]))))
            .collect()
    })
}

fn row_numbers(row: &Iteration) -> [f64; 7] {
    let kind = Tangent::ALL.iter().position(|t| *t == row.tangent);
    [
        row.residual,
        row.wanted,
        row.merit,
        kind.unwrap_or_default() as f64,
        row.increment,
        row.fraction,
        row.backtracks as f64,
    ]
}

fn rows(trace: &Trace) -> String {
    packed(trace.iterations.iter().flat_map(row_numbers))
}

fn stage(trace: &Trace) -> String {
    packed([trace.t, trace.c_u, trace.c_v])
}

impl Capsule {
    /// The step of length `h` that just failed; the state is as before it.
    pub fn new(
        sim: &Simulation,
        h: f64,
        cause: Cause,
        worst: Option<&Worst>,
        sentence: String,
    ) -> Capsule {
        let mut memory = Vec::new();
        sim.stepper.save(&mut memory);
        let trace = sim.solver.trace();
        Capsule {
            capsule: VERSION,
            cause,
            sentence,
            file: sim.file.clone(),
            scene: sim.scene.clone(),
            t: sim.state.t,
            h,
            u: packed(sim.state.u.iter().copied()),
            v: packed(sim.state.v.iter().copied()),
            memory: packed(memory),
            stage: stage(trace),
            iterations: rows(trace),
            worst: worst.map(|w| WorstElement {
                cell: sim
                    .measured
                    .get(w.element)
                    .map_or(w.element, |&cell| cell as usize),
                f: w.f,
                volume_ratio: w.j,
                eigenvalue: w.eigenvalue,
                eigenvector: w.eigenvector.clone(),
            }),
        }
    }

    /// Writes the file in one go.
    pub fn write(&self, path: &Path) -> std::io::Result<()> {
        let text = serde_json::to_string_pretty(self)?;
        write_whole(path, |file| writeln!(file, "{text}"))
    }

    /// Reads a file.
    pub fn read(path: &Path) -> Result<Capsule, CapsuleError> {
        let name = || path.display().to_string();
        let bytes = std::fs::read(path).map_err(|why| CapsuleError::Read { path: name(), why })?;
        let broken = |why: String| CapsuleError::Broken { path: name(), why };
        let capsule: Capsule = serde_json::from_slice(&bytes).map_err(|e| broken(e.to_string()))?;
        if capsule.capsule != VERSION {
            return Err(broken(format!("its version is {}", capsule.capsule)));
        }
        Ok(capsule)
    }

    /// Takes the step again.
    pub fn replay(&self) -> Result<Replay, CapsuleError> {
        let source = Source::new(&self.file, "")?;
        let mut sim = build(self.scene.clone(), &source)?;
        let broken = |why: &str| CapsuleError::Broken {
            path: self.file.clone(),
            why: why.into(),
        };
        let state = |text: &str| {
            unpacked(text)
                .filter(|x| x.len() == sim.state.u.len())
                .ok_or_else(|| broken("its state does not fit its scene"))
        };
        sim.state = State {
            t: self.t,
            u: state(&self.u)?,
            v: state(&self.v)?,
        };
        let memory = unpacked(&self.memory).unwrap_or_default();
        if !sim.stepper.load(&memory) {
            return Err(broken("the method's memory does not fit its scene"));
        }
        let taken = sim
            .stepper
            .step(&mut sim.model, &mut sim.solver, &mut sim.state, self.h);
        let trace = sim.solver.trace().clone();
        let same = taken.is_err() && rows(&trace) == self.iterations && stage(&trace) == self.stage;
        Ok(Replay {
            trace,
            error: taken.err(),
            same,
        })
    }
}
