//! Chooses the reference solution of a comparison: an earlier run, a new fine run, or none.

use std::path::{Path, PathBuf};

use anyhow::bail;
use comparison::{ReferenceRun, no_frame_to_compare, reference_candidates};
use scene::distance::Motion;
use supple::{Session, Status};

use super::CompareJob;
use super::runs::{CompletedRun, RunJob, RunPool};

/// Which solution errors are measured against.
pub enum ReferencePolicy {
    /// Errors are not measured.
    None,
    /// The run in this folder.
    Existing(PathBuf),
    /// A new run with the first of these methods and steps that reaches the end.
    Compute(Vec<(String, f64)>),
}

/// Folders of the reference and of the run with twice its step, which estimates its error.
const FOLDERS: [&str; 2] = ["reference", "reference-check"];

impl ReferencePolicy {
    /// Interprets `--reference`. A folder is read at once: a wrong one is refused before the first run.
    pub fn new(
        given: Option<&Path>,
        job: &CompareJob,
        sim: &mut Session,
        runs: &RunPool,
    ) -> anyhow::Result<ReferencePolicy> {
        match given {
            Some(word) if word == Path::new("none") => Ok(ReferencePolicy::None),
            Some(folder) => {
                let motion = Motion::read(folder, sim)?;
                let until = sim.scene.time.until;
                if (motion.end() - until).abs() > 1e-9 * until {
                    bail!(
                        "--reference {}: the run ends at t = {} s, the scene at {until} s; give a run to the same time, or --until {}",
                        folder.display(),
                        motion.end(),
                        motion.end()
                    );
                }
                runs.set_reference(motion);
                Ok(ReferencePolicy::Existing(folder.to_path_buf()))
            }
            None => {
                let finest = job
                    .plans
                    .iter()
                    .map(|p| p.step)
                    .fold(f64::INFINITY, f64::min);
                Ok(ReferencePolicy::Compute(reference_candidates(
                    &sim.scene, finest,
                )))
            }
        }
    }

    /// Returns the runs to compute for the reference: the fine run and the one that estimates its error.
    pub fn jobs(&self) -> Vec<RunJob> {
        match self {
            ReferencePolicy::Compute(candidates) => {
                candidates.first().map_or(Vec::new(), reference_jobs)
            }
            _ => Vec::new(),
        }
    }

    /// Returns the reference and its run, given the runs of [`ReferencePolicy::jobs`]. If the first candidate failed, the
    /// next ones are computed.
    pub fn resolve(
        self,
        mut ran: Vec<Option<CompletedRun>>,
        runs: &RunPool,
        sim: &Session,
    ) -> anyhow::Result<(ReferenceRun, Option<CompletedRun>)> {
        let mut fine = ReferenceRun {
            method: "none".into(),
            step: None,
            own_error: None,
            own_error_frames: None,
            failure: None,
            no_frames: None,
        };
        let candidates = match self {
            ReferencePolicy::None => return Ok((fine, None)),
            ReferencePolicy::Existing(folder) => {
                fine.method = folder.display().to_string();
                return Ok((fine, None));
            }
            ReferencePolicy::Compute(candidates) => candidates,
        };
        for (k, candidate) in candidates.iter().enumerate() {
            if k > 0 {
                ran = runs.all(reference_jobs(candidate))?;
            }
            let [finest, check] = &mut ran[..] else {
                continue;
            };
            let Some(finest) = finest.take() else {
                continue;
            };
            if finest.report.status != Status::Finished {
                fine.failure = finest.report.error.clone();
                continue;
            }
            (fine.method, fine.step, fine.failure) = (candidate.0.clone(), Some(candidate.1), None);
            fine.no_frames = no_frame_to_compare(&sim.scene);
            if let Some(check) = check
                .as_mut()
                .filter(|c| c.report.status == Status::Finished)
            {
                if check.distance.is_none() {
                    check.measure(&finest.motion);
                }
                fine.own_error = check.distance.as_ref().and_then(|d| d.end_rms);
                fine.own_error_frames = check.distance.as_ref().map(|d| d.rms);
            }
            return Ok((fine, Some(finest)));
        }
        Ok((fine, None))
    }
}

fn reference_jobs((method, step): &(String, f64)) -> Vec<RunJob> {
    let job = |folder: &str, step: f64, is_reference: bool| RunJob {
        method: method.clone(),
        step,
        folder: folder.into(),
        is_reference,
    };
    vec![
        job(FOLDERS[0], *step, true),
        job(FOLDERS[1], 2.0 * step, false),
    ]
}
