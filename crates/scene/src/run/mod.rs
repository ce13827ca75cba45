//! Runs a session to the end of its scene and writes its tables, frames, checkpoints and report.

mod contact_report;
mod control_report;
mod failure_cause;
mod fragment_report;
mod report;
mod results_writer;
mod statics_report;
mod warnings;

use std::path::{Path, PathBuf};
use std::time::Instant;

use march::{StepError, StepFailure};
use solid::model::Energy;

use crate::capsule::Capsule;
use crate::check::grows_at_any_step;
use crate::checkpoint::{Checkpoint, CheckpointError, scene_fingerprint};
use crate::observe::{Checkpoints, Curves, FilePositions, FilmRecorder, FrameWriter, Tables};
use crate::results::Results;
pub use crate::session::Flow;
use crate::session::{Session, SessionError};
pub use contact_report::ContactReport;
pub use control_report::{ControlReport, EstimateReport};
pub use failure_cause::FailureCause;
pub use fragment_report::FragmentReport;
pub use report::{EnergyReport, IntegratorShare, RejectedWork, Report, Status};
pub use results_writer::ResultsWriter;
pub use statics_report::{StaticsReport, UnheldReport};
pub use warnings::{CellReport, InversionReport};

/// Output folder of a run and the checkpoint to resume from.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// Output folder.
    pub out: PathBuf,
    /// Checkpoint to resume from; `None` starts from the initial state.
    pub resume: Option<PathBuf>,
}

/// Progress of a run, passed to its callback.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Simulated time, s.
    pub t: f64,
    /// End time, s.
    pub until: f64,
    /// Simulated time at which this run started or was resumed, s.
    pub from: f64,
    /// Number of steps taken.
    pub steps: u64,
    /// Current energies.
    pub energies: Energy,
    /// Number of Newton iterations of the last step.
    pub newton: u64,
}

/// Error that ended a run early. All files written before it remain.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// A step failed, even with the smallest step length.
    #[error(
        "{why}. {cause}: {sentence}. Frames and the checkpoint up to t = {t:.6} s are in {}; inspect the failed step with\n  supple replay {}",
        out.display(),
        out.join(CAPSULE).display()
    )]
    Step {
        /// Output folder.
        out: PathBuf,
        /// Simulated time reached, s.
        t: f64,
        /// Error of the step.
        why: StepError,
        /// Diagnosed cause.
        cause: FailureCause,
        /// Message with the cause and what to try.
        sentence: String,
    },
    /// The place of a body that should appear is occupied. No step failed, so there is no capsule.
    #[error("{why}. Frames and the checkpoint up to then are in {}", out.display())]
    Occupied {
        /// Output folder.
        out: PathBuf,
        /// Names of the bodies and the time.
        why: StepError,
    },
    /// The checkpoint to resume from cannot be used.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// An event or a handle of the scene could not be applied.
    #[error(transparent)]
    Change(#[from] crate::session::InteractionError),
    /// Output could not be written.
    #[error("{0}")]
    Write(#[from] std::io::Error),
}

/// Report, curves and animation of a run that finished, was stopped or failed.
#[derive(Debug)]
pub struct RunOutcome {
    /// Numbers of `report.json`.
    pub report: Report,
    /// Error of the last step, if it failed.
    pub failure: Option<RunError>,
    /// Energies, momenta, counts and ledger of every step.
    pub curves: Curves,
    /// Surface animation for the page; `None` if the run was resumed and its earlier frames cannot be read.
    pub film: Option<FilmRecorder>,
}

/// File name of the capsule of a failed step in the output folder.
pub const CAPSULE: &str = "capsule.supple";

/// File name of the surfaces of obstacles in the output folder.
pub const OBSTACLES: &str = "obstacles.json";

/// File name of the checkpoint in the output folder.
pub const CHECKPOINT: &str = "checkpoint.supple";

/// Runs a session to the end of its scene and writes its files; `watch` is called at the start and after every step.
pub fn run(
    session: &mut Session,
    options: &RunOptions,
    watch: &mut dyn FnMut(&Progress) -> Flow,
) -> Result<Report, RunError> {
    let RunOutcome {
        report, failure, ..
    } = attempt(session, options, watch)?;
    failure.map_or(Ok(report), Err)
}

/// Runs a session like [`run`], but returns the report and curves also if a step fails.
pub fn attempt(
    session: &mut Session,
    options: &RunOptions,
    watch: &mut dyn FnMut(&Progress) -> Flow,
) -> Result<RunOutcome, RunError> {
    let started = Instant::now();
    let out = &options.out;
    meshio::record::create_folder(out)?;
    let positions = match &options.resume {
        Some(path) => resume(session, path)?,
        None => FilePositions::default(),
    };
    write_obstacles(session, out)?;
    add_observers(session, out, &positions, options.resume.is_some())?;
    let (status, failure) = match steps(session, watch) {
        Ok(Flow::On) => (Status::Finished, None),
        Ok(Flow::Stop) => (Status::Interrupted, None),
        Err(SessionError::Step(failure)) => (Status::Failed, Some(explain(session, out, failure)?)),
        Err(SessionError::Observer(error)) => return Err(error.into()),
        Err(SessionError::Change(error)) => return Err(error.into()),
    };
    // A failed step does not change the state: the checkpoint, tables and frames end at the last accepted step.
    session.finish_observers()?;
    session.take_observer::<Tables>();
    session.take_observer::<Checkpoints>();
    let frames = session.take_observer::<FrameWriter>();
    let curves = session.take_observer::<Curves>().unwrap_or_default();
    let film = session.take_observer::<FilmRecorder>();
    let mut report = Report::new(session, frames.map_or(0, |f| f.count()), status);
    report.wall_seconds = started.elapsed().as_secs_f64();
    report.error = failure.as_ref().map(RunError::to_string);
    report.write(out)?;
    Ok(RunOutcome {
        report,
        failure,
        curves,
        film,
    })
}

/// Restores a checkpoint; returns where the files of its run ended.
fn resume(session: &mut Session, path: &Path) -> Result<FilePositions, CheckpointError> {
    let saved = Checkpoint::read(path)?;
    let foreign = || CheckpointError::Foreign {
        path: path.display().to_string(),
    };
    if saved.scene != scene_fingerprint(&session.scene) {
        return Err(foreign());
    }
    session.restore(&saved.session).map_err(|_| foreign())?;
    Ok(saved.files)
}

/// Writes the surfaces and motions of the obstacles to `obstacles.json`, for pictures.
fn write_obstacles(session: &Session, out: &Path) -> std::io::Result<()> {
    if session.obstacles.is_empty() {
        return Ok(());
    }
    let text = serde_json::to_string(&session.obstacles)?;
    meshio::record::write_atomically(&out.join(OBSTACLES), |file| {
        std::io::Write::write_all(file, text.as_bytes())
    })
}

fn add_observers(
    session: &mut Session,
    out: &Path,
    positions: &FilePositions,
    resumed: bool,
) -> std::io::Result<()> {
    let tables = Tables::open(out, session, positions)?;
    let (curves, film) = match resumed {
        false => (Curves::new(), Some(FilmRecorder::new(session))),
        true => {
            let results = Results::open(out).ok();
            let film = |r: Results| FilmRecorder::resume(session, &r, positions.frames);
            (Curves::resume(out)?, results.and_then(film))
        }
    };
    let frames = FrameWriter::new(session, out, positions.frames)?;
    session.observe(Box::new(tables))?;
    session.observe(Box::new(frames))?;
    session.observe(Box::new(curves))?;
    if let Some(film) = film {
        session.observe(Box::new(film))?;
    }
    let every = session.scene.time.checkpoint_every;
    session.observe(Box::new(Checkpoints::new(out.join(CHECKPOINT), every)))
}

/// Takes steps to the end of the scene, or until `watch` returns [`Flow::Stop`].
fn steps(
    session: &mut Session,
    watch: &mut dyn FnMut(&Progress) -> Flow,
) -> Result<Flow, SessionError> {
    let (from, until) = (session.t(), session.scene.time.until);
    let mut seen = |session: &Session| {
        watch(&Progress {
            t: session.t(),
            until,
            from,
            steps: session.totals().steps,
            energies: session.energies(),
            newton: session.row().work.newton,
        })
    };
    if seen(session) == Flow::Stop {
        return Ok(Flow::Stop);
    }
    session.run_until(until, &mut |session, row| match seen(session) {
        // A run that has just reached its end is finished, also if the callback stops it now.
        Flow::Stop if row.t >= until - 1e-9 * row.h => Flow::On,
        flow => flow,
    })
}

/// Diagnoses why a step failed and writes its capsule; a body whose place is occupied has none.
fn explain(
    session: &mut Session,
    out: &Path,
    failure: StepFailure,
) -> Result<RunError, std::io::Error> {
    let StepFailure { why, h, .. } = failure;
    if matches!(why, StepError::Occupied { .. }) {
        let out = out.to_path_buf();
        return Ok(RunError::Occupied { out, why });
    }
    let (model, state) = session.model_and_state();
    let worst = model.most_compressed(state.t, &state.u, &state.v);
    let cause = FailureCause::of(&why, session, h, worst.as_ref());
    let sentence = match cause == FailureCause::BlownUp && grows_at_any_step(session) {
        true => format!(
            "the solution has blown up: {} lets motion without damping grow at any step; add damping and try a smaller step, or use an L-stable method such as sdirk2",
            session.method.name()
        ),
        false => cause.sentence(worst.as_ref()),
    };
    let told = format!("{why}. {sentence}");
    let capsule = Capsule::new(session, h, cause, worst.as_ref(), told);
    capsule.write(&out.join(CAPSULE))?;
    Ok(RunError::Step {
        out: out.to_path_buf(),
        t: session.t(),
        why,
        cause,
        sentence,
    })
}
